"""run_module: what `python -W error -m MODULE` prints, from a process that has tinyflow imported.

Each call forks a server that has imported tinyflow and nothing else; a new process would take a
quarter of a second to import it.
"""
from __future__ import annotations

import atexit
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_SECONDS = 60
CAN_FORK = 'forkserver' in multiprocessing.get_all_start_methods()
if CAN_FORK:
    _server = multiprocessing.get_context('forkserver')
    _server.set_forkserver_preload(['tinyflow', 'tinyflow.api.cli', 'runpy'])


def run_module(module, *arguments, cwd):
    """The finished process, as subprocess.run gives it."""
    command = [sys.executable, '-W', 'error', '-m', module, *arguments]
    if not CAN_FORK:
        return subprocess.run(
            command, cwd=cwd, capture_output=True, encoding='utf-8', timeout=MOST_SECONDS,
            env={**os.environ, 'PYTHONPATH': str(ROOT), 'PYTHONIOENCODING': 'utf-8'})
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ('output', 'errors')]
        process = _server.Process(target=_run, args=(module, arguments, str(cwd), paths))
        process.start()
        process.join(MOST_SECONDS)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(command, MOST_SECONDS)
        output, errors = [path.read_text(encoding='utf-8') for path in paths]
    return subprocess.CompletedProcess(command, process.exitcode, output, errors)


def _run(module, arguments, cwd, paths):
    os.chdir(cwd)
    for stream, number, path in zip(('stdout', 'stderr'), (1, 2), paths):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
        setattr(sys, stream, open(number, 'w', encoding='utf-8', closefd=False))
    tests = str(ROOT / 'tests')
    sys.path[:] = [cwd, str(ROOT), *(path for path in sys.path if not path.startswith(tests))]
    sys.argv = ['', *arguments]
    sys.warnoptions[:] = ['error']
    warnings.resetwarnings()
    warnings.simplefilter('error')
    os._exit(_exit_status(module))


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
    sys.stdout.flush()
    sys.stderr.flush()
    return status or 0
