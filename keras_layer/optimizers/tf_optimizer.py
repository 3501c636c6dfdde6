"""TFOptimizer: a tf.train optimizer for Keras models."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from tinyflow.graph.support.errors import misuse

__all__ = ['TFOptimizer']


class TFOptimizer:
    """Any `tf.train` optimizer, for `compile(optimizer=...)`."""

    _combine = None             # as in Optimizer

    def __init__(self, optimizer, iterations=None):
        self.optimizer = optimizer
        self._iterations = iterations

    @property
    def iterations(self):
        """The Variable that counts training steps."""
        if self._iterations is None:
            with K.name_scope(type(self).__name__), K.init_scope():
                self._iterations = K.variable(0, dtype='int64', name='iterations')
        return self._iterations

    def get_updates(self, loss, params):
        """The operations of one step."""
        known = {id(v) for v in tf.global_variables()}
        if self._combine:
            pairs = self.optimizer.compute_gradients(loss, var_list=params)
            gradients = self._combine([gradient for gradient, _ in pairs])
            step = self.apply_gradients(zip(gradients, [variable for _, variable in pairs]))
        else:
            step = self.optimizer.minimize(loss, var_list=params, global_step=self.iterations)
        for variable in tf.global_variables():      # the slots, which Keras has to initialize
            if id(variable) not in known:
                K.track_variable(variable)
        return [step]

    def apply_gradients(self, grads_and_vars):
        return self.optimizer.apply_gradients(grads_and_vars, global_step=self.iterations)

    @property
    def weights(self):
        raise NotImplementedError('A tf.train optimizer keeps its slots by itself: '
                                  'optimizer.get_slot(variable, name).')

    @classmethod
    def from_config(cls, config):
        raise misuse(NotImplementedError('tf.train optimizers have no configuration.'))

    def get_config(self):
        raise misuse(NotImplementedError('tf.train optimizers have no configuration; use '
                                         "keras.optimizers' to save a model with its optimizer."))
