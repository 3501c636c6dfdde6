"""Running one function for each replica, in threads that take turns.

The graph has one place where nodes are added, so only one replica runs at a time: each goes on
until it ends or comes to a `merge_call`, where all of them meet; what they brought there is worked
on once, in cross-replica context, and each goes on with its part of the result.
"""
from __future__ import annotations

import threading

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.support.errors import worded
from tinyflow.ops.variables import replica_context as context
from tinyflow.ops.variables.variable_scope import get_variable_scope, variable_scope
from tinyflow.train.distribute.values import regroup, select

__all__ = ['call_for_each']


class _Place:
    """What is open around a node of the graph: name scope, control dependencies, devices."""

    def __init__(self, graph):
        self.graph = graph
        self.save()

    def save(self):
        graph = self.graph
        self.name, self.controllers = graph._name_stack, list(graph._controllers)
        self.devices = list(graph._devices)

    def open(self):
        graph = self.graph
        graph._name_stack, graph._controllers = self.name, list(self.controllers)
        graph._devices = list(self.devices)


class _Replica(threading.Thread):
    """One replica's thread."""

    def __init__(self, number, strategy, function, args, kwargs, around):
        super().__init__(name=f'replica {number}', daemon=True)
        self.number, self.strategy = number, strategy
        self.function, self.args, self.kwargs = function, args, kwargs
        self.graph = get_default_graph()
        self.place = _Place(self.graph)
        if number:
            self.place.name = '/'.join(filter(None, [self.place.name, f'replica_{number}']))
        self.scope = around
        self.resume, self.paused = threading.Event(), threading.Event()
        self.ended = False
        self.result = self.error = None
        self.merge = None               # what it wants done: (function, args, kwargs)
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
            self.place.open()
            with variable_scope(self.scope, reuse=True if self.number else None,
                                auxiliary_name_scope=False), \
                    context.entered(self.strategy, replica_context):
                self.result = self.function(*self.args, **self.kwargs)
                self.place.save()

    def step(self):
        """Lets it run until it ends or waits for the others."""
        self.paused.clear()
        self.resume.set()
        self.paused.wait()

    def wait_for_others(self, function, args, kwargs):
        """Called in its own thread by merge_call: its part of what the meeting gives."""
        self.place.save()
        self.open_scope = get_variable_scope()      # slots get their names in it, as in TF
        self.merge = function, args, kwargs
        self.paused.set()
        self.resume.wait()
        self.resume.clear()
        if self.stopped:
            raise SystemExit
        self.place.open()
        return self.merged


def call_for_each(strategy, function, args, kwargs):
    """The results of `function` for each replica, regrouped; each gets its part of args, kwargs."""
    outer = _Place(get_default_graph())
    scope = get_variable_scope()
    count = strategy.num_replicas_in_sync
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
            _meet(strategy, replicas, outer)
    finally:
        outer.open()
        for replica in replicas:
            replica.stopped = True
            replica.resume.set()
        for replica in replicas:
            replica.join()


def _meet(strategy, replicas, outer):
    if any(replica.ended for replica in replicas):
        raise worded(RuntimeError(
            'Some replicas came to a merge_call (an optimizer, or a Variable that is changed) '
            'and others did not: the function must build the same graph in each replica.'))
    function, _, _ = replicas[0].merge
    args = regroup([replica.merge[1] for replica in replicas])
    kwargs = regroup([replica.merge[2] for replica in replicas])
    outer.open()
    place = replicas[0].place
    outer.graph._name_stack = place.name        # the first replica's scope names the result
    outer.graph._controllers = _shared_controllers(replicas)
    with variable_scope(replicas[0].open_scope), context.entered(strategy):
        result = function(strategy, *args, **kwargs)
    for replica in replicas:
        replica.merged = select(result, replica.number)
        replica.merge = None


def _shared_controllers(replicas):
    """What is waited for in cross-replica code: what every replica waits for."""
    return [controller for replica in replicas for controller in replica.place.controllers]
