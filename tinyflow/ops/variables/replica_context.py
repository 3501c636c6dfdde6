"""The current distribution strategy and replica.

    cross-replica context   the code that drives all replicas: strategy.scope(), merge_call
    replica context         the code of one replica: inside strategy.experimental_run_v2(f)
    update context          cross-replica code that changes the part of a value on one device
"""
from __future__ import annotations

import threading
from contextlib import contextmanager

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.support.errors import misuse

__all__ = ['experimental_set_strategy', 'get_replica_context', 'get_strategy', 'has_strategy',
           'in_cross_replica_context']


class _Modes(threading.local):
    """(graph, strategy, replica context or None, number of the updated replica or None)."""

    def __init__(self):
        self.stack = []


_modes = _Modes()
LOSS_REDUCTION = 'reduction of the last loss'       # a Graph's annotation, made by tf.losses
# The Strategy of programs that use none, and what makes it: tinyflow.distribute fills this in.
_default: list = []


def _mode():
    """The innermost mode of the default graph or a graph around it, or None."""
    if not _modes.stack:
        return None
    graph = get_default_graph()
    while graph is not None:
        for mode in reversed(_modes.stack):
            if mode[0] is graph:
                return mode
        graph = getattr(graph, 'outer_graph', None)
    return None


@contextmanager
def entered(strategy, replica_context=None, updated=None):
    """Everything inside is under `strategy`, in that replica or in none."""
    _modes.stack.append((get_default_graph(), strategy, replica_context, updated))
    try:
        yield
    finally:
        _modes.stack.pop()


def default_strategy():
    """The single-replica strategy of programs that use none."""
    return _default[0]


def set_default_strategy(strategy):
    """Sets the strategy of programs that use none."""
    _default[:] = [strategy]


def has_strategy():
    """True inside the scope of a strategy."""
    return _mode() is not None


def get_strategy():
    """The strategy of the scope around; one of a single replica where there is none."""
    mode = _mode()
    return mode[1] if mode else default_strategy()


def get_replica_context():
    """The ReplicaContext of the code that runs here; None in cross-replica context."""
    mode = _mode()
    if mode is None:
        return default_strategy().extended.default_replica_context()
    return mode[2]


def in_cross_replica_context():
    """True for code that runs once for all replicas (cross-replica context)."""
    mode = _mode()
    return mode is not None and mode[2] is None


def active_replica_context():
    """The ReplicaContext if there are other replicas, or a strategy at least; else None."""
    mode = _mode()
    return mode[2] if mode else None


def current_replica():
    """The number of the replica whose part of a value is requested; None for all."""
    mode = _mode()
    if mode is None:
        return None
    if mode[3] is not None:
        return mode[3]
    return mode[2].replica_number if mode[2] is not None else None


def loss_is_a_sum():
    """True if the replicas' gradients are those of one loss when they are added up.

    A mean over each replica's batch is scaled down for an Estimator only, by the last reduction of
    tf.losses; programs that drive a strategy themselves divide by the global batch.
    """
    if not get_strategy()._scale_loss_for_estimator:
        return True
    return get_default_graph().annotations.get(LOSS_REDUCTION) == 'weighted_sum'


def is_updating():
    """True while the part of a value on one device is being changed."""
    mode = _mode()
    return mode is not None and mode[3] is not None


def experimental_set_strategy(strategy):
    """Opens the scope of a strategy for the rest of the program; None ends it."""
    while _modes.stack and _modes.stack[-1][0] == 'set':
        _modes.stack.pop()
    if strategy is not None:
        if _modes.stack:
            raise misuse(RuntimeError(
                'Must not be called inside a `tf.distribute.Strategy` scope.'))
        _modes.stack.append((get_default_graph(), strategy, None, None))
