"""keras.regularizers: penalties of weights, added to the loss."""
from __future__ import annotations

import numpy as np

from keras_layer import backend as K
from keras_layer.utils.generic import deserialize_keras_object, serialize_keras_object
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing

__all__ = ['L1L2', 'Regularizer', 'deserialize', 'get', 'l1', 'l1_l2', 'l2', 'serialize']


class Regularizer:
    """Base of regularizers: takes a weight and returns a scalar loss."""

    def __call__(self, x):
        return 0.

    @classmethod
    def from_config(cls, config):
        """The regularizer that `get_config` described."""
        return cls(**config)


class L1L2(Regularizer):
    """l1 sum |x| + l2 sum x^2."""

    def __init__(self, l1=0., l2=0.):
        self.l1, self.l2 = float(K.cast_to_floatx(l1)), float(K.cast_to_floatx(l2))

    def __call__(self, x):
        if not self.l1 and not self.l2:
            return K.constant(0.)
        total = 0.
        if self.l1:
            total += self.l1 * K.sum(K.abs(x))
        if self.l2:
            total += self.l2 * K.sum(K.square(x))
        return total

    def get_config(self):
        return {'l1': self.l1, 'l2': self.l2}


def l1(l=0.01):
    """l sum |x|."""
    return L1L2(l1=l)


def l2(l=0.01):
    """l sum x^2."""
    return L1L2(l2=l)


def l1_l2(l1=0.01, l2=0.01):
    """l1 sum |x| + l2 sum x^2."""
    return L1L2(l1=l1, l2=l2)


def serialize(regularizer):
    """The regularizer as {'class_name', 'config'}."""
    return serialize_keras_object(regularizer)


def deserialize(config, custom_objects=None):
    """The regularizer of that configuration or name."""
    known = {**globals(), 'L1': L1L2, 'L2': L1L2}       # classes of a newer Keras
    return deserialize_keras_object(config, module_objects=known,
                                    custom_objects=custom_objects,
                                    printable_module_name='regularizer')


def get(identifier):
    """The regularizer for a configuration, a name or a function; None for None."""
    if identifier is None:
        return None
    if isinstance(identifier, str):
        # 'l2' is the name of the function that creates a regularizer, not of a regularizer.
        return deserialize({'class_name': identifier, 'config': {}})
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    if isinstance(identifier, (float, int, np.floating)):
        raise misuse(ValueError(f'Could not interpret regularizer identifier: {identifier!r}\n'
                                f'  Hint: keras.regularizers.l2({identifier}).'))
    raise misuse(ValueError(f'Could not interpret regularizer identifier: {identifier!r}'))


__getattr__ = explain_missing('tf.keras.regularizers', __all__)
