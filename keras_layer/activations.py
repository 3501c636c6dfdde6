"""keras.activations: activation functions."""
from __future__ import annotations

import warnings

from keras_layer import backend as K
from keras_layer.utils.generic import deserialize_keras_object
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing

__all__ = ['deserialize', 'elu', 'exponential', 'get', 'hard_sigmoid', 'linear', 'relu', 'selu',
           'serialize', 'sigmoid', 'softmax', 'softplus', 'softsign', 'tanh']

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946

# Whether a layer as an activation is warned about, and an identifier of another type a ValueError;
# keras2/enabling.py sets it.
as_keras_2 = False


def softmax(x, axis=-1):
    """exp(x) divided by its sum over `axis`. ValueError for a vector, which has no batch axis."""
    rank = K.ndim(x)
    if rank == 2:
        return K.softmax_of_rows(x)
    if rank is not None and rank > 2:
        e = K.exp(x - K.max(x, axis=axis, keepdims=True))
        return e / K.sum(e, axis=axis, keepdims=True)
    raise misuse(ValueError(f'Cannot apply softmax to a tensor that is 1D. Received input: {x}'))


def elu(x, alpha=1.0):
    """x where positive, alpha (exp(x) - 1) elsewhere: Clevert et al. (2015)."""
    return K.elu(x, alpha)


def selu(x):
    """The scaled elu that keeps mean 0 and variance 1: Klambauer et al. (2017)."""
    return _SELU_SCALE * K.elu(x, _SELU_ALPHA)


def softplus(x):
    """log(exp(x) + 1)."""
    return K.softplus(x)


def softsign(x):
    """x / (|x| + 1)."""
    return K.softsign(x)


def relu(x, alpha=0., max_value=None, threshold=0):
    """x where it is at least `threshold`, at most `max_value`; alpha (x - threshold) below."""
    return K.relu(x, alpha=alpha, max_value=max_value, threshold=threshold)


def tanh(x):
    """Hyperbolic tangent."""
    return K.tanh(x)


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return K.sigmoid(x)


def exponential(x):
    """exp(x)."""
    return K.exp(x)


def hard_sigmoid(x):
    """0.2 x + 0.5, kept in [0, 1]."""
    return K.hard_sigmoid(x)


def linear(x):
    """x."""
    return x


def serialize(activation):
    """The name of an activation."""
    return activation.__name__


def deserialize(name, custom_objects=None):
    """The activation of that name."""
    return deserialize_keras_object(name, module_objects=globals(), custom_objects=custom_objects,
                                    printable_module_name='activation function')


def get(identifier):
    """The activation for a name, a function, or None (linear)."""
    if identifier is None:
        return linear
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        if as_keras_2 and hasattr(identifier, 'get_weights'):
            warnings.warn(f'The layer {identifier.name} was given as an activation function. A '
                          'layer is to be called, or added to the model, after the other one.',
                          UserWarning, stacklevel=2)
        return identifier
    raise misuse((ValueError if as_keras_2 else TypeError)(
        f'Could not interpret activation function identifier: {identifier!r}'))


__getattr__ = explain_missing('tf.keras.activations', __all__)
