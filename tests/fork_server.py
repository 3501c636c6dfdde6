"""run_module: what `python -W error -m MODULE` prints, from a process that has tinyflow imported.

Each call forks a server that has imported tinyflow and nothing else; a new process would take a
quarter of a second to import it. The server is `python -m tests.fork_server`.
"""
from __future__ import annotations

import atexit
import functools
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_SECONDS = 60
CAN_FORK = hasattr(os, 'fork')


def run_module(module, *arguments, cwd):
    """The finished process, as subprocess.run gives it."""
    command = [sys.executable, '-W', 'error', '-m', module, *arguments]
    if not CAN_FORK:
        return subprocess.run(
            command, cwd=cwd, capture_output=True, encoding='utf-8', timeout=MOST_SECONDS,
            env={**os.environ, 'PYTHONPATH': str(ROOT), 'PYTHONIOENCODING': 'utf-8'})
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ('output', 'errors')]
        server = _server()
        server.stdin.write(json.dumps([module, arguments, str(cwd), paths]) + '\n')
        server.stdin.flush()
        status = int(server.stdout.readline())
        if status == -signal.SIGALRM:
            raise subprocess.TimeoutExpired(command, MOST_SECONDS)
        output, errors = [Path(path).read_text(encoding='utf-8') for path in paths]
    return subprocess.CompletedProcess(command, status, output, errors)


@functools.cache
def _server():
    started = subprocess.Popen([sys.executable, '-m', __name__], cwd=ROOT, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(started.communicate)        # it ends with its input
    return started


def _serve():
    """In the server: runs the modules that the lines of its input name."""
    import tinyflow.api.cli  # noqa: F401 - for the processes that are forked
    warnings.simplefilter('ignore')             # a library's threads are no harm to the fork
    for line in sys.stdin:
        child = forked(_run, *json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def forked(function, *arguments):
    """The number of a child process that calls the function, and ends with its result."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        status = function(*arguments) or 0
    except BaseException:               # noqa: BLE001 - this process ends here
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _run(module, arguments, cwd, paths):
    signal.alarm(MOST_SECONDS)          # SIGALRM ends the process
    os.chdir(cwd)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream, number, path in zip(('stdout', 'stderr'), (1, 2), paths):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
        setattr(sys, stream, open(number, 'w', encoding='utf-8', closefd=False))
    tests = str(ROOT / 'tests')
    sys.path[:] = [cwd, str(ROOT), *(path for path in sys.path if not path.startswith(tests))]
    sys.argv = ['', *arguments]
    sys.warnoptions[:] = ['error']
    warnings.resetwarnings()
    warnings.simplefilter('error')
    return _exit_status(module)


def _exit_status(module):
    status = 0
    try:
        runpy.run_module(module, run_name='__main__', alter_sys=True)
    except SystemExit as exit:
        status = exit.code
        if isinstance(status, str):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    return status or 0


if __name__ == '__main__':
    _serve()
