"""How often a training has run: what decides when its programs are replaced by faster ones.

Unrolled loops and native code have other last bits than what they follow, after a fixed number of
runs. These numbers are saved with a training, so that one that was interrupted goes on with the
same bits. And they do not depend on what else a run fetches, such as a summary in each hundredth
step: programs that update the same Variables, given feeds of the same shapes, count together.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tinyflow.compiler.ir import Program
from tinyflow.graph.shapes import Shape

__all__ = ['ElementShapes', 'TrainingRuns', 'Trainings']

_MOST_COUNTED = 256         # shapes; of more, none comes often


class TrainingRuns:
    """How many runs of a training count: those of programs that are still to be replaced.

    `native_after` is the number after which native code is used; None until the first program
    that has any decides.
    """

    def __init__(self, runs: int = 0, native_after: int | None = None) -> None:
        self.runs, self.native_after = runs, native_after


class ElementShapes:
    """The shapes of elements that have programs of their own, and how often others have come."""

    def __init__(self) -> None:
        self.special: list[tuple] = []
        self.counts = Counter[tuple]()

    def special_after(self, shapes: tuple, often: int, most: int) -> bool:
        """Counts a run; whether these shapes have a program of their own, or are to get one: the
        first ones, and others that have come more than `often` times, `most` in all.
        """
        if shapes in self.special or not self.special:
            return True
        if len(self.special) >= most:
            return False
        if len(self.counts) >= _MOST_COUNTED:
            self.counts.clear()
        self.counts[shapes] += 1
        return self.counts[shapes] > often

    def add(self, shapes: tuple) -> None:
        """Notes that these shapes have a program of their own."""
        if shapes not in self.special:
            self.special.append(shapes)
            self.counts.pop(shapes, None)


class Trainings:
    """The TrainingRuns and ElementShapes of a Session, by a checksum of Variables and feeds.

    A program that updates no Variable has its own.
    """

    def __init__(self) -> None:
        self._runs: dict[str, TrainingRuns] = {}
        self._shapes: dict[str, ElementShapes] = {}

    def runs_of(self, program: Program) -> TrainingRuns:
        """Those of an optimised program."""
        key = _key(program, [f'{v.name} {v.raw_shape}' for v in program.feeds])
        return self._runs.setdefault(key, TrainingRuns()) if key else TrainingRuns()

    def shapes_of(self, program: Program, fed: Sequence[Shape]) -> ElementShapes:
        """Those of the rest of a program that takes elements, for fed arrays of these shapes."""
        names = [v.name for v in program.feeds]
        key = _key(program, [*map('{} {}'.format, names, fed), ' '.join(names[len(fed):])])
        return self._shapes.setdefault(key, ElementShapes()) if key else ElementShapes()

    def state(self) -> dict[str, Any]:
        """All of them, as plain data."""
        runs, shapes = list(self._runs.items()), list(self._shapes.items())
        return {'runs': {key: (t.runs, t.native_after) for key, t in runs},
                'shapes': {key: (list(s.special), list(s.counts.items())) for key, s in shapes}}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores `state`, for programs that are compiled later, too."""
        for key, (runs, native_after) in state.get('runs', {}).items():
            training = self._runs.setdefault(key, TrainingRuns())
            training.runs, training.native_after = runs, native_after
        for key, (special, counts) in state.get('shapes', {}).items():
            shapes = self._shapes.setdefault(key, ElementShapes())
            shapes.special, shapes.counts = list(special), Counter(dict(counts))


def _key(program: Program, feeds: list[str]) -> str:
    """A checksum of the names of the Variables that a program updates, and of its feeds; '' if it
    updates none. Programs that read none, such as initialisers, are not a part of a training.
    """
    updated = {v.variable.name for i in program.instructions if i.writes
               for v in [i.inputs[position] for position in i.writes] if v.variable is not None}
    if not updated:
        return ''
    import hashlib  # start-up time
    text = '\n'.join([*sorted(updated), 'reads' if program.reads else '', *sorted(feeds)])
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
