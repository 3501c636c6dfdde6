"""Lets Python's cyclic garbage collector run rarely while tinyflow, and NumPy with it, is imported.

An import makes some 50,000 objects that all stay: to search them again and again is in vain.
"""
from __future__ import annotations

import gc

_RARELY = 1 << 20       # new objects between collections

# Thresholds, not gc.disable(): should the import fail, garbage is still collected.
_threshold: tuple[int, int, int] | None = gc.get_threshold()
if _threshold[0]:                       # 0: the program has turned the collector off
    gc.set_threshold(max(_threshold[0], _RARELY), *_threshold[1:])


def end_of_import() -> None:
    """Restores the collector as it was before the import; the second time it does nothing.

    The objects that are there by now go to the oldest generation without being searched.
    """
    global _threshold
    if _threshold is not None:
        if not gc.get_freeze_count():           # the program has frozen nothing itself
            gc.freeze()
            gc.unfreeze()
        gc.set_threshold(*_threshold)
        _threshold = None
