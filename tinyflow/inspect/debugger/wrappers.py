"""Debugged Sessions and hooks under TensorFlow's names."""
from __future__ import annotations

from typing import Any

from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.debugger.debugger import Debugger
from tinyflow.inspect.debugger.dump_writer import DumpWriter
from tinyflow.session.observed import Observer, attach
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['DumpingDebugHook', 'DumpingDebugWrapperSession', 'GrpcDebugHook',
           'GrpcDebugWrapperSession', 'LocalCLIDebugHook', 'LocalCLIDebugWrapperSession',
           'TensorBoardDebugHook', 'TensorBoardDebugWrapperSession']

_UI = ('curses', 'readline')


class _WrapperSession:
    """A Session, or a MonitoredSession, whose runs an observer follows; else it is the same."""

    def __init__(self, sess: Any, observer: Observer) -> None:
        if isinstance(sess, type) or not hasattr(sess, 'run') or not hasattr(sess, 'graph'):
            raise misuse(TypeError(
                f'Expected type tf.Session; got {type(sess).__name__}: {sess!r}.'))
        self._sess = sess
        attach(sess, observer)

    # isinstance(wrapped, tf.Session) is what it was before: library code asks for it.
    __class__ = property(lambda self: type(self._sess))     # type: ignore[assignment]

    @property
    def session(self) -> Any:
        """The Session without the wrapper. It is debugged, too."""
        return self._sess

    def __enter__(self) -> _WrapperSession:
        self._sess.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._sess.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)['_sess'], name)

    def __repr__(self) -> str:
        return f'<{type(self).__name__} of {self._sess!r}>'


class LocalCLIDebugWrapperSession(_WrapperSession):
    """A Session that asks in the terminal before and after its runs; `help` lists the commands.

    There is one user interface for all of `ui_type` 'curses' and 'readline', by lines.
    `dump_root` is not needed: values stay in memory. Raises TypeError for what is no Session,
    ValueError for another ui_type.
    """

    def __init__(self, sess: Any, dump_root: Any = None, log_usage: bool = True,
                 ui_type: str = 'curses', thread_name_filter: str | None = None,
                 config_file_path: Any = False) -> None:
        self._debugger = _debugger(ui_type, thread_name_filter)
        super().__init__(sess, self._debugger)

    def add_tensor_filter(self, filter_name: str, tensor_filter: Any) -> None:
        """Adds a filter for `run -f` and `lt -f`: tensor_filter(datum, tensor) -> bool."""
        self._debugger.add_filter(filter_name, tensor_filter)


class LocalCLIDebugHook(SessionRunHook):
    """LocalCLIDebugWrapperSession as a hook, for Estimators and monitored sessions."""

    def __init__(self, ui_type: str = 'curses', dump_root: Any = None,
                 thread_name_filter: str | None = None, config_file_path: Any = None) -> None:
        self._debugger = _debugger(ui_type, thread_name_filter)
        self._seen: Any = None

    def add_tensor_filter(self, filter_name: str, tensor_filter: Any) -> None:
        """Adds a filter for `run -f` and `lt -f`: tensor_filter(datum, tensor) -> bool."""
        self._debugger.add_filter(filter_name, tensor_filter)

    def before_run(self, run_context: Any) -> None:
        self._seen = _attached(run_context.session, self._debugger, self._seen)


class DumpingDebugWrapperSession(_WrapperSession):
    """A Session that writes the values of each run to a folder below `session_root`.

    `watch_fn(fetches, feeds)` returns the WatchOptions of a run, or a tuple of debug ops and
    patterns of names and op types; None: all. DebugDumpDir reads such a folder. Raises ValueError
    for a session_root that is a file or not empty.
    """

    def __init__(self, sess: Any, session_root: str, watch_fn: Any = None,
                 thread_name_filter: str | None = None, pass_through_operrors: Any = None,
                 log_usage: bool = True) -> None:
        super().__init__(sess, DumpWriter(session_root, watch_fn, thread_name_filter))


class DumpingDebugHook(SessionRunHook):
    """DumpingDebugWrapperSession as a hook, for Estimators and monitored sessions."""

    def __init__(self, session_root: str, watch_fn: Any = None,
                 thread_name_filter: str | None = None, log_usage: bool = True) -> None:
        self._writer = DumpWriter(session_root, watch_fn, thread_name_filter)
        self._seen: Any = None

    def before_run(self, run_context: Any) -> None:
        self._seen = _attached(run_context.session, self._writer, self._seen)


def _attached(session: Any, observer: Observer, seen: Any) -> Any:
    """Attaches the observer if the session is another one than `seen`; returns the session."""
    if session is not seen:
        attach(session, observer)
    return session


def _debugger(ui_type, thread_name_filter):
    if ui_type not in _UI:
        raise misuse(ValueError(f"Invalid ui_type: '{ui_type}'.\n  Hint: "
                                f'{" or ".join(map(repr, _UI))}.'))
    if ui_type == 'curses':
        logging.info("The debugger asks line by line, as TensorFlow's does with "
                     "ui_type='readline'.")
    return Debugger(threads=thread_name_filter)


def _remote(name, instead):
    def refuse(self, *arguments: Any, **settings: Any) -> None:
        raise misuse(NotImplementedError(
            f'{name} sends values to a TensorBoard with the debugger plugin, which no longer '
            f'exists.\n  Hint: {instead} asks in the terminal; tf.record keeps the values of runs '
            'for the page of tf.viz.explore.'))
    return type(name, (), {'__init__': refuse, '__doc__': f'Not available: use {instead}.',
                           '__module__': __name__})


GrpcDebugWrapperSession = _remote('GrpcDebugWrapperSession', 'LocalCLIDebugWrapperSession')
GrpcDebugHook = _remote('GrpcDebugHook', 'LocalCLIDebugHook')
TensorBoardDebugWrapperSession = _remote('TensorBoardDebugWrapperSession',
                                         'LocalCLIDebugWrapperSession')
TensorBoardDebugHook = _remote('TensorBoardDebugHook', 'LocalCLIDebugHook')
