# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from estimator_layer.tpu.config import InputPipelineConfig, RunConfig, TPUConfig
from estimator_layer.tpu.cross_shard import CrossShardOptimizer
from estimator_layer.tpu.estimator import TPUEstimator
from estimator_layer.tpu.spec import TPUEstimatorSpec

__all__ = [
    'CrossShardOptimizer', 'InputPipelineConfig', 'RunConfig', 'TPUConfig', 'TPUEstimator',
    'TPUEstimatorSpec',
]
