"""Elements as nodes: the tensors of their components, and what is known of these."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tinyflow.data import structure
from tinyflow.data.refusal import refused
from tinyflow.errors import report, worded
from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from tinyflow.graph.tensor_spec import TensorSpec


def components(element: Any, dtypes: Sequence[Any] | None = None) -> tuple[list[Tensor], Any]:
    """(tensors, spec) of a nest of what can become tensors."""
    leaves = structure.flatten(element)
    tensors, specs = [], []
    with name_scope('normalize_element'):
        for i, leaf in enumerate(leaves):
            tensor, spec = _component(leaf, i, dtypes and dtypes[i])
            tensors.append(tensor)
            specs.append(spec)
    return tensors, structure.pack_as(element, specs)


def _component(value: Any, i: int, dtype: Any) -> tuple[Tensor, Any]:
    variant = getattr(value, '_variant_tensor', None)
    if variant is not None:
        return variant, structure.DatasetSpec(value.element_spec)
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        raise refused(NotImplementedError(
            'a SparseTensor as a component of a dataset is not built.\n  Mend: '
            'tf.sparse_tensor_to_dense(x), or its indices, values and dense_shape as components.'))
    tensor = convert_to_tensor(value, dtype, f'component_{i}')
    return tensor, structure.spec_of(tensor)


def rows_of(tensors: list[Tensor], spec: Any) -> Any:
    """The spec of one row. ValueError where the tensors are known to have no equal rows."""
    sizes: dict[int, Tensor] = {}
    for tensor in tensors:
        raw = tensor.raw_shape
        if raw == ():
            raise worded(ValueError(report(
                f"'{tensor.name}' has insufficient rank for slicing.",
                inputs=[('component', tensor)],
                mend='from_tensors() takes the whole as one element; from_tensor_slices() gives '
                     'the rows of arrays.')))
        if raw and raw[0] is not None:
            sizes.setdefault(raw[0], tensor)
    if len(sizes) > 1:
        first, second = list(sizes)[:2]
        raise worded(ValueError(report(
            f'Dimensions {first} and {second} are not compatible: the components of '
            'from_tensor_slices must be equally long in dimension 0.',
            inputs=[('component', t) for t in list(sizes.values())[:4]],
            mend='row i of each component makes element i; check how the arrays were cut.')))
    return structure.map_leaves(_row, spec)


def _row(spec: Any) -> TensorSpec:
    raw = spec.shape.raw
    return TensorSpec(shapes.TensorShape(None if raw is None else raw[1:]), spec.dtype)


def kept(tensors: Sequence[Tensor]) -> tuple[int, ...]:
    """Positions of the tensors whose memory nobody writes over: constants and what is fed."""
    return tuple(i for i, t in enumerate(tensors) if t.op.type in ('Const', 'Placeholder'))


def processors() -> int:
    """How many processors there are."""
    return os.cpu_count() or 1
