"""Writes checkpoints atomically: at every moment the old or the new one is complete.

The data go to a temporary file, then the table; renaming the table over the old one replaces the
old checkpoint by the new one. If a checkpoint is overwritten, its data file has the name that
the new data file should have. So the new data first get the name of one of two files
(`-of-00002`), with a table that says so; TensorFlow can read that as well. When nothing refers to
the old data any more, the usual name is added, then the usual table, and the first name is removed.
This writes only links and small tables.
"""
from __future__ import annotations

import glob
import os
import re
from contextlib import suppress

from tinyflow.formats.wire import bundle_data, files, slices
from tinyflow.formats.wire.bundle import BundleReader, data_name, index_name, read_index
from tinyflow.formats.wire.crc import mask
from tinyflow.formats.wire.ordered import slice_key
from tinyflow.formats.wire.table import write_table
from tinyflow.graph.support import errors

_DATA_FILE = re.compile(r'\.data-\d{5}-of-(\d{5})\Z')


class BundleWriter:
    """Writes one checkpoint of one data file; `finish` publishes it.

    As a context manager it finishes at the end of the block, and leaves no files after an error.
    """

    def __init__(self, prefix):
        self.prefix = prefix
        self._entries = {}                  # key -> BundleEntryProto
        self._offset = 0
        directory = os.path.dirname(prefix)
        if directory and not os.path.isdir(directory):
            with files.explained(directory):
                with suppress(FileExistsError):         # another task saves, too
                    os.mkdir(directory)                 # one level, as TensorFlow does
        self._path = files.temporary_name(data_name(prefix, 0, 1))
        with files.explained(self._path):
            self._file = open(self._path, 'wb', buffering=0)

    def add(self, name, array, dtype):
        """Appends a tensor."""
        self._append(name.encode(), array, dtype)

    def add_slice(self, name, shape, extents, array, dtype):
        """Appends the part `extents` of a tensor of full shape `shape`."""
        if slices.shape_of(shape, extents) != array.shape:
            raise ValueError(f"the part of '{name}' has the shape {list(array.shape)}, by its "
                             f'specification {list(slices.shape_of(shape, extents))}')
        if array.shape == tuple(shape):
            return self.add(name, array, dtype)
        key = name.encode()
        whole = self._entries.get(key)
        if whole is None:
            whole = self._entries[key] = _entry(dtype, shape)
        part = whole.slices.add()
        for start, length in extents:
            extent = part.extent.add()
            if length != slices.ALL:
                extent.start, extent.length = start, length
        self._append(slice_key(name, extents), array, dtype)

    def _append(self, key, array, dtype):
        if key in self._entries:
            raise errors.InvalidArgumentError(None, None, f'{self.prefix}: Adding duplicate key: '
                                              f'{key.decode(errors="replace")}')
        buffers, size, crc = bundle_data.to_bytes(array, dtype)
        entry = _entry(dtype, array.shape)
        entry.offset, entry.size, entry.crc32c = self._offset, size, mask(crc)
        with files.explained(self._path):
            for buffer in buffers:
                files.write_all(self._file, buffer)
        self._offset += size
        self._entries[key] = entry

    def finish(self):
        """Publishes the checkpoint."""
        try:
            with files.explained(self._path):
                files.flush(self._file)
                self._file.close()
            publish(self.prefix, self._entries, [self._path])
        except BaseException:
            self.abandon()
            raise

    def abandon(self):
        """Removes the temporary files."""
        self._file.close()
        files.remove(self._path)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.finish() if kind is None else self.abandon()


def _entry(dtype, shape):
    from tinyflow.formats.protos import tensor_bundle_pb2  # start-up time
    entry = tensor_bundle_pb2.BundleEntryProto(dtype=dtype.as_datatype_enum)
    entry.shape.SetInParent()
    for size in shape:
        entry.shape.dim.add().size = size
    return entry


# ---- publishing --------------------------------------------------------------------------------


def publish(prefix, entries, data):
    """Publishes finished data files, in order of shard numbers, and entries as a checkpoint."""
    with files.alone_in(os.path.dirname(prefix)):       # workers may save under one name
        _publish(prefix, entries, data)


def _publish(prefix, entries, data):
    count = len(data)
    if _shards_of(prefix) != count:
        _put_in_place(prefix, entries, data, count)
    else:
        _put_in_place(prefix, entries, data, count + 1)
        if not _link(prefix, count):
            return
        _write_index(prefix, entries, count)
    _remove_data(prefix, but=count)
    files.flush_directory(prefix)


def _shards_of(prefix):
    """The number of data files of the checkpoint of that name; None if there is no readable one."""
    if not os.path.exists(index_name(prefix)):
        return None
    try:
        return read_index(prefix)[0].num_shards
    except errors.OpError:
        return None


def _put_in_place(prefix, entries, data, shards):
    """Data and table with names for that number of files; no data without a table on errors."""
    try:
        _rename(data, prefix, shards)
        _write_index(prefix, entries, shards)
    except BaseException:
        with suppress(OSError):
            if _shards_of(prefix) != shards:
                for shard in range(len(data)):
                    files.remove(data_name(prefix, shard, shards))
        raise


def _rename(data, prefix, shards):
    for shard, path in enumerate(data):
        files.put_in_place(path, data_name(prefix, shard, shards))


def _link(prefix, count):
    """Gives the data files their usual names, too; False on a file system without links."""
    for shard in range(count):
        temporary = files.temporary_name(data_name(prefix, shard, count))
        try:
            os.link(data_name(prefix, shard, count + 1), temporary)
        except OSError:
            return False
        files.put_in_place(temporary, data_name(prefix, shard, count))
        files.remove(temporary)     # renaming a link of a file over another link does nothing
    return True


def _write_index(prefix, entries, shards):
    from tinyflow.formats.protos import tensor_bundle_pb2  # start-up time
    header = tensor_bundle_pb2.BundleHeaderProto(num_shards=shards)
    header.version.producer = 1
    rows = [(key, entry.SerializeToString(deterministic=True))
            for key, entry in sorted(entries.items())]
    data = write_table([(b'', header.SerializeToString(deterministic=True)), *rows])
    files.write_atomically(index_name(prefix), data)


def _data_files(prefix):
    """(path, number of shards) of the data files of that name, including unused ones."""
    for path in glob.glob(f'{glob.escape(prefix)}.data-*'):
        match = _DATA_FILE.search(path)
        if match:
            yield path, int(match[1])


def _remove_data(prefix, but=None):
    for path, shards in list(_data_files(prefix)):
        if shards != but:
            files.remove(path)


def remove(prefix):
    """Removes a checkpoint: its table first, so that no table is ever without data."""
    files.remove(index_name(prefix))
    _remove_data(prefix)
    for path in glob.glob(f'{glob.escape(prefix)}.*'):
        if files.is_temporary(path):            # of a save that was killed
            files.remove(path)


def merge(prefixes, target, delete_old_dirs=True):
    """Merges several checkpoints into `target`, which takes over their data files.

    InvalidArgumentError if two of them hold the same tensor.
    """
    entries, data = {}, []
    for prefix in prefixes:
        with BundleReader(prefix) as part:
            first, shards = len(data), part.shards
            data += [data_name(prefix, shard, shards) for shard in range(shards)]
            for key in part.raw:
                _merge_entry(entries, key, part.parsed(key, repr(key)), first, target)
    publish(target, entries, data)
    for prefix in prefixes:
        files.remove(index_name(prefix))
    if delete_old_dirs:
        _remove_directories(prefixes, target)


def _merge_entry(entries, key, entry, first, target):
    known = entries.get(key)
    if known is None:
        if not entry.slices:
            entry.shard_id += first
        entries[key] = entry
    elif known.slices and entry.slices and known.shape == entry.shape:
        known.slices.extend(entry.slices)       # other parts of the same tensor
    else:
        raise errors.InvalidArgumentError(
            None, None, f'{target}: Merging duplicate tensor {key.decode(errors="replace")}')


def _remove_directories(prefixes, target):
    for directory in {os.path.dirname(prefix) for prefix in prefixes} - {os.path.dirname(target)}:
        try:
            os.rmdir(directory)
        except OSError:                         # something else is in it
            pass
