"""IndexedSlices: a sparse gradient, as that of tf.gather: the rows that are not zero.

It represents the dense tensor D with D[indices[i]] += values[i], zero elsewhere. Gather-like ops
and the optimizers handle it directly; everywhere else it is converted to a dense tensor.
"""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import common_graph
from tinyflow.graph.op_registry import nodes
from tinyflow.graph.source_location import user_site, warn_at
from tinyflow.graph.support.errors import misuse

_LARGE = 100_000_000        # elements; TF's threshold for the same warning

IndexedSlicesValue = namedtuple('IndexedSlicesValue', ['values', 'indices', 'dense_shape'])
IndexedSlicesValue.__doc__ = 'The value of a fetched IndexedSlices: three arrays.'


class IndexedSlices:
    """Rows `values` of a larger tensor at `indices` along its first axis.

    Shapes: values [n, *row], indices [n], dense_shape [1 + rank of a row] or None if not known.
    """

    def __init__(self, values, indices, dense_shape=None):
        common_graph([t for t in (values, indices, dense_shape) if hasattr(t, 'op')])
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self):
        """The rows, as a Tensor."""
        return self._values

    @property
    def indices(self):
        """The position of each row, an integer Tensor; an index may occur several times."""
        return self._indices

    @property
    def dense_shape(self):
        """The shape of the dense tensor as a Tensor, or None."""
        return self._dense_shape

    def _fetch_parts(self):
        """The tensors that Session.run fetches, and a function that combines their values."""
        parts = [self._values, self._indices]
        if self._dense_shape is None:
            return parts, lambda values, indices: IndexedSlicesValue(values, indices, None)
        return [*parts, self._dense_shape], IndexedSlicesValue

    def _nest_parts(self):
        """The tensors for nest.flatten(expand_composites=True), and a function to rebuild it."""
        parts = [self._values, self._indices, self._dense_shape]
        return parts[:2] if self._dense_shape is None else parts, IndexedSlices

    @property
    def name(self):
        return self.values.name

    @property
    def device(self):
        return self.values.device

    @property
    def op(self):
        return self.values.op

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def graph(self):
        return self.values.graph

    @property
    def raw_shape(self):
        """The static shape of the dense tensor, as plain data."""
        known = None if self._dense_shape is None else static_value(self._dense_shape)
        if isinstance(known, tuple):
            return known
        rows = self.values.raw_shape
        return None if rows is None else (None,) + rows[1:]

    @property
    def shape(self):
        """The static shape of the dense tensor."""
        return shapes.TensorShape(self.raw_shape)

    def get_shape(self):
        """Same as `.shape`."""
        return self.shape

    def consumers(self):
        """The Operations that take the values as an input."""
        return self.values.consumers()

    def __str__(self):
        dense = '' if self._dense_shape is None else f', dense_shape={self._dense_shape!s}'
        return f'IndexedSlices(indices={self._indices!s}, values={self._values!s}{dense})'

    def __neg__(self):
        return IndexedSlices(-self.values, self.indices, self.dense_shape)


def to_dense(slices, dtype=None, name=None, as_ref=False):
    """Converts an IndexedSlices to a dense tensor.

    Raises ValueError if its dense_shape is unknown or `dtype` is not that of the values.
    """
    if dtype is not None and not dtype.is_compatible_with(slices.dtype):
        raise misuse(ValueError(f'Tensor conversion requested dtype {dtype.name} for IndexedSlices '
                                f'with dtype {slices.dtype.name}'))
    if slices.dense_shape is None:
        raise misuse(ValueError(
            f'Tensor conversion requested for IndexedSlices without dense_shape: {slices}'))
    size = shapes.size(slices.raw_shape)
    if size is not None and size >= _LARGE:
        warn_at(user_site(), '[sparse-gradient] Converting sparse IndexedSlices to a dense Tensor '
                f'with {size} elements. This may consume a large amount of memory.')
    dense = nodes.UnsortedSegmentSum(slices.values, slices.indices, slices.dense_shape[0],
                                     name=name)
    if slices.raw_shape is not None:
        dense.set_shape(slices.raw_shape)
    return dense


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """`value` unchanged if it is an IndexedSlices (of `dtype`), else as a Tensor."""
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype, name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise misuse(ValueError(f'Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} '
                                f'for IndexedSlices with dtype {value.dtype.name}'))
    return value


register_tensor_conversion_function(IndexedSlices, to_dense)
