"""keras.initializers: initial values of weights."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.utils.generic import deserialize_keras_object, serialize_keras_object
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing
from tinyflow.ops.variables import initializers as below

__all__ = ['Constant', 'GlorotNormal', 'GlorotUniform', 'Identity', 'Initializer', 'Ones',
           'Orthogonal', 'RandomNormal', 'RandomUniform', 'TruncatedNormal', 'VarianceScaling',
           'Zeros', 'constant', 'deserialize', 'get', 'glorot_normal', 'glorot_uniform',
           'he_normal', 'he_uniform', 'identity', 'lecun_normal', 'lecun_uniform', 'normal',
           'ones', 'orthogonal', 'random_normal', 'random_uniform', 'serialize',
           'truncated_normal', 'uniform', 'zeros']

Initializer = below.Initializer
Zeros, Ones, Constant = below.Zeros, below.Ones, below.Constant
Identity, Orthogonal = below.Identity, below.Orthogonal
VarianceScaling = below.VarianceScaling
GlorotNormal, GlorotUniform = below.GlorotNormal, below.GlorotUniform
he_normal, he_uniform = below.he_normal, below.he_uniform
lecun_normal, lecun_uniform = below.lecun_normal, below.lecun_uniform


class RandomNormal(below.RandomNormal):
    """Normal with that mean and standard deviation; Keras' default deviation is 0.05."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=tf.float32):
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(below.RandomUniform):
    """Uniform in [minval, maxval), by default [-0.05, 0.05)."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=tf.float32):
        super().__init__(minval, maxval, seed, dtype)


class TruncatedNormal(below.TruncatedNormal):
    """Normal, with values further than two `stddev` from the mean drawn again."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=tf.float32):
        super().__init__(mean, stddev, seed, dtype)


zeros, ones, constant = Zeros, Ones, Constant
identity, orthogonal = Identity, Orthogonal
glorot_normal, glorot_uniform = GlorotNormal, GlorotUniform
normal = random_normal = RandomNormal
uniform = random_uniform = RandomUniform
truncated_normal = TruncatedNormal


def serialize(initializer):
    """The initializer as {'class_name', 'config'}."""
    return serialize_keras_object(initializer)


def deserialize(config, custom_objects=None):
    """The initializer of that configuration or name."""
    known = {n: globals()[n] for n in __all__}
    known.update(zero=Zeros, one=Ones)              # names of Keras 1 that TF 1.15 still accepts
    known.update(HeNormal=he_normal, HeUniform=he_uniform, LecunNormal=lecun_normal,
                 LecunUniform=lecun_uniform)        # classes of a newer Keras
    return deserialize_keras_object(config, module_objects=known,
                                    custom_objects=custom_objects,
                                    printable_module_name='initializer')


def get(identifier):
    """The initializer for a configuration, a name, a class or a function; None for None."""
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        made = deserialize(identifier)
        # he_normal and others are functions that return an initializer.
        return made() if made in (he_normal, he_uniform, lecun_normal, lecun_uniform) else made
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier):
        return identifier
    raise misuse(ValueError(f'Could not interpret initializer identifier: {identifier!r}'))


__getattr__ = explain_missing('tf.keras.initializers', __all__)
