"""Checkpoint ops of the first format: Save, SaveSlices, Restore, RestoreSlice.

Savers of TensorFlow before 0.12 made them, and those with write_version=V1 do.
"""
from __future__ import annotations

import os
from functools import lru_cache

import numpy as np

from tinyflow.formats.wire import checkpoint_v1, slices
from tinyflow.formats.wire.bundle import index_name
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support import errors
from tinyflow.ops.files.saving import restored, text_of, texts

__all__: list[str] = []


def _write(filename, names, parts, tensors, dtypes):
    """Writes the tensors; `parts` say '' for a whole one."""
    entries = []
    for name, part, tensor, dtype in zip(names, parts, tensors, dtypes):
        array = np.asarray(tensor)
        shape, extents = slices.parse(part) if part else \
            (array.shape, [(0, slices.ALL)] * array.ndim)
        entries.append((name, shape, extents, array, dtype))
    _reader.cache_clear()
    checkpoint_v1.write(text_of(filename), entries)


class Save(Op):
    """Writes `data` under their names to the file `filename`."""

    signature = 'filename: string, tensor_names: string, data: [T] ->'
    attrs = {'T': REQUIRED}
    pure = False

    def kernel(filename, tensor_names, data, *, T):
        names = texts(tensor_names, 'tensor_names', len(data))
        _write(filename, names, [''] * len(data), data, T)
        return ()


class SaveSlices(Op):
    """Writes `data`, whole tensors or parts of them, to the file `filename`."""

    signature = 'filename: string, tensor_names: string, shapes_and_slices: string, data: [T] ->'
    attrs = {'T': REQUIRED}
    pure = False

    def kernel(filename, tensor_names, shapes_and_slices, data, *, T):
        names = texts(tensor_names, 'tensor_names', len(data))
        _write(filename, names, texts(shapes_and_slices, 'shapes_and_slices', len(data)), data, T)
        return ()


def _restored(pattern, name, part, dt):
    pattern = text_of(pattern)
    states = [os.stat(path) for path in checkpoint_v1.files_of(pattern)]
    if not states or os.path.exists(index_name(pattern)):       # a V2 checkpoint, or an error
        with checkpoint_v1.reader_of(pattern) as reader:
            return restored(reader, text_of(name), part, dt)
    with _reader(pattern, tuple((s.st_ino, s.st_mtime_ns, s.st_size) for s in states)) as reader:
        return restored(reader, text_of(name), part, dt)


@lru_cache(maxsize=1)               # a checkpoint is restored by a node for each tensor
def _reader(pattern, states):
    return checkpoint_v1.reader_of(pattern)


class Restore(Op):
    """The tensor of that name in the checkpoint whose files match `file_pattern`."""

    signature = 'file_pattern: string, tensor_name: string -> tensor: dt'
    attrs = {'dt': REQUIRED, 'preferred_shard': -1}
    pure = False

    def shape(file_pattern, tensor_name, *, dt, preferred_shard):
        return None

    def kernel(file_pattern, tensor_name, *, dt, preferred_shard):
        return _restored(file_pattern, tensor_name, '', dt)


class RestoreSlice(Op):
    """A part of the tensor of that name in the checkpoint whose files match `file_pattern`."""

    signature = 'file_pattern: string, tensor_name: string, shape_and_slice: string -> tensor: dt'
    attrs = {'dt': REQUIRED, 'preferred_shard': -1}
    pure = False

    @classmethod
    def infer_shapes(cls, operation, arguments):
        part = constant_value(operation.inputs[2])
        if part is None or not part.item():
            return [None]
        try:
            return [slices.shape_of(*slices.parse(part.item().decode()))]
        except ValueError as error:
            raise errors.misuse(ValueError(cls.explain_shapes(operation, error))) from None

    def kernel(file_pattern, tensor_name, shape_and_slice, *, dt, preferred_shard):
        return _restored(file_pattern, tensor_name, text_of(shape_and_slice), dt)
