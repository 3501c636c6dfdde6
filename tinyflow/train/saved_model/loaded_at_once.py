"""A SavedModel while ops run at once: its Variables, and functions that gradients go through.

It is loaded into a Session first (loaded.py), which restores Variables as the file says. A model
with tables or Variables of the older kind stays there, and its signatures run in that Session.
"""
from __future__ import annotations

import json

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
        values = model.session.run(reads) if reads else []
        variables = [Variable(value, name=name, use_resource=True)
                     for name, value in zip(handles, values)]
        with self.graph.as_default():
            import_graph_def(graph_def, {f'{name}:0': self.graph.capture(variable.handle)
                                         for name, variable in zip(handles, variables)}, name='')
        return variables

    def __call__(self, *args, **kwargs):
        """The saved object's own tf.function `__call__`. TypeError if it has none."""
        function = vars(self).get('__call__')
        if function is None:
            raise misuse(TypeError(
                'The saved object is not callable.\n  Hint: it has the functions '
                f'{sorted(self._functions)} and the signatures {sorted(self.signatures)}; a '
                "tf.function named __call__ is saved, too."))
        return function(*args, **kwargs)

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
    def structured_input_signature(self):
        """(positional arguments: none, {name of an input: TensorSpec})."""
        return (), {k: TensorSpec(t.shape, t.dtype, k) for k, t in self.inputs.items()}

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
        method = json.loads(definition.method_name)
        self._returns, self._keys, self._call = (method[k] for k in ('returns', 'keys', 'call'))
        self._function = GraphFunction(graph, self.inputs, outputs)

    def fitting(self, args, kwargs):
        """The tensors among the arguments; None if the trace is of other arguments."""
        if self._call is None:
            values = None if kwargs else args
        else:
            values = self._bound(args, kwargs)
        if values is None:
            return None
        tensors = [convert_to_tensor(v) for v in values]
        return tensors if self._takes(tensors) else None

    def _bound(self, args, kwargs):
        """The arguments that are tensors, by parameter; None if the others differ."""
        parameters = [name for name, _ in self._call['takes']]
        given = {**self._call['defaults'], **dict(zip(parameters, args)), **kwargs}
        if len(args) > len(parameters) or given.keys() != set(parameters):
            return None
        for name, value in self._call['takes']:
            if value != constants.TENSOR and (
                    type(given[name]) is not type(value) or given[name] != value):
                return None
        return [given[name] for name, value in self._call['takes'] if value == constants.TENSOR]

    def _takes(self, tensors):
        return len(tensors) == len(self.inputs) and all(
            p.dtype in (t.dtype, dtypes.as_dtype(t.dtype)) and p.shape.is_compatible_with(t.shape)
            for p, t in zip(self.inputs, tensors))

    def __repr__(self):
        tensors = iter([f'{t.dtype.name} {t.shape}' for t in self.inputs])
        if self._call is None:
            return f'({", ".join(tensors)})'
        return '(' + ', '.join(
            f'{name}={next(tensors) if value == constants.TENSOR else repr(value)}'
            for name, value in self._call['takes']) + ')'

    def call(self, tensors):
        results = self._function.call(tensors)
        if self._returns == 'dict':
            return dict(zip(self._keys, results))
        if self._returns in ('list', 'tuple'):
            return results if self._returns == 'list' else tuple(results)
        return None if self._returns == 'NoneType' else results[0]


class _Function:
    """A tf.function of the saved object."""

    def __init__(self, name, traces):
        self._name = name
        self._traces = traces

    def __call__(self, *args, **kwargs):
        for trace in self._traces:
            tensors = trace.fitting(args, kwargs)
            if tensors is not None:
                return trace.call(tensors)
        given = [*map(_text, args), *(f'{k}={_text(v)}' for k, v in kwargs.items())]
        known = '\n'.join(f'    {trace}' for trace in self._traces)
        raise misuse(ValueError(
            f'Could not find matching concrete function to call loaded from the SavedModel: '
            f'{self._name}({", ".join(given)}).\n  It was saved for:\n{known}'))


def _text(value):
    if isinstance(value, (bool, int, float, str, type(None))):
        return repr(value)
    tensor = convert_to_tensor(value)
    return f'{tensor.dtype.name} {tensor.shape}'
