"""The learner's folder: a file for each exercise that was started, and what was achieved."""
from __future__ import annotations

import json
from pathlib import Path

from tinyflow.api.learn.exercise import Exercise, all_exercises
from tinyflow.graph.support.errors import misuse

__all__ = ['Folder']

_PROGRESS = '.tinyflow-learn.json'


class Folder:
    """Answers in a folder, and in its file .tinyflow-learn.json which are right.

    A progress file that cannot be read is taken for empty: the answers can be checked again.
    """

    def __init__(self, path) -> None:
        self.path = Path(path)
        try:
            known = json.loads((self.path / _PROGRESS).read_text(encoding='utf-8'))
            self._right = {str(name) for name in known['right']}
            self._hints = {str(name): int(count) for name, count in known['hints'].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            self._right, self._hints = set(), {}

    def answer(self, task: Exercise) -> Path:
        """The file of the answer to an exercise."""
        return self.path / task.file_name

    def start(self, task: Exercise) -> Path:
        """Makes the file to begin with. FileExistsError, so that no answer is lost."""
        path = self.answer(task)
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with open(path, 'x', encoding='utf-8') as file:
                file.write(task.beginning)
        except FileExistsError:
            raise misuse(FileExistsError(
                f'{path} exists already: your answer is kept.\n  Hint: delete the file to begin '
                'again.')) from None
        return path

    def is_right(self, task: Exercise) -> bool:
        """True if the answer was right when it was last checked."""
        return task.name in self._right

    def note(self, task: Exercise, right: bool) -> None:
        """Remembers the result of a check."""
        (self._right.add if right else self._right.discard)(task.name)
        self._save()

    def next_hint(self, task: Exercise) -> tuple[int, str]:
        """(number, text) of the first hint that was not shown yet; the last one stays."""
        number = min(self._hints.get(task.name, 0) + 1, len(task.hints))
        self._hints[task.name] = number
        self._save()
        return number, task.hints[number - 1]

    def next_task(self) -> Exercise | None:
        """The first exercise that is not right yet."""
        return next((each for each in all_exercises() if not self.is_right(each)), None)

    def _save(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        text = json.dumps({'right': sorted(self._right), 'hints': self._hints}, indent=1)
        (self.path / _PROGRESS).write_text(text, encoding='utf-8')
