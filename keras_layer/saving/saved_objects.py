"""The objects of a Keras model in a SavedModel, from which load_model of TensorFlow makes a model.

TensorFlow 1.15 loads a model as its Variables and functions of the object graph that compute its
outputs, with and without training; TensorFlow 2.5 to 2.15 makes the layers of keras_metadata.pb
and restores their Variables by the object graph. The functions are the model's part of the graph,
with its Variables as arguments.
"""
from __future__ import annotations

import json
from typing import Any, NamedTuple

import tinyflow as tf
from keras_layer.saving import configs, keras_metadata
from tinyflow.formats.graphdef import functions
from tinyflow.formats.graphdef.export import add_node
from tinyflow.formats.wire.tensors import fill_shape
from tinyflow.train.checkpoints import object_graph
from tinyflow.train.checkpoints.object_saver import ObjectGraphSaveable
from tinyflow.train.checkpoints.saveables import VariableSaveable

_CALL = 'call_and_return_conditional_losses'
_LEARNING_PHASE = 'keras_learning_phase'
_KINDS = {'InputLayer': '_tf_keras_input_layer', 'Sequential': '_tf_keras_sequential',
          'Model': '_tf_keras_network'}
# Layers that have a cell.
_RECURRENT = ('LSTM', 'GRU', 'SimpleRNN', 'RNN', 'ConvLSTM2D')


class _Part(NamedTuple):
    """The part of a graph between tensors, as functions.fill takes a function."""

    name: str
    inputs: list[Any]
    outputs: list[Any]
    operations: list[Any]

    def get_operations(self):
        return self.operations


class SavedObjects:
    """What a SavedModel says of a model's objects; `fits` is False if it cannot be said.

    That is a model that is no graph of layers, or that needs more than its inputs and Variables:
    tables, other placeholders, Variables of the older kind.
    """

    def __init__(self, model):
        self._model = model
        self._walked = _walk(model)
        self._numbers = {id(value): i for i, (value, _) in enumerate(self._walked)}
        self._trained = {id(w) for w in model.trainable_weights}
        self._operations = _between(model.inputs, model.outputs)
        self._variables = [w for w in model.weights
                           if any(w.op is op for op in self._operations)]
        self.fits = all(id(w) in self._numbers for w in model.weights) and _is_closed(
            self._operations, model.inputs, self._variables)

    def saveables(self):
        """What a Saver of the model saves: the weights, by `names`, and the graph of objects."""
        weights = [VariableSaveable(weight, '', name)
                   for weight, name in zip(self._model.weights, self.names())]
        return [*weights, ObjectGraphSaveable(self._checkpoint_graph())]

    def names(self):
        """The names of the model's weights in the checkpoint."""
        keys = {id(value): object_graph.key_of_value(path) for value, path in self._walked}
        return [keys[id(weight)] for weight in self._model.weights]

    def _checkpoint_graph(self):
        from tinyflow.formats.protos import (  # start-up time
            saved_object_graph_pb2,
            trackable_object_graph_pb2,
        )
        saved = saved_object_graph_pb2.SavedObjectGraph()
        self._fill_nodes(saved)
        proto = trackable_object_graph_pb2.TrackableObjectGraph()
        for node in saved.nodes:
            proto.nodes.add().children.extend(node.children)
        for number, (value, path) in enumerate(self._walked):
            if isinstance(value, tf.Variable):
                proto.nodes[number].attributes.add(
                    name=object_graph.VALUE, full_name=value.op.name,
                    checkpoint_key=object_graph.key_of_value(path))
        return proto.SerializeToString(deterministic=True)

    # ---- the object graph ----------------------------------------------------------------

    def fill(self, meta_graph):
        """Writes the objects and the functions that compute the model into a MetaGraphDef."""
        graph = meta_graph.object_graph_def
        self._fill_nodes(graph)
        for name, training in self._functions():
            self._fill_function(meta_graph.graph_def.library, name, training)
        inputs = [_spec(t, name) for t, name in zip(self._model.inputs, self._model.input_names)]
        for name, training in self._functions():
            known = graph.concrete_functions[name]
            known.bound_inputs.extend([self._numbers[id(w)] for w in self._variables])
            if name == _signature_name():
                _fill_value(known.canonicalized_input_signature,
                            ((), dict(zip(self._model.input_names, inputs))))
                _fill_value(known.output_signature, {
                    key: _spec(t, key) for key, t in zip(self._model.output_names,
                                                         self._model.outputs)})
                continue
            first = inputs if len(inputs) > 1 else inputs[0]
            outputs = [_spec(t, key) for key, t in zip(self._model.output_names,
                                                       self._model.outputs)]
            _fill_value(known.canonicalized_input_signature,
                        ((first,) if training is None else (first, training), {}))
            _fill_value(known.output_signature,
                        (outputs if len(outputs) > 1 else outputs[0], []))
        if meta_graph.graph_def.versions.min_consumer < 12:
            meta_graph.graph_def.versions.min_consumer = 12

    def _functions(self):
        """(name, value of `training`) of each function: None if the model has no such argument."""
        call = '__inference_' + _CALL
        trained = [(f'{call}_0', False), (f'{call}_1', True)] if self._learns() else \
            [(f'{call}_0', None)]
        return [*trained, (_signature_name(), False if self._learns() else None)]

    def _learns(self):
        """True if the model computes something else in training."""
        return any(_is_learning_phase(op) for op in self._operations)

    def _fill_nodes(self, graph):
        for value, _ in self._walked:
            node = graph.nodes.add()
            for name, child in _children(value).items():
                node.children.add(node_id=self._numbers[id(child)], local_name=name)
            self._fill_object(node, value)
        calls = [name for name, _ in self._functions() if name != _signature_name()]
        api = _add_object(graph, graph.nodes[0], 'keras_api', '_generic_user_object')
        call = _add_node(graph, api, _CALL).function
        call.concrete_functions.extend(calls)
        arguments = ['inputs', 'training'] if self._learns() else ['inputs']
        _fill_value(call.function_spec.fullargspec, _argspec(arguments))
        _fill_value(call.function_spec.input_signature, None)
        signatures = _add_object(graph, graph.nodes[0], 'signatures', 'signature_map')
        signature = _add_node(graph, signatures, 'serving_default').bare_concrete_function
        signature.concrete_function_name = _signature_name()
        signature.argument_keywords.extend(self._model.input_names)
        signature.allowed_positional_arguments = len(self._model.input_names)

    def _fill_object(self, node, value):
        if isinstance(value, tf.Variable):
            node.variable.dtype = value.dtype.base_dtype.as_datatype_enum
            fill_shape(node.variable.shape, value.shape.as_list())
            node.variable.trainable = id(value) in self._trained
            node.variable.name = value.op.name
            return
        if hasattr(value, 'add_weight'):
            root = value is self._model
            _fill_user_object(node, '_tf_keras_model' if root else '_tf_keras_layer',
                              json.dumps(self._described(value), default=configs.as_json))
        else:
            kind = 'list' if isinstance(value, list) else 'dict'
            _fill_user_object(node, f'trackable_{kind}_wrapper')

    def _described(self, value):
        """The metadata by which TensorFlow 1.15 makes an object without a configuration."""
        name = type(value).__name__
        found = {'class_name': name, 'name': value.name, 'trainable': value.trainable,
                 'dtype': value.dtype or 'float32', 'expects_training_arg': False}
        if value is self._model:
            found.update(configs.described(value), expects_training_arg=self._learns())
        if name == 'Sequential':
            found['class_name'] = 'Model'       # it would make a Sequential without layers
        return found

    def _fill_function(self, library, name, training):
        handles = [w.op.outputs[0] for w in self._variables]
        part = _Part(name, [*self._model.inputs, *handles], list(self._model.outputs),
                     self._operations)
        proto = library.function.add()
        functions.fill(proto, part, lambda nodes, op, names: add_node(nodes, op, True, names))
        for node in proto.node_def:
            if node.op == 'PlaceholderWithDefault' and node.name.endswith(_LEARNING_PHASE):
                _make_constant(node, bool(training))

    # ---- keras_metadata.pb ---------------------------------------------------------------

    def metadata(self, training_config=None):
        """The content of keras_metadata.pb."""
        found = []
        for number, (value, path) in enumerate(self._walked):
            if hasattr(value, 'add_weight'):
                kind = type(value).__name__
                identifier = _KINDS.get(kind) or (
                    '_tf_keras_rnn_layer' if kind in _RECURRENT else '_tf_keras_layer')
                described = _newer(value)
                if value is self._model and training_config:
                    described['training_config'] = training_config
                described = json.loads(json.dumps(described, default=configs.as_json))
                found.append(keras_metadata.KerasObject(number, '.'.join(('root', *path)),
                                                        identifier, described))
        return keras_metadata.as_bytes(found)


def _signature_name():
    return '__inference_signature_wrapper_2'


# ---- objects -------------------------------------------------------------------------------------


def _children(value):
    """{name: object} without the optimizer and the metrics, which are not restored."""
    found = {name: child for name, child in object_graph.children(value).items()
             if not (hasattr(child, 'get_slot_names') or getattr(child, '_is_keras_metric', False))}
    if 'forward_layer' in found:
        found.pop('layer', None)            # of which Bidirectional makes both directions
    return found


def _walk(root):
    """[(object, path)] of the objects below the model, each once, outer ones first."""
    found, seen = [(root, ())], {id(root)}
    for value, path in found:
        for name, child in _children(value).items():
            if id(child) not in seen:
                seen.add(id(child))
                found.append((child, (*path, name)))
    return found


def _newer(layer):
    """The metadata of a layer for a newer Keras, which makes the layer from its configuration."""
    kind = type(layer).__name__
    described = {'class_name': 'Functional' if kind == 'Model' else kind, 'name': layer.name,
                 'trainable': layer.trainable, 'dtype': layer.dtype or 'float32',
                 'config': layer.get_config(), 'stateful': bool(getattr(layer, 'stateful', False)),
                 'must_restore_from_config': False}
    if hasattr(layer, '_topology') or kind in ('Model', 'Sequential'):
        described['is_graph_network'] = True
        return described
    if kind == 'InputLayer':
        config = described['config']
        return {**described, 'sparse': config.get('sparse', False), 'ragged': False,
                'batch_input_shape': config['batch_input_shape']}
    try:
        shape = layer.input_shape
    except (AttributeError, ValueError, RuntimeError):      # of a layer inside another
        return described
    several = isinstance(shape, list)
    shapes = [{'class_name': 'TensorShape', 'items': list(s)} for s in (shape if several
                                                                         else [shape])]
    described['build_input_shape'] = shapes if several else shapes[0]
    return described


def _fill_user_object(node, identifier, metadata=''):
    user = node.user_object
    user.identifier, user.metadata = identifier, metadata
    user.version.producer, user.version.min_consumer = 1, 1


def _add_node(graph, parent, name):
    parent.children.add(node_id=len(graph.nodes), local_name=name)
    return graph.nodes.add()


def _add_object(graph, parent, name, identifier):
    node = _add_node(graph, parent, name)
    _fill_user_object(node, identifier)
    return node


# ---- the part of the graph -----------------------------------------------------------------------


def _between(inputs, outputs):
    """The operations that compute the outputs from the inputs, inputs included, in their order."""
    stop = {t.op for t in inputs}
    found, waiting = set(), [t.op for t in outputs]
    while waiting:
        op = waiting.pop()
        if op not in found:
            found.add(op)
            if op not in stop:
                waiting += [t.op for t in op.inputs] + list(op.control_inputs)
    return sorted(found, key=lambda op: op.id)


def _is_learning_phase(op):
    return op.type == 'PlaceholderWithDefault' and op.name.endswith(_LEARNING_PHASE)


def _is_closed(operations, inputs, variables):
    """True if the operations need only the inputs and the Variables, which are resources."""
    known = {t.op for t in inputs} | {w.op for w in variables}
    if any(op not in operations for op in known) or any(
            w.op.type != 'VarHandleOp' for w in variables):
        return False
    return not any(op.writes or op.type.startswith(('Placeholder', 'Variable', 'PyFunc'))
                   and not _is_learning_phase(op)
                   or not op.inputs and any(t.dtype == tf.resource for t in op.outputs)
                   for op in operations if op not in known)


def _make_constant(node, value):
    """Turns a NodeDef into a constant, a truth value."""
    node.op = 'Const'
    del node.input[:]
    node.attr.clear()
    node.attr['dtype'].type = tf.bool.as_datatype_enum
    tensor = node.attr['value'].tensor
    tensor.dtype, tensor.bool_val[:] = tf.bool.as_datatype_enum, [value]
    tensor.tensor_shape.SetInParent()


# ---- structured values ---------------------------------------------------------------------------


class _Spec(NamedTuple):
    name: str
    shape: Any
    dtype: Any


class _Argspec(NamedTuple):
    """What Python's inspect says of a function's arguments."""

    args: list[str]
    varargs: Any = None
    varkw: Any = None
    defaults: Any = None
    kwonlyargs: Any = ()
    kwonlydefaults: Any = None
    annotations: Any = None


def _argspec(arguments):
    return _Argspec(arguments, kwonlyargs=[], annotations={})


def _spec(tensor, name):
    return _Spec(name, tensor.shape, tensor.dtype)


def _fill_value(proto, value):
    """Writes a nest of Python values into a StructuredValue."""
    if value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, bool):
        proto.bool_value = value
    elif isinstance(value, str):
        proto.string_value = value
    elif isinstance(value, _Spec):
        spec = proto.tensor_spec_value
        spec.name, spec.dtype = value.name, value.dtype.as_datatype_enum
        fill_shape(spec.shape, value.shape.raw)
    elif isinstance(value, _Argspec):
        proto.named_tuple_value.name = 'FullArgSpec'
        for key, item in value._asdict().items():
            pair = proto.named_tuple_value.values.add(key=key)
            _fill_value(pair.value, item)
    elif isinstance(value, dict):
        proto.dict_value.SetInParent()
        for key, item in value.items():
            _fill_value(proto.dict_value.fields[key], item)
    else:
        several = proto.tuple_value if isinstance(value, tuple) else proto.list_value
        several.SetInParent()
        for item in value:
            _fill_value(several.values.add(), item)
