"""tf.estimator: the ready-made estimators with optimizers of Keras."""
from __future__ import annotations

from estimator_layer.canned import version_2
from estimator_layer.canned.version_2 import *  # noqa: F403 - its __all__ is the list

__all__ = list(version_2.__all__)
