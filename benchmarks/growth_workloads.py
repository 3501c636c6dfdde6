"""Workloads that grow, and the work that each has to do at least; measured by growth.py.

Like workloads.py it is written once for every framework, and stays within Python 3.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable  # noqa: UP035  (Python 3.7)

import workloads
from workloads import Row, workload

BATCHES = (1, 4, 16, 64, 256, 1024)
WIDTHS = (32, 64, 128, 256, 512, 1024)
FLOAT = 4  # bytes


@dataclass(frozen=True)
class Work:
    """Operations (a multiply-add is two), and bytes of weights and moments through memory."""

    flops: float
    bytes: float


@dataclass(frozen=True)
class Series:
    """A workload at several sizes."""

    name: str
    title: str
    axis: str
    sizes: tuple[int, ...]
    work: Callable[[int], Work]

    def workload(self, size):
        return f"{self.name}_{size}"


def mlp_work(batch, width):
    """Forward, both gradients, but none of the data; Adam reads and writes weight and two moments.
    """
    first, second = 784 * width, width * 10
    adam = 6  # arrays of the size of the weights
    return Work(2 * batch * (2 * first + 3 * second), (3 + adam) * FLOAT * (first + second))


def cnn_work(batch):
    """Forward, gradients of the filters, and of what is not data."""
    first, second = 28 * 28 * 25 * 32, 14 * 14 * 25 * 32 * 64
    dense = 7 * 7 * 64 * 1024
    return Work(2 * batch * (2 * first + 3 * second + 3 * dense), 9 * FLOAT * dense)


def lstm_work(width):
    """28 steps of a batch of 128: the product of the gates, forward and both gradients."""
    gates = (28 + width) * 4 * width
    return Work(2 * 128 * 28 * 3 * gates, 9 * FLOAT * gates)


def mlp(batch, width):
    return lambda tf, np: workloads.mlp_step(
        tf, np, (784, width, 10), batch=batch, optimizer=tf.train.AdamOptimizer(1e-3))


SERIES = (
    Series("mlp_batch", "MLP 784-512-10, Adam", "batch", BATCHES, lambda n: mlp_work(n, 512)),
    Series("mlp_width", "MLP 784-n-10, batch 128, Adam", "width", WIDTHS,
           lambda n: mlp_work(128, n)),
    Series("cnn_batch", "CNN 5x5x32, 5x5x64, 1024, Adam", "batch", BATCHES, cnn_work),
    Series("lstm_width", "LSTM, 28 steps, batch 128, Adam", "units", WIDTHS[:-1], lstm_work),
)
_SETUPS = {
    "mlp_batch": lambda size: mlp(size, 512),
    "mlp_width": lambda size: mlp(128, size),
    "cnn_batch": lambda size: lambda tf, np: workloads.cnn_step(tf, np, size),
    "lstm_width": lambda size: lambda tf, np: workloads.lstm_step(
        tf, np, workloads.unrolled, units=size),
}


def _enter():
    for series in SERIES:
        for size in series.sizes:
            setup = _SETUPS[series.name](size)
            setup.__name__ = series.workload(size)
            workload(Row(f"{series.title}: {size}", 1), warmup=8)(setup)


_enter()
