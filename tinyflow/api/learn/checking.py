"""Checks an answer in a process of its own, so that nothing of it stays, and endless loops end."""
from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import tinyflow as tf
from tinyflow.api.learn.exercise import Exercise, Wrong, exercise
from tinyflow.api.learn.sandbox import run_bounded
from tinyflow.graph.support.keywords import close_matches

__all__ = ['PRINTED', 'SECONDS', 'Result', 'check_file']

SECONDS = 60            # until an answer is given up
PRINTED = '\nYour answer printed:\n'
_MOST = 4000            # characters of what an answer has printed that are shown
_MEMORY = 4 << 30       # bytes
_RIGHT, _WRONG, _FAILED = 17, 18, 19     # not 0 or 1: an answer may end its process itself
_ENCODING = 'Hint: in your editor, save the file with the encoding UTF-8.'


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
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path)),
                   'PYTHONIOENCODING': 'utf-8'}
    word = secrets.token_hex()                  # an answer that ends the process cannot say it
    done = run_bounded([sys.executable, '-m', __name__, task.name, str(path.resolve()), word],
                       environment, SECONDS, _MOST)
    if done.status is None:
        return Result('too long', f'Your answer ran for more than {SECONDS} seconds.\n  Hint: does '
                                  'a loop of it end?')
    if done.status == _RIGHT and done.output.endswith(f'{word}\n'):
        return Result('right', '')
    outcome = 'wrong' if done.status == _WRONG else 'failed'
    text = done.output if outcome != 'failed' else done.output + done.errors
    if outcome == 'failed' and done.status != _FAILED:
        text += (f'\nYour answer ended the program with the status {done.status}.'
                 if done.status >= 0 else f'\nThe system ended your answer: signal {-done.status}.')
    return Result(outcome, text.strip()[-_MOST:])


class _Said(io.TextIOBase):
    """What an answer prints: the last of it."""

    def __init__(self) -> None:
        self.text = ''

    def write(self, text: str) -> int:
        self.text = (self.text + text)[-_MOST // 2:]
        return len(text)


def _main(name: str, path: str) -> int:
    said = _Said()
    with contextlib.redirect_stdout(said):
        status, text = _checked(exercise(name), path)
    if text:
        print(text + (f'\n{PRINTED}{said.text.rstrip()}' if said.text.strip() else ''))
    return status


def _checked(task: Exercise, path: str) -> tuple[int, str]:
    """The status of the check, and what the learner reads."""
    answer = None
    try:
        answer = _imported(path)
        tf.reset_default_graph()
        task.check(answer)
    except Wrong as error:
        return _WRONG, str(error)
    except AttributeError as error:
        if answer is not None and getattr(error, 'obj', None) is answer:
            return _WRONG, _not_defined(answer, error.name)
        return _FAILED, _from_line_of(path, error)
    except SystemExit:
        return _FAILED, 'Your answer ends the program.\n  Hint: take out exit() and sys.exit().'
    except EOFError as error:
        return _FAILED, (_from_line_of(path, error) + '\n  Hint: input() has nothing to read here; '
                         'take it out.')
    except MemoryError:
        return _FAILED, (f'Your answer needs more than {_MEMORY >> 30} GB of memory.\n  Hint: does '
                         'a list grow in a loop that does not end?')
    except Exception as error:                  # noqa: BLE001 - the learner's own, shown to them
        return _FAILED, _from_line_of(path, error)
    return _RIGHT, ''


def _imported(path: str) -> ModuleType:
    """The answer as a module, read now: no compiled file of an earlier answer is used."""
    module = ModuleType('answer')
    module.__file__ = os.path.abspath(os.path.basename(path))   # not there: it cannot be deleted
    exec(compile(Path(path).read_bytes(), path, 'exec'), vars(module))
    return module


def _not_defined(answer: ModuleType, name: str) -> str:
    own = [each for each, value in vars(answer).items()
           if getattr(value, '__module__', None) == 'answer']
    near = close_matches(name, own)
    return (f'Your file defines no `{name}`' + (f', but `{near[0]}`' if near else '')
            + '.\n  Hint: keep the names that it began with.')


def _from_line_of(path: str, error: Exception) -> str:
    """The traceback, of the answer's own lines if it is tinyflow that complains about them.

    Without a line of the answer it is the check that could not use what the answer returned.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    if trace is None:
        return _not_as_expected(error)
    last, limit, frame = 0, 0, trace
    while frame is not None:
        limit += 1
        if frame.tb_frame.f_code.co_filename == path:
            last = limit
        frame = frame.tb_next
    ours = getattr(error, 'raised_by_tinyflow', False)
    return ''.join(traceback.format_exception(type(error), error, trace,
                                              limit=last if ours else None)).strip()


def _not_as_expected(error: Exception) -> str:
    """An error in no line of the answer: what it returns or takes is not what was asked for."""
    text = ''.join(traceback.format_exception_only(type(error), error)).strip()
    if isinstance(error, SyntaxError) or 'null byte' in text:   # a ValueError before Python 3.11.4
        return text + (f'\n  {_ENCODING}' if re.search('utf-8|null byte|non-UTF', text) else '')
    if 'unpack non-iterable NoneType' in text:
        return 'Your function returned nothing.\n  Hint: does it end with `return`?'
    if 'unpack' in text or isinstance(error, tf.errors.OperatorNotAllowedInGraphError):
        return ('Your function did not return as many results as it should.\n  Hint: what stands '
                f'after `return` in the file that you began with?\n{text.splitlines()[0]}')
    if re.search(r'\(\) (missing|takes|got an unexpected)', text):
        return f'{text}\n  Hint: keep the parameters that the function began with.'
    return text


def _limit_memory() -> None:
    """A list that grows in an endless loop ends in a MemoryError, not in a computer that hangs."""
    if sys.platform == 'win32':
        return
    import resource  # start-up time
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard == resource.RLIM_INFINITY or hard > _MEMORY:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, hard))


if __name__ == '__main__':
    _limit_memory()
    tf.install_as_tensorflow()                  # books say `import tensorflow as tf`
    tf.logging.set_verbosity(tf.logging.ERROR)
    *_what, _word = sys.argv[1:]
    del sys.argv[1:]
    _status = _main(*_what)
    if _status == _RIGHT:
        print(_word)
    sys.exit(_status)
