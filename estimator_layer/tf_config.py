"""Parses the environment variable TF_CONFIG: the cluster, and the task of this process.

TF_CONFIG is JSON: {"cluster": {"chief": [...], "worker": [...], "ps": [...]}, "task": {"type":
"worker", "index": 0}}. An error names the wrong field and what it may contain.
"""
from __future__ import annotations

import collections

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.cluster.environment import tf_config
from tinyflow.graph.support.errors import misuse, why

__all__ = ['TaskSettings', 'TaskType', 'read_tf_config', 'task_of_worker']

_EXAMPLE = ('TF_CONFIG=\'{"cluster": {"chief": ["host0:2222"], "worker": ["host1:2222"], '
            '"ps": ["host2:2222"]}, "task": {"type": "worker", "index": 0}}\'; for one process '
            'leave TF_CONFIG unset')


class TaskType:
    """The kinds of tasks."""

    MASTER = 'master'
    PS = 'ps'
    WORKER = 'worker'
    CHIEF = 'chief'
    EVALUATOR = 'evaluator'


# The task of this process in the cluster; the fields are properties of RunConfig.
TaskSettings = collections.namedtuple('TaskSettings', (
    'cluster_spec', 'task_type', 'task_id', 'master', 'evaluation_master', 'is_chief',
    'num_ps_replicas', 'num_worker_replicas', 'global_id_in_cluster', 'service', 'model_dir'))


def read_tf_config():
    """The TaskSettings that TF_CONFIG describes; a single local worker if it is not set.

    Raises ValueError that names the field and what it may contain.
    """
    config = tf_config()
    cluster = ClusterSpec(config.get('cluster') or {})
    task = config.get('task') or {}
    if not isinstance(task, dict):
        raise _invalid(f'"task" in TF_CONFIG must be a dict, given: {task!r}.')
    common = {'service': _service(config.get('service')), 'model_dir': config.get('model_dir')}
    return _cluster_task(config, cluster, task, common) if cluster else \
        _local_task(config, task, common)


def task_of_worker(strategy):
    """The TaskSettings of a process of a strategy over several; worker 0 is the chief.

    An evaluator is alone: its cluster is empty, as it is without a strategy.
    """
    config = tf_config()
    cluster, task = ClusterSpec(config.get('cluster') or {}), config.get('task') or {}
    common = {'service': _service(config.get('service')), 'model_dir': config.get('model_dir')}
    kind, index = task.get('type', TaskType.WORKER), _index(task.get('index', 0))
    if cluster and kind == TaskType.EVALUATOR:
        return TaskSettings(ClusterSpec({}), kind, index, '', '', False, 0, 0, None, **common)
    context = strategy.extended._input_context()
    rank, count = context.input_pipeline_id, context.num_input_pipelines
    if not cluster:
        index = rank
    master, servers = '', 0
    if TaskType.PS in cluster.jobs:
        master, servers = f'grpc://{cluster.task_address(kind, index)}', cluster.num_tasks('ps')
    is_chief = rank == 0 and kind != TaskType.PS
    return TaskSettings(cluster, kind, index, master, '', is_chief, servers, count, rank, **common)


def _local_task(config, task, common):
    kind, index = task.get('type', TaskType.WORKER), _index(task.get('index', 0))
    if kind != TaskType.WORKER:
        raise _invalid('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
    if index:
        raise _invalid('If "cluster" is not set in TF_CONFIG, task index must be 0.')
    return TaskSettings(ClusterSpec({}), kind, index, config.get('session_master', ''),
                       config.get('eval_session_master', ''), True, 0, 1, 0, **common)


def _cluster_task(config, cluster, task, common):
    chief = TaskType.MASTER if TaskType.MASTER in cluster.jobs else TaskType.CHIEF
    if chief == TaskType.MASTER and TaskType.CHIEF in cluster.jobs:
        raise _invalid('If `master` node exists in `cluster`, job `chief` is not supported.')
    kind, index = _task(cluster, task, chief)
    evaluation_master = config.get('eval_session_master', '')
    if kind == TaskType.EVALUATOR:
        if chief == TaskType.MASTER:
            raise _invalid('If `master` node exists in `cluster`, task_type `evaluator` is not '
                           'supported.')
        return TaskSettings(ClusterSpec({}), kind, index, '', evaluation_master, False, 0, 0, None,
                           **common)
    workers = len(cluster.as_dict().get(TaskType.WORKER, ())) + 1
    order = [chief, *sorted(set(cluster.jobs) - {chief, TaskType.PS}), TaskType.PS]
    before = order[:order.index(kind)]
    number = sum(cluster.num_tasks(job) for job in before if job in cluster.jobs) + index
    servers = cluster.num_tasks(TaskType.PS) if TaskType.PS in cluster.jobs else 0
    master = config.get('session_master')
    if master is None:
        is_only_task = cluster.jobs == [kind] and cluster.num_tasks(kind) == 1
        master = '' if is_only_task else f'grpc://{cluster.task_address(kind, index)}'
    return TaskSettings(cluster, kind, index, master, evaluation_master, kind == chief, servers,
                       workers, number, **common)


def _task(cluster, task, chief):
    """(type, index) of this process, checked against the cluster."""
    if chief not in cluster.jobs:
        raise _invalid(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
    if cluster.num_tasks(chief) > 1:
        raise _invalid(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    if not task.get('type'):
        raise _invalid('If "cluster" is set in TF_CONFIG, task type must be set.')
    if task.get('index') is None:
        raise _invalid('If "cluster" is set in TF_CONFIG, task index must be set.')
    kind, index = task['type'], _index(task['index'])
    if kind != TaskType.EVALUATOR:
        _check_member(cluster, kind, index)
    return kind, index


def _check_member(cluster, kind, index):
    note = f':\n{cluster}\n\nNote that these values may be coming from the TF_CONFIG ' \
           'environment variable.'
    if kind not in cluster.jobs:
        raise _invalid(f'{kind} is not a valid task_type in the cluster_spec{note}')
    if index not in cluster.task_indices(kind):
        raise _invalid(f'{index} is not a valid task_id for task_type {kind} in the '
                       f'cluster_spec{note}')


def _index(value):
    try:
        index = int(value)
    except (TypeError, ValueError, OverflowError):          # Infinity is a number in JSON
        raise _invalid(f'Task index must be a number, given {value!r}.') from None
    if index < 0:
        raise _invalid('Task index must be non-negative number.')
    return index


def _service(service):
    if service is not None and not isinstance(service, dict):
        raise misuse(TypeError(
            'If "service" is set in TF_CONFIG, it must be a dict. Given '
            f'{type(service)}'))
    return service


def _invalid(problem):
    return misuse(ValueError(f'{problem}\n  Hint: {_EXAMPLE}.' + why('tf-config')))
