"""The sorted table of LevelDB: the `.index` file of a checkpoint.

    block*            entries in the order of their keys, followed by a byte (0: not compressed,
                      1: snappy) and a masked crc32c of block and byte
    metaindex block   empty here
    index block       last key of a block -> where the block is
    footer            where the last two blocks are; a magic number

An entry shares the first bytes of its key with the previous entry, except for every 16th one,
whose offsets are listed at the end of the block. Source: LevelDB, doc/table_format.md.
"""
from __future__ import annotations

from struct import Struct

from tinyflow.formats.wire.crc import masked_crc32c
from tinyflow.formats.wire.varints import put, take

_INTERVAL = 16                  # entries between two complete keys
_BLOCK = 1 << 18                # bytes after which a block is closed
_FOOTER = 48
_MAGIC = 0xdb4775248b80fb57
_TRAILER = Struct('<BI')
_U32 = Struct('<I')
_U64 = Struct('<Q')


class DamagedTable(ValueError):
    """The bytes are not a complete table; the caller adds the name of the file."""


class _Block:
    """The entries of one block, as bytes."""

    def __init__(self, interval=_INTERVAL):
        self._interval = interval
        self._data = bytearray()
        self._whole = [0]               # offsets of entries with a complete key
        self._since = 0
        self.last = b''

    def add(self, key, value):
        shared = 0
        if self._since == self._interval:
            self._whole.append(len(self._data))
            self._since = 0
        else:
            shared = _shared(self.last, key)
        for number in (shared, len(key) - shared, len(value)):
            put(self._data, number)
        self._data += key[shared:]
        self._data += value
        self._since += 1
        self.last = key

    def __len__(self):
        return len(self._data) + 4 * (len(self._whole) + 1)

    def finish(self):
        numbers = [*self._whole, len(self._whole)]
        return bytes(self._data) + b''.join(map(_U32.pack, numbers))


def _shared(a, b):
    """The length of the common prefix of two keys."""
    count = 0
    for x, y in zip(a, b):
        if x != y:
            break
        count += 1
    return count


def write_table(entries):
    """The bytes of a table with `entries`: pairs (key, value) of bytes, sorted by key."""
    out, index, block, previous = bytearray(), _Block(1), _Block(), None
    pending = None                      # (last key, handle) of a block whose index entry is due
    for key, value in entries:
        if previous is not None and key <= previous:
            raise ValueError(f'keys of a table must rise: {previous!r} before {key!r}')
        if pending:
            index.add(_between(pending[0], key), pending[1])
            pending = None
        block.add(key, value)
        previous = key
        if len(block) >= _BLOCK:
            pending, block = (key, _write_block(out, block)), _Block()
    if block.last or previous is None or pending is None:
        pending = (block.last, _write_block(out, block))
    meta = _write_block(out, _Block())
    index.add(_above(pending[0]), pending[1])
    footer = meta + _write_block(out, index)
    out += footer.ljust(_FOOTER - 8, b'\0') + _U64.pack(_MAGIC)
    return bytes(out)


def _write_block(out, block):
    """Appends a block and returns its handle: offset and size."""
    handle, data = bytearray(), block.finish()
    put(handle, len(out))
    put(handle, len(data))
    out += data
    out += _TRAILER.pack(0, masked_crc32c(data + b'\0'))
    return bytes(handle)


def _between(low, high):
    """A short key that is at least `low` and below `high`."""
    position = _shared(low, high)
    if position < min(len(low), len(high)) and low[position] + 1 < high[position]:
        return low[:position] + bytes([low[position] + 1])
    return low


def _above(key):
    """A short key that is at least `key`."""
    for position, byte in enumerate(key):
        if byte != 0xff:
            return key[:position] + bytes([byte + 1])
    return key


def read_table(data):
    """A dict of all entries of a table, given as bytes; every block's checksum is verified.

    Raises DamagedTable unless it is a complete table.
    """
    if len(data) < _FOOTER or _U64.unpack_from(data, len(data) - 8)[0] != _MAGIC:
        raise DamagedTable('it does not end in the footer of a table (the file is truncated, or '
                           'another kind of file)')
    try:
        _, position = _handle(data, len(data) - _FOOTER)           # the metaindex: unused
        (offset, size), _ = _handle(data, position)
        found = {}
        for _, handle in _entries(_block(data, offset, size)):
            for key, value in _entries(_block(data, *_handle(handle, 0)[0])):
                found[key] = value
        return found
    except IndexError:
        raise DamagedTable('a number reaches past the end') from None


def _handle(data, position):
    offset, position = take(data, position)
    size, position = take(data, position)
    return (offset, size), position


def _block(data, offset, size):
    """The checked, uncompressed bytes of a block."""
    end = offset + size
    if end + _TRAILER.size > len(data):
        raise DamagedTable('a block reaches past the end of the file')
    kind, crc = _TRAILER.unpack_from(data, end)
    if masked_crc32c(bytes(data[offset:end + 1])) != crc:
        raise DamagedTable(f'the block at byte {offset} has a wrong checksum')
    block = bytes(data[offset:end])
    if kind == 0:
        return block
    if kind == 1:
        from tinyflow.formats.wire.snappy import DamagedStream, decompress  # start-up time
        try:
            return decompress(block)
        except DamagedStream as error:
            raise DamagedTable(f'the compressed block at byte {offset}: {error}') from None
    raise DamagedTable(f'the block at byte {offset} has the unknown compression {kind}')


def _entries(block):
    """The (key, value) pairs of a block, in order."""
    if len(block) < 4:
        raise DamagedTable('a block is too short')
    end = len(block) - 4 - 4 * _U32.unpack_from(block, len(block) - 4)[0]
    position, key = 0, b''
    if end < 0:
        raise DamagedTable('a block is shorter than its list of offsets')
    while position < end:
        shared, position = take(block, position)
        own, position = take(block, position)
        size, position = take(block, position)
        if shared > len(key) or position + own + size > end:
            raise DamagedTable('an entry reaches past its block')
        key = key[:shared] + block[position:position + own]
        position += own
        yield key, block[position:position + size]
        position += size
