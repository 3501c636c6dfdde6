"""keras.constraints of Keras 2.1: those of tf.keras, by their older names too."""
from keras_layer import constraints as of_tf_keras
from keras_layer.constraints import *  # noqa: F403 - its __all__ is the list
from keras_layer.constraints import MaxNorm, NonNeg, UnitNorm
from tinyflow.graph.support.missing import explain_missing

maxnorm, nonneg, unitnorm = MaxNorm, NonNeg, UnitNorm
__all__ = ['maxnorm', 'nonneg', 'unitnorm']
__all__ += of_tf_keras.__all__

__getattr__ = explain_missing('keras.constraints', __all__)
