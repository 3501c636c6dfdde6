"""keras.objectives: the older name of keras.losses."""
from keras_layer import losses
from keras_layer.losses import *  # noqa: F403 - its __all__ is the list
from tinyflow.graph.support.missing import explain_missing

__all__ = losses.__all__

__getattr__ = explain_missing('keras.objectives', __all__)
