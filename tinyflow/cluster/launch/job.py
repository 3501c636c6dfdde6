"""Job: starts the processes of all tasks, shows their lines, restarts what died, leaves none."""
from __future__ import annotations

import os
import selectors
import signal
import sys
import time
from collections.abc import Callable

from tinyflow.cluster.launch.running import Guard, RunningTask, how_it_ended
from tinyflow.cluster.launch.tasks import LaunchedTask, environment_of

__all__ = ['Job']

_TO_END = 5.0           # seconds from a polite signal to SIGKILL
_PATIENCE = 10.0        # seconds after which it is said for whom the job waits
_LAST_LINES = 1.0       # seconds for output that is under way when a process has ended
_COLOURS = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Job:
    """One run of a program as several processes.

    `new_tasks` makes the tasks, again for each restart of the whole job, so that it gets new ports;
    `command_of(task, tasks)` is a task's command line. With servers, which keep the Variables, only
    the process that died is restarted. Without, the others cannot go on: all stop and restart.
    """

    def __init__(self, new_tasks: Callable[[], list[LaunchedTask]], command_of, restarts=0):
        self._new_tasks, self._command_of = new_tasks, command_of
        self._tasks = new_tasks()
        self._restarts, self._restarted = restarts, 0
        self._running: dict[LaunchedTask, RunningTask] = {}
        self._done: dict[tuple[str, int], int] = {}     # (kind, index) -> exit status
        self._selector = selectors.DefaultSelector()
        self._interrupted = 0
        self._has_no_reader = False
        self._quiet_since = None

    # ---- the whole of a job --------------------------------------------------------------

    def run(self) -> int:
        """Runs the job to its end; the exit status: the chief's, or what ended the job."""
        wake, waker = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(waker, False)
        self._selector.register(wake, selectors.EVENT_READ)
        before = {number: signal.signal(number, self._interrupt) for number in _SIGNALS}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        outer_waker = signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        self._guard = Guard()
        try:
            return self._watch()
        except BrokenPipeError:                     # `launch ... | head`
            self._has_no_reader = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 128 + signal.SIGPIPE
        finally:
            self._stop(list(self._running.values()), signal.SIGTERM)
            self._guard.close()
            signal.set_wakeup_fd(outer_waker)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._selector.close()
            os.close(wake)
            os.close(waker)

    def _interrupt(self, number, frame):
        self._interrupted = number

    def _watch(self) -> int:
        for task in self._tasks:
            self._start(task)
        while True:
            self._pump(1.0)
            if self._interrupted:
                return self._end_interrupted()
            for running in list(self._running.values()):
                status = running.status()
                if status is None or self._running.get(running.task) is not running:
                    continue                # runs, or was stopped with the others
                self._finish(running)
                final = self._ended(running, status)
                if final is not None:
                    return final
            self._say_who_is_missing()

    def _ended(self, running, status):
        """What follows from the end of a process; the status of the job if it ends with it."""
        task = running.task
        chief_is_done = self._done.get(self._chief) == 0
        if status == 0 or chief_is_done and task.trains:
            if status:
                self._say(f'{self._who(running)} {how_it_ended(status)}, after the chief')
            self._done[task[:2]] = status
            return self._result()
        what = f'{self._who(running)} {how_it_ended(status)}'
        if self._restarted >= self._restarts:
            again = f' (restarts: {self._restarts})' if self._restarts else ''
            self._say(f'{what}; all stop{again}')
            self._stop(list(self._running.values()), signal.SIGTERM)
            return status if status > 0 else 128 - status
        self._restarted += 1
        count = f'restart {self._restarted} of {self._restarts}'
        if task.kind == 'evaluator' or any(other.kind == 'ps' for other in self._tasks):
            self._say(f'{what}; {count}')
            self._start(task)
            return None
        self._say(f'{what}; all stop; {count}')
        evaluators = {other for other in self._running if other.kind == 'evaluator'}
        self._stop([running for other, running in self._running.items()
                    if other not in evaluators], signal.SIGTERM)
        self._done = {who: status for who, status in self._done.items() if who[0] == 'evaluator'}
        self._tasks = self._new_tasks()
        for other in self._tasks:
            if other not in self._running and other[:2] not in self._done:
                self._start(other)
        return None

    def _result(self):
        """The status of a job whose programs have all ended; stops the servers."""
        if any(task.kind != 'ps' and task[:2] not in self._done for task in self._tasks):
            return None
        self._stop(list(self._running.values()), signal.SIGTERM)
        return self._done[self._chief]

    @property
    def _chief(self):
        return next(task[:2] for task in self._tasks if task.trains)

    def _end_interrupted(self) -> int:
        """Ctrl-C goes to all programs first, then the servers are stopped."""
        number, self._interrupted = self._interrupted, 0
        self._say(f'{signal.Signals(number).name}: all stop')
        self._stop([running for task, running in self._running.items() if task.kind != 'ps'],
                   number)
        self._stop(list(self._running.values()), signal.SIGTERM)
        return 128 + number

    # ---- processes -----------------------------------------------------------------------

    def _start(self, task):
        environment = {**os.environ, **environment_of(task, self._tasks, os.environ)}
        running = RunningTask(task, self._command_of(task, self._tasks), environment, self._guard)
        self._running[task] = running
        self._selector.register(running.output, selectors.EVENT_READ, running)

    def _stop(self, processes, number):
        """Sends a signal, waits until all have ended, and kills those that take too long."""
        for running in processes:
            running.send(number)
        left, end = list(processes), time.monotonic() + _TO_END
        while left:
            if self._interrupted or time.monotonic() > end:
                self._interrupted = 0
                for running in left:
                    running.send(signal.SIGKILL)
            self._pump(0.1)
            for running in [each for each in left if each.status() is not None]:
                left.remove(running)
                self._finish(running)

    def _finish(self, running):
        """Shows the last lines of a process that has ended."""
        running.send(signal.SIGKILL)                # what it has started and not ended
        end = time.monotonic() + _LAST_LINES
        while running.output in self._registered() and time.monotonic() < end:
            self._pump(0.05)
        if running.output in self._registered():
            self._selector.unregister(running.output)
        running.close()
        del self._running[running.task]

    def _registered(self):
        return {key.fileobj for key in self._selector.get_map().values()}

    # ---- what is shown -------------------------------------------------------------------

    def _pump(self, seconds):
        """Shows the lines that come, for at most this time or until something else happens."""
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                _drain(key.fd)
                continue
            lines, more = key.data.read()
            for line in lines:
                self._show(key.data.task, line)
            if not more:
                self._selector.unregister(key.fileobj)
            self._quiet_since = None if lines else self._quiet_since
        sys.stdout.flush()

    def _show(self, task, line):
        if self._has_no_reader:
            return
        label = f'[{task.label}]'
        if sys.stdout.isatty() and 'NO_COLOR' not in os.environ:
            label = f'\x1b[{_COLOURS[self._tasks.index(task) % len(_COLOURS)]}m{label}\x1b[0m'
        print(label, line)

    def _who(self, running):
        task = running.task
        size = sum(other.kind == task.kind for other in self._tasks)
        which = f'{task.label} of {size}' if task.kind in ('worker', 'ps') else task.label
        return f'{which} (pid {running.pid})'

    def _say_who_is_missing(self):
        """When the chief has ended and nothing happens any more, says for whom the job waits."""
        if self._chief not in self._done:
            return
        now = time.monotonic()
        if self._quiet_since is None:
            self._quiet_since = now
        elif now - self._quiet_since > _PATIENCE:
            self._quiet_since = float('inf')        # once, until another line comes
            left = ', '.join(self._who(running) for task, running in self._running.items()
                             if task.kind != 'ps')
            self._say(f'the chief has ended; the job waits for {left}. Ctrl-C stops it')

    @staticmethod
    def _say(text):
        sys.stdout.flush()
        print(f'tinyflow: {text}', file=sys.stderr, flush=True)


def _drain(descriptor):
    try:
        os.read(descriptor, 4096)
    except BlockingIOError:
        pass
