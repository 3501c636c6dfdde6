"""A checkpoint: the V2 "tensor bundle" of TensorFlow.

    PREFIX.index                    a sorted table: tensor name -> dtype, shape, where, checksum
    PREFIX.data-00000-of-00001      the tensors, one after the other

A tensor may be stored in parts (of a partitioned Variable), each under its own key, and there
may be several data files (of a sharded save). Files are read and checked when a tensor is
requested. For writing see bundle_writer.py.
"""
from __future__ import annotations

import math
import os

import numpy as np

from tinyflow.formats.wire import bundle_data, slices
from tinyflow.formats.wire.crc import unmask
from tinyflow.formats.wire.files import explained
from tinyflow.formats.wire.ordered import slice_key
from tinyflow.formats.wire.table import DamagedTable, read_table
from tinyflow.graph import dtypes
from tinyflow.graph.support import errors


def index_name(prefix):
    """The name of a checkpoint's table."""
    return f'{prefix}.index'


def data_name(prefix, shard, shards):
    """The name of one of a checkpoint's data files."""
    return f'{prefix}.data-{shard:05d}-of-{shards:05d}'


def damaged(path, problem, tensor=None):
    """The error for a damaged file."""
    about = f" of the tensor '{tensor}'" if tensor is not None else ''
    return errors.DataLossError(None, None, errors.report(
        f'{path}: {problem}{about}', hint='the file is damaged or was not written to its end; '
        'restore an earlier checkpoint (the file `checkpoint` lists them), or copy it again.'))


def read_index(prefix):
    """(header, {key: serialized entry}) of a checkpoint's table.

    NotFoundError if there is none, DataLossError if it is damaged.
    """
    from google.protobuf.message import DecodeError  # start-up time

    from tinyflow.formats.protos import tensor_bundle_pb2  # start-up time
    path = index_name(prefix)
    with explained(path), open(path, 'rb') as file:
        data = file.read()
    try:
        entries = read_table(data)
        header = tensor_bundle_pb2.BundleHeaderProto.FromString(entries.pop(b''))
    except DamagedTable as error:
        raise damaged(path, str(error)) from None
    except (KeyError, DecodeError):
        raise damaged(path, 'there is no header') from None
    if header.endianness != header.LITTLE:
        raise errors.UnimplementedError(None, None, f'{path}: big-endian checkpoints are not read')
    if header.version.min_consumer > 1:
        raise errors.InvalidArgumentError(None, None, f'{path}: written by a newer TensorFlow')
    return header, entries


class BundleReader:
    """Reads tensors of a checkpoint by name."""

    def __init__(self, prefix):
        self.prefix = prefix
        self._files = {}                # path -> open file; first, as `close` may come early
        self._index = index_name(prefix)
        header, self.raw = read_index(prefix)
        self.shards = header.num_shards
        self._entries = {}
        self._names = None

    # ---- contents ------------------------------------------------------------------------

    def names(self):
        """The names of all tensors, sorted; parts of tensors are not listed."""
        if self._names is None:
            # Keys of parts begin with a zero byte.
            self._names = [self._name(key) for key in self.raw if key[:1] != b'\0']
        return list(self._names)

    def _name(self, key):
        try:
            return key.decode()
        except UnicodeDecodeError:
            raise damaged(self._index, f'{key!r} is not a name') from None

    def __contains__(self, name):
        return name.encode() in self.raw

    def entry(self, name):
        """The BundleEntryProto of a tensor. NotFoundError if there is none."""
        key = name.encode()
        if key not in self.raw:
            raise errors.NotFoundError(None, None,
                                       f'Key {name} not found in checkpoint {self.prefix}')
        return self.parsed(key, name)

    def parsed(self, key, name):
        found = self._entries.get(key)
        if found is None:
            from google.protobuf.message import DecodeError  # start-up time

            from tinyflow.formats.protos import tensor_bundle_pb2  # start-up time
            try:
                found = tensor_bundle_pb2.BundleEntryProto.FromString(self.raw[key])
            except (DecodeError, KeyError):
                raise damaged(self._index, 'the entry is not readable', name) from None
            self._entries[key] = found
        return found

    def dtype_number(self, name):
        """TensorFlow's number of the dtype of a tensor."""
        return self.entry(name).dtype

    def dtype(self, name):
        """The DType of a tensor; UnimplementedError for an unknown one."""
        return self._dtype(self.entry(name), name)

    def _dtype(self, entry, name):
        try:
            dtype = dtypes.as_dtype(entry.dtype)
        except TypeError:
            dtype = None
        if dtype is None or dtype.np is None or dtype.is_ref or dtype is dtypes.resource:
            raise errors.UnimplementedError(
                None, None, f"{self._index}: the tensor '{name}' has the dtype number "
                f'{entry.dtype}, which tinyflow cannot read')
        return dtype

    def shape(self, name):
        """The shape of a tensor, a tuple."""
        return self._shape(self.entry(name), name)

    def _shape(self, entry, name):
        shape = tuple(dim.size for dim in entry.shape.dim)
        if entry.shape.unknown_rank or any(size < 0 for size in shape):
            raise damaged(self._index, 'there is an impossible shape', name)
        return shape

    # ---- values --------------------------------------------------------------------------

    def get(self, name):
        """The value of a tensor, as a new array."""
        entry = self.entry(name)
        if entry.slices:
            shape = self._shape(entry, name)
            return self._assemble(entry, name, [(0, slices.ALL)] * len(shape))
        return self._read(entry, name)

    def get_slice(self, name, shape, extents):
        """The part `extents` of the tensor, which must have that shape as a whole."""
        entry = self.entry(name)
        stored = self._shape(entry, name)
        if stored != tuple(shape):
            raise errors.InvalidArgumentError(
                None, None, f"Shape in shape_and_slice spec {list(shape)} does not match the shape "
                f"in checkpoint {self.prefix}: {list(stored)} of '{name}'")
        if entry.slices:
            return self._assemble(entry, name, extents)
        return np.ascontiguousarray(self._read(entry, name)[slices.index_of(shape, extents)])

    def _assemble(self, entry, name, extents):
        """The part `extents` of a tensor that is stored in parts."""
        shape, dtype = self._shape(entry, name), self._dtype(entry, name)
        wanted = slices.shape_of(shape, extents)
        try:
            result, filled = np.empty(wanted, dtype.np), 0
        except (MemoryError, ValueError):
            raise damaged(self._index, f'its shape {list(shape)} does not fit into memory',
                          name) from None
        for stored in entry.slices:
            part = [(e.start, e.length if e.HasField('length') else slices.ALL)
                    for e in stored.extent]
            meet = slices.overlap(shape, extents, part) if len(part) == len(shape) else None
            if meet is None:
                continue
            piece = self._read(self.parsed(slice_key(name, part), name), name)
            if piece.shape != slices.shape_of(shape, part) or piece.dtype != result.dtype:
                raise damaged(self._index, 'a slice has a wrong shape', name)
            result[meet[0]] = piece[meet[1]]
            filled += result[meet[0]].size
        if filled < result.size:
            raise damaged(self._index, 'parts are missing', name)
        return result

    def _read(self, entry, name):
        """The checked array of one entry."""
        dtype, shape = self._dtype(entry, name), self._shape(entry, name)
        path = data_name(self.prefix, entry.shard_id, self.shards)
        size = dtype.size * math.prod(shape)
        if entry.size < 0 or entry.offset < 0 or dtype.kind != 'O' and size != entry.size:
            raise damaged(self._index, f'{entry.size} bytes at {entry.offset} cannot be '
                          f'{dtype.name} {list(shape)}', name)
        data = self._bytes(path, entry, name)
        try:
            array, crc = bundle_data.from_bytes(data, dtype, shape)
        except ValueError as error:
            raise damaged(path, str(error), name) from None
        if crc != unmask(entry.crc32c):
            raise damaged(path, 'the checksum does not match that of the bytes', name)
        return array

    def _bytes(self, path, entry, name):
        """The bytes of an entry, as a new uint8 array."""
        file = self._files.get(path)
        if file is None:
            with explained(path):
                file = self._files[path] = open(path, 'rb', buffering=0)
        there = os.fstat(file.fileno()).st_size
        if entry.offset + entry.size > there:               # before memory is allocated
            raise damaged(path, f'the file has {there} bytes, too few for the data', name)
        data = np.empty(entry.size, np.uint8)
        file.seek(entry.offset)
        position, view = 0, memoryview(data)
        while position < entry.size:
            count = file.readinto(view[position:position + (1 << 30)])
            if not count:
                raise damaged(path, 'the file is truncated in the data', name)
            position += count
        return data

    # ---- end -----------------------------------------------------------------------------

    def close(self):
        """Closes the data files."""
        files, self._files = self._files, {}
        for file in files.values():
            file.close()

    def __del__(self):
        self.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
