"""RunningTask: the process of one task, and the whole lines that it writes."""
from __future__ import annotations

import os
import signal
import subprocess
import sys

__all__ = ['Guard', 'RunningTask', 'how_it_ended']

_LONGEST_LINE = 1 << 20         # bytes; a longer one is shown in parts
_AT_ONCE = 1 << 16


class RunningTask:
    """A started process in a process group of its own, with its output as labelled lines."""

    def __init__(self, task, command, environment, guard):
        self.task, self._guard = task, guard
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        self.pid = self._process.pid
        guard.add(self.pid)
        try:
            self._process.stdin.write(b'\n')        # the word for which start.py waits
            self._process.stdin.close()
        except OSError:
            pass                                    # it has ended already
        self.output = self._process.stdout
        os.set_blocking(self.output.fileno(), False)
        self._rest = b''

    def status(self):
        """The exit status, negative for a signal; None while the process runs."""
        status = self._process.poll()
        if status is not None:
            self._guard.discard(self.pid)
        return status

    def send(self, number):
        """Sends a signal to the process and to all that it has started."""
        try:
            os.killpg(self.pid, number)
        except OSError:
            pass                                    # all have ended

    def read(self) -> tuple[list[str], bool]:
        """(the lines that are there, whether more may come). Does not wait."""
        try:
            data = os.read(self.output.fileno(), _AT_ONCE)
        except BlockingIOError:
            return [], True
        self._rest += data
        *lines, self._rest = self._rest.split(b'\n')
        if not data or len(self._rest) > _LONGEST_LINE:
            lines, self._rest = lines + [self._rest] * bool(self._rest), b''
        return [_shown(line) for line in lines], bool(data)

    def close(self):
        """Ends what the process has left behind."""
        self.send(signal.SIGKILL)
        self.output.close()


def _shown(line: bytes) -> str:
    """The text of a line; of one that was overwritten by carriage returns, what is left."""
    text = line.decode('utf-8', 'replace').rstrip('\r')
    return text.rpartition('\r')[2]


class Guard:
    """The process of guard.py, which ends all process groups if the launcher is killed."""

    def __init__(self):
        path = os.path.join(os.path.dirname(__file__), 'guard.py')
        self._process = subprocess.Popen([sys.executable, '-I', '-S', path], text=True,
                                         stdin=subprocess.PIPE, start_new_session=True)
        self._groups = set()

    def add(self, group):
        self._groups.add(group)
        self._tell(f'+ {group}')

    def discard(self, group):
        if group in self._groups:
            self._groups.discard(group)
            self._tell(f'- {group}')

    def _tell(self, line):
        try:
            self._process.stdin.write(line + '\n')
            self._process.stdin.flush()
        except OSError:
            pass                                    # it was killed: the job goes on without

    def close(self):
        try:
            self._process.stdin.close()
        except OSError:
            pass
        self._process.wait()


def how_it_ended(status: int) -> str:
    """'ended by signal 9 (SIGKILL)', 'ended with status 1'."""
    if status >= 0:
        return f'ended with status {status}'
    try:
        return f'ended by signal {-status} ({signal.Signals(-status).name})'
    except ValueError:
        return f'ended by signal {-status}'
