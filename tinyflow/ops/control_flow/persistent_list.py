"""ElementList: a persistent list, whose old versions stay valid at the cost of a mutable list.

A TensorArray in a graph is a value: `b = a.write(i, x)` leaves `a` as it was. Copying all elements
for every write would make a loop of n writes cost n * n. Here the newest version owns a dict of the
elements, and each older one only knows in which element it differs from the next newer: reading
and writing the newest takes constant time. (Baker, "Shallow binding makes functional arrays fast",
1991.)
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_ABSENT = object()


class ElementList:
    """A version of a list of arrays; an element that was never set is missing.

    dtype and shape are what is known of every element (a tuple with None, or None). `common` is
    the shape that all elements set so far have: None if there are none, () for lists of lists, ''
    if they differ.
    """

    __slots__ = ('length', 'dtype', 'shape', 'common', '_items', '_difference')

    def __init__(self, length: int, dtype: Any, shape: Any, items: dict | None = None,
                 common: Any = None) -> None:
        self.length = length
        self.dtype = dtype
        self.shape = shape
        self.common = common
        self._items: dict | None = {} if items is None else items
        self._difference: tuple | None = None       # (index, what is there, the next version)

    @classmethod
    def of(cls, elements: Iterable, dtype: Any, shape: Any) -> ElementList:
        """A list of the given elements."""
        items = dict(enumerate(elements))
        shapes = {e.shape for e in items.values()}
        return cls(len(items), dtype, shape, items,
                   None if not shapes else shapes.pop() if len(shapes) == 1 else '')

    def get(self, index: int) -> Any:
        """The element, or None if it was never set."""
        return self._owned().get(index)

    @property
    def count(self) -> int:
        """How many elements are set."""
        return len(self._owned())

    def items(self) -> dict:
        """{index: element} of all that are set; not to be changed."""
        return {i: e for i, e in self._owned().items() if i < self.length}

    def set(self, index: int, element: Any) -> ElementList:
        """The version with another element at `index`, which may be the end (then it grows)."""
        length = max(self.length, index + 1)
        items = self._owned()
        common = element.shape if self.common is None or self.common == element.shape else ''
        if not items:               # several lists often start from one empty list
            return ElementList(length, self.dtype, self.shape, {index: element}, common)
        newer = ElementList(length, self.dtype, self.shape, items, common)
        self._transfer_to(newer, index, items)
        items[index] = element
        return newer

    def pop(self) -> tuple[ElementList, Any]:
        """(the version without the last element, that element or None)."""
        index = self.length - 1
        items = self._owned()
        element = items.get(index)
        newer = ElementList(index, self.dtype, self.shape, items, self.common)
        self._transfer_to(newer, index, items)
        items.pop(index, None)
        return newer, element

    def resized(self, length: int) -> ElementList:
        """A copy with another length."""
        return ElementList(length, self.dtype, self.shape,
                           {i: e for i, e in self._owned().items() if i < length}, self.common)

    def _transfer_to(self, newer: ElementList, index: int, items: dict) -> None:
        self._items = None
        self._difference = index, items.get(index, _ABSENT), newer

    def _owned(self) -> dict:
        """The dict of this version, taken over from the newest version if this is an older one."""
        if self._items is not None:
            return self._items
        chain = [self]
        while chain[-1]._difference is not None:
            chain.append(chain[-1]._difference[2])
        for older, newer in zip(reversed(chain[:-1]), reversed(chain[1:])):
            index, element, _ = older._difference
            items = newer._items
            newer._difference = index, items.get(index, _ABSENT), older
            newer._items = None
            if element is _ABSENT:
                items.pop(index, None)
            else:
                items[index] = element
            older._items, older._difference = items, None
        return self._items

    def __repr__(self) -> str:
        return f'<list of {self.length} elements>'
