"""Checkpoint ops: SaveV2, RestoreV2 and others, which tf.train.Saver uses.

`shape_and_slices` has a text for each tensor: '' for all of it, or '10 4 0,5:-' for the part of a
[10, 4] tensor that a partitioned Variable holds.
"""
from __future__ import annotations

import numpy as np

from tinyflow.formats.wire import checkpoint_v1, slices
from tinyflow.formats.wire.bundle_writer import BundleWriter, merge
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.dtypes import as_dtype
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support import errors

__all__: list[str] = []


def text_of(scalar):
    """The file name that a string scalar holds."""
    if scalar.ndim and scalar.size != 1:
        raise ValueError(f'a file name must be one string, not {shapes.text(scalar.shape)}')
    value = scalar.reshape(-1)[0]
    return value.decode() if isinstance(value, bytes) else value


def texts(vector, what, count):
    """The strings of a vector of that length."""
    if vector.shape != (count,):
        raise ValueError(f'{what} has the shape {shapes.text(vector.shape)}, but there are '
                         f'{count} tensors')
    return [value.decode() for value in vector]


class SaveV2(Op):
    """Writes `tensors` under their names to the checkpoint `prefix`."""

    signature = 'prefix: string, tensor_names: string, shape_and_slices: string, tensors: [dtypes]'
    signature += ' ->'
    attrs = {'dtypes': REQUIRED}
    pure = False

    def kernel(prefix, tensor_names, shape_and_slices, tensors, *, dtypes):
        names = texts(tensor_names, 'tensor_names', len(tensors))
        parts = texts(shape_and_slices, 'shape_and_slices', len(tensors))
        with BundleWriter(text_of(prefix)) as writer:
            for name, part, tensor, dtype in zip(names, parts, tensors, dtypes):
                if part:
                    writer.add_slice(name, *slices.parse(part), np.asarray(tensor), dtype)
                else:
                    writer.add(name, np.asarray(tensor), dtype)
        return ()


class RestoreV2(Op):
    """The tensors of the checkpoint `prefix` that have those names."""

    signature = 'prefix: string, tensor_names: string, shape_and_slices: string -> '
    signature += 'tensors: [dtypes]'
    attrs = {'dtypes': REQUIRED}
    pure = False

    def shape(prefix, tensor_names, shape_and_slices, *, dtypes):
        return [None] * len(dtypes)

    @classmethod
    def infer_shapes(cls, operation, arguments):
        # Only the specification of a slice gives a static shape.
        parts = constant_value(operation.inputs[2])
        count = len(operation.attrs['dtypes'])
        if parts is None or parts.shape != (count,):
            return [None] * count
        try:
            return [slices.shape_of(*slices.parse(part.decode())) if part else None
                    for part in parts]
        except ValueError as error:
            raise errors.misuse(ValueError(cls.explain_shapes(operation, error))) from None

    def kernel(prefix, tensor_names, shape_and_slices, *, dtypes):
        names = texts(tensor_names, 'tensor_names', len(dtypes))
        parts = texts(shape_and_slices, 'shape_and_slices', len(dtypes))
        with checkpoint_v1.reader_of(text_of(prefix)) as reader:
            return tuple([restored(reader, name, part, dtype)
                          for name, part, dtype in zip(names, parts, dtypes)])


def restored(reader, name, part, dtype):
    """The tensor, or the part of it, that a node restores."""
    stored = reader.dtype(name)
    if stored is not as_dtype(dtype).base_dtype:
        raise errors.InvalidArgumentError(
            None, None, f"{reader.prefix}: tensor_name = {name}; expected dtype {dtype.name} does "
            f'not equal original dtype {stored.name}')
    if part:
        return reader.get_slice(name, *slices.parse(part))
    return reader.get(name)


class MergeV2Checkpoints(Op):
    """Merges the shards of a checkpoint."""

    signature = 'checkpoint_prefixes: string, destination_prefix: string ->'
    attrs = {'delete_old_dirs': True}
    pure = False

    def kernel(checkpoint_prefixes, destination_prefix, *, delete_old_dirs):
        merge([p.decode() for p in checkpoint_prefixes.reshape(-1)], text_of(destination_prefix),
              delete_old_dirs)
        return ()


class ShardedFilename(Op):
    """'basename-00002-of-00005' for shard 2 of 5."""

    signature = 'basename: string, shard: int32, num_shards: int32 -> filename: string'

    def shape(basename, shard, num_shards):
        return ()

    def kernel(basename, shard, num_shards):
        return _scalar(f'{text_of(basename)}-{int(shard):05d}-of-{int(num_shards):05d}')


class ShardedFilespec(Op):
    """'basename-?????-of-00005', the pattern for all 5 shards."""

    signature = 'basename: string, num_shards: int32 -> filename: string'

    def shape(basename, num_shards):
        return ()

    def kernel(basename, num_shards):
        return _scalar(f'{text_of(basename)}-?????-of-{int(num_shards):05d}')


def _scalar(text):
    return np.array(text.encode(), dtypes.string.np)
