"""The default graphs and the default Sessions of each thread, innermost last.

Nothing is imported for them: a Graph puts itself here in `as_default()`, a Session in its `with`
block, and `Tensor.eval` and `Operation.run` look here for the Session to run in. A Session is only
known as "something with `run(fetches, feed_dict)` and a `graph`".
"""
from __future__ import annotations

import threading
from contextlib import contextmanager

from tinyflow.graph.support.errors import worded


class _Stacks(threading.local):
    def __init__(self):
        self.graphs = []
        self.sessions = []


stacks = _Stacks()


def get_default_session():
    """The innermost Session made default in this thread, or None."""
    return stacks.sessions[-1] if stacks.sessions else None


@contextmanager
def default_session(session):
    """Makes `session` the default one inside the `with` block."""
    stack = stacks.sessions
    stack.append(session)
    try:
        yield session
    finally:
        stack.remove(session)


def session_for(session, graph, what):
    """`session` or the default one, checked to be about `graph`. ValueError otherwise."""
    session = session or get_default_session()
    if session is None:
        raise worded(ValueError(
            f'Cannot evaluate {what}: no default session is registered.\n  Mend: '
            '`with tf.Session() as sess:` around it, or pass session=sess.'))
    if session.graph is not graph:
        raise worded(ValueError(
            f'Cannot evaluate {what}: it belongs to {graph}, but the session runs '
            f'{session.graph}.\n  Mend: tf.Session(graph=...) with the graph that has this node.'))
    return session
