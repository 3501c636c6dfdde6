"""The shape of a list of tensors that a function gets (a TensorArray in a loop)."""
from __future__ import annotations

from tinyflow.graph import shapes


class ListShape(tuple):
    """The shape () of a fed list of tensors, together with the shape of its elements."""

    elements: shapes.Shape

    @classmethod
    def of(cls, elements: shapes.Shape) -> ListShape:
        shape = cls()
        shape.elements = elements
        return shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListShape) and self.elements == other.elements

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((ListShape, self.elements))


__all__ = ['ListShape']
