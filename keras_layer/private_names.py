"""Classes and functions of tf.keras by the names that they have in tensorflow.python.keras."""
from __future__ import annotations

import functools

import tinyflow as tf
from keras_layer.engine.input_spec import InputSpec
from keras_layer.engine.network import Network
from keras_layer.layers.merge import _Merge as _OwnMerge
from keras_layer.layers.pooling import _Global as GlobalPooling2D
from keras_layer.layers.recurrent.cells import (
    DropoutMasks as DropoutRNNCellMixin,
    zero_states_of_cell as _generate_zero_filled_state_for_cell,
)
from keras_layer.layers.recurrent.conv_lstm import ConvLSTM2DCell, _ConvRNN2D as ConvRNN2D
from keras_layer.losses.base import Reduction as ReductionV2
from keras_layer.optimizers import Optimizer as OptimizerV2, RMSprop as RMSProp
from keras_layer.optimizers.schedules import LearningRateSchedule
from keras_layer.utils.generic import has_arg, to_list
from keras_layer.utils.summary import count_params, print_summary
from tinyflow.api.private.layers_utils import constant_value, smart_cond

__all__ = ['ConvLSTM2DCell', 'ConvRNN2D', 'DropoutRNNCellMixin', 'GlobalPooling2D',
           'InputSpec', 'LearningRateSchedule', 'Network', 'OptimizerV2', 'RMSProp',
           'ReductionV2', '_Merge',
           '_generate_zero_filled_state_for_cell', 'constant_value', 'count_params', 'has_arg',
           'is_symbolic_tensor', 'is_tensor_or_tensor_list', 'print_summary',
           'shape_type_conversion', 'smart_cond', 'to_list']


class _Merge(_OwnMerge):
    """Base of layers of programs over a list of tensors: they define `_merge_function`."""

    def _merge_function(self, inputs):
        raise NotImplementedError(f'{type(self).__name__}._merge_function')

    def _merge(self, inputs):
        return self._merge_function(inputs)


def shape_type_conversion(method):
    """`method` of a shape gets tuples, or a list of them, and its result becomes TensorShapes."""
    @functools.wraps(method)
    def wrapper(instance, input_shape):
        shape = None if input_shape is None else _each_shape(
            input_shape, lambda s: tuple(tf.TensorShape(s).as_list()))
        return _each_shape(method(instance, shape), tf.TensorShape)
    return wrapper


def _each_shape(shapes, convert):
    if shapes is None:
        return None
    several = isinstance(shapes, list) or isinstance(shapes, tuple) and shapes and \
        isinstance(shapes[0], (tuple, list, tf.TensorShape))
    return [convert(shape) for shape in shapes] if several else convert(shapes)


def is_symbolic_tensor(tensor):
    """True of tensors and Variables of a graph."""
    return isinstance(tensor, (tf.Tensor, tf.Variable, tf.SparseTensor)) and \
        not hasattr(tensor, '_numpy')


def is_tensor_or_tensor_list(value):
    """True of a tensor, or of a list that begins with one."""
    return tf.is_tensor(value[0] if isinstance(value, (list, tuple)) and value else value)
