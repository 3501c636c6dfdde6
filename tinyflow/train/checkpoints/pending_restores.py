"""Checkpoints that were restored before all objects existed, while ops run at once.

Variables that are made later get their values when `retry` is called: after a layer was built, and
after an optimizer has made its slots.
"""
from __future__ import annotations

import weakref

__all__ = ['add', 'retry']

_pending: weakref.WeakSet = weakref.WeakSet()


def add(status):
    """Restores what `status` has for objects that do not exist yet, as soon as they do."""
    _pending.add(status)


def retry():
    """Restores the objects that were made since."""
    for status in list(_pending):
        if status.restore_new():
            _pending.discard(status)
