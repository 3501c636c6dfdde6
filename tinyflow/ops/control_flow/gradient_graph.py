"""GradientGraph: a graph that runs a function of the forward graph backwards.

The gradients of If and While are If and While again, of functions that are made here. What such a
function needs of the forward one is made an output of it: of a cond, as further outputs of the If
node; of a loop, as lists to which each iteration appends (an accumulator), read from the end by the
backward loop. Nothing is computed twice, and second derivatives need nothing else. TF 1.15 does the
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

    Constants are made again, and parameters that nothing changes stand for what was handed in
    (`handed_in`: parameter -> tensor around the forward function); of anything else the value is
    asked for by `saved(tensor)`, which gives the tensor here that will have it.
    """

    def __init__(self, name, forward, handed_in, saved, outer_graph):
        super().__init__(name, outer_graph)
        self.forward = forward
        self._handed_in = handed_in
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
        if tensor in self._handed_in:
            return super().capture(self._handed_in[tensor])
        return self._saved(self, tensor)


def dense(gradient):
    return None if gradient is None else convert_to_tensor(gradient)


def differentiable(tensor):
    if tensor.dtype is dtypes.resource:
        return dtype_behind(tensor) in INEXACT
    return tensor.dtype.base_dtype in _CARRIERS


def gradient_spec(tensor):
    """Dtype and shape of a gradient by `tensor`: a handle's is that of the variable."""
    if tensor.dtype is dtypes.resource:
        return Spec(dtype_behind(tensor), shape_behind(tensor))
    return Spec(tensor.dtype, tensor.raw_shape)


def zeros_like(tensor):
    if tensor.dtype is dtypes.resource:
        tensor = nodes.ReadVariableOp(tensor, dtype=dtype_behind(tensor))
    return nodes.ZerosLike(tensor)
