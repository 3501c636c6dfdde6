"""A teacher's report: which answers in a folder of folders, one for each learner, are right."""
from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tinyflow.api.learn.checking import Result, check_file
from tinyflow.api.learn.exercise import Exercise, all_exercises

__all__ = ['class_report', 'learners']

_SIGNS = {'right': '+', 'wrong': '-', 'failed': 'E', 'too long': 'T', 'missing': '.'}


def learners(folder: Path) -> list[Path]:
    """The folders of the learners: those that have an answer."""
    names = {each.file_name for each in all_exercises()}
    return sorted(path for path in folder.iterdir()
                  if path.is_dir() and any((path / name).is_file() for name in names))


def class_report(folder: Path, table: Path | None = None) -> Iterator[str]:
    """Lines: one for each learner, then what stopped most of them. All answers are run.

    `table`: a CSV file with a row for each learner and a column for each exercise.
    """
    found: dict[Path, dict[Exercise, Result]] = {}
    paths = learners(folder)
    tasks = [task for task in all_exercises()
             if any((path / task.file_name).is_file() for path in paths)]
    width = max((len(path.name) for path in paths), default=0)
    if not tasks:
        yield f'No folder in {folder} has an answer.'
        return
    yield ' ' * width + '  ' + ' '.join(f'{task.number:2}' for task in tasks)
    with ThreadPoolExecutor(os.cpu_count()) as pool:        # each answer runs in its own process
        for path in paths:
            results = pool.map(lambda task, path=path: check_file(task, path / task.file_name),
                               tasks)
            found[path] = dict(zip(tasks, results))
            signs = ' '.join(f'{_SIGNS[found[path][task].outcome]:>2}' for task in tasks)
            right = sum(result.is_right for result in found[path].values())
            yield f'{path.name:{width}}  {signs}  {right} of {len(tasks)} right'
    if table is not None:
        _write_table(table, tasks, found)
    yield '\n+ right   - wrong   E error   T took too long   . not there'
    for task in tasks:
        said = [found[path][task].text.splitlines()[-1] for path in paths
                if found[path][task].outcome in ('wrong', 'failed') and found[path][task].text]
        if said:
            most = max(sorted(set(said)), key=said.count)
            yield (f'\n{task.number}. {task.title}: {len(said)} of {len(paths)} not right yet'
                   f'\n   most often: {most.strip()}')


def _write_table(table, tasks, found):
    with open(table, 'w', encoding='utf-8', newline='') as file:
        rows = csv.writer(file)
        rows.writerow(['learner', *(task.name for task in tasks), 'right'])
        for path, results in found.items():
            rows.writerow([path.name, *(results[task].outcome for task in tasks),
                           sum(result.is_right for result in results.values())])
