"""Ctrl-C: a run that writes Variables is finished before KeyboardInterrupt is raised.

A signal handler may be called between any two instructions of the Python interpreter. Raised there,
KeyboardInterrupt would leave a training step half done. So the handler looks at the frames that it
interrupts: inside a function marked by `finished_first` it notes the interrupt in `pending`, and
the caller of that function raises it (`deliver`). Elsewhere it raises at once, as Python does.

A run that waits for other threads, or is in the user's own code, is stopped as long as it has
written no Variable, if it goes on for some time. A second Ctrl-C stops a long run anyway.
"""
from __future__ import annotations

import _thread
import functools
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import Any, TypeVar

from tinyflow.graph.support import notebook
from tinyflow.graph.support.gc_pause import end_pause
from tinyflow.graph.support.users_files import OURS, is_program
from tinyflow.graph.support.waits import indivisible_codes, waiting_codes

__all__ = ['deliver', 'finished_first', 'for_each', 'handle_ctrl_c', 'install', 'pending',
           'steps_through', 'whole']

_PATIENCE = 1.0         # seconds that a run has to end until a message says what goes on
_BLOCKED = 0.2          # seconds after which a wait for other threads is taken for blocked
_LOOK = 0.05            # seconds between two looks at an interrupted run

pending: list[float] = []       # times of the interrupts that the end of the run raises

_finished_first: set[CodeType] = set()
_steppers: set[CodeType] = set()        # they have local variables `program` and `instruction`
_sent_by_watcher = False

_Function = TypeVar('_Function', bound=Callable)

_HALF_DONE = ('stopped in the middle of a run: some Variables may have their new values, and '
              'others the old ones. Restore a checkpoint before you save.')


# ---- marks -----------------------------------------------------------------------------------


def finished_first(function: _Function) -> _Function:
    """Marks a function whose work Ctrl-C must not leave half done; its caller calls `deliver`."""
    _finished_first.add(function.__code__)
    return function


def steps_through(function: _Function) -> _Function:
    """Marks a function that runs each `instruction` of `program`."""
    _steppers.add(function.__code__)
    return function


@finished_first
def _call(function: Callable, arguments: tuple) -> Any:
    return function(*arguments)


def whole(function: Callable, *arguments: Any) -> Any:
    """function(*arguments), which Ctrl-C does not leave half done."""
    try:
        return _call(function, arguments)
    finally:
        if pending:
            deliver()


def for_each(function: Callable, items: Iterable[tuple]) -> None:
    """Calls function(*item) for each item; Ctrl-C does not leave that half done."""
    whole(lambda: [function(*item) for item in items])


def deliver() -> None:
    """Raises the noted interrupt; not inside an outer run, which does so when it ends."""
    if threading.current_thread() is threading.main_thread() \
            and not _is_inside_run(sys._getframe(1)):
        pending.clear()
        raise KeyboardInterrupt


# ---- the handler -------------------------------------------------------------------------------


def install() -> None:
    """Makes this module handle Ctrl-C; not in place of a handler of the program's own."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        try:
            signal.signal(signal.SIGINT, handle_ctrl_c)
        except ValueError:                      # not in the main thread
            return
        notebook.before_each_cell(install)      # Jupyter sets Python's handler before each


def handle_ctrl_c(number: int, frame: FrameType | None) -> None:
    """The handler of SIGINT: raises KeyboardInterrupt, or notes it in `pending`."""
    global _sent_by_watcher
    from_watcher, _sent_by_watcher = _sent_by_watcher, False
    if from_watcher and not pending:
        return                                  # the run has ended in the meantime
    if not from_watcher:
        pending.append(time.monotonic())
    half_done = False
    if _is_inside_run(frame) or _ignores_errors(frame):
        if not _may_stop(frame):
            if len(pending) == 1 and not from_watcher:
                _start_watching()
            return
        half_done = _has_written(frame)
    pending.clear()
    end_pause()
    raise KeyboardInterrupt(_HALF_DONE) if half_done else KeyboardInterrupt


def _start_watching() -> None:
    try:
        _thread.start_new_thread(_watch, (pending[0],))
    except RuntimeError:                        # no more threads: Ctrl-C again works without it
        pass


def _is_inside_run(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code in _finished_first:
            return True
        frame = frame.f_back
    return False


def _ignores_errors(frame: FrameType | None) -> bool:
    """Whether Python called a finalizer, or a callback of a weak reference or of the garbage
    collector: it drops their errors."""
    of_collector = [getattr(callback, '__code__', None) for callback in gc.callbacks]
    while frame is not None:
        code = frame.f_code
        if code.co_name == '__del__' or code in of_collector \
                or frame.f_globals.get('__name__') in _WEAK:
            return True
        frame = frame.f_back
    return False


_WEAK = ('weakref', '_weakrefset')


def _may_stop(frame: FrameType | None) -> bool:
    """Whether the run of `frame` is to be stopped now, and not finished."""
    seconds = time.monotonic() - pending[0] if pending else 0.
    is_late = seconds >= _PATIENCE
    codes, inner = set(), frame
    while inner is not None:
        codes.add(inner.f_code)
        inner = inner.f_back
    if not indivisible_codes.isdisjoint(codes):
        return False
    if len(pending) > 1 and is_late:
        return True
    if _ignores_errors(frame):
        return False
    if seconds >= _BLOCKED and _waits(frame) or is_late and _is_in_users_code(frame):
        return not _has_written(frame)
    return False


def _waits(frame: FrameType | None) -> bool:
    """Whether a function marked by `may_wait` is waiting now."""
    while frame is not None and frame.f_globals.get('__name__') in ('threading', _FUTURES):
        frame = frame.f_back
    return frame is not None and frame.f_code in waiting_codes


_FUTURES = 'concurrent.futures._base'


def _is_in_users_code(frame: FrameType | None) -> bool:
    """Whether the user's code, called by tinyflow, is the innermost of both."""
    while frame is not None and not frame.f_code.co_filename.startswith(OURS):
        if is_program(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def _has_written(frame: FrameType | None) -> bool:
    """Whether the run of `frame` may have written a Variable."""
    lines: dict[str, int] = {}          # of generated code: its file -> the last line reached
    while frame is not None:
        name, code = frame.f_code.co_filename, frame.f_code
        if name.startswith('<tinyflow'):
            lines[name] = max(frame.f_lineno or 0, lines.get(name, 0))
        elif code in _steppers:
            instruction = frame.f_locals.get('instruction')
            for earlier in frame.f_locals['program'].instructions if instruction else ():
                if earlier.writes:
                    return True
                if earlier is instruction:
                    break
        elif lines:
            for source in _sources(frame):
                reached = lines.pop(source.filename, 0)
                if any(number <= reached and instruction.writes
                       for number, instruction in source.lines.items()):
                    return True
        if code in _finished_first and code is not _call.__code__:
            found = frame.f_back
            if not _is_inside_run(found):
                return False
        elif code is _call.__code__:
            return True
        frame = frame.f_back
    return False


def _sources(frame: FrameType) -> list[Any]:
    """The ProgramSources whose code `frame` may have called."""
    variables = frame.f_locals
    found = [variables.get('source'), getattr(variables.get('self'), 'source', None)]
    return [source for source in found if hasattr(source, 'lines')]


# ---- a run that goes on ------------------------------------------------------------------------


def _watch(first: float) -> None:
    """Watches an interrupted run, in a thread: stops it when that is possible, prints a message."""
    global _sent_by_watcher
    printed, main = False, threading.main_thread().ident
    if main is None:
        return
    send: Callable[[], None] = _thread.interrupt_main
    if hasattr(signal, 'pthread_kill'):                     # not on Windows; wakes it if it waits
        send = functools.partial(signal.pthread_kill, main, signal.SIGINT)
    while True:
        time.sleep(_LOOK)
        if not pending or pending[0] is not first:
            return
        frame = sys._current_frames().get(main)
        if not _is_inside_run(frame) or _may_stop(frame):
            # No other thread runs between these lines, so that a new interrupt of the user, after
            # the end of the run, is not taken for the watcher's.
            if pending and pending[0] is first:
                _sent_by_watcher = True
                send()
        elif not printed and time.monotonic() - first >= _PATIENCE:
            printed = True
            print('tinyflow: Ctrl-C: the current step is being finished, so that its Variables '
                  'belong together; Ctrl-C again stops at once.', file=sys.stderr, flush=True)
