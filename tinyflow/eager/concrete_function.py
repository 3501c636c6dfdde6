"""ConcreteFunction: the graph of a tf.function for one kind of arguments, compiled."""
from __future__ import annotations

import numpy as np

from tinyflow.eager.arguments import names_of, with_parts
from tinyflow.eager.graph_function import GraphFunction
from tinyflow.eager.tensor import EagerTensor
from tinyflow.eager.traced_graph import TracedGraph
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import refuse_inner
from tinyflow.graph.func_graph import Spec
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.graph.variable_creation import variable_creator_scope
from tinyflow.ops.array.identity_and_cast import identity

__all__ = ['ConcreteFunction']


class ConcreteFunction:
    """A function's graph for one kind of arguments, compiled.

    `specs` has a TensorSpec for each tensor among the leaves of the nested `arguments`, and the
    values of the others. `creator` makes the Variables.
    """

    def __init__(self, python_function, arguments, specs, creator, autograph):
        self._name = getattr(python_function, '__name__', 'function')
        self._python_function = python_function
        self.graph = TracedGraph(f'__inference_{self._name}', autograph=autograph)
        with self.graph.as_default(), variable_creator_scope(creator):
            values = [self._parameter(spec, name) if isinstance(spec, TensorSpec) else spec
                      for spec, name in zip(specs, names_of(python_function, arguments))]
            self._own = list(self.graph.inputs)
            self._arguments = nest.pack_sequence_as(arguments, values, expand_composites=True)
            # Lists of their own, which the function may change.
            args, kwargs = nest.map_structure(lambda leaf: leaf, self._arguments)
            result = python_function(*args, **kwargs)
            self.structured_outputs = nest.map_structure(self._output, result,
                                                         expand_composites=True)
            self._finish()

    def _parameter(self, spec, name):
        return self.graph.add_parameter(Spec(spec.dtype, spec.shape.raw, spec.name or name))

    def _output(self, value):
        if value is None or isinstance(value, Operation):
            return None
        tensor = convert_to_tensor(value)
        if type(tensor) is not EagerTensor and not self.graph.takes_from(tensor.op.graph):
            raise refuse_inner(tensor, self.graph)
        return self.graph.capture(tensor)

    def _finish(self):
        """Results that wait for what acts; without a result, one that only waits."""
        graph = self.graph
        with graph.control_dependencies(graph.side_effects.acting):
            leaves = [None if t is None else identity(t) for t in
                      nest.flatten(self.structured_outputs, expand_composites=True)]
            self.structured_outputs = nest.pack_sequence_as(
                self.structured_outputs, leaves, expand_composites=True)
            graph.outputs = [t for t in leaves if t is not None]
            results = graph.outputs or [identity(np.int32(0))]
        self._program = GraphFunction(graph, self._own, results)

    # ---- as TensorFlow has it --------------------------------------------------------------

    @property
    def inputs(self):
        """The placeholders of the arguments, then of the captured tensors."""
        return list(self.graph.inputs)

    @property
    def outputs(self):
        return list(self.graph.outputs)

    @property
    def structured_input_signature(self):
        """(positional arguments, keywords), with a TensorSpec in place of each tensor.

        In place of a SparseTensor and its like there is a tuple of their TensorSpecs.
        """
        args, kwargs = with_parts(self._arguments)
        return nest.map_structure(
            lambda leaf: TensorSpec.from_tensor(leaf) if isinstance(leaf, Tensor) else leaf,
            (tuple(args), kwargs))

    @property
    def captured_inputs(self):
        return [outer for outer, _ in self.graph.captures]

    @property
    def name(self):
        return self.graph.name

    @property
    def output_shapes(self):
        return nest.map_structure(lambda t: t.shape, self.structured_outputs)

    @property
    def output_dtypes(self):
        return nest.map_structure(lambda t: t.dtype, self.structured_outputs)

    def __call__(self, *args, **kwargs):
        names = [t.op.name for t in self._own]
        unknown = kwargs.keys() - set(names)
        if unknown:
            raise misuse(TypeError(f'{self._name} has no arguments {sorted(unknown)}; it has '
                                   f'{names}.'))
        values = list(args) + [kwargs[name] for name in names if name in kwargs]
        if len(values) != len(self._own):
            raise misuse(TypeError(f'{self._name} takes {len(self._own)} tensors, not '
                                   f'{len(values)}; its arguments are {names}.'))
        tensors = [convert_to_tensor(v, p.dtype) for v, p in zip(nest.flatten(values), self._own)]
        return self._call(tensors)

    def _call(self, tensors):
        values = self._program.call(tensors)
        if isinstance(self.structured_outputs, Tensor):
            return values[0]
        values = iter(values)
        leaves = [None if t is None else next(values) for t in
                  nest.flatten(self.structured_outputs, expand_composites=True)]
        return nest.pack_sequence_as(self.structured_outputs, leaves, expand_composites=True)
