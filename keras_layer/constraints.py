"""keras.constraints: projections of weights after each training step."""
from __future__ import annotations

import numpy as np

from keras_layer import backend as K
from keras_layer.utils.generic import deserialize_keras_object, serialize_keras_object
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing

__all__ = ['Constraint', 'MaxNorm', 'MinMaxNorm', 'NonNeg', 'RadialConstraint', 'UnitNorm',
           'deserialize', 'get', 'max_norm', 'min_max_norm', 'non_neg', 'radial_constraint',
           'serialize', 'unit_norm']


class Constraint:
    """Base of constraints: takes a weight and returns its projection."""

    def __call__(self, w):
        return w

    def get_config(self):
        return {}


def _norms(w, axis):
    return K.sqrt(K.sum(K.square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Scales vectors along `axis` down to a norm of at most `max_value`."""

    def __init__(self, max_value=2, axis=0):
        self.max_value, self.axis = max_value, axis

    def __call__(self, w):
        norms = _norms(w, self.axis)
        desired = K.clip(norms, 0, self.max_value)
        return w * (desired / (K.epsilon() + norms))

    def get_config(self):
        return {'max_value': self.max_value, 'axis': self.axis}


class NonNeg(Constraint):
    """Sets negative weights to zero."""

    def __call__(self, w):
        return w * K.cast(K.greater_equal(w, 0.), K.floatx())


class UnitNorm(Constraint):
    """Scales vectors along `axis` to norm 1."""

    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        return w / (K.epsilon() + _norms(w, self.axis))

    def get_config(self):
        return {'axis': self.axis}


class MinMaxNorm(Constraint):
    """Moves norms along `axis` towards [min_value, max_value] by a fraction `rate`."""

    def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
        self.min_value, self.max_value = min_value, max_value
        self.rate, self.axis = rate, axis

    def __call__(self, w):
        norms = _norms(w, self.axis)
        desired = (self.rate * K.clip(norms, self.min_value, self.max_value)
                   + (1 - self.rate) * norms)
        return w * (desired / (K.epsilon() + norms))

    def get_config(self):
        return {'min_value': self.min_value, 'max_value': self.max_value, 'rate': self.rate,
                'axis': self.axis}


class RadialConstraint(Constraint):
    """Makes each window [rows, rows, channels, kernels] equal along the square rings around its
    middle.

    Every ring takes the value of one point of the diagonal, the point that TF 1.15 takes. That is
    not a point of the ring itself if the number of rows is odd.
    """

    def __call__(self, w):
        shape = K.int_shape(w)
        if len(shape) != 4 or shape[0] != shape[1]:
            raise misuse(ValueError('The weight tensor must be of shape [width, width, in, out], '
                                    f'not {shape}.'))
        rows, _, channels, kernels = shape
        windows = K.reshape(w, (rows * rows, channels * kernels))
        points = [position * (rows + 1) for position in _diagonal_positions(rows)]
        diagonal = K.gather(windows, points)
        away = np.abs(np.arange(rows) - (rows - 1) / 2).astype(int)
        return K.reshape(K.gather(diagonal, np.maximum(away[:, None], away)), shape)


def _diagonal_positions(rows):
    """For each ring, innermost first, the position on the diagonal that gives its value."""
    if rows % 2:
        return [max(rows // 2 - 1 + ring, 0) for ring in range(rows // 2 + 1)]
    return [rows // 2 - 1] + [rows // 2 + ring for ring in range(1, rows // 2)]


max_norm = MaxNorm
non_neg = NonNeg
unit_norm = UnitNorm
min_max_norm = MinMaxNorm
radial_constraint = RadialConstraint


def serialize(constraint):
    """The constraint as {'class_name', 'config'}."""
    return serialize_keras_object(constraint)


def deserialize(config, custom_objects=None):
    """The constraint of that configuration or name."""
    # Keras 1 and 2.1 called the classes by these names.
    old = {'maxnorm': MaxNorm, 'nonneg': NonNeg, 'unitnorm': UnitNorm}
    return deserialize_keras_object(config, module_objects={**old, **globals()},
                                    custom_objects=custom_objects,
                                    printable_module_name='constraint')


def get(identifier):
    """The constraint for a configuration, a name or a function; None for None."""
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise misuse(ValueError(f'Could not interpret constraint identifier: {identifier!r}'))


__getattr__ = explain_missing('tf.keras.constraints', __all__)
