"""`python -m tinyflow learn`: exercises that check themselves."""
from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

__all__ = ['add_learn']

_EPILOG = '''
  learn                 lists the exercises, and what you have done
  learn start 3         makes the file of exercise 3, with its task
  learn check 3         says whether your answer is right, and what is missing
  learn hint 3          shows a hint; the next one when asked again
  learn solution 3      shows a solution
  learn class FOLDER    a teacher's report on folders of answers, one for each learner

Your answers are in the folder `exercises`, or where --folder says.
'''
_WORDS = ('list', 'start', 'check', 'hint', 'solution', 'class')


def add_learn(commands) -> None:
    """Adds the command to the parsers of cli.py."""
    sub = commands.add_parser(
        'learn', help='exercises that check themselves',
        description='Exercises that check themselves.', epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    sub.set_defaults(command=_learn, script=None)
    sub.add_argument('what', nargs='?', choices=_WORDS, default='list', metavar='WHAT',
                     help=', '.join(_WORDS))
    sub.add_argument('which', nargs='?', metavar='N', help='number or name of an exercise')
    sub.add_argument('--folder', default='exercises', help='of your answers (default: %(default)s)')
    sub.add_argument('--csv', metavar='FILE', help='of `learn class`: write its table as a file')


def _learn(options) -> int:
    from tinyflow.api.learn.folder import Folder  # start-up time
    folder = Folder(options.folder)
    try:
        if options.what == 'list':
            return _list(folder, _command(options))
        if options.what == 'class':
            return _class(Path(options.which or options.folder), options.csv)
        return _one(folder, options)
    except (LookupError, OSError) as error:
        print(f'tinyflow: {error.args[0] if isinstance(error, LookupError) else error}',
              file=sys.stderr)
        return 2


def _list(folder, command) -> int:
    from tinyflow.api.learn.exercise import all_exercises  # start-up time
    tasks, level = all_exercises(), None
    for task in tasks:
        if task.level != level:
            level = task.level
            print(f'\n{level}')
        sign = '✓' if folder.is_right(task) else '…' if folder.answer(task).exists() else ' '
        print(f'  {sign} {task.number:2}  {task.title:52} lesson {task.lesson}')
    done = sum(map(folder.is_right, tasks))
    following = folder.next_task()
    print(f'\n{done} of {len(tasks)} done' + (
        f'; next: {command.format("start", following.number)}' if following else '.'))
    return 0


def _one(folder, options) -> int:
    from tinyflow.api.learn.checking import check_file  # start-up time
    from tinyflow.api.learn.exercise import exercise  # start-up time
    if options.which is None:
        print(f'tinyflow: which exercise?\n  Hint: learn {options.what} 1', file=sys.stderr)
        return 2
    task = exercise(options.which)
    if options.what == 'start':
        print(f'{folder.start(task)}: open it in your editor, then: '
              + _command(options).format('check', task.number))
    elif options.what == 'hint':
        number, text = folder.next_hint(task)
        print(f'Hint {number} of {len(task.hints)}: {text}')
    elif options.what == 'solution':
        print(task.solution.strip())
    else:
        result = check_file(task, folder.answer(task))
        folder.note(task, result.is_right)
        print('Right!' if result.is_right else result.text)
        return 0 if result.is_right else 1
    return 0


def _command(options) -> str:
    """The command that a learner types next, with gaps for a word and a number."""
    folder = '' if options.folder == 'exercises' else f' --folder {shlex.quote(options.folder)}'
    return f'python -m tinyflow learn {{}} {{}}{folder.replace("{", "{{").replace("}", "}}")}'


def _class(folder: Path, table: str | None) -> int:
    from tinyflow.api.learn.report import class_report  # start-up time
    for line in class_report(folder, table and Path(table)):
        print(line, flush=True)
    return 0
