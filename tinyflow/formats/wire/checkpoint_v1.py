"""Checkpoints of the first format, V1: one sorted table, tensors as protocol buffers.

The entry '' holds names, dtypes, shapes and the parts that are stored; each part is an entry under
the same key as in a V2 checkpoint. TensorFlow packs the blocks with snappy; they need not be.
"""
from __future__ import annotations

import glob
import math
import os

import numpy as np

from tinyflow.formats.wire import files, slices
from tinyflow.formats.wire.bundle import BundleReader, damaged, index_name
from tinyflow.formats.wire.files import explained
from tinyflow.formats.wire.ordered import slice_key
from tinyflow.formats.wire.table import DamagedTable, read_table, write_table
from tinyflow.graph import dtypes
from tinyflow.graph.support import errors

# The field of a TensorProto with the values of a dtype, and their conversion to an array.
_FIELDS = {'float32': 'float_val', 'float64': 'double_val', 'int64': 'int64_val',
           'bool': 'bool_val', 'string': 'string_val', 'complex64': 'scomplex_val',
           'complex128': 'dcomplex_val', 'float16': 'half_val', 'uint32': 'uint32_val',
           'uint64': 'uint64_val'}


_VERSION = 1                # of the files, as TensorFlow counts


def reader_of(prefix):
    """A BundleReader, or a ReaderV1 for a checkpoint of the first format."""
    return BundleReader(prefix) if os.path.exists(index_name(prefix)) else ReaderV1(prefix)


def files_of(pattern):
    """The files of a V1 checkpoint, whose name is a pattern if there are several."""
    if os.path.isfile(pattern):
        return [pattern]
    return sorted(path for path in glob.glob(pattern) if os.path.isfile(path))


class ReaderV1:
    """Reads tensors of a V1 checkpoint by name; with the methods of bundle.BundleReader."""

    def __init__(self, prefix):
        self.prefix = prefix
        paths = files_of(prefix)
        if not paths:
            raise errors.NotFoundError(None, None, 'Unsuccessful TensorSliceReader constructor: '
                                       f'Failed to find any matching files for {prefix}')
        self._meta, self._parts = {}, {}
        for path in paths:
            self._open(path)

    def _open(self, path):
        with explained(path), open(path, 'rb') as file:
            data = file.read()
        try:
            entries = read_table(data)
        except DamagedTable as error:
            raise damaged(path, str(error)) from None
        for tensor in self._proto(path, entries.pop(b'', b'')).meta.tensor:
            known = self._meta.setdefault(tensor.name, tensor)
            if known is not tensor:
                known.slice.extend(tensor.slice)
        self._parts.update({key: (path, value) for key, value in entries.items()})

    def _proto(self, path, data):
        from google.protobuf.message import DecodeError  # start-up time

        from tinyflow.formats.protos import saved_tensor_slice_pb2  # start-up time
        try:
            return saved_tensor_slice_pb2.SavedTensorSlices.FromString(data)
        except DecodeError:
            raise damaged(path, 'an entry is not readable') from None

    def names(self):
        """The names of all tensors, sorted."""
        return sorted(self._meta)

    def __contains__(self, name):
        return name in self._meta

    def _known(self, name):
        if name not in self._meta:
            raise errors.NotFoundError(None, None,
                                       f'Key {name} not found in checkpoint {self.prefix}')
        return self._meta[name]

    def dtype_number(self, name):
        """TensorFlow's number of the dtype of a tensor."""
        return self._known(name).type

    def dtype(self, name):
        """The DType of a tensor."""
        return dtypes.as_dtype(self.dtype_number(name))

    def shape(self, name):
        """The shape of a tensor, a tuple."""
        return tuple(dim.size for dim in self._known(name).shape.dim)

    def get(self, name):
        """The value of a tensor."""
        return self._assemble(name, [(0, slices.ALL)] * len(self.shape(name)))

    def get_slice(self, name, shape, extents):
        """The part `extents` of the tensor, which must have that shape as a whole."""
        stored = self.shape(name)
        if stored != tuple(shape):
            raise errors.InvalidArgumentError(
                None, None, f"Shape in shape_and_slice spec {list(shape)} does not match the shape "
                f"in checkpoint {self.prefix}: {list(stored)} of '{name}'")
        return self._assemble(name, extents)

    def _assemble(self, name, extents):
        """The part `extents` of a tensor, from the parts that are stored."""
        meta, shape, dtype = self._known(name), self.shape(name), self.dtype(name)
        result, filled = np.empty(slices.shape_of(shape, extents), dtype.np), 0
        for stored in meta.slice:
            part = [(e.start, e.length if e.HasField('length') else slices.ALL)
                    for e in stored.extent]
            if len(part) != len(shape):
                raise damaged(self.prefix, 'a slice has a wrong shape', name)
            meet = slices.overlap(shape, extents, part)
            if meet is None:
                continue
            piece = self._part(name, part, slices.shape_of(shape, part), dtype)
            result[meet[0]] = piece[meet[1]]
            filled += result[meet[0]].size
        if filled < result.size:
            raise damaged(self.prefix, 'parts are missing', name)
        return result

    def _part(self, name, part, shape, dtype):
        path, data = self._parts.get(slice_key(name, part), (self.prefix, b''))
        values = _values(self._proto(path, data).data.data, dtype)
        if values.size != math.prod(shape):
            raise damaged(path, 'a slice is incomplete', name)
        return values.reshape(shape)

    def close(self):
        """Does nothing: there are no open files."""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _values(proto, dtype):
    values = getattr(proto, _FIELDS.get(dtype.name, 'int_val'))
    if dtype.is_complex:
        return np.array(values, dtype.real_dtype.np).view(dtype.np)
    if dtype is dtypes.float16:
        return np.array(values, np.uint16).view(np.float16)
    if dtype is dtypes.string:
        result = np.empty(len(values), object)
        result[:] = list(values)
        return result
    return np.array(values).astype(dtype.np)


# ---- writing -------------------------------------------------------------------------------------


def write(path, tensors):
    """Writes a checkpoint atomically; `tensors` are (name, whole shape, extents, array, dtype).

    UnimplementedError for a dtype that the format does not have, such as string.
    """
    from tinyflow.formats.protos import saved_tensor_slice_pb2  # start-up time
    heading = saved_tensor_slice_pb2.SavedTensorSlices()
    heading.meta.versions.producer = _VERSION
    known, entries = {}, {}
    for name, shape, extents, array, dtype in tensors:
        if dtype.name not in _WRITTEN:
            raise errors.UnimplementedError(
                None, None, f'Saving data type {dtype.name} not yet supported: a checkpoint of the '
                f"first format (V1) cannot hold '{name}'.\n  Hint: tf.train.Saver() without "
                'write_version writes the second.')
        if slices.shape_of(shape, extents) != array.shape:
            raise ValueError(f"the part of '{name}' has the shape {list(array.shape)}, by its "
                             f'specification {list(slices.shape_of(shape, extents))}')
        if name not in known:
            known[name] = heading.meta.tensor.add(name=name, type=dtype.as_datatype_enum)
            known[name].shape.SetInParent()
            for size in shape:
                known[name].shape.dim.add().size = size
        key = slice_key(name, extents)
        if key in entries:
            raise errors.InvalidArgumentError(None, None, f'{path}: Adding duplicate key: {name}')
        _fill_slice(known[name].slice.add(), extents)
        entry = saved_tensor_slice_pb2.SavedTensorSlices()
        entry.data.name = name
        _fill_slice(entry.data.slice, extents)
        field, values = _as_numbers(array, dtype)
        getattr(entry.data.data, field).extend(values.tolist())
        entries[key] = entry.SerializeToString()
    entries[b''] = heading.SerializeToString()
    files.write_atomically(path, write_table(sorted(entries.items())))


def _fill_slice(proto, extents):
    for start, length in extents:
        extent = proto.extent.add()
        if length != slices.ALL:
            extent.start, extent.length = start, length


# The dtypes that TensorFlow reads from this format.
_WRITTEN = frozenset(('float32', 'float64', 'float16', 'int64', 'int32', 'int16', 'int8', 'uint8',
                      'bool', 'complex64', 'complex128'))


def _as_numbers(array, dtype):
    """(the field for values of a dtype, a flat array of the numbers that it takes)."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if dtype.is_complex:
        flat = flat.view(dtype.real_dtype.np)
    elif dtype is dtypes.float16:
        flat = flat.view(np.uint16)
    return _FIELDS.get(dtype.name, 'int_val'), flat
