"""SparseTensor: a sparse tensor in coordinate format (indices, values, dense_shape)."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import common_graph, name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.errors import misuse

SparseTensorValue = namedtuple('SparseTensorValue', ['indices', 'values', 'dense_shape'])
SparseTensorValue.__doc__ = 'The value of a SparseTensor, fetched or fed: three arrays.'


class SparseTensor:
    """The tensor of shape `dense_shape` with values[i] at indices[i], and zero elsewhere.

    Shapes: indices [n, rank] int64, values [n], dense_shape [rank] int64. The indices should be in
    row-major order; tf.sparse_reorder sorts them. ValueError if the three shapes do not match.
    """

    def __init__(self, indices, values, dense_shape):
        with name_scope(None, 'SparseTensor', [indices, values, dense_shape]):
            self._indices = convert_to_tensor(indices, dtypes.int64, 'indices')
            self._values = convert_to_tensor(values, None, 'values', as_ref=True)
            self._dense_shape = convert_to_tensor(dense_shape, dtypes.int64, 'dense_shape')
        common_graph([self._indices, self._values, self._dense_shape])
        self._check_shapes()

    def _check_shapes(self):
        """Raises ValueError unless the ranks are 2, 1, 1 and the sizes n and rank match."""
        indices = _with_rank(self._indices, 2, 'indices', '[n, rank]')
        values = _with_rank(self._values, 1, 'values', '[n]')
        dense = _with_rank(self._dense_shape, 1, 'dense_shape', '[rank]')
        for (a, b), hint in (((indices[0], values[0]), 'each row of `indices` has one value.'),
                             ((indices[1], dense[0]), 'each row of `indices` has one number for '
                                                      'each entry of `dense_shape`.')):
            if None not in (a, b) and a != b:
                raise misuse(ValueError(
                    f'SparseTensor: Dimensions {a} and {b} are not compatible: indices '
                    f'{shapes.text(indices)}, values {shapes.text(values)}, dense_shape '
                    f'{shapes.text(dense)}\n  Hint: {hint}'))

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """A SparseTensor of constants from a SparseTensorValue; a SparseTensor is returned as is.
        """
        if isinstance(sparse_tensor_value, cls):
            return sparse_tensor_value
        if not isinstance(sparse_tensor_value, SparseTensorValue):
            raise misuse(TypeError('Neither a SparseTensor nor SparseTensorValue: '
                                   f'{sparse_tensor_value}.'))
        return cls(*sparse_tensor_value)

    @property
    def indices(self):
        """The position of each value, a Tensor [n, rank] of int64."""
        return self._indices

    @property
    def values(self):
        """The values that are not zero, a Tensor [n]."""
        return self._values

    @property
    def dense_shape(self):
        """The shape of the dense tensor, a Tensor [rank] of int64."""
        return self._dense_shape

    @property
    def raw_shape(self):
        """The static shape of the dense tensor, as plain data."""
        known = static_value(self._dense_shape)
        if isinstance(known, tuple):
            return known
        rank, = self._dense_shape.raw_shape or (None,)
        return None if rank is None else (None,) * rank

    @property
    def shape(self):
        """The static shape of the dense tensor."""
        return shapes.TensorShape(self.raw_shape)

    @property
    def shape_text(self):
        """The shape as in messages: [?, 3]."""
        return shapes.text(self.raw_shape)

    def get_shape(self):
        """Same as `.shape`."""
        return self.shape

    @property
    def dtype(self):
        return self._values.dtype

    @property
    def op(self):
        """The operation that makes the values."""
        return self._values.op

    @property
    def name(self):
        return self._values.name

    @property
    def graph(self):
        return self._indices.graph

    def consumers(self):
        """The Operations that take one of the three tensors as an input."""
        parts = (self._indices, self._values, self._dense_shape)
        return list(dict.fromkeys(op for part in parts for op in part.consumers()))

    def eval(self, feed_dict=None, session=None):
        """Its SparseTensorValue, from `session` or the default Session."""
        return session_for(session, self.graph, f'{self}.eval()').run(self, feed_dict)

    def _nest_parts(self):
        """The tensors for nest.flatten(expand_composites=True), and a function to rebuild it."""
        return [self._indices, self._values, self._dense_shape], SparseTensor

    def _fetch_parts(self):
        """The tensors that Session.run fetches or feeds, and a function that combines values."""
        return [self._indices, self._values, self._dense_shape], SparseTensorValue

    def __str__(self):
        return (f'SparseTensor(indices={self._indices!s}, values={self._values!s}, '
                f'dense_shape={self._dense_shape!s})')

    __repr__ = __str__


def _with_rank(tensor: Tensor, rank: int, field: str, wanted: str) -> tuple:
    """The tensor's static shape, all None if unknown. Raises ValueError for any other rank."""
    raw = tensor.raw_shape
    if raw is None:
        return (None,) * rank
    if len(raw) != rank:
        raise misuse(ValueError(f'SparseTensor: Shape {shapes.text(raw)} of `{field}` must have '
                                f'rank {rank}: {wanted}'))
    return raw


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """Converts a SparseTensor or SparseTensorValue to a SparseTensor, anything else to a Tensor.

    Raises RuntimeError if a SparseTensor does not have `dtype`.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype, name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise misuse(RuntimeError(f'Sparse dtype: requested = {dtypes.as_dtype(dtype).name}, '
                                  f'actual = {value.dtype.name}'))
    return value


def is_sparse(value):
    """True for a SparseTensor or SparseTensorValue."""
    return isinstance(value, (SparseTensor, SparseTensorValue))


__all__ = ['SparseTensor', 'SparseTensorValue', 'convert_to_tensor_or_sparse_tensor', 'is_sparse']
