"""Starts the processes of tests, each in a process group of its own, and ends such a group."""
from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_ENVIRONMENT = {
    'PYTHONPATH': os.pathsep.join([str(ROOT), *filter(None, [os.environ.get('PYTHONPATH')])]),
    'PYTHONDONTWRITEBYTECODE': '1', 'OPENBLAS_NUM_THREADS': '1'}


def start(command, environment=(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=None):
    """The started process, which imports the tinyflow of this tree."""
    return subprocess.Popen(
        list(map(str, command)), stdout=stdout, stderr=stderr, text=True, cwd=cwd,
        start_new_session=True, env={**os.environ, **_ENVIRONMENT, **dict(environment)})


def end(process):
    """Kills a process that has not ended, with all that it has started, and waits for its end."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
