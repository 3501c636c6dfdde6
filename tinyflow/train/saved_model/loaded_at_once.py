"""A SavedModel while ops run at once: its Variables, and functions that gradients go through.

It is loaded into a Session first (loaded.py), which restores Variables as the file says. A model
with tables or Variables of the older kind stays there, and its signatures run in that Session.
"""
from __future__ import annotations

from tinyflow.eager.graph_function import GraphFunction
from tinyflow.eager.symbolic import SymbolicGraph
from tinyflow.formats.graphdef.graph_util import extract_sub_graph
from tinyflow.formats.graphdef.importing import import_graph_def
from tinyflow.formats.protos.meta_graph_pb2 import SignatureDef
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.variables import resource_variable_ops
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.saved_model import constants
from tinyflow.train.saved_model.loaded import LoadedModel, Signature
from tinyflow.train.saved_model.utils import get_tensor_from_tensor_info

__all__ = ['load_at_once']

_OTHER_STATE = ('VariableV2', 'Variable', 'HashTableV2', 'HashTable', 'MutableHashTableV2')


def load_at_once(export_dir, tags=None):
    """The SavedModel in a directory, for a program whose ops run at once."""
    model = LoadedModel(export_dir, tags)
    if any(op.type in _OTHER_STATE for op in model.graph.get_operations()):
        return model
    return LoadedObject(model)


class LoadedObject:
    """Functions and Variables of a SavedModel.

    `signatures` are functions of named tensors. The attributes of an object that tinyflow saved are
    there, too: its Variables, and its tf.functions.
    """

    def __init__(self, model):
        proto = model.saved_meta_graph_def
        functions = [(name.decode(), SignatureDef.FromString(text)) for name, text in
                     _pairs(proto, constants.FUNCTIONS_KEY)]
        self.tags = model.tags
        self.graph = SymbolicGraph()
        self.variables = self._import(model, proto, [d for _, d in functions])
        self.trainable_variables = [v for v in self.variables if v.trainable]
        self.signatures = {name: _Signature(name, proto.signature_def[name], self.graph)
                           for name in model.signatures}
        by_node = {v.name.partition(':')[0]: v for v in self.variables}
        for path, node in _pairs(proto, constants.VARIABLES_KEY):
            first, _, rest = path.decode().partition('/')
            if not rest and node.decode() in by_node:
                setattr(self, first, by_node[node.decode()])
        found: dict[str, list] = {}
        for name, definition in functions:
            found.setdefault(name, []).append(_Trace(definition, self.graph))
        self._functions = list(found)
        for name, traces in found.items():
            setattr(self, name, _Function(name, traces))

    def _import(self, model, proto, definitions):
        """The Variables, after the nodes of all functions are in the graph."""
        wanted = [info.name for d in (*proto.signature_def.values(), *definitions)
                  for info in (*d.inputs.values(), *d.outputs.values())]
        graph_def = extract_sub_graph(proto.graph_def, [w for w in wanted if w])
        handles = [node.name for node in graph_def.node if node.op == 'VarHandleOp']
        with model.graph.as_default():
            reads = [resource_variable_ops.read(model.graph.get_tensor_by_name(f'{name}:0'))
                     for name in handles]
        values = model.session.run(reads)
        variables = [Variable(value, name=name, use_resource=True)
                     for name, value in zip(handles, values)]
        with self.graph.as_default():
            import_graph_def(graph_def, {f'{name}:0': self.graph.capture(variable.handle)
                                         for name, variable in zip(handles, variables)}, name='')
        return variables

    def __call__(self, *args):
        """The saved object's own tf.function `__call__`. TypeError if it has none."""
        function = vars(self).get('__call__')
        if function is None:
            raise misuse(TypeError(
                'The saved object is not callable.\n  Hint: it has the functions '
                f'{sorted(self._functions)} and the signatures {sorted(self.signatures)}; a '
                "tf.function named __call__ is saved, too."))
        return function(*args)

    def __repr__(self):
        lines = '\n'.join(f'  {s}' for s in self.signatures.values())
        return f'<SavedModel {self.tags}\n{lines}>'


def _pairs(proto, key):
    values = proto.collection_def[key].bytes_list.value if key in proto.collection_def else ()
    return [value.split(b'\0', 1) for value in values]


class _Signature(Signature):
    """A function of tensors by name: signature(x=tensor) gives {name of an output: tensor}."""

    def __init__(self, name, proto, graph):
        super().__init__(name, proto, graph, None)
        self._function = GraphFunction(graph, list(self.inputs.values()),
                                       list(self.outputs.values()))

    def _run(self, inputs):
        tensors = [convert_to_tensor(inputs[k], t.dtype) for k, t in self.inputs.items()]
        return dict(zip(self.outputs, self._function.call(tensors)))

    @property
    def structured_outputs(self):
        """{name of an output: TensorSpec}."""
        return {k: TensorSpec(t.shape, t.dtype, k) for k, t in self.outputs.items()}


class _Trace:
    """One graph of a function of the saved object."""

    def __init__(self, definition, graph):
        self.inputs = [get_tensor_from_tensor_info(info, graph)
                       for _, info in sorted(definition.inputs.items())]
        outputs = [get_tensor_from_tensor_info(info, graph)
                   for _, info in sorted(definition.outputs.items())]
        self._kind, *self._keys = definition.method_name.split(' ')
        self._function = GraphFunction(graph, self.inputs, outputs)

    def takes(self, tensors):
        return len(tensors) == len(self.inputs) and all(
            p.dtype in (t.dtype, dtypes.as_dtype(t.dtype)) and p.shape.is_compatible_with(t.shape)
            for p, t in zip(self.inputs, tensors))

    def call(self, tensors):
        results = self._function.call(tensors)
        if self._kind == 'dict':
            return dict(zip(self._keys, results))
        if self._kind in ('list', 'tuple'):
            return results if self._kind == 'list' else tuple(results)
        return None if self._kind == 'NoneType' else results[0]


class _Function:
    """A tf.function of the saved object: the tensors among its arguments, by position."""

    def __init__(self, name, traces):
        self._name = name
        self._traces = traces

    def __call__(self, *args):
        tensors = [convert_to_tensor(a) for a in args]
        for trace in self._traces:
            if trace.takes(tensors):
                return trace.call(tensors)
        known = '\n'.join('    (' + ', '.join(f'{t.dtype.name} {t.shape}' for t in trace.inputs)
                          + ')' for trace in self._traces)
        raise misuse(ValueError(
            f'Could not find matching concrete function to call loaded from the SavedModel: '
            f'{self._name}({", ".join(f"{t.dtype.name} {t.shape}" for t in tensors)}).\n  It was '
            f'saved for:\n{known}'))
