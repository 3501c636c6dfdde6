"""Input and InputLayer: the placeholders of a model."""
from __future__ import annotations

import inspect

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.node import Node
from keras_layer.legacy import INPUT, accepts_legacy_names
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword

__all__ = ['Input', 'InputLayer']


class InputLayer(Layer):
    """The first node of a model: a placeholder [batch, *input_shape], or `input_tensor`."""

    @accepts_legacy_names(INPUT)
    def __init__(self, input_shape=None, batch_size=None, dtype=None, input_tensor=None,
                 sparse=False, name=None, ragged=False, **kwargs):
        if ragged:
            raise misuse(_no_ragged('InputLayer'))
        if 'batch_input_shape' in kwargs:
            shape = kwargs.pop('batch_input_shape')
            if shape is not None:
                batch_size, input_shape = shape[0], tuple(shape[1:])
        if kwargs:
            raise _unknown_arguments(kwargs, InputLayer.__init__)
        if not name:
            name = f'input_{K.get_uid("input")}'
        if not dtype:
            dtype = K.floatx() if input_tensor is None else input_tensor.dtype.base_dtype.name
        elif input_tensor is not None and input_tensor.dtype.base_dtype != tf.as_dtype(dtype):
            raise misuse(ValueError(f'`input_tensor.dtype` differs from `dtype`: '
                                    f'{input_tensor.dtype.name} vs. {dtype}'))
        super().__init__(dtype=dtype, name=name)
        self.built = True
        self.sparse = sparse
        self.supports_masking = True
        if isinstance(input_shape, tf.TensorShape):
            input_shape = tuple(input_shape.as_list())
        elif isinstance(input_shape, int):
            input_shape = (input_shape,)
        self.is_placeholder, self.batch_size = input_tensor is None, batch_size
        if input_tensor is None:
            shape = None if input_shape is None else (batch_size, *input_shape)
            with K.model_nodes():
                input_tensor = K.placeholder(shape=shape, dtype=dtype, name=self.name,
                                             sparse=sparse)
            self._batch_input_shape = shape
        else:
            if not K.is_keras_tensor(input_tensor) and not isinstance(input_tensor, tf.Tensor):
                input_tensor = tf.convert_to_tensor(input_tensor)
            self._batch_input_shape = K.int_shape(input_tensor)
        input_tensor._keras_mask = None
        Node(self, None, [input_tensor])

    def get_config(self):
        return {'batch_input_shape': self._batch_input_shape, 'dtype': self.dtype,
                'sparse': self.sparse, 'ragged': False, 'name': self.name}


def _unknown_arguments(kwargs, function):
    known = inspect.signature(function).parameters
    return misuse(ValueError(f'Unrecognized keyword arguments: {list(kwargs)}'
                             + nearest_keyword(min(kwargs), known)))


def _no_ragged(who):
    return NotImplementedError(f'{who}(ragged=True): ragged tensors are not supported; pad the '
                               'sequences and mask them.')


def Input(shape=None, batch_size=None, name=None, dtype=None, sparse=False, tensor=None,
          ragged=False, **kwargs):
    """A symbolic tensor [batch, *shape] where data enters a model.

    ``x = Input(shape=(784,))``; Input(784) is the same. With `tensor`, that tensor is the input
    and needs no data. With `sparse` it is a SparseTensor, fed with sparse matrices of SciPy or
    SparseTensorValues; unlike in TensorFlow 1.15, layers know its shape, and `fit` and `predict`
    cut it into batches.
    ValueError if neither a shape nor a tensor is given.
    """
    if ragged:
        raise misuse(_no_ragged('Input'))
    if shape is not None and 'batch_shape' in kwargs:
        raise misuse(ValueError('Only provide the `shape` OR `batch_shape` argument to Input, not '
                                'both at the same time.'))
    if 'batch_shape' in kwargs:
        batch_shape = kwargs.pop('batch_shape')
        if batch_shape is not None:
            batch_size, shape = batch_shape[0], tuple(batch_shape[1:])
    if kwargs:
        raise _unknown_arguments(kwargs, Input)
    if shape is None and tensor is None:
        raise misuse(ValueError('Please provide to Input either a `shape` or a `tensor` argument. '
                                'Note that `shape` does not include the batch dimension: '
                                'Input(shape=(784,)).'))
    layer = InputLayer(input_shape=shape, batch_size=batch_size, name=name, dtype=dtype,
                       sparse=sparse, input_tensor=tensor)
    outputs = layer._inbound_nodes[0].outputs
    return outputs[0] if len(outputs) == 1 else outputs
