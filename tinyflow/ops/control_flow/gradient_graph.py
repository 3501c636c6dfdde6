"""GradientGraph: the graph of the gradient of a branch or loop body.

The gradients of If and While are If and While nodes of such graphs. The forward values that they
need become outputs of the forward node: of a cond, as further outputs of the If node; of a loop,
as lists to which each iteration appends (accumulators), read from the end by the backward loop.
Nothing is computed twice, and second derivatives work the same way. TF 1.15 does the
same under enable_control_flow_v2(), after Yu et al., "Dynamic control flow in large-scale machine
learning", 2018, section 5.
"""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import INEXACT
from tinyflow.graph.func_graph import FuncGraph, Spec
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.variable_refs import dtype_behind, shape_behind

_CARRIERS = INEXACT | {dtypes.variant}


class GradientGraph(FuncGraph):
    """A function that also uses tensors of the forward function `forward`.

    Constants are copied, and unchanged parameters are replaced by the inputs (`outer_inputs`:
    parameter -> tensor outside the forward function). For any other tensor, `saved(tensor)` returns
    the tensor in this graph that will hold its value.
    """

    def __init__(self, name, forward, outer_inputs, saved, outer_graph):
        super().__init__(name, outer_graph)
        self.forward = forward
        self._outer_inputs = outer_inputs
        self._saved = saved
        self._copies: dict[Tensor, Tensor] = {}

    def takes_from(self, graph):
        return graph is self.forward or super().takes_from(graph)

    def capture(self, tensor):
        if tensor.op.graph is not self.forward:
            return super().capture(tensor)
        copy = self._copies.get(tensor)
        if copy is None:
            copy = self._copies[tensor] = self._copy(tensor)
        return copy

    def _copy(self, tensor):
        if tensor.op.type == 'Const':
            with self.name_scope(None):
                return nodes.Const(name=tensor.op.name, **tensor.op.attrs)
        if tensor in self._outer_inputs:
            return super().capture(self._outer_inputs[tensor])
        return self._saved(self, tensor)


def dense(gradient):
    return None if gradient is None else convert_to_tensor(gradient)


def differentiable(tensor):
    if tensor.dtype is dtypes.resource:
        return dtype_behind(tensor) in INEXACT
    return tensor.dtype.base_dtype in _CARRIERS


def gradient_spec(tensor):
    """Dtype and shape of a gradient for `tensor`: a handle's is that of the variable."""
    if tensor.dtype is dtypes.resource:
        return Spec(dtype_behind(tensor), shape_behind(tensor))
    return Spec(tensor.dtype, tensor.raw_shape)


def zeros_like(tensor):
    if tensor.dtype is dtypes.resource:
        tensor = nodes.ReadVariableOp(tensor, dtype=dtype_behind(tensor))
    return nodes.ZerosLike(tensor)
