"""Activations and initializers by name: activation='relu', kernel_initializer='zeros'."""
from __future__ import annotations

import inspect

from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.math import arithmetic, clip, reduction, unary
from tinyflow.ops.nn import activations, softmax
from tinyflow.ops.variables import initializers


def hard_sigmoid(x):
    """min(max(0.2 x + 0.5, 0), 1)."""
    slope, middle = (constants.constant(value, x.dtype.base_dtype) for value in (0.2, 0.5))
    return clip.clip_by_value(arithmetic.add(arithmetic.multiply(x, slope), middle), 0., 1.)


def linear(x):
    """x itself."""
    return x


_ACTIVATIONS = {
    'elu': activations.elu, 'exponential': unary.exp, 'hard_sigmoid': hard_sigmoid,
    'linear': linear, 'relu': activations.relu, 'selu': activations.selu,
    'sigmoid': unary.sigmoid, 'softmax': softmax.softmax, 'softplus': activations.softplus,
    'softsign': activations.softsign, 'tanh': unary.tanh,
}


def activation(identifier):
    """The function for `identifier`, a name or a function; None for None.

    Raises ValueError for an unknown name, TypeError for anything else.
    """
    if identifier is None or callable(identifier):
        return identifier
    if isinstance(identifier, str):
        return _found(_ACTIVATIONS, identifier, 'activation function')
    raise misuse(TypeError(f'Could not interpret activation function identifier: {identifier}'))


def _small_normal():
    return initializers.RandomNormal(0.0, 0.05)


def _small_uniform():
    return initializers.RandomUniform(-0.05, 0.05)


_INITIALIZERS = {
    **{name: getattr(initializers, name) for name in (
        'zeros', 'ones', 'constant', 'glorot_uniform', 'glorot_normal', 'he_normal', 'he_uniform',
        'lecun_normal', 'lecun_uniform', 'orthogonal', 'identity')},
    **{name: getattr(initializers, name) for name in (
        'Zeros', 'Ones', 'Constant', 'Orthogonal', 'Identity', 'VarianceScaling')},
    'normal': _small_normal, 'random_normal': _small_normal, 'RandomNormal': _small_normal,
    'uniform': _small_uniform, 'random_uniform': _small_uniform, 'RandomUniform': _small_uniform,
    'truncated_normal': lambda: initializers.TruncatedNormal(0.0, 0.05),
    'TruncatedNormal': lambda: initializers.TruncatedNormal(0.0, 0.05),
}


def initializer(identifier):
    """The initializer for `identifier`, a name, a class or a function; None for None."""
    if isinstance(identifier, str):
        return _found(_INITIALIZERS, identifier, 'initializer')()
    if identifier is None or callable(identifier):
        return identifier() if inspect.isclass(identifier) else identifier
    raise misuse(ValueError(f'Could not interpret initializer identifier: {identifier}'))


class _Norms:
    """l1 sum |x| + l2 sum x^2, with the nodes that Keras makes."""

    def __init__(self, l1=0., l2=0.):
        self.l1, self.l2 = l1, l2

    def __call__(self, x):
        total = 0.
        if self.l1:
            total += self.l1 * reduction.reduce_sum(arithmetic.abs(x))
        if self.l2:
            total += self.l2 * reduction.reduce_sum(arithmetic.square(x))
        return total


_REGULARIZERS = {'l1': lambda: _Norms(l1=0.01), 'l2': lambda: _Norms(l2=0.01),
                 'l1_l2': lambda: _Norms(0.01, 0.01)}


def regularizer(identifier):
    """The function weights -> loss for `identifier`, a name or a function."""
    if isinstance(identifier, str):
        return _found(_REGULARIZERS, identifier, 'regularizer')()
    if identifier is None or callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        raise misuse(ValueError(f'Improper config format: {identifier}\n  Hint: None for no '
                                'regularizer.'))
    raise misuse(ValueError(f'Could not interpret regularizer identifier: {identifier}'))


def constraint(identifier):
    """The function weights -> weights that an optimizer applies after each step."""
    if identifier is None or callable(identifier):
        return identifier
    raise misuse(ValueError(
        f'Could not interpret constraint identifier: {identifier}\n  Hint: a function of the '
        'weights, such as lambda w: tf.clip_by_norm(w, 3.0, axes=[0]).'))


def _found(table, name, kind):
    if name not in table:
        raise misuse(ValueError(f'Unknown {kind}:{name}\n  known: {", ".join(sorted(table))}'))
    return table[name]


ZEROS, ONES = initializers.Zeros(), initializers.Ones()          # defaults that no call changes
