"""keras.initializers of Keras 2: those of tf.keras, with another Identity."""
from __future__ import annotations

from keras_layer import backend as K, initializers as of_tf_keras
from keras_layer.initializers import *  # noqa: F403 - its __all__ is the list
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing

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

__getattr__ = explain_missing('keras.initializers', __all__)
