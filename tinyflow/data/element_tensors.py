"""The tensors and specs of the components of an element."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tinyflow.data import structure
from tinyflow.data.function_graphs import component
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.tensor_spec import TensorSpec


def components(element: Any, rows: bool = False) -> tuple[list[Tensor], Any]:
    """(tensors, spec) of a nest of what can become tensors.

    With `rows`, the tensor of a SparseTensor has one row for each of its rows.
    """
    leaves = structure.flatten(element)
    values = []
    with name_scope('normalize_element'):
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, (SparseTensor, SparseTensorValue)):
                values.append(SparseTensor.from_value(leaf))
            else:
                values.append(leaf if hasattr(leaf, '_variant_tensor') else
                              convert_to_tensor(leaf, name=f'component_{i}'))
    if not rows:        # TF creates new ones here, which affects the names of later ones
        values = [SparseTensor(v.indices, v.values, v.dense_shape)
                  if isinstance(v, SparseTensor) else v for v in values]
    pairs = [component(value, rows) for value in values]
    return ([tensor for tensor, _ in pairs],
            structure.pack_as(element, [spec for _, spec in pairs]))


def rows_of(tensors: list[Tensor], spec: Any) -> Any:
    """The spec of one row. ValueError if dimension 0 is known to differ."""
    sizes: dict[int, Tensor] = {}
    for tensor in tensors:
        raw = None if tensor.dtype.base_dtype is dtypes.variant else tensor.raw_shape
        if raw == ():
            raise misuse(ValueError(report(
                f"'{tensor.name}' has insufficient rank for slicing.",
                inputs=[('component', tensor)],
                hint='from_tensors() makes one element of everything; from_tensor_slices() gives '
                     'the rows of arrays.')))
        if raw and raw[0] is not None:
            sizes.setdefault(raw[0], tensor)
    if len(sizes) > 1:
        first, second = list(sizes)[:2]
        raise misuse(ValueError(report(
            f'Dimensions {first} and {second} are not compatible: the components of '
            'from_tensor_slices must be equally long in dimension 0.',
            inputs=[('component', t) for t in list(sizes.values())[:4]],
            hint='row i of each component makes element i; check how the arrays were split.')))
    return structure.map_leaves(_row, spec)


def _row(spec: Any) -> Any:
    raw = spec.shape.raw
    return type(spec)(shapes.TensorShape(None if raw is None else raw[1:]), spec.dtype)


def sparse_rows(sparse_tensor: Any) -> tuple[list[Tensor], Any]:
    """(tensors, spec of a row) of a SparseTensor, for Dataset.from_sparse_tensor_slices."""
    sparse = SparseTensor.from_value(sparse_tensor)
    raw = sparse.get_shape().raw
    rank = None if raw is None else len(raw) - 1
    spec = (TensorSpec((None, rank), dtypes.int64), TensorSpec((None,), sparse.dtype),
            TensorSpec((rank,), dtypes.int64))
    return [sparse.indices, sparse.values, sparse.dense_shape], spec


def kept(tensors: Sequence[Tensor]) -> tuple[int, ...]:
    """Positions of the tensors whose memory is never overwritten: constants and feeds."""
    return tuple(i for i, t in enumerate(tensors) if t.op.type in ('Const', 'Placeholder'))


def processors() -> int:
    """The number of processors."""
    return os.cpu_count() or 1
