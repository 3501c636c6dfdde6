"""Settings: what can be chosen on a playground page, all combinations of which are trained."""
from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.playground.points import PROBLEMS

__all__ = ['ACTIVATIONS', 'FEATURES', 'Run', 'Settings']

ACTIVATIONS = ('relu', 'tanh', 'sigmoid', 'linear')
# What the network is given for a point (x, y).
FEATURES = {'x, y': ('x', 'y'), 'x, y, squares, product': ('x', 'y', 'x²', 'y²', 'x·y')}


class Run(NamedTuple):
    """One combination of settings."""

    problem: str
    features: str
    hidden: tuple[int, ...]
    activation: str
    rate: float


@dataclass(frozen=True)
class Settings:
    """The choices on the page: each is a tuple, and its first value is shown when it opens.

    `hidden` has the sizes of the hidden layers, () for none; `epochs` is how long each run trains,
    of which `snapshots` are kept. ValueError for an unknown problem, activation or features.
    """

    problems: tuple[str, ...] = ('disc', 'xor', 'clouds', 'spirals')
    features: tuple[str, ...] = tuple(FEATURES)
    hidden: tuple[tuple[int, ...], ...] = ((4,), (), (2,), (6, 4), (8, 8))
    activations: tuple[str, ...] = ('tanh', 'relu', 'sigmoid', 'linear')
    rates: tuple[float, ...] = (0.1, 0.01, 1.0)
    epochs: int = 200
    snapshots: int = 25
    seed: int = 1

    def __post_init__(self):
        for name, known in (('problems', PROBLEMS), ('features', FEATURES),
                            ('activations', ACTIVATIONS)):
            for value in getattr(self, name):
                if value not in known:
                    raise misuse(ValueError(
                        f'There is no {value!r} among the {name} of a playground, only '
                        f'{", ".join(known)}.{nearest_keyword(value, known)}'))
        for name in ('problems', 'features', 'hidden', 'activations', 'rates'):
            if not getattr(self, name):
                raise misuse(ValueError(f'`{name}` must have a value to choose.'))
        if not 1 <= self.snapshots <= self.epochs:
            raise misuse(ValueError(
                f'`snapshots` must be from 1 to `epochs`={self.epochs}, not {self.snapshots}.'))

    def runs(self):
        """All combinations, those of one network together; without layers, no activation."""
        return [Run(problem, features, hidden, activation, rate)
                for features in self.features for hidden in map(tuple, self.hidden)
                for activation in (self.activations if hidden else ('linear',))
                for problem in self.problems for rate in self.rates]
