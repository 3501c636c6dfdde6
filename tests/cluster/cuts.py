"""The golden programs, cut at random over three tasks of this process, give the uncut bits.

    python -m tests.cluster.cuts 500 [SEED] [NAME ...]    tries 500 cuts, fresh ones without a seed

Both ways run without passes: an optimised program of a whole graph may round differently from those
of its parts, which is how `make test` compares the cut with the default options.
"""
from __future__ import annotations

import contextlib
import os
import random
import sys
import warnings

import numpy as np

import tinyflow as tf
from tests.golden.programs import PROGRAMS
from tinyflow.cluster.cluster_programs import ClusterPrograms
from tinyflow.cluster.peers import LocalPeer
from tinyflow.cluster.placement import Placement
from tinyflow.cluster.task_service import TaskService
from tinyflow.cluster.tasks import Task
from tinyflow.compiler.compile import Options
from tinyflow.session.program_cache import ProgramCache

TASKS = [Task('worker', 0), Task('worker', 1), Task('ps', 0)]
PLAIN = Options(passes=(), unroll=None)
NOT_CUT = {'dataset_from_generator': 'a Python generator cannot be sent'}


class InProcess:
    """Three tasks of this process."""

    def __init__(self, options=PLAIN):
        self.services = {task: TaskService(task, options) for task in TASKS}
        self.own, self.tasks = TASKS[0], TASKS
        self.service = self.services[self.own]

    def connect(self, task, session):
        return LocalPeer(self.services[task], session)


def session_of(graph, cluster, options=PLAIN):
    """A Session of the first of the three tasks."""
    session = tf.Session(graph=graph)
    session._programs = ClusterPrograms(graph, options, cluster)
    session._store = session._programs.store
    return session


def scatter(graph, chosen):
    """Puts each operation on a task drawn by `chosen`; what must be together, together."""
    groups = Placement(graph, TASKS[0], TASKS)
    of_name = {}                            # nodes of one shared_name are one queue
    for operation in graph.get_operations():
        name = operation.attrs.get('shared_name')
        if name:
            groups.join(operation, of_name.setdefault(name, operation))
    devices = {}
    for operation in graph.get_operations():
        operation.device = devices.setdefault(groups.leader(operation),
                                              chosen.choice(TASKS).device)


def built(name):
    graph = tf.Graph()
    with graph.as_default():
        return graph, PROGRAMS[name](tf, np)


def bits(value):
    """A fetched value as plain data that is equal only if all bits are."""
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [bits(item) for item in value]
    if value is None:
        return None
    array = np.asarray(value)
    return type(value) is np.ndarray, array.dtype.str, array.shape, \
        array.tolist() if array.dtype == object else array.tobytes()


def values(name, options=PLAIN, seed=None):
    """(what the runs of a program give, how many stages they had); cut if there is a seed."""
    graph, runs = built(name)
    if seed is None:
        with tf.Session(graph=graph) as session:
            session._programs = ProgramCache(session._store, options)
            return [session.run(*run) for run in runs], 1
    scatter(graph, random.Random(f'{name} {seed}'))
    with session_of(graph, InProcess(options), options) as session:
        got = [session.run(*run) for run in runs]
        stages = [sum(map(len, call.entry.run.levels)) for call in session._calls.values()]
    return got, max(stages, default=0)


def main(count, seed=None, *names):
    seed = random.randrange(10**6) if seed is None else int(seed)
    chosen = random.Random(seed)
    names = names or [name for name in PROGRAMS if name not in NOT_CUT]
    wrong, stages = 0, 0
    for i in range(int(count)):
        name = chosen.choice(names)
        with open(os.devnull, 'w') as null, contextlib.redirect_stderr(null), \
                contextlib.redirect_stdout(null):
            try:
                got, most = values(name, seed=seed + i)
                problem = '' if bits(got) == bits(values(name)[0]) else 'other bits'
                stages += most
            except Exception as error:                  # noqa: BLE001 - reported
                problem = f'{type(error).__name__}: {error}'
        if problem:
            wrong += 1
            print(f'{name} {seed + i}: {problem[:300]}')
    print(f'{count} cuts from seed {seed}: {wrong} wrong, {stages} stages')
    return wrong


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    sys.exit(bool(main(*sys.argv[1:])))
