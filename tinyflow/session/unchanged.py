"""Runs that leave no trace: afterwards a Session's Variables are what they were."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tinyflow.session.store import Store

__all__ = ['unchanged']


@contextmanager
def unchanged(store: Store) -> Iterator[None]:
    """At the end Variables, random streams and iterators are again what they are now.

    Not so the other states, such as queues and tables. To be used inside `interrupts.whole`.
    """
    values = {storage: storage.copy() for storage in store.storages()}
    positions = store.positions()[0]
    try:
        yield
    finally:
        for storage in store.storages():
            storage.set(values.get(storage))
        store.set_positions(positions)
