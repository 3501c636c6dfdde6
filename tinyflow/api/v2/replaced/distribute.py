"""tf.distribute: strategies that TensorFlow 1 has in tf.distribute.experimental."""
from __future__ import annotations

from tinyflow.api.distribute_experimental import (
    MultiWorkerMirroredStrategy,
    ParameterServerStrategy,
)

__all__ = ['MultiWorkerMirroredStrategy', 'ParameterServerStrategy']
