"""RaggedTensorValue: the arrays of a RaggedTensor, as Session.run returns and takes them."""
from __future__ import annotations

from collections import namedtuple


class RaggedTensorValue(namedtuple('RaggedTensorValue', ['values', 'row_splits'])):
    """The value of a RaggedTensor, fetched or fed: arrays, or another value of this kind."""

    __slots__ = ()

    @property
    def flat_values(self):
        """The innermost values, an array."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def nested_row_splits(self):
        """The row splits, outermost first."""
        inner = self.values
        return (self.row_splits, *(inner.nested_row_splits
                                   if isinstance(inner, RaggedTensorValue) else ()))

    @property
    def ragged_rank(self):
        """The number of axes of different lengths."""
        return len(self.nested_row_splits)

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.flat_values.dtype

    @property
    def shape(self):
        """A tuple, with None for axes of different lengths."""
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def to_list(self):
        """Nested Python lists."""
        inner = self.values
        items = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        return [items[a:b] for a, b in zip(self.row_splits[:-1], self.row_splits[1:])]

    def __repr__(self):
        return f'tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})'

    __str__ = __repr__


__all__ = ['RaggedTensorValue']
