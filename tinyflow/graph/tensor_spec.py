"""TensorSpec: shape, dtype and name of a tensor that does not exist yet."""
from __future__ import annotations

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.operation import Tensor


class TensorSpec:
    """The shape, dtype and (optional) name that a tensor must have."""

    __slots__ = ('_shape', '_dtype', '_name')

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        self._shape = shapes.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec, name=None):
        """A copy of `spec`, with another name if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """The spec of `tensor`."""
        return cls(shapes.TensorShape(tensor.raw_shape), tensor.dtype.base_dtype,
                   name or tensor.op.name)

    @property
    def shape(self):
        return self._shape

    @property
    def dtype(self):
        return self._dtype

    @property
    def name(self):
        return self._name

    @property
    def value_type(self):
        return Tensor

    def is_compatible_with(self, spec_or_tensor):
        """True if a tensor, or a tensor described by another spec, can match this spec."""
        shape = getattr(spec_or_tensor, 'raw_shape', None) \
            if isinstance(spec_or_tensor, Tensor) else spec_or_tensor.shape.raw
        return self._dtype.is_compatible_with(spec_or_tensor.dtype) and \
            shapes.compatible(self._shape.raw, shape)

    def most_specific_compatible_type(self, other):
        """The most specific spec that both match. Raises ValueError if the dtypes differ."""
        if self._dtype is not other.dtype:
            raise ValueError(f'{self} and {other} have different dtypes')
        mine, theirs = self._shape.raw, other.shape.raw
        if mine is None or theirs is None or len(mine) != len(theirs):
            return TensorSpec(None, self._dtype, self._name)
        return TensorSpec([a if a == b else None for a, b in zip(mine, theirs)], self._dtype,
                          self._name)

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and self._shape.raw == other._shape.raw \
            and self._dtype is other._dtype and self._name == other._name

    def __hash__(self):
        return hash((self._shape.raw, self._dtype, self._name))

    def __repr__(self):
        return f'TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})'

    def __reduce__(self):
        return TensorSpec, (self._shape, self._dtype, self._name)
