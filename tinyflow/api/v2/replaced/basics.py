"""tf.where, tf.map_fn, tf.name_scope and other functions of TensorFlow 2's top level."""
from __future__ import annotations

import numpy as np

import keras_layer.initializers
from tinyflow.graph import defaults
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.array import constants, shaping
from tinyflow.ops.array.constants import constant
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.shaping import expand_dims
from tinyflow.ops.array.where_v2 import where_v2 as where
from tinyflow.ops.control_flow import functional
from tinyflow.ops.control_flow.switch_case import switch_case

__all__ = ['__version__', 'constant_initializer', 'get_current_name_scope', 'inside_function',
           'linspace', 'map_fn', 'name_scope', 'ones_initializer', 'random_normal_initializer',
           'random_uniform_initializer', 'reshape', 'switch_case', 'where', 'zeros_initializer']

__version__ = '2.15.1'

ones_initializer = keras_layer.initializers.Ones
zeros_initializer = keras_layer.initializers.Zeros


class constant_initializer:                                                 # noqa: N801 (TF's name)
    """The same value everywhere, of its own dtype unless one is asked for."""

    def __init__(self, value=0, support_partition=False):
        self.value = value

    def __call__(self, shape, dtype=None, **settings):
        """A tensor of that shape."""
        return constant(self.value, dtype, shape)

    def get_config(self):
        """The arguments of the constructor."""
        return {'value': self.value}


class random_normal_initializer(keras_layer.initializers.RandomNormal):     # noqa: N801 (TF's name)
    """Normally distributed values with standard deviation `stddev` around `mean`."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        super().__init__(mean, stddev, seed)


class random_uniform_initializer(keras_layer.initializers.RandomUniform):   # noqa: N801
    """Values evenly distributed in [minval, maxval)."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        super().__init__(minval, maxval, seed)


class name_scope(defaults.name_scope):                                      # noqa: N801
    """``with tf.name_scope('layer1') as scope:`` prefixes the names of nodes created inside."""

    def __init__(self, name):
        if not isinstance(name, str):
            raise misuse(ValueError('name for name_scope must be a string.'))
        super().__init__(name)


def get_current_name_scope():
    """The name scope that is open: 'layer1/attention', or ''."""
    return defaults.get_default_graph().get_name_scope()


def inside_function():
    """True while a tf.function or a Dataset's function is being traced."""
    return not executing_eagerly() and defaults.get_default_graph().outer_graph is not None


def linspace(start, stop, num, name=None, axis=0):
    """`num` evenly spaced values, the first is `start` and the last is `stop`.

    Shapes: start and stop [...] -> [..., num, ...], with num at `axis`. Integers become float64.
    """
    start, stop = convert_to_tensor(start), convert_to_tensor(stop)
    if start.dtype.is_integer:
        start, stop = cast(start, 'float64'), cast(stop, 'float64')
    rank = start.shape.rank
    if not rank:
        return constants.linspace(start, stop, num, name)
    at = axis if axis >= 0 else rank + 1 + axis
    along = [-1 if i == at else 1 for i in range(rank + 1)]
    part = shaping.reshape(cast(constants.linspace(0.0, 1.0, num), start.dtype), along)
    return expand_dims(start, at) * (1 - part) + expand_dims(stop, at) * part


def reshape(tensor, shape, name=None):
    """The elements of a tensor in another shape; one entry may be -1, for the rest.

    A number n in place of a shape means [n].
    """
    if isinstance(shape, (int, np.integer)):
        shape = [shape]
    elif isinstance(shape, Tensor) and shape.shape.rank == 0:
        shape = expand_dims(shape, 0)
    return shaping.reshape(tensor, shape, name)


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False,
           infer_shape=True, name=None, fn_output_signature=None):
    """[fn(elems[0]), fn(elems[1]), ...] as one tensor, or a nest of tensors.

    `fn_output_signature` or, as in TensorFlow 1, `dtype`: a dtype or TensorSpec, or a nest of them,
    needed where fn returns another structure or other dtypes than it gets.
    """
    if fn_output_signature is not None:
        dtype = nest.map_structure(
            lambda s: s.dtype if isinstance(s, TensorSpec) else s, fn_output_signature)
    return functional.map_fn(fn, elems, dtype, parallel_iterations, back_prop, swap_memory,
                             infer_shape, name)
