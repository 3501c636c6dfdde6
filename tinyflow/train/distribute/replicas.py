"""Calls a function for each replica, in threads that run one at a time.

The current scopes of a graph are shared state, so only one replica runs at a time: until it ends or
reaches a `merge_call`. When all replicas have reached it, the merge function runs once, in
cross-replica context, and each replica continues with its part of the result.
"""
from __future__ import annotations

import threading

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables import replica_context as context
from tinyflow.ops.variables.variable_scope import get_variable_scope, variable_scope
from tinyflow.train.distribute.values import regroup, select

__all__ = ['call_for_each']


class _GraphContext:
    """The current name scope, control dependencies and devices of a graph, to save and restore."""

    def __init__(self, graph):
        self.graph = graph
        self.save()

    def save(self):
        graph = self.graph
        self.name, self.controllers = graph._name_stack, list(graph._controllers)
        self.device_scopes = graph._device_scopes

    def restore(self):
        graph = self.graph
        graph._name_stack, graph._controllers = self.name, list(self.controllers)
        graph._device_scopes = self.device_scopes


class _Replica(threading.Thread):
    """The thread of one replica."""

    def __init__(self, number, strategy, function, args, kwargs, scope):
        super().__init__(name=f'replica {number}', daemon=True)
        self.number, self.strategy = number, strategy
        self.function, self.args, self.kwargs = function, args, kwargs
        self.graph = get_default_graph()
        self.graph_context = _GraphContext(self.graph)
        if number:
            self.graph_context.name = '/'.join(
                filter(None, [self.graph_context.name, f'replica_{number}']))
        self.scope = scope
        self.resume, self.paused = threading.Event(), threading.Event()
        self.ended = False
        self.result = self.error = None
        self.merge = None               # the pending merge_call: (function, args, kwargs)
        self.merged = None
        self.stopped = False

    def run(self):
        self.resume.wait()
        self.resume.clear()
        try:
            if not self.stopped:
                self._run()
        except BaseException as error:
            self.error = error
        self.ended = True
        self.paused.set()

    def _run(self):
        replica_context = self.strategy.extended.replica_context(self.number, self)
        with self.graph.as_default():
            self.graph_context.restore()
            with variable_scope(self.scope, reuse=True if self.number else None,
                                auxiliary_name_scope=False), \
                    context.entered(self.strategy, replica_context):
                self.result = self.function(*self.args, **self.kwargs)
                self.graph_context.save()

    def step(self):
        """Lets the thread run until it ends or waits for the others."""
        self.paused.clear()
        self.resume.set()
        self.paused.wait()

    def wait_for_others(self, function, args, kwargs):
        """Called by merge_call in this thread; returns this replica's part of the result."""
        self.graph_context.save()
        self.open_scope = get_variable_scope()      # determines the names of slots, as in TF
        self.merge = function, args, kwargs
        self.paused.set()
        self.resume.wait()
        self.resume.clear()
        if self.stopped:
            raise SystemExit
        self.graph_context.restore()
        return self.merged


def call_for_each(strategy, function, args, kwargs):
    """The regrouped results of `function`; each replica gets its part of args and kwargs."""
    outer = _GraphContext(get_default_graph())
    scope = get_variable_scope()
    count = len(strategy.extended.worker_devices)       # those of this process
    replicas = [_Replica(number, strategy, function, select(tuple(args), number),
                         select(kwargs, number), scope) for number in range(count)]
    for replica in replicas:
        replica.start()
    try:
        while True:
            for replica in replicas:
                replica.step()
                if replica.error is not None:
                    raise replica.error
            if all(replica.ended for replica in replicas):
                return regroup([replica.result for replica in replicas])
            _merge(strategy, replicas, outer)
    finally:
        outer.restore()
        for replica in replicas:
            replica.stopped = True
            replica.resume.set()
        for replica in replicas:
            replica.join()


def _merge(strategy, replicas, outer):
    if any(replica.ended for replica in replicas):
        raise misuse(RuntimeError(
            'Some replicas reached a merge_call (of an optimizer, or of a Variable update) and '
            'others did not: the function must build the same graph in each replica.'))
    function, _, _ = replicas[0].merge
    args = regroup([replica.merge[1] for replica in replicas])
    kwargs = regroup([replica.merge[2] for replica in replicas])
    outer.restore()
    first = replicas[0].graph_context
    outer.graph._name_stack = first.name        # the scope of the first replica
    outer.graph._controllers = _all_controllers(replicas)
    with variable_scope(replicas[0].open_scope), context.entered(strategy):
        result = function(strategy, *args, **kwargs)
    for replica in replicas:
        replica.merged = select(result, replica.number)
        replica.merge = None


def _all_controllers(replicas):
    """The control dependencies of cross-replica code: those of all replicas."""
    return [controller for replica in replicas
            for controller in replica.graph_context.controllers]
