"""tf.contrib.tpu: programs written for TPUEstimator, which run on the CPU with use_tpu=False.

BERT and the models of its time are written this way. What places work on a TPU is left out.
"""
from __future__ import annotations

from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import explain_missing as _explain_missing

# A module is imported on first use of one of its names.
_NAMES = _names_of({
    'estimator_layer.tpu.config': 'InputPipelineConfig RunConfig TPUConfig',
    'estimator_layer.tpu.cross_shard': 'CrossShardOptimizer',
    'estimator_layer.tpu.estimator': 'TPUEstimator',
    'estimator_layer.tpu.spec': 'TPUEstimatorSpec',
})
__all__ = list(_NAMES)

__getattr__ = _importing(globals(), _NAMES, _explain_missing('tf.contrib.tpu', __all__))


def __dir__():
    return __all__
