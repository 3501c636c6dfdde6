"""Layers of Keras 1 that Keras 2.1 still had: Highway, MaxoutDense, Recurrent."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import activations, backend as K, constraints, initializers, regularizers
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.input_spec import InputSpec
from tinyflow.graph.support.errors import misuse

__all__ = ['Highway', 'MaxoutDense', 'Recurrent']


class _WithWeights(Layer):
    """A layer with weights W and b, named and initialized as in Keras 1."""

    def __init__(self, init, weights, W_regularizer, b_regularizer,             # noqa: N803
                 activity_regularizer, W_constraint, b_constraint, bias,        # noqa: N803
                 input_dim, kwargs):
        if input_dim is not None:
            kwargs.setdefault('input_shape', (input_dim,))
        if weights is not None:
            kwargs['weights'] = weights
        super().__init__(**kwargs)
        self.init = initializers.get(init)
        self.W_regularizer = regularizers.get(W_regularizer)
        self.b_regularizer = regularizers.get(b_regularizer)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.W_constraint = constraints.get(W_constraint)
        self.b_constraint = constraints.get(b_constraint)
        self.bias, self.input_dim = bias, input_dim
        self.input_spec = InputSpec(ndim=2)

    def _add_w(self, name, shape):
        return self.add_weight(shape=shape, initializer=self.init, name=name,
                               regularizer=self.W_regularizer, constraint=self.W_constraint)

    def _add_b(self, name, shape, initializer='zeros'):
        return self.add_weight(shape=shape, initializer=initializer, name=name,
                               regularizer=self.b_regularizer, constraint=self.b_constraint)

    def get_config(self):
        """The arguments of the constructor."""
        return {**super().get_config(), 'init': initializers.serialize(self.init),
                'W_regularizer': regularizers.serialize(self.W_regularizer),
                'b_regularizer': regularizers.serialize(self.b_regularizer),
                'activity_regularizer': regularizers.serialize(self.activity_regularizer),
                'W_constraint': constraints.serialize(self.W_constraint),
                'b_constraint': constraints.serialize(self.b_constraint),
                'bias': self.bias, 'input_dim': self.input_dim}


class Highway(_WithWeights):
    """t activation(x W + b) + (1 - t) x, with the gate t = sigmoid(x W_carry + b_carry).

    Shapes: x [batch, n] -> [batch, n]. Srivastava et al. (2015).
    """

    def __init__(self, init='glorot_uniform', activation=None, weights=None, W_regularizer=None,
                 b_regularizer=None, activity_regularizer=None, W_constraint=None,
                 b_constraint=None, bias=True, input_dim=None, **kwargs):
        super().__init__(init, weights, W_regularizer, b_regularizer, activity_regularizer,
                         W_constraint, b_constraint, bias, input_dim, kwargs)
        self.activation = activations.get(activation)

    def build(self, input_shape):
        """Adds W, W_carry [n, n], and with `bias` b, b_carry [n]."""
        n = tf.TensorShape(input_shape).as_list()[-1]
        self.W, self.W_carry = self._add_w('W', (n, n)), self._add_w('W_carry', (n, n))
        self.b = self._add_b('b', (n,)) if self.bias else None
        self.b_carry = self._add_b('b_carry', (n,), 'ones') if self.bias else None
        self.built = True

    def call(self, inputs):
        """The outputs."""
        gate, new = K.dot(inputs, self.W_carry), K.dot(inputs, self.W)
        if self.bias:
            gate, new = gate + self.b_carry, new + self.b
        gate = activations.sigmoid(gate)
        return self.activation(new) * gate + (1 - gate) * inputs

    def compute_output_shape(self, input_shape):
        """The shape of the inputs."""
        return tf.TensorShape(input_shape)

    def get_config(self):
        """The arguments of the constructor."""
        return {**super().get_config(), 'activation': activations.serialize(self.activation)}


class MaxoutDense(_WithWeights):
    """The largest of `nb_feature` linear outputs: max over k of x W[k] + b[k].

    Shapes: x [batch, n] -> [batch, output_dim]. Goodfellow et al. (2013).
    """

    def __init__(self, output_dim, nb_feature=4, init='glorot_uniform', weights=None,
                 W_regularizer=None, b_regularizer=None, activity_regularizer=None,
                 W_constraint=None, b_constraint=None, bias=True, input_dim=None, **kwargs):
        super().__init__(init, weights, W_regularizer, b_regularizer, activity_regularizer,
                         W_constraint, b_constraint, bias, input_dim, kwargs)
        self.output_dim, self.nb_feature = output_dim, nb_feature

    def build(self, input_shape):
        """Adds W [nb_feature, n, output_dim] and with `bias` b [nb_feature, output_dim]."""
        n = tf.TensorShape(input_shape).as_list()[-1]
        self.W = self._add_w('W', (self.nb_feature, n, self.output_dim))
        self.b = self._add_b('b', (self.nb_feature, self.output_dim)) if self.bias else None
        self.built = True

    def call(self, inputs):
        """The outputs."""
        outputs = tf.tensordot(inputs, self.W, [[1], [1]])      # [batch, nb_feature, output_dim]
        if self.bias:
            outputs += self.b
        return K.max(outputs, axis=1)

    def compute_output_shape(self, input_shape):
        """(batch, output_dim)."""
        return tf.TensorShape([input_shape[0], self.output_dim])

    def get_config(self):
        """The arguments of the constructor."""
        return {**super().get_config(), 'output_dim': self.output_dim,
                'nb_feature': self.nb_feature}


class Recurrent(Layer):
    """The base of recurrent layers that programs wrote for Keras 2.1: they define `step`.

    ``output, new_states = step(input, states)`` is one time step; `states` ends with what
    `get_constants(inputs)` returns. `preprocess_input(inputs)` is computed before the loop,
    `get_initial_state(inputs)` are its first states, zeros unless it is overridden. `units` is the
    size of the outputs, and of each of `self.states`.

    Shapes: inputs [batch, time, n] -> [batch, units], or [batch, time, units] with
    `return_sequences`.
    """

    def __init__(self, return_sequences=False, return_state=False, go_backwards=False,
                 stateful=False, unroll=False, implementation=0, **kwargs):
        length, dim = kwargs.pop('input_length', None), kwargs.pop('input_dim', None)
        if dim is not None:
            kwargs.setdefault('input_shape', (length, dim))
        super().__init__(**kwargs)
        if stateful:
            raise misuse(NotImplementedError(
                'Recurrent(stateful=True) is not in tinyflow.\n  Hint: a cell with '
                'keras.layers.RNN(cell, stateful=True).'))
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful, self.unroll = go_backwards, stateful, unroll
        self.implementation = implementation
        self.supports_masking = True
        self.input_spec = [InputSpec(ndim=3)]
        self.state_spec = None
        self.dropout = self.recurrent_dropout = 0
        self.states = [None]

    def step(self, inputs, states):
        """(output, new states) of one time step: a subclass defines it."""
        raise NotImplementedError

    def get_constants(self, inputs, training=None):
        """Tensors that every step gets behind its states."""
        return []

    def preprocess_input(self, inputs, training=None):
        """The inputs as the steps get them."""
        return inputs

    def get_initial_state(self, inputs):
        """The states before the first step: zeros [batch, units]."""
        zeros = K.tile(K.expand_dims(K.sum(K.zeros_like(inputs), axis=(1, 2))), [1, self.units])
        return [zeros for _ in self.states]

    def call(self, inputs, mask=None, training=None, initial_state=None):
        """The outputs of the loop over the time steps."""
        states = self.get_initial_state(inputs) if initial_state is None else initial_state
        if isinstance(mask, list):
            mask = mask[0]
        last, outputs, states = K.rnn(
            self.step, self.preprocess_input(inputs, training=None), states,
            go_backwards=self.go_backwards, mask=mask,
            constants=self.get_constants(inputs, training=None), unroll=self.unroll,
            input_length=K.int_shape(inputs)[1])
        output = outputs if self.return_sequences else last
        return [output, *states] if self.return_state else output

    def compute_mask(self, inputs, mask=None):
        """The mask of the inputs, if the outputs are a sequence."""
        return mask if self.return_sequences else None

    def compute_output_shape(self, input_shape):
        """(batch, units), or (batch, time, units)."""
        batch, time = tf.TensorShape(input_shape).as_list()[:2]
        return tf.TensorShape([batch, time, self.units] if self.return_sequences
                              else [batch, self.units])

    def get_config(self):
        """The arguments of the constructor."""
        return {**super().get_config(), 'return_sequences': self.return_sequences,
                'return_state': self.return_state, 'go_backwards': self.go_backwards,
                'stateful': self.stateful, 'unroll': self.unroll,
                'implementation': self.implementation}
