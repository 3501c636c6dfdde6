"""Optimizers of canned estimators: an object, a function that creates one, or a name."""
from __future__ import annotations

import inspect

import tinyflow as tf
from tinyflow.graph.support.errors import misuse

__all__ = ['get_optimizer']

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
            f'The optimizer object is not an Optimizer instance. Given: {optimizer}\n  Hint: '
            f'{_hint(optimizer)}'))
    return optimizer


def _hint(optimizer):
    name = type(optimizer).__name__
    if any(base.__module__.startswith('keras_layer') for base in inspect.getmro(type(optimizer))):
        return f'an optimizer of tf.train, such as tf.train.{name}Optimizer(), not of tf.keras.'
    return "tf.train.AdamOptimizer(0.001), or a name such as 'Adam'."
