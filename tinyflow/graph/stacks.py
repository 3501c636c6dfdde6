"""The stacks of default graphs and default Sessions of each thread, innermost last.

A Graph adds itself in `as_default()`, a Session in its `with` block; `Tensor.eval` and
`Operation.run` find the default Session here. This module imports neither class: a Session is any
object with `run(fetches, feed_dict)` and `graph`.
"""
from __future__ import annotations

import threading
from contextlib import contextmanager

from tinyflow.graph.support.errors import misuse, why


class _Stacks(threading.local):
    def __init__(self):
        self.graphs = []
        self.sessions = []


stacks = _Stacks()


def get_default_session():
    """The innermost default Session of this thread, or None."""
    return stacks.sessions[-1] if stacks.sessions else None


@contextmanager
def default_session(session):
    """Makes `session` the default Session inside the `with` block."""
    stack = stacks.sessions
    stack.append(session)
    try:
        yield session
    finally:
        stack.remove(session)


def session_for(session, graph, description):
    """`session` or the default Session. Raises ValueError unless it runs `graph`."""
    session = session or get_default_session()
    if session is None:
        raise misuse(ValueError(
            f'Cannot evaluate {description}: no default session is registered.\n  Hint: '
            '`with tf.Session() as sess:` around it, or pass session=sess.'
            + why('no-default-session')))
    if session.graph is not graph:
        raise misuse(ValueError(
            f'Cannot evaluate {description}: it belongs to {graph}, but the session runs '
            f'{session.graph}.\n  Hint: tf.Session(graph=...) with the graph of this node.'
            + why('session-graph')))
    return session
