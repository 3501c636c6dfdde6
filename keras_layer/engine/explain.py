"""tf.explain(model): the ops and Variables of each layer, and the layer of an op."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from tinyflow.graph.support.errors import misuse


class LayerParts:
    """The operations, Variables and outputs of one layer."""

    def __init__(self, layer, operations, tensors):
        self.layer = layer
        self.operations = operations
        self.variables = layer.weights
        self.outputs = tensors

    @property
    def name(self):
        return self.layer.name

    def __repr__(self):
        lines = [f'{self.name} ({type(self.layer).__name__})']
        lines += [f'  variable  {v.name} {tuple(v.shape.as_list())}' for v in self.variables]
        lines += [f'  op        {op.name}: {op.type}' for op in self.operations]
        lines += [f'  output    {t.name} {K.int_shape(t)}' for t in self.outputs]
        return '\n'.join(lines)


class ModelExplanation:
    """A model's layers with their ops, and the Session calls of fit and predict.

    `layer(name)` returns the parts of a layer, `layer_of(op)` the layer of an op; `train()`,
    `test()` and `predict()` explain the compiled calls of fit, evaluate and predict, as tf.explain
    does.
    """

    def __init__(self, model):
        wired = model._topology if model._is_graph_network else model._traced
        if wired is None:
            raise misuse(ValueError(f'{model.name} is not built yet, so it has no '
                                    'ops.\n  Hint: give the first layer its input_shape, or fit.'))
        self.model = model
        self.layers = [LayerParts(*parts) for parts in _parts(wired)]
        self._by_op = {op: parts for parts in self.layers for op in parts.operations}

    def layer(self, name):
        """The parts of the layer of that name."""
        for parts in self.layers:
            if parts.name == name:
                return parts
        raise misuse(ValueError(f'No layer {name!r}; there are {[p.name for p in self.layers]}.'))

    def layer_of(self, op):
        """The name of the layer of an op (or of the op of that name); None for other ops."""
        if isinstance(op, str):
            op = self.model._graph.get_operation_by_name(op.partition(':')[0])
        parts = self._by_op.get(getattr(op, 'op', op))
        return parts.name if parts else None

    def call(self, kind='train'):
        """(fetches, inputs) of the `session.run` call for one batch of fit, evaluate or predict."""
        function = self.model._functions.get(kind).function
        fetches = [*function.outputs, function.updates_op]
        return fetches, function.inputs

    def _explained(self, kind, batch):
        model = self.model
        with model._graph.as_default():
            fetches, inputs = self.call(kind)
            session = K.get_session(graph=model._graph)
            feeds = {t: _example(t, batch) for t in inputs}
            return tf.explain(fetches, feeds, session=session, runs=0)

    def train(self, batch=32):
        """tf.explain of a training step; nothing is run."""
        return self._explained('train', batch)

    def test(self, batch=32):
        """tf.explain of a batch of evaluate; nothing is run."""
        return self._explained('test', batch)

    def predict(self, batch=32):
        """tf.explain of a batch of predict; nothing is run."""
        return self._explained('predict', batch)

    def __str__(self):
        width = max(len(p.name) for p in self.layers)
        lines = [f'{self.model.name}: {len(self.layers)} layers over '
                 f'{len(self._by_op)} ops of {self.model._graph}', '']
        for parts in self.layers:
            kinds = ', '.join(op.type for op in parts.operations[:6])
            more = f' and {len(parts.operations) - 6} more' if len(parts.operations) > 6 else ''
            lines.append(f'  {parts.name:{width}}  {kinds}{more}')
            for variable in parts.variables:
                state = '' if parts.layer.trainable else '  (frozen)'
                lines.append(f'  {"":{width}}    {variable.name} '
                             f'{tuple(variable.shape.as_list())}{state}')
        for kind, method in (('train', 'fit'), ('predict', 'predict')):
            if kind == 'train' and not self.model._compile_arguments:
                continue
            with self.model._graph.as_default():
                fetches, inputs = self.call(kind)
            lines += ['', f'{method} runs for each batch:',
                      '  session.run([' + ', '.join(repr(f.name) for f in fetches) + '],',
                      '              feed_dict={' + ', '.join(
                          f'{t.name!r}: ...' for t in inputs) + '})']
        lines += ['', "explanation.layer('name') lists a layer's ops; .train() explains the step."]
        return '\n'.join(lines)

    __repr__ = __str__


def _parts(wired):
    """(layer, its ops, its outputs) of each layer, in order."""
    found = {}
    for node in wired.node_order:
        layer = node.outbound_layer
        operations, tensors = found.setdefault(layer, ([], []))
        tensors += tf.nest.flatten(node.outputs)
        inputs = tf.nest.flatten(node.inputs) if node.inbound_layers else []
        own = _between(inputs, tf.nest.flatten(node.outputs))
        operations += [op for op in own if op not in operations]
    return [(layer, *found[layer]) for layer in wired.layers if layer in found]


def _between(inputs, outputs):
    """The ops from `inputs` (not included) to `outputs`, in order of creation."""
    stop = {t.op for t in inputs}
    stack, seen = [t.op for t in outputs if t.op not in stop], set()
    while stack:
        op = stack.pop()
        if op in seen or op in stop:
            continue
        seen.add(op)
        stack += [t.op for t in op.inputs]
    return sorted(seen, key=lambda op: op.id)


def _example(tensor, batch):
    shape = [batch if d is None and i == 0 else 1 if d is None else d
             for i, d in enumerate(K.int_shape(tensor) or ())]
    return np.zeros(shape, tensor.dtype.as_numpy_dtype)
