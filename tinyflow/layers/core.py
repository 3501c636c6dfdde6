"""Dense, Dropout and Flatten layers."""
from __future__ import annotations

import math

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import arguments, named
from tinyflow.layers.base import Layer
from tinyflow.layers.input_spec import InputSpec
from tinyflow.layers.named import ZEROS
from tinyflow.ops.array import identity_and_cast, shape_ops, shaping
from tinyflow.ops.control_flow.smart_cond import smart_cond
from tinyflow.ops.linalg import matmul
from tinyflow.ops.math import contractions
from tinyflow.ops.nn import bias, dropout as dropping


class Dense(Layer):
    """activation(inputs kernel + bias): every output depends on every input.

    Shapes: inputs [*a, n], n known -> [*a, units]; kernel [n, units], bias [units]. ValueError if n
    is not known, TypeError for weights that are not floating point.
    """

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name,
                         activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        self.units = arguments.count(units, 'units')
        self.activation = named.activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = named.initializer(kernel_initializer)
        self.bias_initializer = named.initializer(bias_initializer)
        self.kernel_regularizer = named.regularizer(kernel_regularizer)
        self.bias_regularizer = named.regularizer(bias_regularizer)
        self.kernel_constraint = named.constraint(kernel_constraint)
        self.bias_constraint = named.constraint(bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)
        self.kernel = self.bias = None

    def build(self, input_shape):
        """Makes kernel and bias."""
        dtype = dtypes.as_dtype(self.dtype or dtypes.float32)
        if not (dtype.is_floating or dtype.is_complex):
            raise misuse(TypeError(self._explained(
                f'Unable to build `Dense` layer with non-floating point dtype {dtype!r}',
                'tf.cast(x, tf.float32).')))
        inputs = TensorShape(input_shape).as_list()[-1]
        if inputs is None:
            raise misuse(ValueError(self._explained(
                'The last dimension of the inputs to `Dense` should be defined. Found `None`.',
                'the kernel has a row for each input, so their number must be known: '
                'tf.placeholder(tf.float32, [None, 784]), or x.set_shape([None, 784]).')))
        self.input_spec = InputSpec(min_ndim=2, axes={-1: inputs})
        self.kernel = self.add_weight(
            'kernel', [inputs, self.units], initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint, trainable=True)
        if self.use_bias:
            self.bias = self.add_weight(
                'bias', [self.units], initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint, trainable=True)
        self.built = True

    def call(self, inputs):
        """activation(inputs kernel + bias)."""
        shape = inputs.shape.as_list()
        if len(shape) > 2:
            outputs = contractions.tensordot(inputs, self.kernel, [[len(shape) - 1], [0]])
            outputs.set_shape([*shape[:-1], self.units])
        elif isinstance(inputs, SparseTensor):
            from tinyflow.ops.sparse.matmul import sparse_tensor_dense_matmul  # start-up time
            inputs = identity_and_cast.cast(inputs, self._dtype)
            outputs = sparse_tensor_dense_matmul(inputs, self.kernel)
        else:
            outputs = matmul.MatMul.apply(identity_and_cast.cast(inputs, self._dtype), self.kernel)
        if self.use_bias:
            outputs = bias.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape):
        """The input's shape with `units` in place of the last size."""
        shape = TensorShape(input_shape).with_rank_at_least(2)
        if shape.as_list()[-1] is None:
            raise misuse(ValueError('The innermost dimension of input_shape must be defined, but '
                                    f'saw: {shape}'))
        return shape[:-1].concatenate(self.units)


class Dropout(Layer):
    """While training, sets each input to 0 with probability `rate` and scales the rest up.

    Shapes: inputs [*a] -> [*a]. A None in noise_shape means the size of the inputs.
    """

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def _get_noise_shape(self, inputs):
        if self.noise_shape is None:
            return None
        sizes = shape_ops.shape(inputs)
        return convert_to_tensor([sizes[i] if given is None else given
                                  for i, given in enumerate(self.noise_shape)])

    def call(self, inputs, training=False):
        """tf.nn.dropout while training, the inputs otherwise; `training` may be a tensor."""
        def dropped():
            return dropping.dropout(inputs, noise_shape=self._get_noise_shape(inputs),
                                    seed=self.seed, rate=self.rate)
        return smart_cond(training, dropped, lambda: identity_and_cast.identity(inputs))

    def compute_output_shape(self, input_shape):
        """The input's shape."""
        return TensorShape(input_shape)


class Flatten(Layer):
    """All axes but the batch as one.

    Shapes: inputs [batch, *a] -> [batch, product(a)].
    """

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = arguments.data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        """Reshapes, with the channels last in any case."""
        rank = len(inputs.shape.as_list())
        if self.data_format == 'channels_first' and rank > 1:
            inputs = shaping.transpose(inputs, [0, *range(2, rank), 1])
        batch = inputs.shape.as_list()[0] or shape_ops.shape(inputs)[0]
        outputs = shaping.reshape(inputs, (batch, -1))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def compute_output_shape(self, input_shape):
        """[batch, product of the other sizes], None if one of them is not known."""
        batch, *others = TensorShape(input_shape).as_list()
        return TensorShape([batch, math.prod(others) if all(others) else None])


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None,
          bias_initializer=ZEROS, kernel_regularizer=None, bias_regularizer=None,
          activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
          trainable=True, name=None, reuse=None):
    """activation(inputs kernel + bias), with new Variables `<name>/kernel` and `<name>/bias`.

    Shapes: inputs [*a, n], n known -> [*a, units]. With `reuse` the Variables of an earlier layer
    of that name are shared. ValueError if n is not known, or the Variables exist already.
    """
    layer = Dense(units, activation, use_bias, kernel_initializer, bias_initializer,
                  kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
                  bias_constraint, trainable, name, _scope=name, _reuse=reuse)
    return layer(inputs)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """While training, sets each input to 0 with probability `rate`, else divides it by 1 - rate.

    Shapes: inputs [*a] -> [*a]. `training` is False by default: nothing is dropped then.
    """
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


def flatten(inputs, name=None, data_format='channels_last'):
    """All axes but the batch as one.

    Shapes: inputs [batch, *a] -> [batch, product(a)].
    """
    return Flatten(name=name, data_format=data_format)(inputs)


__all__ = ['Dense', 'Dropout', 'Flatten', 'dense', 'dropout', 'flatten']
