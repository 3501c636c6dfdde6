"""train_and_evaluate in a cluster of TF_CONFIG: what a chief, master, worker and ps do.

Each process has a tf.train.Server; the Variables are on those of the job `ps`. An evaluator is in
no cluster: it watches the checkpoints (train_eval_loop.py).
"""
from __future__ import annotations

import time

from estimator_layer.tf_config import TaskType
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.session.config import ConfigProto

__all__ = ['check_role', 'default_device_fn', 'default_session_config', 'join_cluster',
           'start_server', 'wait_for_turn']

_ROLES = (TaskType.CHIEF, TaskType.EVALUATOR, TaskType.MASTER, TaskType.PS, TaskType.WORKER)
_TRAIN = (TaskType.CHIEF, TaskType.MASTER, TaskType.WORKER)
_LONGEST_DELAY = 60         # seconds
_DELAY_PER_WORKER = 5


def default_session_config(task):
    """The ConfigProto of a task: chief and workers see the servers and themselves, not each other.

    So a worker starts and goes on while other workers are not there. None outside a cluster.
    """
    own = {TaskType.CHIEF: ['/job:ps', '/job:chief'], TaskType.MASTER: ['/job:ps', '/job:master'],
           TaskType.WORKER: ['/job:ps', f'/job:worker/task:{task.task_id}'],
           TaskType.PS: ['/job:ps', '/job:worker', '/job:chief', '/job:master']}
    if not task.cluster_spec or task.task_type not in own:
        return None
    return ConfigProto(allow_soft_placement=True, device_filters=own[task.task_type])


def default_device_fn(config):
    """The function that puts Variables on the servers in turn; None without servers, and under
    a strategy, which has its own."""
    if not config.num_ps_replicas or config.train_distribute is not None:
        return None
    from tinyflow.train.device_setter import (  # start-up time
        STANDARD_PS_OPS,
        replica_device_setter,
    )
    kind = config.task_type or TaskType.WORKER
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas, worker_device=f'/job:{kind}/task:{config.task_id}',
        merge_devices=True, ps_ops=list(STANDARD_PS_OPS), cluster=config.cluster_spec)


def check_role(config):
    """ValueError for a job of TF_CONFIG whose tasks have no part in train_and_evaluate."""
    if config.task_type not in _ROLES:
        raise misuse(ValueError(
            f'Task type {config.task_type} is not supported. Supported task types are '
            f'{list(_ROLES)}'))


def start_server(config):
    """The running server of this task; None for the only task of a cluster, which needs none."""
    spec = config.cluster_spec
    if not config.master:
        if config.task_type in _TRAIN and sum(map(spec.num_tasks, spec.jobs)) == 1:
            logging.info('Skip starting a server as there is only one node in the cluster.')
            return None
        raise misuse(RuntimeError(
            'Could not start server; be sure to specify master in RunConfig or set the TF_CONFIG '
            'environment variable.\n  Hint: "session_master" in TF_CONFIG is empty; leave it out.'))
    from tinyflow.cluster.server import IN_PROCESS, Server  # start-up time
    from tinyflow.cluster.transport import canonical  # start-up time
    running = IN_PROCESS.get(canonical(spec.task_address(config.task_type, config.task_id)))
    if running is not None:
        return running              # of an earlier call
    logging.info('Start server %s of job %s.', config.task_id, config.task_type)
    return Server(spec, job_name=config.task_type, task_index=config.task_id,
                  protocol=config.protocol)


def join_cluster(config):
    """What a ps does: serves until its process is ended."""
    start_server(config).join()


def wait_for_turn(config):
    """Lets workers begin one after the other, so that not all change untrained values at once.

    Worker n waits 5 (n + 1) seconds, at most RunConfig.experimental_max_worker_delay_secs.
    """
    if config.task_type != TaskType.WORKER:
        return
    longest = config.experimental_max_worker_delay_secs
    longest = _LONGEST_DELAY if longest is None else int(longest)
    delay = min(longest, (config.task_id + 1) * _DELAY_PER_WORKER)
    if delay > 0:
        logging.info('Waiting %d secs before starting training.', delay)
        time.sleep(delay)
