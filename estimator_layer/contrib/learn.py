"""tf.contrib.learn.RunConfig: tf.estimator.RunConfig with the older argument list."""
from __future__ import annotations

from estimator_layer import run_config
from estimator_layer.keyword_arguments import suggest_keywords
from tinyflow.session.config import ConfigProto, GPUOptions

__all__ = ['RunConfig']

_DEFAULT = object()


class RunConfig(run_config.RunConfig):
    """tf.estimator.RunConfig with some settings of the session as separate arguments.

    Args:
      master, evaluation_master, protocol: for clusters; ignored in one process.
      num_cores, log_device_placement, gpu_memory_fraction: settings of the session; ignored if
        there is a session_config.
    The other arguments are those of tf.estimator.RunConfig.
    """

    @suggest_keywords
    def __init__(self, master=None, num_cores=0, log_device_placement=False,
                 gpu_memory_fraction=1, tf_random_seed=None, save_summary_steps=100,
                 save_checkpoints_secs=_DEFAULT, save_checkpoints_steps=None,
                 keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000,
                 log_step_count_steps=100, protocol=None, evaluation_master='', model_dir=None,
                 session_config=None, session_creation_timeout_secs=7200):
        if session_config is None:
            session_config = ConfigProto(
                log_device_placement=log_device_placement,
                inter_op_parallelism_threads=num_cores, intra_op_parallelism_threads=num_cores,
                gpu_options=GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction))
        if save_checkpoints_secs is _DEFAULT:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        super().__init__(
            model_dir=model_dir, tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps, save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs, session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps, protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs)
