"""A look at the layout of an HDF5 file before the HDF5 library opens it.

The library never returns from some damaged files, such as one whose global heap has a free block
of 0 bytes. What Keras writes needs a small part of the format only (superblock 0, symbol tables,
contiguous data): that part is followed here from the root, every address and size with it. Source:
HDF5 File Format Specification 3.0, sections II.A, III.A to III.E and IV.A.
"""
from __future__ import annotations

import math
import mmap
from struct import error as StructError, unpack_from

_SIGNATURE = b'\x89HDF\r\n\x1a\n'
_UNDEFINED = 2 ** 64 - 1
_DATASPACE, _DATATYPE, _LAYOUT, _ATTRIBUTE, _CONTINUATION, _TABLE = 1, 3, 8, 12, 16, 17
_HARMLESS = (0, 4, 5, 14, 18)               # padding, fill values, times of modification
_INTEGER, _FLOAT, _STRING, _VARIABLE = 0, 1, 3, 9


class Damaged(Exception):
    """The file contradicts the format, or an address is beyond its end."""


class Unfamiliar(Exception):
    """Something that Keras does not write; it may be valid all the same."""


def check(path):
    """Follows everything in the file. Damaged or Unfamiliar if it is not what Keras writes."""
    with open(path, 'rb') as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise Damaged('it is empty') from None
        with data:
            _Walk(data).run()


class _Walk:
    """The objects, trees and heaps that were met, each of which is followed once."""

    def __init__(self, data):
        self.data, self.size = data, len(data)
        self.todo, self.seen, self.heaps = [], set(), {}

    def run(self):
        """Follows the file from its root."""
        self._familiar(self.data[:8] == _SIGNATURE and self._at('<B', 8) == (0,))
        self._familiar(self._at('<BB', 13) == (8, 8) and self._at('<Q', 24) == (0,)
                       and self._at('<Q', 48) == (_UNDEFINED,))
        if self._at('<Q', 40)[0] > self.size:
            raise Damaged('it is truncated')
        self._entry(56)
        while self.todo:
            self._object(self.todo.pop())

    def _at(self, kind, place):
        try:
            return unpack_from(kind, self.data, place)
        except (StructError, OverflowError):
            raise Damaged(f'an address leads to byte {place} of {self.size}') from None

    def _familiar(self, condition):
        if not condition:
            raise Unfamiliar

    def _new(self, place):
        """True the first time that the place is met."""
        new = place not in self.seen
        self.seen.add(place)
        return new

    def _signed(self, place, signature, version=None):
        if self.data[place:place + 4] != signature:
            raise Damaged(f'there is no {signature.decode()} at byte {place}')
        self._familiar(version is None or self._at('<B', place + 4) == (version,))

    def _within(self, place, size):
        if place + size > self.size:
            raise Damaged(f'{size} bytes at {place} are beyond its end, {self.size}')

    # ---- groups ----------------------------------------------------------------------------------

    def _entry(self, place):
        """An entry of a symbol table; the offset of its name."""
        name, header, cache = self._at('<QQI', place)
        self._familiar(cache in (0, 1))                 # 2 is a soft link
        if self._new(header):
            self.todo.append(header)
        return name

    def _tree(self, place, level, names):
        """A node of the tree of a group's entries; adds the offsets of their names."""
        self._signed(place, b'TREE')
        kind, found, used = self._at('<BBH', place + 4)
        self._familiar(kind == 0 and self._new(place) and level in (None, found))
        for child in self._at('<' + 'QQ' * used, place + 24)[1::2]:
            if found:
                self._tree(child, found - 1, names)
            else:
                self._signed(child, b'SNOD', 1)
                self._familiar(self._new(child))
                count, = self._at('<H', child + 6)
                names.update(self._entry(child + 8 + 40 * i) for i in range(count))

    def _names(self, place, offsets):
        """The local heap of a group's names, with its list of free blocks."""
        self._signed(place, b'HEAP', 0)
        size, free, start = self._at('<QQQ', place + 8)
        self._within(start, size)
        met = set()
        while free not in (1, _UNDEFINED):
            self._familiar(free not in met and free + 16 <= size)
            met.add(free)
            free, length = self._at('<QQ', start + free)
            self._familiar(length >= 16)
        end = self.data.rfind(b'\0', start, start + size)
        self._familiar(all(start + offset <= end for offset in offsets))

    # ---- objects ---------------------------------------------------------------------------------

    def _object(self, place):
        """The messages of one group or data set."""
        version, count, _, size = self._at('<BxHII', place)
        self._familiar(version == 1)
        blocks, found = [(place + 16, size)], {}
        while blocks:
            at, size = blocks.pop()
            self._within(at, size)
            end = at + size
            while count and at + 8 <= end:
                kind, length, flags = self._at('<HHB', at)
                self._familiar(not flags & 2 and at + 8 + length <= end)
                if kind == _CONTINUATION:
                    block = self._at('<QQ', at + 8)
                    self._familiar(self._new(block[0]) and block[1] >= 8)
                    blocks.append(block)
                elif kind == _ATTRIBUTE:
                    self._attribute(at + 8, at + 8 + length)
                elif kind not in _HARMLESS:
                    self._familiar(kind in (_DATASPACE, _DATATYPE, _LAYOUT, _TABLE)
                                   and kind not in found)
                    found[kind] = at + 8
                at, count = at + 8 + length, count - 1
        self._familiar(count == 0)
        self._content(found)

    def _content(self, found):
        if _TABLE in found:
            tree, heap = self._at('<QQ', found[_TABLE])
            names = set()
            self._tree(tree, None, names)
            self._names(heap, names)
            return
        self._familiar({_DATASPACE, _DATATYPE, _LAYOUT} <= set(found))
        kind, item = self._datatype(found[_DATATYPE])
        self._familiar(kind != _VARIABLE)
        wanted = self._count(found[_DATASPACE]) * item
        version, layout, start, size = self._at('<BBQQ', found[_LAYOUT])
        self._familiar(version == 3 and layout == 1 and size == wanted)
        if wanted:
            self._within(start, size)

    def _datatype(self, place):
        """(class, bytes of an element)"""
        first, size = self._at('<BxxxI', place)
        kind, version = first & 15, first >> 4
        self._familiar(1 <= version <= 3 and kind in (_INTEGER, _FLOAT, _STRING, _VARIABLE))
        if kind == _VARIABLE:
            self._familiar(size == 16 and self._datatype(place + 8) in ((_STRING, 1),
                                                                       (_INTEGER, 1)))
        self._familiar(0 < size <= (16 if kind in (_INTEGER, _FLOAT) else self.size))
        return kind, size

    def _count(self, place):
        """The number of elements of a dataspace."""
        version, rank, _, kind = self._at('<BBBB', place)
        self._familiar(rank <= 32 and (version == 1 or version == 2 and kind < 2))
        return math.prod(self._at('<' + 'Q' * rank, place + (8 if version == 1 else 4)))

    def _attribute(self, place, end):
        version, flags, name, datatype, space = self._at('<BBHHH', place)
        self._familiar(version in (1, 2, 3) and (version == 1 or flags == 0) and name > 0)
        at = place + (9 if version == 3 else 8)
        if version == 1:
            name, datatype, space = (n + 7 & ~7 for n in (name, datatype, space))
        data = at + name + datatype + space
        kind, item = self._datatype(at + name)
        count = self._count(at + name + datatype)
        self._familiar(data + count * item <= end)
        if kind == _VARIABLE:
            for i in range(count):
                self._variable(*self._at('<IQI', data + 16 * i))

    def _variable(self, length, heap, index):
        """A text in a global heap."""
        if length or heap not in (0, _UNDEFINED):
            if heap not in self.heaps:
                self.heaps[heap] = self._heap(heap)
            self._familiar(length <= self.heaps[heap].get(index, -1))

    def _heap(self, place):
        """{index: size} of a global heap. Each block must lead on to the next, up to the end."""
        self._signed(place, b'GCOL', 1)
        size, = self._at('<Q', place + 8)
        self._within(place, size)
        found, end = {}, place + size
        at = place + 16
        while end - at >= 16:
            index, length = self._at('<HxxxxxxQ', at)
            if index == 0:
                self._familiar(length == end - at)
                break
            self._familiar(index not in found)
            found[index] = length
            at += 16 + (length + 7 & ~7)
        self._familiar(at <= end)
        return found
