"""Runs that leave no trace: afterwards a Session's Variables are what they were."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from tinyflow.session.store import Store, VariableStorage

__all__ = ['unchanged']


@contextmanager
def unchanged(store: Store) -> Iterator[None]:
    """At the end Variables, random streams and iterators are again what they are now.

    Not so the other states, such as queues and tables.
    """
    values = {storage: None if storage.value is None else storage.value.copy()
              for storage in store.storages()}
    positions = store.positions()[0]
    try:
        yield
    finally:
        for storage in store.storages():
            _put_back(storage, values.get(storage))
        store.set_positions(positions)


def _put_back(storage: VariableStorage, value: np.ndarray | None) -> None:
    """Sets a value that the Variable had before, in place if the shape is the same."""
    with storage.lock:
        if value is not None and storage.value is not None and storage.value.shape == value.shape:
            np.copyto(storage.value, value)
        else:
            storage.value = value
