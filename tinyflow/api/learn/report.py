"""A teacher's report: which answers in a folder of folders, one for each learner, are right."""
from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tinyflow.api.learn.checking import PRINTED, Result, check_file
from tinyflow.api.learn.exercise import Exercise, all_exercises

__all__ = ['class_report', 'learners']

_SIGNS = {'right': '+', 'wrong': '-', 'failed': 'E', 'too long': 'T', 'missing': '.'}


def learners(folder: Path) -> dict[str, Path]:
    """Name -> folder of answers, for each folder in `folder` that has an answer, however deep.

    What is unpacked from an archive is often a folder in a folder.
    """
    found = {}
    for path in sorted(each for each in folder.iterdir() if each.is_dir()):
        inner = sorted((each.parent for each in path.rglob('*.py') if each.name in _names()),
                       key=lambda each: (len(each.parts), each))
        if inner:
            found[path.name] = inner[0]
    return found


def _names() -> set[str]:
    return {task.file_name for task in all_exercises()}


def _not_read(folder: Path, answers: Path) -> list[str]:
    """The programs of a learner that are no answers: renamed, or in another folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob('*.py')
                  if path.name not in _names() or path.parent != answers)


def class_report(folder: Path, table: Path | None = None) -> Iterator[str]:
    """Lines: one for each learner, then what stopped most of them. All answers are run.

    `table`: a CSV file with a row for each learner and a column for each exercise.
    """
    found: dict[str, dict[Exercise, Result]] = {}
    paths = learners(folder)
    tasks = [task for task in all_exercises()
             if any((path / task.file_name).is_file() for path in paths.values())]
    width = max((len(name) for name in paths), default=0)
    if not tasks:
        yield (f'No folder in {folder} has an answer.\n  Hint: it should have a folder for each '
               f'learner, with files such as {all_exercises()[0].file_name}.')
        return
    yield ' ' * width + '  ' + ' '.join(f'{task.number:2}' for task in tasks)
    with ThreadPoolExecutor(os.cpu_count()) as pool:        # each answer runs in its own process
        for name, path in paths.items():
            results = pool.map(lambda task, path=path: check_file(task, path / task.file_name),
                               tasks)
            found[name] = dict(zip(tasks, results))
            signs = ' '.join(f'{_SIGNS[found[name][task].outcome]:>2}' for task in tasks)
            right = sum(result.is_right for result in found[name].values())
            yield f'{name:{width}}  {signs}  {right} of {len(tasks)} right'
    if table is not None:
        _write_table(table, tasks, found)
    yield '\n+ right   - wrong   E error   T took too long   . not there'
    for task in tasks:
        said = [_what_was_said(results[task]) for results in found.values()
                if results[task].outcome not in ('right', 'missing')]
        if said:
            most = max(sorted(set(said)), key=said.count)
            yield (f'\n{task.number}. {task.title}: {len(said)} of {len(paths)} not right yet'
                   f'\n   most often: {most}')
    for name, path in paths.items():
        if others := _not_read(folder / name, path):
            yield f'\nnot read of {name}: {", ".join(others[:5])}{", ..." * (len(others) > 5)}'


def _what_was_said(result: Result) -> str:
    """The first line and the hint of a wrong answer, the error of one that failed."""
    lines = result.text.partition(PRINTED)[0].strip().splitlines() or ['']
    if result.outcome == 'failed':
        errors = [line for line in lines if re.match(r'[\w.]*(Error|Exception|Interrupt)\b', line)]
        return (errors or lines)[-1].strip()
    hints = [line.strip() for line in lines[1:] if line.strip().startswith('Hint:')]
    return ''.join([lines[0], *(f'\n   {hint}' for hint in hints[:1])])


def _write_table(table, tasks, found):
    with open(table, 'w', encoding='utf-8-sig', newline='') as file:    # else Excel garbles names
        rows = csv.writer(file)
        rows.writerow(['learner', *(task.name for task in tasks), 'right'])
        for name, results in found.items():
            rows.writerow([name, *(results[task].outcome for task in tasks),
                           sum(result.is_right for result in results.values())])
