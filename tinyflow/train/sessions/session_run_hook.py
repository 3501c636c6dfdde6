"""SessionRunHook: callbacks around the runs of a monitored session.

    begin                   once, while the graph may still be changed
    after_create_session    the graph is finalized, the Session is created and initialised
    before_run              before each run; may request fetches and feeds
    after_run               after each successful run; gets the values that were requested
    end                     once, unless an error ended the loop; the Session is still open

The end of the input (OutOfRangeError, StopIteration) is not an error: `after_run` of that run
is skipped, and `end` is called. All five methods are called in the order of the list of hooks.
"""
from __future__ import annotations

from collections import namedtuple

__all__ = ['SessionRunArgs', 'SessionRunContext', 'SessionRunHook', 'SessionRunValues']


class SessionRunHook:
    """Base class of hooks: a subclass defines the methods that it needs."""

    def begin(self):
        """Called once, before the graph is finalized: the place to add nodes to it."""

    def after_create_session(self, session, coord):
        """Called after a Session was created and initialised, also after one was lost.

        `coord` is the Coordinator of the session's threads.
        """

    def before_run(self, run_context) -> SessionRunArgs | None:
        """Called before each run. Returns None, or SessionRunArgs to be run along with it."""
        return None

    def after_run(self, run_context, run_values):
        """Called after each run without an error; `run_values.results` has the values.

        ``run_context.request_stop()`` ends the loop.
        """

    def end(self, session):
        """Called once before the Session is closed, unless an error has ended the loop."""


class SessionRunArgs(namedtuple('SessionRunArgs', ['fetches', 'feed_dict', 'options'])):
    """Arguments of a run: fetches, feeds and RunOptions as in Session.run."""

    __slots__ = ()

    def __new__(cls, fetches, feed_dict=None, options=None):
        return tuple.__new__(cls, (fetches, feed_dict, options))


class SessionRunContext:
    """The current run: the program's fetches and feeds, the Session, and request_stop."""

    __slots__ = ('_original_args', '_session', '_stop_requested', '_ran')

    def __init__(self, original_args, session):
        self._original_args = original_args
        self._session = session
        self._stop_requested = False
        self._ran = None            # (all fetches, all feeds), including those of hooks

    @property
    def original_args(self):
        """The SessionRunArgs of the program's own call of run."""
        return self._original_args

    @property
    def session(self):
        """The Session that runs; running it here calls no hooks."""
        return self._session

    @property
    def stop_requested(self):
        """True once a hook has requested a stop."""
        return self._stop_requested

    def request_stop(self):
        """Makes `should_stop` of the monitored session True after this run."""
        self._stop_requested = True


class SessionRunValues(namedtuple('SessionRunValues', ['results', 'options', 'run_metadata'])):
    """Results: values in the structure of the SessionRunArgs of `before_run`, or None."""

    __slots__ = ()
