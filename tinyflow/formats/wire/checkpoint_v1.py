"""Checkpoints of the first format, V1: one sorted table, tensors as protocol buffers. Reading only.

The entry '' holds names, dtypes, shapes and the parts that are stored; each part is an entry under
the same key as in a V2 checkpoint. Blocks are packed with snappy.
"""
from __future__ import annotations

import glob
import os

import numpy as np

from tinyflow.formats.wire import slices
from tinyflow.formats.wire.bundle import damaged
from tinyflow.formats.wire.files import explained
from tinyflow.formats.wire.ordered import slice_key
from tinyflow.formats.wire.table import DamagedTable, read_table
from tinyflow.graph import dtypes
from tinyflow.graph.support import errors

# The field of a TensorProto with the values of a dtype, and their conversion to an array.
_FIELDS = {'float32': 'float_val', 'float64': 'double_val', 'int64': 'int64_val',
           'bool': 'bool_val', 'string': 'string_val', 'complex64': 'scomplex_val',
           'complex128': 'dcomplex_val', 'float16': 'half_val', 'uint32': 'uint32_val',
           'uint64': 'uint64_val'}


class ReaderV1:
    """Reads tensors of a V1 checkpoint by name; with the methods of bundle.BundleReader."""

    def __init__(self, prefix):
        self.prefix = prefix
        paths = [prefix] if os.path.isfile(prefix) else sorted(glob.glob(prefix))
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
        meta, shape, dtype = self._known(name), self.shape(name), self.dtype(name)
        result, filled = np.empty(shape, dtype.np), 0
        for stored in meta.slice:
            part = [(e.start, e.length if e.HasField('length') else slices.ALL)
                    for e in stored.extent]
            path, data = self._parts.get(slice_key(name, part), (self.prefix, b''))
            target = result[slices.index_of(shape, part)]
            values = _values(self._proto(path, data).data.data, dtype)
            if values.size != target.size:
                raise damaged(path, 'a slice is incomplete', name)
            result[slices.index_of(shape, part)] = values.reshape(target.shape)
            filled += values.size
        if filled < result.size:
            raise damaged(self.prefix, 'parts are missing', name)
        return result

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
