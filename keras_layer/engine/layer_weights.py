"""The weights of a layer: creating, listing, reading and setting them."""
from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import tinyflow as tf
from keras_layer import backend as K, constraints, initializers, regularizers
from keras_layer.engine.call_context import current_call
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.graph.support.keywords import nearest_keyword

# Attributes whose layers and Variables do not belong to the layer.
UNTRACKED = {'_call', '_compile_arguments', '_constructor', '_history', '_inbound_nodes',
             '_initial_weights', '_non_trainable_weights', '_outbound_nodes', '_states',
             '_trainable_weights', 'loss_weights', 'states'}


def unique(items):
    """The items without repetition, by identity, in order."""
    return list({id(item): item for item in items}.values())


# Whether `self.trainable_weights = [...]` in a layer says which Variables are its weights;
# keras2/enabling.py sets it.
weights_are_assigned = False


class LayerWeights:
    """The part of Layer about its Variables and sublayers."""

    _is_keras_metric = False            # metrics are layers, but their weights are not counted
    _collections = None                 # of its Variables

    # ---- making --------------------------------------------------------------------------

    def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None,
                   trainable=None, constraint=None, partitioner=None, use_resource=None,
                   synchronization=tf.VariableSynchronization.AUTO,
                   aggregation=tf.VariableAggregation.NONE, **kwargs):
        """A new Variable of the layer, of that shape; called in `build`.

        `initializer`, `regularizer` and `constraint` are functions or their names; without an
        initializer, floats use glorot_uniform and integers zeros. In a layer that is called, the
        Variable is named `self.name/name`. `partitioner`, `use_resource`, `aggregation`, `getter`
        and `collections` are ignored: Variables are always resources and never partitioned.
        """
        if isinstance(name, (tuple, list)) or hasattr(name, 'as_list'):
            shape, name = name, shape           # Keras 1 and 2.1: add_weight(shape, name=...)
        for key in kwargs:
            if key not in ('getter', 'collections', 'experimental_autocast'):
                known = inspect.signature(LayerWeights.add_weight).parameters
                raise misuse(TypeError(f'Unknown keyword argument: {key!r}, for add_weight.'
                                       + nearest_keyword(key, known)))
        dtype = tf.as_dtype(dtype or self.dtype or K.floatx())
        if self._dtype is None:
            self._dtype = dtype.base_dtype.name
        if synchronization is tf.VariableSynchronization.ON_READ:
            if trainable:
                raise misuse(ValueError(
                    'Synchronization value can be set to VariableSynchronization.ON_READ only for '
                    'non-trainable variables. You have specified trainable=True and '
                    'synchronization=VariableSynchronization.ON_READ.'))
            trainable = False
        trainable = True if trainable is None else trainable
        shape = () if shape is None else tuple(tf.TensorShape(shape).as_list())
        if None in shape:
            raise misuse(ValueError(
                f"The weight '{name}' of layer '{self.name}' would have shape {shape}, which is "
                'not fully known.\n  Hint: give the input its sizes, e.g. Input(shape=(28, 28, '
                '1)); only the batch may be None.'))
        variable = self._make_variable(name, shape, dtype, _initializer(initializer, dtype, name),
                                       trainable, constraints.get(constraint))
        regularizer = regularizers.get(regularizer)
        if regularizer is not None:
            self._regularize_weight(name or 'weight', variable, regularizer)
        self._track_variable(variable)
        return variable

    def _make_variable(self, name, shape, dtype, initializer, trainable, constraint):
        made = tf.Variable(lambda: initializer(shape, dtype=dtype), dtype=dtype, name=name,
                           trainable=trainable, constraint=constraint, use_resource=True,
                           collections=self._collections)
        K.track_variable(made)
        return made

    def add_variable(self, *args, **kwargs):
        """Deprecated name of `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def _regularize_weight(self, name, variable, regularizer):
        def loss():
            with K.name_scope(name + '/Regularizer'):
                return regularizer(variable)
        self.add_loss(loss)

    def _track_variable(self, variable):
        kept = self._trainable_weights if variable.trainable else self._non_trainable_weights
        if all(variable is not v for v in kept):
            kept.append(variable)

    def _explained(self, problem, hint):
        """The text of an error about the inputs of the current call."""
        call = current_call()
        inputs = tf.nest.flatten(call.inputs) if call else []
        return report(f'{problem} (layer {self.name})',
                      inputs=[('input', t) for t in inputs if isinstance(t, tf.Tensor)], hint=hint)

    def _track_variables_in(self, value):
        """Tracks a Variable, or those in a list, tuple or dict."""
        for variable in _variables_in(value):
            K.track_variable(variable)
            if not getattr(variable, 'is_weight_by_assignment', False):
                self._track_variable(variable)

    def _own_weights(self):
        """(trainable, other) Variables, including those added to lists after assignment."""
        for name, value in list(self.__dict__.items()):
            if name not in UNTRACKED and isinstance(value, (list, tuple, dict)):
                self._track_variables_in(value)
        return self._trainable_weights, self._non_trainable_weights

    # ---- listing -------------------------------------------------------------------------

    @property
    def _sublayers(self):
        """The layers in the attributes of this one, also inside lists, tuples and dicts."""
        return unique(_layers_in([v for k, v in self.__dict__.items() if k not in UNTRACKED]))

    def _set_weights_of(self, kept, weights):
        """The setter of lists of weights, which Keras 2.1 has and tf.keras has not."""
        if not weights_are_assigned:
            raise AttributeError("can't set attribute")
        weights = list(weights)
        for other in (self._trainable_weights, self._non_trainable_weights):
            other[:] = [v for v in other if all(v is not w for w in weights)]
        kept[:] = weights

    @property
    def trainable_weights(self):
        """The Variables that training changes: none if the layer is frozen."""
        if not self.trainable:
            return []
        return self._joined(self._own_weights()[0],
                            [w for layer in self._sublayers for w in layer.trainable_weights])

    @trainable_weights.setter
    def trainable_weights(self, weights):
        self._set_weights_of(self._trainable_weights, weights)

    @property
    def non_trainable_weights(self):
        """The Variables that training does not change, such as moving averages."""
        trained, others = self._own_weights()
        if self.trainable:
            return self._joined(others, [
                w for layer in self._sublayers for w in layer.non_trainable_weights])
        return self._joined(trained + others,
                            [w for layer in self._sublayers for w in layer.weights])

    @non_trainable_weights.setter
    def non_trainable_weights(self, weights):
        self._set_weights_of(self._non_trainable_weights, weights)

    def _joined(self, own, inside):
        """The weights of a layer: its own first, then those of its sublayers."""
        return unique(own + inside)

    @property
    def weights(self):
        """All Variables, trainable ones first."""
        return unique(self.trainable_weights + self.non_trainable_weights)

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    def count_params(self):
        """The number of elements of all weights. ValueError before the layer is built."""
        if not self.built:
            raise misuse(ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built.\n"
                f'  Hint: call it on an input first, or {self.name}.build(input_shape).'))
        return int(sum(np.prod(w.shape.as_list(), dtype=np.int64) for w in self.weights))

    @property
    def _checkpoint_dependencies(self):
        """(name, object) of the dependencies in object-based checkpoints: weights and sublayers."""
        trained, others = self._own_weights()
        own = {id(w) for w in trained + others}
        found = [(name, value) for name, value in self.__dict__.items()
                 if name not in UNTRACKED and not name.startswith('_') and (
                     id(value) in own or isinstance(value, LayerWeights)
                     or isinstance(value, (list, dict)) and any(_layers_in([value])))]
        named = {id(value) for _, value in found}
        found += [(w.op.name.rpartition('/')[2], w)
                  for w in trained + others if id(w) not in named]
        return found

    # ---- values --------------------------------------------------------------------------

    def get_weights(self) -> Any:
        """The values of `weights`, as a list of arrays."""
        return K.batch_get_value(self.weights)

    def set_weights(self, weights):
        """Sets the values of `weights`. ValueError if number or shapes differ; nothing is set."""
        params = self.weights
        weights = list(weights)
        if len(params) != len(weights):
            raise misuse(ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of '
                f'length {len(weights)}, but the layer was expecting {len(params)} weights: '
                f'{[w.name for w in params]}.'))
        for variable, value in zip(params, weights):
            if tuple(variable.shape.as_list()) != np.shape(value):
                raise misuse(ValueError(
                    f"Layer weight shape {tuple(variable.shape.as_list())} of '{variable.name}' "
                    f'not compatible with provided weight shape {np.shape(value)}'
                    + why('keras-weights-shape')))
        K.batch_set_value(list(zip(params, weights)))


# keras2/enabling.py sets it: a function of an initializer.
prepare_initializer = None


def _initializer(initializer, dtype, name):
    found = _by_default(initializer, dtype, name)
    return found if prepare_initializer is None else prepare_initializer(found)


def _by_default(initializer, dtype, name):
    if initializer is not None:
        return initializers.get(initializer)
    if dtype.is_floating:
        return initializers.get('glorot_uniform')
    if dtype.is_integer or dtype.is_bool:
        return initializers.get('zeros')
    raise misuse(ValueError(f'An initializer for variable {name} of type {dtype.base_dtype} is '
                            'required'))


def _variables_in(value):
    if isinstance(value, tf.Variable):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _variables_in(one)


def layers_in(value):
    """The layers in a value: a layer, or nested lists, tuples and dicts of layers."""
    return list(_layers_in([value]))


def _layers_in(values):
    for value in values:
        if isinstance(value, LayerWeights):
            if not value._is_keras_metric:
                yield value
        elif isinstance(value, dict):
            yield from _layers_in(value.values())
        elif isinstance(value, (list, tuple)):
            yield from _layers_in(value)
