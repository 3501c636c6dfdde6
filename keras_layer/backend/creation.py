"""New tensors and Variables."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer.backend.graph_state import get_graph, init_scope
from keras_layer.backend.settings import floatx
from keras_layer.backend.tensor_info import is_tensor
from keras_layer.backend.variables import variable
from tinyflow.graph.support.errors import misuse

__all__ = ['arange', 'constant', 'dtype', 'eye', 'one_hot', 'ones', 'ones_like', 'placeholder',
           'print_tensor', 'random_binomial', 'random_normal', 'random_normal_variable',
           'random_uniform', 'random_uniform_variable', 'truncated_normal', 'update', 'update_add',
           'update_sub', 'zeros', 'zeros_like', 'zeros_of_shape']


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None, ragged=False):
    """A placeholder of that shape (None: any), or of `ndim` dimensions of any size."""
    if ragged:
        raise misuse(NotImplementedError('placeholder(ragged=True): ragged tensors are not '
                                         'supported by tinyflow; pad the sequences.'))
    dtype = dtype or floatx()
    if shape is None and ndim:
        shape = (None,) * ndim
    with get_graph().as_default():
        if sparse:
            tensor = tf.sparse_placeholder(dtype, shape=shape, name=name)
            tensor._keras_shape = None if shape is None else tuple(shape)
            return tensor
        return tf.placeholder(dtype, shape=shape, name=name)


def constant(value, dtype=None, shape=None, name=None):
    """A constant tensor."""
    return tf.constant(value, dtype=dtype or floatx(), shape=shape, name=name)


def dtype(x):
    """The name of a tensor's dtype."""
    return x.dtype.base_dtype.name


def zeros(shape, dtype=None, name=None):
    """A Variable of zeros; a tensor where the shape is not fully known."""
    return _filled(tf.zeros, shape, dtype, name)


def ones(shape, dtype=None, name=None):
    """A Variable of ones; a tensor where the shape is not fully known."""
    return _filled(tf.ones, shape, dtype, name)


def _filled(make, shape, dtype, name):
    with init_scope():
        made = make(shape=shape, dtype=tf.as_dtype(dtype or floatx()), name=name)
        if made.shape.is_fully_defined():
            return variable(made, dtype=dtype, name=name)
        return made


def eye(size, dtype=None, name=None):
    """A Variable, the identity matrix of that size."""
    return variable(tf.eye(size, dtype=tf.as_dtype(dtype or floatx())), dtype, name)


def zeros_like(x, dtype=None, name=None):
    """Zeros in the shape of x."""
    return tf.zeros_like(x, dtype=dtype, name=name)


def zeros_of_shape(shape, dtype):
    """Zeros as a tensor, never a Variable; sizes may be tensors."""
    return tf.zeros(shape, dtype=dtype)


def ones_like(x, dtype=None, name=None):
    """Ones in the shape of x."""
    return tf.ones_like(x, dtype=dtype, name=name)


def one_hot(indices, num_classes):
    """[...] -> [..., num_classes]: 1 at the index, 0 elsewhere."""
    return tf.one_hot(indices, depth=num_classes, axis=-1)


def arange(start, stop=None, step=1, dtype='int32'):
    """start, start + step, ... below stop; with one argument, from 0 to it.

    The arguments may be tensors, as they may in Keras 2; TensorFlow 1.15 refuses a lone one.
    """
    if stop is None:
        start, stop = 0, tf.maximum(start, 0) if is_tensor(start) else max(start, 0)
    result = tf.range(start, limit=stop, delta=step, name='arange')
    return tf.cast(result, dtype) if dtype != 'int32' else result


# ---- random ------------------------------------------------------------------------------


def _seed(seed):
    return np.random.randint(10e6) if seed is None else seed


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normal numbers."""
    return tf.random_normal(shape, mean=mean, stddev=stddev, dtype=dtype or floatx(),
                            seed=_seed(seed))


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Uniform numbers in [minval, maxval)."""
    return tf.random_uniform(shape, minval=minval, maxval=maxval, dtype=dtype or floatx(),
                             seed=_seed(seed))


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Truncated normal: values more than two standard deviations from the mean are redrawn."""
    return tf.truncated_normal(shape, mean, stddev, dtype=dtype or floatx(), seed=_seed(seed))


def random_binomial(shape, p=0.0, dtype=None, seed=None):
    """1 with probability p, else 0."""
    dtype = dtype or floatx()
    return tf.where(tf.random_uniform(shape, dtype=dtype, seed=_seed(seed)) <= p,
                    tf.ones(shape, dtype=dtype), tf.zeros(shape, dtype=dtype))


def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    """A Variable that starts with uniform numbers."""
    return _random_variable(tf.random_uniform_initializer, shape, low, high, dtype, name, seed)


def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    """A Variable that starts with normal numbers."""
    return _random_variable(tf.random_normal_initializer, shape, mean, scale, dtype, name, seed)


def _random_variable(initializer, shape, first, second, dtype, name, seed):
    made = initializer(first, second, dtype=tf.as_dtype(dtype or floatx()),
                       seed=np.random.randint(10e8) if seed is None else seed)(shape)
    return variable(made, dtype=dtype, name=name)


# ---- updates -----------------------------------------------------------------------------


def update(x, new_x):
    """The assignment of `new_x` to the Variable x."""
    return tf.assign(x, new_x)


def update_add(x, increment):
    """x += increment."""
    return tf.assign_add(x, increment)


def update_sub(x, decrement):
    """x -= decrement."""
    return tf.assign_sub(x, decrement)


def print_tensor(x, message=''):
    """x; printed with the message whenever it is computed."""
    return tf.Print(x, [x], message)
