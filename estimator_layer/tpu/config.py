"""TPUConfig and the RunConfig that carries it: settings which only a TPU would read.

They are checked and kept, so that a program finds what it set.
"""
from __future__ import annotations

import collections
import re

from estimator_layer.run_config import RunConfig as _RunConfig
from estimator_layer.tf_config import TaskType
from tinyflow.cluster.environment import tf_config
from tinyflow.graph.support.errors import misuse

__all__ = ['InputPipelineConfig', 'RunConfig', 'TPUConfig', 'check_positive', 'loop_of']

_SECONDS = {'s': 1, 'm': 60, 'h': 3600}


class InputPipelineConfig:
    """How often input_fn is called for the cores of a TPU; see TPUConfig."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


def check_positive(value, name):
    """Raises TypeError or ValueError unless `value` is an integer above 0."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise misuse(TypeError(f'{name} must be int; got {value!r} of type '
                               f'{type(value).__name__}'))
    if value < 1:
        raise misuse(ValueError(f'{name} must be positive; got {value}'))


def loop_of(iterations_per_loop):
    """(steps, None) or (None, seconds) of `iterations_per_loop`: 100, '30s', '5m' or '1h'."""
    if isinstance(iterations_per_loop, str):
        found = re.fullmatch(r'([1-9]\d*)([smh])', iterations_per_loop.strip())
        if not found:
            raise misuse(ValueError(
                f'Invalid TPUConfig `iterations_per_loop` value: {iterations_per_loop!r}. It is a '
                "number of steps, or a time such as '30s', '5m' or '1h'."))
        return None, int(found[1]) * _SECONDS[found[2]]
    check_positive(iterations_per_loop, 'TPUConfig iterations_per_loop')
    return iterations_per_loop, None


class TPUConfig(collections.namedtuple('TPUConfig', (
        'iterations_per_loop', 'num_shards', 'num_cores_per_replica',
        'per_host_input_for_training', 'tpu_job_name', 'initial_infeed_sleep_secs',
        'input_partition_dims', 'eval_training_input_configuration',
        'experimental_host_call_every_n_steps'))):
    """How a TPU would run the steps. On the CPU only `iterations_per_loop` has an effect.

    The logs of speed then come every `log_step_count_steps / iterations_per_loop` steps, as in
    TensorFlow. Raises ValueError or TypeError for values that a TPU could not use.
    """

    __slots__ = ()

    def __new__(cls, iterations_per_loop=2, num_shards=None, num_cores_per_replica=None,
                per_host_input_for_training=True, tpu_job_name=None,
                initial_infeed_sleep_secs=None, input_partition_dims=None,
                eval_training_input_configuration=InputPipelineConfig.PER_HOST_V1,
                experimental_host_call_every_n_steps=1):
        loop_of(iterations_per_loop)
        if num_shards is not None:
            check_positive(num_shards, 'TPUConfig num_shards')
        if input_partition_dims is not None:
            _check_partition(input_partition_dims, per_host_input_for_training,
                             num_cores_per_replica)
        if num_cores_per_replica not in (None, 1, 2, 4, 8, 16, 32, 64, 128):
            raise misuse(ValueError('num_cores_per_replica must be 1, 2, 4, 8, 16, 32, 64, 128; '
                                    f'got {num_cores_per_replica}'))
        if eval_training_input_configuration not in (InputPipelineConfig.PER_HOST_V1,
                                                     InputPipelineConfig.SLICED):
            raise misuse(ValueError('eval_training_input_configuration must be PER_HOST_V1 or '
                                    f'SLICED; got {eval_training_input_configuration}'))
        if isinstance(per_host_input_for_training, bool):
            per_host_input_for_training = InputPipelineConfig.PER_HOST_V1 \
                if per_host_input_for_training else InputPipelineConfig.PER_SHARD_V1
        if initial_infeed_sleep_secs:
            check_positive(initial_infeed_sleep_secs, 'TPUConfig initial_infeed_sleep_secs')
        service = tf_config().get('service') or {}
        return super().__new__(
            cls, iterations_per_loop, num_shards, num_cores_per_replica,
            per_host_input_for_training, tpu_job_name or service.get('tpu_worker_job_name'),
            initial_infeed_sleep_secs, input_partition_dims, eval_training_input_configuration,
            experimental_host_call_every_n_steps)


def _check_partition(dims, per_host_input, cores):
    if len(dims) not in (1, 2):
        raise misuse(ValueError(
            'input_partition_dims must be a list/tuple with one or two elements.'))
    if per_host_input != InputPipelineConfig.PER_HOST_V2 or isinstance(per_host_input, bool):
        raise misuse(ValueError('input_partition_dims is only supported in PER_HOST_V2 mode.'))
    if cores is None:
        raise misuse(ValueError('input_partition_dims requires setting num_cores_per_replica.'))


class RunConfig(_RunConfig):
    """A tf.estimator.RunConfig with a TPUConfig, addresses of masters, or a ClusterResolver.

    Other arguments are those of tf.estimator.RunConfig. Raises ValueError if both `master` and
    `cluster` are given.
    """

    def __init__(self, tpu_config=None, evaluation_master=None, master=None, cluster=None,
                 **kwargs):
        super().__init__(**kwargs)
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = cluster
        if master is not None and cluster is not None:
            raise misuse(ValueError('Both master and cluster are set.'))
        task = self._cluster_task
        if master is None:
            master = cluster.master() if cluster else task.master
        if evaluation_master is None:
            own = task.evaluation_master
            evaluation_master = own if own or task.task_type == TaskType.EVALUATOR else master
        spec = cluster.cluster_spec() if cluster else task.cluster_spec
        self._cluster_task = task._replace(master=master, evaluation_master=evaluation_master,
                                           cluster_spec=spec)

    @property
    def tpu_config(self):
        """The TPUConfig."""
        return self._tpu_config

    @property
    def cluster(self):
        """The ClusterResolver, or None."""
        return self._cluster

    def replace(self, **kwargs):
        """A copy with some settings replaced, `tpu_config` among them."""
        tpu_config = kwargs.pop('tpu_config', self._tpu_config)
        other = super().replace(**kwargs)
        other._tpu_config = tpu_config
        return other
