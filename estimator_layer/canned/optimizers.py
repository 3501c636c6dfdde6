"""Optimizers of canned estimators: an object, a function that creates one, or a name."""
from __future__ import annotations

import contextlib
import inspect

import tinyflow as tf
from estimator_layer.canned.common import get_partitioner
from tinyflow.graph.support.errors import misuse

__all__ = ['Version1', 'get_optimizer']

_BY_NAME = {
    'Adagrad': tf.train.AdagradOptimizer,
    'Adam': tf.train.AdamOptimizer,
    'Ftrl': tf.train.FtrlOptimizer,
    'RMSProp': tf.train.RMSPropOptimizer,
    'SGD': tf.train.GradientDescentOptimizer,
}


def get_optimizer(optimizer, learning_rate=None):
    """The tf.train.Optimizer for an object, a function or a name; `learning_rate` is for a name.

    A learning rate that is a tensor must be created in the graph of the model: pass a function,
    ``lambda: tf.train.AdamOptimizer(tf.train.exponential_decay(...))``. Raises ValueError for
    another name or object.
    """
    if isinstance(optimizer, str):
        if optimizer not in _BY_NAME:
            raise misuse(ValueError(f'Unsupported optimizer name: {optimizer}. Supported names '
                                    f'are: {tuple(sorted(_BY_NAME))}'))
        if not learning_rate:
            raise misuse(ValueError('learning_rate must be specified when opt is string.'))
        return _BY_NAME[optimizer](learning_rate=learning_rate)
    if callable(optimizer):
        optimizer = optimizer()
    if not isinstance(optimizer, tf.train.Optimizer):
        raise misuse(ValueError(
            f'The given object is not an Optimizer instance. Given: {optimizer}\n  Hint: '
            f'{_hint(optimizer)}'))
    return optimizer


class Version1:
    """TensorFlow 1's estimators: optimizers of tf.train, Variables in parts on parameter servers.

    version_2.py has TensorFlow 2's conventions.
    """

    partitioner = staticmethod(get_partitioner)
    ftrl = tf.train.FtrlOptimizer
    use_resource = None         # as the variable scope says
    summary_scope = contextlib.nullcontext      # summaries are named in the scope of the model

    @staticmethod
    def get(optimizer, learning_rate=None, counts_steps=True):
        """See get_optimizer; it is `count_step` that counts."""
        return get_optimizer(optimizer, learning_rate)

    @staticmethod
    def head_settings():
        """What a head needs besides the optimizer."""
        return {}

    @staticmethod
    def minimize(optimizer, loss, scope):
        """The operation of a step on the Variables of a scope."""
        return optimizer.minimize(
            loss, var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope))

    @staticmethod
    def minimize_counting(optimizer, loss):
        """The operation of a step on all Variables, which counts the global step."""
        return optimizer.minimize(loss, global_step=tf.train.get_global_step())

    @staticmethod
    def count_step(optimizers, updates):
        """The operation that waits for the updates and counts the global step."""
        with tf.control_dependencies([tf.group(*updates)]):
            return tf.assign_add(tf.train.get_global_step(), 1).op


def _hint(optimizer):
    name = type(optimizer).__name__
    if any(base.__module__.startswith('keras_layer') for base in inspect.getmro(type(optimizer))):
        return f'an optimizer of tf.train, such as tf.train.{name}Optimizer(), not of tf.keras.'
    return "tf.train.AdamOptimizer(0.001), or a name such as 'Adam'."
