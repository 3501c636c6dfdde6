"""Optimizers of ready-made estimators: an object, a function that makes one, or a name."""
from __future__ import annotations

import inspect

import tinyflow as tf
from tinyflow.graph.support.errors import worded

__all__ = ['optimizer_of']

_BY_NAME = {
    'Adagrad': tf.train.AdagradOptimizer,
    'Adam': tf.train.AdamOptimizer,
    'Ftrl': tf.train.FtrlOptimizer,
    'RMSProp': tf.train.RMSPropOptimizer,
    'SGD': tf.train.GradientDescentOptimizer,
}


def optimizer_of(given, learning_rate=None):
    """The tf.train.Optimizer that `given` means; `learning_rate` is for one given by its name.

    Give a function, ``lambda: tf.train.AdamOptimizer(tf.train.exponential_decay(...))``, where the
    learning rate is a tensor: it must be made in the graph of the model. Raises ValueError for
    another name or object.
    """
    if isinstance(given, str):
        if given not in _BY_NAME:
            raise worded(ValueError(f'Unsupported optimizer name: {given}. Supported names are: '
                                    f'{tuple(sorted(_BY_NAME))}'))
        if not learning_rate:
            raise worded(ValueError('learning_rate must be specified when opt is string.'))
        return _BY_NAME[given](learning_rate=learning_rate)
    if callable(given):
        given = given()
    if not isinstance(given, tf.train.Optimizer):
        raise worded(ValueError(
            f'The given object is not an Optimizer instance. Given: {given}\n  Mend: '
            f'{_mend(given)}'))
    return given


def _mend(given):
    name = type(given).__name__
    if any(base.__module__.startswith('keras_layer') for base in inspect.getmro(type(given))):
        return f'an optimizer of tf.train, such as tf.train.{name}Optimizer(), not of tf.keras.'
    return "tf.train.AdamOptimizer(0.001), or a name such as 'Adam'."
