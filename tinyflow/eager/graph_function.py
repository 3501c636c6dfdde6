"""GraphFunction: a FuncGraph that is called on EagerTensors, and its gradients of any order.

A tape records the call as one operation. Its gradient is another GraphFunction, of the output's
gradients and of what the first has computed on the way. Where several tapes are open, the gradient
may be differentiated in turn: then those intermediate values count as outputs of the call, too, and
level j + 1 differentiates the outputs and intermediate values of level j.
"""
from __future__ import annotations

import numpy as np

from tinyflow.eager.execute import EagerOperation, active_tapes, run_in_context
from tinyflow.eager.runtime import RUNTIME
from tinyflow.eager.tensor import EagerTensor
from tinyflow.gradients.reverse import gradients
from tinyflow.graph import dtypes
from tinyflow.graph.func_graph import FuncGraph, Spec
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import nodes
from tinyflow.graph.variable_refs import handle_variable

__all__ = ['GraphFunction']


class GraphFunction:
    """Computes `results` of a FuncGraph from `parameters`; what it captures is found by itself."""

    def __init__(self, graph, parameters, results):
        self.graph = graph
        self.results = results
        captured = [(outer, inner) for outer, inner in graph.captures if inner not in parameters]
        self._handles = [(o, i) for o, i in captured if handle_variable(o) is not None]
        values = [(o, i) for o, i in captured if handle_variable(o) is None]
        self._captured = tuple([outer for outer, _ in values])
        self.parameters = [*parameters, *[inner for _, inner in values]]
        self.sources = [*self.parameters, *[inner for _, inner in self._handles]]
        self._run = self.compiled(results)
        self._levels = []               # the gradients, see the module's docstring
        self._forward = {}              # number of levels -> the compiled call

    def compiled(self, wanted):
        return RUNTIME.make_function(self.graph, self.parameters, wanted)

    def call(self, tensors):
        """The results as EagerTensors."""
        tensors = (*tensors, *self._captured)
        handles = tuple([outer for outer, _ in self._handles])
        tapes = [tape for tape in active_tapes.open if tape.wants(tensors, handles)]
        arrays = [t.array for t in tensors]
        if not tapes:
            return _wrapped(run_in_context(self._run, *arrays), self.results)
        level = self._level(len(tapes))
        forward = self._forward.get(len(tapes))
        if forward is None:
            forward = self._forward[len(tapes)] = self.compiled([*level.outputs, *level.saved])
        made = _wrapped(run_in_context(forward, *arrays), [*level.outputs, *level.saved])
        count = len(level.outputs)
        operation = EagerOperation(_CALL, (*tensors, *handles), {
            'function': self, 'saved': made[count:]})
        operation.outputs = tuple(made[:count])
        for tape in tapes:
            tape.record(operation)
        return made[:len(self.results)]

    def _level(self, number):
        while len(self._levels) < number:
            outputs = [*self._levels[-1].outputs, *self._levels[-1].saved] if self._levels \
                else list(self.results)
            self._levels.append(_Gradient(self, outputs))
        return self._levels[number - 1]

    def gradient(self, operation, dys):
        """The gradients of the inputs of a call that was recorded."""
        last = max(i for i, dy in enumerate(dys) if dy is not None)
        number = next(n for n, level in enumerate(self._levels, 1) if last < len(level.outputs))
        level, after = self._levels[number - 1], self._levels[number:number + 1]
        if after and len(operation.outputs) >= len(after[0].outputs):
            saved = operation.outputs[len(level.outputs):len(after[0].outputs)]
        else:
            saved = operation.attrs['saved']
        return level.of(dys, operation.outputs, saved)


class _Gradient:
    """The gradients of some tensors of a function by all its sources."""

    def __init__(self, function, outputs):
        self.outputs = outputs
        self._positions = [i for i, t in enumerate(function.sources)
                           if t.dtype.base_dtype in dtypes.INEXACT or t.dtype is dtypes.resource]
        self._count = len(function.sources)
        graph = FuncGraph(f'__backward_{function.graph.name}', function.graph)
        with graph.as_default():
            dys = [graph.add_parameter(Spec(t.dtype, t.raw_shape)) for t in outputs
                   if t.dtype in dtypes.INEXACT]
            found = gradients(
                [t for t in outputs if t.dtype in dtypes.INEXACT],
                [function.sources[i] for i in self._positions], dys) if dys else []
            self._parts = [None if g is None else _parts(g) for g in found]
            graph.outputs = [graph.capture(t) for parts in self._parts for t in parts or ()]
        self.saved = [outer for outer, _ in graph.captures if outer.dtype is not dtypes.resource]
        self._function = GraphFunction(graph, [*dys, *[graph.captured[t] for t in self.saved]],
                                       graph.outputs) if graph.outputs else None

    def of(self, dys, outputs, saved):
        """The gradients, None where there is none; IndexedSlices where rows were looked up."""
        results = [None] * self._count
        if self._function is None:
            return results
        given = [nodes.ZerosLike(t) if dy is None else dy
                 for t, dy in zip(outputs, [*dys, *[None] * len(outputs)])][:len(self.outputs)]
        given = [dy for dy, inner in zip(given, self.outputs) if inner.dtype in dtypes.INEXACT]
        made = iter(self._function.call([*given, *saved]))
        for position, parts in zip(self._positions, self._parts):
            if parts is not None:
                values = [next(made) for _ in parts]
                results[position] = values[0] if len(values) == 1 else IndexedSlices(*values)
        return results


def _parts(gradient):
    if not isinstance(gradient, IndexedSlices):
        return [gradient]
    shape = gradient.dense_shape
    return [gradient.values, gradient.indices, *([] if shape is None else [shape])]


def _wrapped(arrays, tensors):
    return [EagerTensor(np.asarray(a, t.dtype.np), t.dtype) for a, t in zip(arrays, tensors)]


class _CALL:                            # noqa: N801 - stands for the declaration of an op
    """The declaration of a call, as tapes see it."""

    type = 'PartitionedCall'
    elementwise = False
    handle_positions = ()

    @staticmethod
    def gradient(operation, *dys):
        return operation.attrs['function'].gradient(operation, dys)
