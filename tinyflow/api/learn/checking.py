"""Checks an answer in a process of its own, so that nothing of it stays, and endless loops end."""
from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import tinyflow as tf
from tinyflow.api.learn.exercise import Exercise, Wrong, exercise

__all__ = ['SECONDS', 'Result', 'check_file']

SECONDS = 60            # until an answer is given up
_MOST = 4000            # characters of what an answer has printed that are shown
_RIGHT, _WRONG, _FAILED = 17, 18, 19     # not 0 or 1: an answer may end its process itself


class Result(NamedTuple):
    """`outcome` is 'right', 'wrong', 'failed' (an error), 'too long' or 'missing'."""

    outcome: str
    text: str

    @property
    def is_right(self) -> bool:
        return self.outcome == 'right'


def check_file(task: Exercise, path: Path) -> Result:
    """Runs the answer in `path` and its check."""
    if not path.is_file():
        return Result('missing', f'There is no file {path}.\n  Hint: `learn start {task.number}` '
                                 'makes it.')
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            [sys.executable, '-m', __name__, task.name, str(path.resolve())], timeout=SECONDS,
            cwd=path.resolve().parent, env=environment, capture_output=True, text=True, check=False)
    except subprocess.TimeoutExpired:
        return Result('too long', f'Your answer ran for more than {SECONDS} seconds.\n  Hint: does '
                                  'a loop of it end?')
    outcome = {_RIGHT: 'right', _WRONG: 'wrong'}.get(done.returncode, 'failed')
    if outcome == 'failed' and done.returncode != _FAILED:
        done.stderr += f'\nYour answer ended the program with the status {done.returncode}.'
    text = done.stdout if outcome != 'failed' else done.stdout + done.stderr
    return Result(outcome, text.strip()[-_MOST:])


def _main(name: str, path: str) -> int:
    task, said = exercise(name), io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            answer = _imported(path)
            tf.reset_default_graph()
            task.check(answer)
    except Wrong as error:
        print(error)
        return _WRONG
    except AttributeError as error:
        missing = getattr(error, 'obj', None) is locals().get('answer') and error.name
        print(f'Your file defines no `{missing}`.\n  Hint: keep the names that it began with.'
              if missing else _from_line_of(path, error))
        return _WRONG if missing else _FAILED
    except SystemExit:
        print('Your answer ends the program.\n  Hint: take out exit() and sys.exit().')
        return _FAILED
    except Exception as error:                  # noqa: BLE001 - the learner's own, shown to them
        print(_from_line_of(path, error))
        return _FAILED
    return _RIGHT


def _imported(path: str) -> ModuleType:
    """The answer as a module, read now: no compiled file of an earlier answer is used."""
    module = ModuleType('answer')
    module.__file__ = path
    exec(compile(Path(path).read_text(encoding='utf-8'), path, 'exec'), vars(module))
    return module


def _from_line_of(path: str, error: Exception) -> str:
    """The traceback from the first line of the answer on; without one, the error alone."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    return ''.join(traceback.format_exception(type(error), error, trace)).strip()


if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    sys.exit(_main(*sys.argv[1:]))
