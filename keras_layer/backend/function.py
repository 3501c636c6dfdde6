"""K.function: a compiled call of the graph, from arrays to arrays."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.graph_state import get_graph
from keras_layer.backend.sessions import get_session
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword

__all__ = ['Function', 'function', 'gradients', 'stop_gradient']


class Function:
    """Takes a list of arrays for `inputs` and returns a list of arrays for `outputs`.

    `updates` (operations, or (variable, new value) pairs) run in the same call, after the outputs
    are computed. The call goes through `Session.make_callable` and is made once per Session.
    """

    def __init__(self, inputs, outputs, updates=None, name=None, feed_dict=None, fetches=None,
                 options=None, run_metadata=None):
        self._structure = outputs
        self.inputs = tf.nest.flatten(inputs, expand_composites=True)
        self.outputs = [tf.convert_to_tensor(o) for o in
                        tf.nest.flatten(outputs, expand_composites=True)]
        self.name = name
        self.fetches = list(fetches or ())
        self.feed_dict = {} if feed_dict is None else feed_dict     # its values may change
        self._options = {'options': options, 'run_metadata': run_metadata}
        self.graph = self._graph()
        with self.graph.as_default(), tf.control_dependencies(self.outputs[:1]):
            self.updates_op = tf.group(*[_update(u) for u in updates or ()], name=name)
        self._callable = self._session = None

    def _graph(self):
        for tensor in self.outputs + self.inputs:
            if getattr(tensor, 'graph', None) is not None:
                return tensor.graph
        return get_graph()

    def prepare(self):
        """The callable for the Session that Keras uses now; takes one value for each input."""
        session = get_session(graph=self.graph)
        if session is not self._session:
            made = session.make_callable([*self.outputs, self.updates_op, *self.fetches],
                                         [*self.inputs, *self.feed_dict])
            self._callable, self._session = made, session
        return self._callable

    def forget_session(self):
        """Makes the next call ask the Session for a callable again."""
        self._session = None

    def __call__(self, inputs):
        values = tf.nest.flatten(inputs, expand_composites=True) \
            if not isinstance(inputs, (list, tuple)) else list(inputs)
        if len(values) != len(self.inputs):
            values = _by_parts(values)
        if len(values) != len(self.inputs):
            raise misuse(ValueError(f'This function takes {len(self.inputs)} inputs '
                                    f'{[getattr(i, "name", i) for i in self.inputs]}, but got '
                                    f'{len(values)}.'))
        results = self.prepare()(*values, *self.feed_dict.values(), **self._options)
        return tf.nest.pack_sequence_as(self._structure, results[:len(self.outputs)],
                                        expand_composites=True)


def _by_parts(values):
    """Sparse values as the component arrays of a SparseTensor."""
    parts = []
    for value in values:
        if hasattr(value, 'tocoo'):
            coo = value.tocoo()
            value = tf.SparseTensorValue(list(zip(coo.row, coo.col)), coo.data, coo.shape)
        parts.extend(value if isinstance(value, tf.SparseTensorValue) else [value])
    return parts


def _update(update):
    if isinstance(update, tuple):
        variable, value = update
        return tf.assign(variable, value)
    return update


def function(inputs, outputs, updates=None, name=None, **kwargs):
    """A function of arrays that computes `outputs` from `inputs` and runs `updates`.

    ``f = K.function([model.input, K.learning_phase()], [layer.output])``, then
    ``f([x, 0])[0]``. `feed_dict`, `fetches`, `options` and `run_metadata` are those of
    `Session.run`. ValueError for other keyword arguments.
    """
    known = ('feed_dict', 'fetches', 'options', 'run_metadata')
    for key in kwargs:
        if key not in known:
            raise misuse(ValueError(
                f'Invalid argument "{key}" passed to K.function with TensorFlow backend'
                + nearest_keyword(key, ('inputs', 'outputs', 'updates', 'name', *known))))
    return Function(inputs, outputs, updates=updates, name=name, **kwargs)


def gradients(loss, variables):
    """The gradients of `loss` with respect to `variables`, as a list of tensors."""
    return tf.gradients(loss, variables)


def stop_gradient(variables):
    """The same values without gradient; a tensor or a list of them."""
    if isinstance(variables, (list, tuple)):
        return [tf.stop_gradient(v) for v in variables]
    return tf.stop_gradient(variables)
