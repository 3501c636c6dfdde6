"""Lets Python's cyclic garbage collector run rarely while tinyflow, and NumPy with it, is imported.

An import makes some 60,000 objects that all stay. `end_of_import` takes them, and the few that the
program had before, out of the collector's sight: Python would search them three times at its exit,
which takes a fifth of the time of the import. If the program had many objects before, of which
some may become garbage, nothing is hidden.
"""
from __future__ import annotations

import gc

_RARELY = 1 << 20       # new objects between collections
_FEW = 50_000           # objects; Python begins with 5,000, NumPy makes 25,000

# Thresholds, not gc.disable(): should the import fail, garbage is still collected.
_threshold = gc.get_threshold()
_had_few = len(gc.get_objects()) < _FEW
if _threshold[0]:                       # 0: the program has turned the collector off
    gc.set_threshold(max(_threshold[0], _RARELY), *_threshold[1:])


def end_of_import() -> None:
    """Restores the collector as it was before the import."""
    gc.set_threshold(*_threshold)
    if _had_few:
        gc.freeze()
