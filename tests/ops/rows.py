"""The table of ops: one row or more for every op; tests/ops/test_ops.py makes tests of them.

The rows are in modules named rows.py or rows_*.py next to the tests of their family, such as
tests/ops/math/rows.py.

A row says how to build a node with the public API, on what inputs, and what NumPy makes of them:

    ROWS = [row('Mul', lambda tf, x, y: tf.multiply(x, y), [(2, 3), (3,)], ref=lambda x, y: x * y)]

`ref` must not be the kernel itself. Each module of rows has a list ROWS.
"""
from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Row:
    """One example of an op.

    op_type     the op that `build` must make (at least once)
    build       build(tf, *tensors) -> Tensor or list of Tensors, by the public API
    inputs      a tuple of ints is a shape, filled with random values in [low, high]; anything else
                is taken as a concrete array
    ref         ref(*arrays) -> array or list of arrays; None where values cannot be predicted
                (then only dtypes and shapes are checked)
    grad        True: with respect to every float input; False: not at all; or the input positions
    second      the same for second derivatives (of the inputs that `grad` names)
    bad         callables(tf) that must raise while the graph is built, naming op and line
    run_bad     callables(tf) -> fetch or (fetch, feed_dict) that must raise when run
    unknown     False if `build` cannot work on placeholders of unknown shape
    static_result   False if the output's shape depends on values, as for Where
    """

    op_type: str
    build: Callable
    inputs: Sequence[Any] = ()
    ref: Callable | None = None
    low: float = -1.0
    high: float = 1.0
    grad: bool | tuple[int, ...] = True
    second: bool | tuple[int, ...] = True
    dtype: str = 'float64'
    tol: float = 1e-6
    bad: Sequence[Callable] = ()
    run_bad: Sequence[Callable] = ()
    name: str | None = None
    unknown: bool = True
    static_result: bool = True

    def arrays(self) -> list[np.ndarray]:
        """The input values: random, but the same in every run of the tests."""
        seed = zlib.crc32(f'{self.op_type} {self.name} {len(self.inputs)}'.encode())
        rng = np.random.default_rng(seed)
        return [self._random(rng, i) if isinstance(i, tuple) else np.asarray(i)
                for i in self.inputs]

    def _random(self, rng, shape):
        dtype = np.dtype(self.dtype)
        if dtype.kind == 'b':
            return rng.random(shape) < 0.5
        if dtype.kind in 'iu':
            return rng.integers(int(self.low), int(self.high) + 1, shape).astype(dtype)
        values = rng.uniform(self.low, self.high, shape)
        if dtype.kind == 'c':
            values = values + 1j * rng.uniform(self.low, self.high, shape)
        return values.astype(dtype)

    def grad_positions(self, arrays) -> tuple[int, ...]:
        """Positions of the inputs that the output is to be differentiated by."""
        if self.grad is False:
            return ()
        if self.grad is True:
            return tuple(i for i, a in enumerate(arrays) if a.dtype.kind == 'f')
        return tuple(self.grad)

    def second_positions(self, arrays) -> tuple[int, ...]:
        """Of those, the ones for second derivatives."""
        if self.second is False:
            return ()
        first = self.grad_positions(arrays)
        return first if self.second is True else tuple(i for i in first if i in self.second)

    def __str__(self):
        return f'{self.op_type}-{self.name}' if self.name else self.op_type


def row(op_type, build, inputs=(), **settings) -> Row:
    """A Row; see its fields for what can be set."""
    return Row(op_type, build, tuple(inputs), **settings)


def load_all() -> list[Row]:
    """The rows of every module of rows under tests/."""
    paths = sorted(set(ROOT.glob('tests/**/rows*.py')) - {Path(__file__).resolve()})
    names = ['.'.join(path.relative_to(ROOT).with_suffix('').parts) for path in paths]
    return [r for name in names for r in importlib.import_module(name).ROWS]
