"""Exercise: a task, the file it begins with, its check, three hints, a solution, wrong answers."""
from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import close_matches

__all__ = ['LEVELS', 'Exercise', 'Wrong', 'all_exercises', 'exercise', 'given']

LEVELS = ('graph', 'training', 'inside', 'Keras', 'Estimator', 'find the bug')


class Wrong(AssertionError):
    """An answer that runs and is not right: what is wrong, and a hint."""

    def __init__(self, problem: str, hint: str = '') -> None:
        super().__init__(problem + (f'\n  Hint: {hint}' if hint else ''))


def given(value, what: str):
    """What the answer returned; Wrong if it is None or still `...`."""
    if value is ... or value is None:
        raise Wrong(f'{what} is {"..." if value is ... else "None"}',
                    'replace `...`, and return what you have made.' if value is ... else
                    'what stands after `return`? A function without it gives None, and so do '
                    'methods that only change something, such as compile.')
    return value


@dataclass(frozen=True)
class Exercise:
    """One module of `exercises/`: its constants, and its function `check`.

    `check(answer)` gets the learner's module, in an empty default graph; it raises Wrong.
    `wrong` are typical wrong answers, with words of what the learner then reads.
    """

    number: int
    name: str
    title: str
    level: str
    lesson: int
    task: str
    start: str
    hints: tuple[str, str, str]
    solution: str
    wrong: tuple[tuple[str, str], ...]
    check: Callable[[ModuleType], None]

    @property
    def file_name(self) -> str:
        """The name of the learner's file."""
        return f'{self.number:02}_{self.name}.py'

    @property
    def beginning(self) -> str:
        """The file that the learner begins with: the task as a docstring, and the start."""
        text = self.task.strip().replace('\\', '\\\\').replace('"""', "'''")
        return f'"""{self.number}. {self.title}\n\n{text}\n"""\n\n{self.start.strip()}\n'


@cache
def all_exercises() -> tuple[Exercise, ...]:
    """All exercises, in order."""
    from tinyflow.api.learn import exercises  # start-up time
    names = sorted(each.name for each in pkgutil.iter_modules(exercises.__path__))
    return tuple([_read(importlib.import_module(f'{exercises.__name__}.{name}'), name)
                  for name in names])


def _read(module: ModuleType, file: str) -> Exercise:
    number, name = re.fullmatch(r'e(\d\d)_(\w+)', file).groups()    # type: ignore[union-attr]
    title, _, task = (module.__doc__ or '').partition('\n')
    for text in (module.START, module.SOLUTION, *(code for code, _ in module.WRONG)):
        ast.parse(text)
    return Exercise(int(number), name, title.rstrip('.'), module.LEVEL, module.LESSON, task.strip(),
                    module.START, module.HINTS, module.SOLUTION, module.WRONG, module.check)


def exercise(which: str) -> Exercise:
    """The exercise of a number or a name. LookupError that names the nearest ones."""
    found = [each for each in all_exercises()
             if which in (str(each.number), f'{each.number:02}', each.name, each.file_name)]
    if found:
        return found[0]
    near = close_matches(which, [each.name for each in all_exercises()])
    raise misuse(LookupError(
        f'There is no exercise {which!r}, only 1 to {len(all_exercises())}.'
        + (f'\n  Hint: did you mean {" or ".join(near)}?' if near else '')))
