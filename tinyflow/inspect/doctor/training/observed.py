"""Observed: the figures that are kept of the sampled steps of one training step."""
from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.inspect.doctor.training.probes import Probes, Update

_RECENT = 6                 # sampled steps over which a unit must be dead
_MOST_LOSSES = 4096


@dataclass
class Units:
    """What the units of one activation did: shares of them, by sampled step."""

    silent: list[float] = field(default_factory=list)       # 0 for all rows of the step
    saturated: list[float] = field(default_factory=list)    # of all values
    fired: deque = field(default_factory=lambda: deque(maxlen=_RECENT))
    steps: list[int] = field(default_factory=list)          # the sampled steps in which it ran
    rows: int = 0
    last: np.ndarray | None = None

    def dead(self) -> float:
        """The share of units that were 0 for all rows of all recent sampled steps."""
        fired = [f for f in self.fired if f.shape == self.fired[-1].shape]
        return 1 - float(np.mean(np.any(fired, axis=0))) if fired else 0.


@dataclass
class Data:
    """The values of an input, a target or labels, over all sampled steps."""

    square: float = 0.          # the largest mean square of a step
    low: float = np.inf
    high: float = -np.inf
    rows: int = 0
    column_low: np.ndarray | None = None
    column_high: np.ndarray | None = None
    sums_to_one: bool = True
    counts: dict[float, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, array: np.ndarray) -> None:
        if array.dtype.kind == 'f' and not np.isfinite(array).all():
            array = array[np.isfinite(array)]       # the check for NaN says where they come from
        if not array.size:
            return
        self.low, self.high = min(self.low, float(array.min())), max(self.high, float(array.max()))
        flat = array.reshape(-1)
        self.square = max(self.square, float(np.dot(flat, flat)) / flat.size)
        self.rows += len(array) if array.ndim else 1
        if array.ndim == 2:
            low, high = array.min(0), array.max(0)
            same = self.column_low is not None and self.column_low.shape == low.shape
            self.column_low = np.minimum(self.column_low, low) if same else low
            self.column_high = np.maximum(self.column_high, high) if same else high
            self.sums_to_one = self.sums_to_one and bool(
                np.all(np.abs(array.sum(1) - 1) < 1e-3))

    def count(self, classes: np.ndarray) -> None:
        """Counts rows by class."""
        for value, number in zip(*np.unique(classes, return_counts=True)):
            self.counts[float(value)] += int(number)

    @property
    def rms(self) -> float:
        return self.square ** 0.5


class Observed:
    """The losses of all steps and the figures of the sampled ones."""

    def __init__(self, probes: Probes) -> None:
        self.probes = probes
        self.steps = 0
        self.losses: list[tuple[int, float]] = []
        self.first_losses: list[float] = []
        self.sampled: list[int] = []
        self.units = {op: Units() for op in probes.all_activations}
        self.data: dict[Tensor, Data] = defaultdict(Data)
        self.gradients: dict[Update, list[float]] = defaultdict(list)   # norm / norm of weights
        self.update_ratios: dict[Update, list[float]] = defaultdict(list)
        self.first_weights: dict[Update, np.ndarray] = {}
        self.moved: dict[Update, float] = {}
        self.last_values: dict[str, np.ndarray] = {}
        self.confident: list[tuple[float, float]] = []      # (saturated rows, their mean loss)
        self.classes = 0
        self.not_finite_at: int | None = None
        self.origin: tuple[str, Operation | None] | None = None         # of a NaN
        self.from_zero: set[Update] = set()     # whose weights began at 0
        self.rows = 1                           # of a batch
        self._keep_every = 1

    def add_loss(self, step: int, value: Any) -> None:
        value = float(value if value.ndim == 0 else value.mean())
        if not isfinite(value):
            if self.not_finite_at is None:
                self.not_finite_at = step
            return
        if len(self.first_losses) < 5:
            self.first_losses.append(value)
        if step % self._keep_every == 0:
            self.losses.append((step, value))
            if len(self.losses) > _MOST_LOSSES:         # every other one, and so on
                self._keep_every *= 2
                self.losses = self.losses[::2]

    def add_sample(self, step: int, values: dict[Tensor, np.ndarray],
                   before: list[np.ndarray | None], after: list[np.ndarray | None]) -> None:
        """Takes the figures of a sampled step; before and after: the values of the Variables.

        Of operations inside of loops and conds `values` has those that ran.
        """
        self.sampled.append(step)
        with np.errstate(all='ignore'):
            for op, units in self.units.items():
                if op.outputs[0] in values:
                    units.steps.append(step)
                    self._add_units(op, units, values[op.outputs[0]])
            for tensor in [*self.probes.all_inputs, *self.probes.targets]:
                if tensor in values:
                    self.data[tensor].add(np.asarray(values[tensor]))
            for one in self.probes.class_losses:
                self._add_classes(one, values)
            for update, old, new in zip(self.probes.updates, before, after):
                self._add_update(update, old, new, values)
            for tensor in [*self.probes.inputs, *[op.outputs[0] for op in self.probes.activations]]:
                self.rows = max(self.rows, *values[tensor].shape[:1])

    def _add_units(self, op: Operation, units: Units, array: np.ndarray) -> None:
        units.rows += len(array) if array.ndim else 1
        units.last = array
        if op.type == 'Tanh':
            units.saturated.append(float(np.mean(np.abs(array) > 0.99)))
        elif op.type == 'Sigmoid':
            units.saturated.append(float(np.mean(np.abs(array - 0.5) > 0.49)))
        elif array.ndim >= 2 and array.size:
            channel = 1 if self.probes.channels_first and array.ndim == 4 else array.ndim - 1
            others = tuple(i for i in range(array.ndim) if i != channel)
            fired = (array > 0).any(axis=others)
            units.fired.append(fired)
            units.silent.append(1 - float(fired.mean()))

    def _add_classes(self, one: Any, values: dict[Tensor, np.ndarray]) -> None:
        labels = values[one.labels]
        data = self.data[one.labels]
        data.add(labels)
        if one.labels.dtype.is_integer and labels.ndim == 1:
            data.count(labels)
        elif one.logits is not None and labels.ndim == 2:
            data.count(labels.argmax(-1))
        elif one.logits is None and labels.ndim <= 2 and labels.size == len(labels):
            data.count(labels)
        if one.logits is None:
            return
        logits = values[one.logits]
        self.data[one.logits].add(logits)
        self.classes = max(self.classes, logits.shape[-1])
        if logits.ndim == 2 and logits.shape[-1] > 1 and logits.size:
            top = np.partition(logits, -2, axis=-1)
            sure = top[:, -1] - top[:, -2] > 12         # a probability of 0.99999
            self.confident.append((float(sure.mean()), float(values[one.per_row].mean())))

    def _add_update(self, update: Update, old: np.ndarray | None, new: np.ndarray | None,
                    values: dict[Tensor, np.ndarray]) -> None:
        if old is None or new is None or old.dtype.kind != 'f':
            return
        # Weights that begin at 0 have no size of their own yet.
        size = max(_norm(old), 1e-2 * old.size ** 0.5)
        self.update_ratios[update].append(_norm(new - old) / size)
        if update not in self.first_weights and not old.any():
            self.from_zero.add(update)
        first = self.first_weights.setdefault(update, old)
        self.moved[update] = _norm(new - first) / size
        self.last_values[f'weights {update.name}'] = new
        gradient = None if update.gradient is None else values[update.gradient]
        if gradient is not None:
            self.gradients[update].append(_norm(gradient) / size)
            self.last_values[f'gradient {update.name}'] = gradient


def _norm(array: np.ndarray) -> float:
    flat = array.reshape(-1)
    square = float(np.dot(flat, flat))
    if not np.isfinite(square):                     # of the squares only, perhaps
        flat = flat.astype(np.float64)
        square = float(np.dot(flat, flat))
    return square ** 0.5
