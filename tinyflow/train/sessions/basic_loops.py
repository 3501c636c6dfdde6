"""basic_train_loop: a loop around a Supervisor's session."""
from __future__ import annotations

from tinyflow.graph.support.errors import AbortedError

__all__ = ['basic_train_loop']


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=''):
    """Calls ``train_step_fn(session, *args, **kwargs)`` until the Supervisor stops.

    With a new Session, restored from the last checkpoint, after an AbortedError.
    """
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            return
        except AbortedError:
            continue
