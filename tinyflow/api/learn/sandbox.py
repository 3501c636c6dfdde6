"""Runs a command that may be endless, print without end, or leave processes behind."""
from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from typing import IO, NamedTuple

__all__ = ['Ended', 'run_bounded']


class Ended(NamedTuple):
    """`status` is None if the time was up; of what was printed, the last characters."""

    status: int | None
    output: str
    errors: str


def run_bounded(command: list[str], environment: dict[str, str], seconds: float,
                most: int) -> Ended:
    """Runs it in an empty folder, without input, as the first of a group of processes.

    The whole group is ended after it: what an answer has started would keep a core busy.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)
        ends = [_End(stream, most) for stream in (process.stdout, process.stderr) if stream]
        status = None
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end_group(process)
        output, errors = (end.text() for end in ends)
    return Ended(status, output, errors)


class _End(threading.Thread):
    """Reads a stream to its end and keeps the last bytes: a gigabyte of output takes no memory."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        super().__init__(daemon=True)
        self._stream, self._most, self._kept = stream, 4 * most, b''
        self.start()

    def run(self) -> None:
        while chunk := os.read(self._stream.fileno(), 1 << 16):
            self._kept = (self._kept + chunk)[-self._most:]

    def text(self) -> str:
        """What was kept. A process that left the group may hold the stream: not waited for."""
        self.join(timeout=2)
        if not self.is_alive():
            self._stream.close()
        return self._kept.decode('utf-8', 'replace').replace('\r\n', '\n')[-self._most // 4:]


def _end_group(process: subprocess.Popen) -> None:
    if hasattr(os, 'killpg'):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass                                # none is left
    process.kill()
    process.wait()
