"""keras.initializers of Keras 2: those of tf.keras, with another Identity and VarianceScaling."""
from __future__ import annotations

import math

from keras_layer import backend as K, initializers as of_tf_keras
from keras_layer.initializers import *  # noqa: F403 - its __all__ is the list
from keras_layer.keras2.fallback import or_private
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.initializers import fans as fans_of_tf_keras

__all__ = of_tf_keras.__all__


class Identity(of_tf_keras.Identity):
    """gain times the identity matrix, as often as a longer side needs it (as of Keras 2.2).

    Shapes: -> [m, n], where one is a multiple of the other; ValueError otherwise.
    """

    def _make(self, shape, full_shape, dtype):
        if len(shape) == 2 and shape[0] != shape[1]:
            short, long = sorted(shape)
            if long % short:
                raise misuse(ValueError(f'Identity: the longer side of {tuple(shape)} should be a '
                                        'multiple of the shorter one.'))
            return K.tile(super()._make([short, short], [short, short], dtype),
                          [size // short for size in shape])
        return super()._make(shape, full_shape, dtype)


identity = Identity


class VarianceScaling(of_tf_keras.VarianceScaling):
    """As in tf.keras, but inputs and outputs of a vector of n are counted as the root of n each."""

    @staticmethod
    def _fans(shape):
        return fans(shape)


def fans(shape, data_format='channels_last'):
    """Number of inputs and of outputs of a weight: a matrix, or a kernel of a convolution.

    Of any other shape both are the root of its number of elements.
    """
    if data_format == 'channels_first' and len(shape) > 2:
        shape = (*shape[2:], shape[1], shape[0])
    if 2 <= len(shape) <= 5:
        return fans_of_tf_keras(shape)
    root = math.sqrt(math.prod(shape))
    return root, root

__getattr__ = or_private('keras.initializers', __all__)
