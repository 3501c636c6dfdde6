"""How often a training has run: what decides when its programs are replaced by faster ones.

Unrolled loops and native code have other last bits than what they follow, after a fixed number of
runs. These numbers are saved with a training, so that one that was interrupted goes on with the
same bits. And they do not depend on what else a run fetches, such as a summary in each hundredth
step: programs that update the same Variables, given feeds of the same shapes, count together.
"""
from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from tinyflow.compiler.ir import Program

__all__ = ['ElementShapes', 'TrainingRuns', 'Trainings']


class TrainingRuns:
    """The number of runs before a training's programs moved up to native code.

    `native_after` is the number at which they do; None until the first program has decided.
    """

    def __init__(self, runs: int = 0, native_after: int | None = None) -> None:
        self.runs, self.native_after = runs, native_after


class ElementShapes:
    """The shapes of elements that programs were compiled for, and how often others have come."""

    def __init__(self) -> None:
        self.special: list[tuple] = []
        self.counts = Counter[tuple]()


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

    def shapes_of(self, program: Program) -> ElementShapes:
        """Those of the rest of a program that takes elements."""
        key = _key(program, [v.name for v in program.feeds])
        return self._shapes.setdefault(key, ElementShapes()) if key else ElementShapes()

    def state(self) -> dict[str, Any]:
        """All of them, as plain data."""
        return {'runs': {key: (t.runs, t.native_after) for key, t in self._runs.items()},
                'shapes': {key: (list(s.special), list(s.counts.items()))
                           for key, s in self._shapes.items()}}

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
    text = '\n'.join([*sorted(updated), 'reads' if program.reads else '', *sorted(feeds)])
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest() if updated else ''
