"""Classes of tf.keras by the names that they have in tensorflow.python.keras."""
from __future__ import annotations

from keras_layer.losses.base import Reduction as ReductionV2
from keras_layer.optimizers import Optimizer as OptimizerV2, RMSprop as RMSProp

__all__ = ['OptimizerV2', 'RMSProp', 'ReductionV2']
