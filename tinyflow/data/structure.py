"""The structure of a dataset's elements: tuples, namedtuples and dicts of components.

A list is not a structure here but a value that becomes one tensor, as in TF's tf.data. Dicts are
ordered by their keys. The spec of a component is a TensorSpec, a
SparseTensorSpec, or a DatasetSpec for the datasets that window() makes.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tinyflow.data.errors import refused
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support import nest
from tinyflow.graph.tensor_spec import TensorSpec


def is_nested(value: Any) -> bool:
    """True for a tuple, namedtuple or dict of components."""
    return isinstance(value, (tuple, Mapping)) or nest._is_attrs(value)


def _children(value: Any) -> list:
    if isinstance(value, Mapping):
        return [value[key] for key in nest.sorted_keys(value)]
    return nest._children(value)


def flatten(structure: Any) -> list:
    """The components, in order."""
    if not is_nested(structure):
        return [structure]
    return [leaf for child in _children(structure) for leaf in flatten(child)]


def pack_as(structure: Any, flat: Sequence[Any]) -> Any:
    """`flat` packed into the structure of `structure`."""
    return _packed(structure, iter(flat))


def _packed(structure: Any, flat: Iterator) -> Any:
    if not is_nested(structure):
        return next(flat)
    return nest._like(structure, [_packed(child, flat) for child in _children(structure)])


def map_leaves(function: Any, structure: Any) -> Any:
    """The same structure with function(component) for each component."""
    return pack_as(structure, [function(leaf) for leaf in flatten(structure)])


def flatten_up_to(shallow: Any, deep: Any) -> list:
    """The parts of `deep` at the components of `shallow`. TypeError, ValueError if it has
    another structure."""
    if not is_nested(shallow):
        return [deep]
    if isinstance(shallow, Mapping) != isinstance(deep, Mapping) or \
            not isinstance(deep, (tuple, list, Mapping)) and not nest._is_attrs(deep):
        raise refused(TypeError(f'the structures do not match: {_kind(shallow)} is needed, not '
                                f'{_kind(deep)}: {deep!r}'))
    if len(shallow) != len(deep):
        raise refused(ValueError(f'the structures do not match: {len(shallow)} components are '
                                 f'needed, not {len(deep)}: {deep!r}'))
    if isinstance(shallow, Mapping):
        missing = [key for key in shallow if key not in deep]
        if missing:
            raise refused(ValueError(f'the structures do not match: the key {missing[0]!r} is '
                                     f'missing in {deep!r}'))
        pairs = [(shallow[key], deep[key]) for key in nest.sorted_keys(shallow)]
    else:
        pairs = list(zip(_children(shallow), deep))
    return [leaf for part, whole in pairs for leaf in flatten_up_to(part, whole)]


def _kind(value: Any) -> str:
    return f'a {type(value).__name__} of {len(value)}' if hasattr(value, '__len__') else \
        f'a {type(value).__name__}'


def same_structure(first: Any, other: Any) -> bool:
    """True if both have the same structure."""
    if not is_nested(first) or not is_nested(other):
        return is_nested(first) == is_nested(other)
    if isinstance(first, Mapping) != isinstance(other, Mapping) or len(first) != len(other):
        return False
    if isinstance(first, Mapping) and set(first) != set(other):
        return False
    return all(map(same_structure, _children(first), _children(other)))


# ---- specs -------------------------------------------------------------------------------

class DatasetSpecBase:
    """The spec of a component that is a dataset; see DatasetSpec in dataset.py."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = shapes.as_shape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        return self._element_spec

    def _value_of(self, variant: Tensor) -> Any:
        """The dataset behind a component's tensor."""
        raise NotImplementedError

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpecBase:
        return cls(value.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = getattr(spec_or_value, 'element_spec', None)
        return other is not None and compatible(self._element_spec, other)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DatasetSpecBase) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(('DatasetSpec', *map(repr, flatten(self._element_spec))))

    def __repr__(self) -> str:
        return f'DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})'


class SparseTensorSpec:
    """A component that is a SparseTensor; in the pipeline it is one variant tensor."""

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape = shapes.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @property
    def shape(self) -> shapes.TensorShape:
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def value_type(self) -> type:
        return SparseTensor

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = spec_or_value if isinstance(spec_or_value, SparseTensorSpec) else \
            sparse_spec(spec_or_value) if isinstance(spec_or_value, SparseTensor) else None
        return other is not None and self._dtype is other.dtype and \
            shapes.compatible(self._shape.raw, other.shape.raw)

    def most_specific_compatible_type(self, other: SparseTensorSpec) -> SparseTensorSpec:
        return SparseTensorSpec(_dense(self).most_specific_compatible_type(_dense(other)).shape,
                                self._dtype)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, SparseTensorSpec) and self._dtype is other._dtype \
            and self._shape.raw == other._shape.raw

    def __hash__(self) -> int:
        return hash(('SparseTensorSpec', self._shape.raw, self._dtype))

    def __repr__(self) -> str:
        return f'SparseTensorSpec({self._shape!r}, {self._dtype!r})'


def sparse_spec(value: SparseTensor) -> SparseTensorSpec:
    """The spec of a SparseTensor."""
    return SparseTensorSpec(shapes.TensorShape(value.get_shape()), value.dtype)


def _dense(spec: SparseTensorSpec) -> TensorSpec:
    return TensorSpec(spec.shape, spec.dtype)


def flat_types(spec: Any) -> tuple[dtypes.DType, ...]:
    """The dtype of each component; variant for a dataset."""
    return tuple([leaf.dtype if isinstance(leaf, TensorSpec) else dtypes.variant
                  for leaf in flatten(spec)])


def flat_shapes(spec: Any) -> tuple[shapes.TensorShape, ...]:
    """The shape of each component; [] for a dataset, unknown for a SparseTensor."""
    return tuple([leaf.shape if isinstance(leaf, TensorSpec) else
                  shapes.TensorShape(None if isinstance(leaf, SparseTensorSpec) else ())
                  for leaf in flatten(spec)])


def of_elements(spec: Any) -> dict[str, Any]:
    """The attributes of an op that describe the elements."""
    return {'output_types': flat_types(spec), 'output_shapes': flat_shapes(spec)}


def legacy_types(spec: Any) -> Any:
    """The DType of each component, in their structure; a DatasetSpec is returned unchanged."""
    return map_leaves(lambda s: s if isinstance(s, DatasetSpecBase) else s.dtype, spec)


def legacy_shapes(spec: Any) -> Any:
    """The TensorShape of each component, in their structure."""
    return map_leaves(lambda s: s if isinstance(s, DatasetSpecBase) else s.shape, spec)


def legacy_classes(spec: Any) -> Any:
    """The class of each component, in their structure."""
    return map_leaves(lambda s: s if isinstance(s, DatasetSpecBase) else s.value_type, spec)


def from_legacy(types: Any, component_shapes: Any = None, classes: Any = None) -> Any:
    """The spec for nests of dtypes and shapes (unknown where there are none)."""
    flat = flatten(types)
    if component_shapes is None:
        shape_list: list = [None] * len(flat)
    else:
        shape_list = flatten_up_to(types, component_shapes)
    class_list = [Tensor] * len(flat) if classes is None else flatten_up_to(types, classes)
    return pack_as(types, [_leaf_spec(*leaf) for leaf in zip(flat, shape_list, class_list)])


def _leaf_spec(dtype: Any, shape: Any, kind: Any) -> Any:
    if kind is SparseTensor:
        return SparseTensorSpec(shape, dtype)
    if isinstance(dtype, DatasetSpecBase):
        return dtype
    if dtype is None:
        raise refused(TypeError('Cannot convert value None to a TensorFlow DType.'))
    return TensorSpec(shapes.TensorShape(None) if shape is None else shape, dtypes.as_dtype(dtype))


def spec_of(tensor: Tensor) -> TensorSpec:
    """The spec of a component's tensor."""
    return TensorSpec(shapes.TensorShape(tensor.raw_shape), tensor.dtype.base_dtype)


def compatible(first: Any, other: Any) -> bool:
    """True if an element could match both specs."""
    return same_structure(first, other) and all(
        a.is_compatible_with(b) if type(a) is type(b) else False
        for a, b in zip(flatten(first), flatten(other)))


def relaxed(first: Any, other: Any) -> Any:
    """The most specific spec of elements of both specs, equal in structure and dtypes."""
    return pack_as(first, [
        a if isinstance(a, DatasetSpecBase) else a.most_specific_compatible_type(b)
        for a, b in zip(flatten(first), flatten(other))])


def batched(spec: Any, size: int | None) -> Any:
    """The spec of `size` elements together."""
    return map_leaves(lambda s: _batched_leaf(s, size), spec)


def _batched_leaf(spec: Any, size: int | None) -> Any:
    if isinstance(spec, DatasetSpecBase):
        raise refused(TypeError('batch() cannot stack datasets.\n  Hint: after window(), '
                                'flat_map(lambda w: w.batch(size)) makes tensors of the windows.'))
    raw = spec.shape.raw
    return type(spec)(None if raw is None else (size, *raw), spec.dtype)


def unbatched(spec: Any) -> Any:
    """The spec of one row of the components."""
    return map_leaves(_row_of, spec)


def _row_of(spec: Any) -> Any:
    raw = spec.shape.raw
    if raw == ():
        raise refused(ValueError(f'{spec} has insufficient rank for unbatching.\n  Hint: unbatch() '
                                 'takes rows along dimension 0 of every component.'))
    return type(spec)(None if raw is None else raw[1:], spec.dtype)
