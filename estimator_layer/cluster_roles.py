"""The roles of TF_CONFIG with servers: ps, chief, master and worker; what differs by the task.

The Variables are on the parameter servers. Each of the others builds its own graph around them and
trains; the chief also initialises and saves, and a `master` also evaluates.
"""
from __future__ import annotations

import time

from estimator_layer.tf_config import TaskType
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.session.config import ConfigProto, GraphOptions, RewriterConfig

__all__ = ['default_device_fn', 'default_session_config', 'local_session_config',
           'start_server', 'wait_for_others']

# Seconds from the start of a worker to its training, so that the workers do not all start at once.
_DELAY_OF_A_WORKER = 5
_LONGEST_DELAY = 60

# The tasks that a task's session sees besides the servers: a worker need not wait for another.
_OWN = {TaskType.MASTER: ['/job:master'], TaskType.CHIEF: ['/job:chief'],
        TaskType.PS: ['/job:worker', '/job:chief', '/job:master']}


def default_device_fn(config):
    """For `tf.device`: Variables go to the servers in turn, the rest to this task; None without.

    It counts the Variables of one graph.
    """
    if not config.num_ps_replicas or config.train_distribute is not None:
        return None
    from tinyflow.train.device_setter import replica_device_setter  # start-up time
    return replica_device_setter(
        worker_device=f'/job:{config.task_type}/task:{config.task_id}',
        cluster=config.cluster_spec)


def default_session_config(task):
    """The ConfigProto of a TaskSettings, which filters tasks; None for a program of one process."""
    own = _OWN.get(task.task_type)
    if task.task_type == TaskType.WORKER:
        own = [f'/job:worker/task:{task.task_id}']
    if not task.cluster_spec or own is None:
        return None
    config = local_session_config()
    config.device_filters = ['/job:ps', *own]
    return config


def local_session_config():
    """The ConfigProto of a program of one process."""
    rewrites = RewriterConfig(meta_optimizer_iterations=RewriterConfig.ONE)
    return ConfigProto(allow_soft_placement=True,
                       graph_options=GraphOptions(rewrite_options=rewrites))


def start_server(config):
    """The started tf.train.Server of this task; None if it is the only one of its cluster.

    One that runs in this process already, of an earlier call or of the program's own, is used
    again; TensorFlow 1.15 raises an error then. Raises RuntimeError for a session that shall use
    another server.
    """
    tasks = sum(config.cluster_spec.num_tasks(job) for job in config.cluster_spec.jobs)
    if tasks == 1 and config.task_type != TaskType.PS:
        logging.info('Skip starting Tensorflow server as there is only one node in the cluster.')
        return None
    if not config.master:
        raise misuse(RuntimeError(
            f'Could not start server; TF_CONFIG sets an empty "session_master", and the cluster '
            f'has {tasks} tasks: {config.cluster_spec}.\n  Hint: leave "session_master" out.'))
    from tinyflow.cluster.server import Server, running_server  # start-up time
    running = running_server(config.cluster_spec, config.task_type, config.task_id)
    if running is not None:
        return running
    logging.info('Start Tensorflow server.')
    return Server(config.cluster_spec, job_name=config.task_type, task_index=config.task_id,
                  config=config.session_config, protocol=config.protocol)


def wait_for_others(config):
    """Lets a worker begin later than the chief, and than workers of lower index."""
    if config.task_type != TaskType.WORKER:
        return
    longest = config.experimental_max_worker_delay_secs
    longest = _LONGEST_DELAY if longest is None else longest
    delay = min(longest, (config.task_id + 1) * _DELAY_OF_A_WORKER)
    if delay > 0:
        logging.info('Waiting %d secs before starting training.', delay)
        time.sleep(delay)
