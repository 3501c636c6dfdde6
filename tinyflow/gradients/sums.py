"""The sum of the gradients that the consumers of a tensor give it."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor

__all__ = ['total']


def total(parts: list[Tensor | IndexedSlices]) -> Tensor | IndexedSlices:
    """The sum of a tensor's gradients; an IndexedSlices if all of them are."""
    if len(parts) == 1:
        return parts[0]
    slices = [p for p in parts if isinstance(p, IndexedSlices)]
    if len(slices) < len(parts):
        return _sum_on_devices([convert_to_tensor(p) for p in parts])
    values = nodes.ConcatV2([p.values for p in slices], 0, name='concat')
    indices = nodes.ConcatV2(_alike([p.indices for p in slices]), 0, name='concat')
    return IndexedSlices(values, indices, slices[0].dense_shape)


def _sum_on_devices(parts: list[Tensor]) -> Tensor:
    """Adds the tensors of each device there, then the sums."""
    on_device: dict[str, list[Tensor]] = {}
    for part in parts:
        on_device.setdefault(part.device, []).append(part)
    sums = []
    for _, tensors in sorted(on_device.items()):
        with get_default_graph().colocate_with(tensors[0].op, ignore_existing=True):
            sums.append(nodes.AddN(tensors) if len(tensors) > 1 else tensors[0])
    return nodes.AddN(sums) if len(sums) > 1 else sums[0]


def _alike(indices: list[Tensor]) -> list[Tensor]:
    """Casts row indices to a common dtype: int64 if they are int32 and int64."""
    if len({t.dtype for t in indices}) == 1:
        return indices
    return [t if t.dtype is dtypes.int64 else nodes.Cast(t, DstT=dtypes.int64)
            for t in indices]
