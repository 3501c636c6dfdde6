"""Trains the networks of a playground, and keeps their weights over time."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.inspect.playground.points import points
from tinyflow.inspect.playground.settings import FEATURES, Run, Settings
from tinyflow.layers.core import dense
from tinyflow.layers.losses.regression import mean_squared_error
from tinyflow.ops.array.placeholders import placeholder
from tinyflow.ops.math.unary import sigmoid, tanh
from tinyflow.ops.nn.activations import relu
from tinyflow.ops.variables.variable_lists import (
    global_variables_initializer,
    trainable_variables,
)
from tinyflow.session.session import Session
from tinyflow.train.optimizers.gradient_descent import GradientDescentOptimizer

__all__ = ['BATCH', 'epochs_kept', 'features_of', 'trained']

BATCH = 20
SCALE = 3.          # coordinates are divided by it
_FUNCTIONS = {'relu': relu, 'tanh': tanh, 'sigmoid': sigmoid, 'linear': None}


def trained(settings: Settings) -> Iterator[tuple[Run, np.ndarray, np.ndarray]]:
    """(run, weights [snapshot, weight], losses [snapshot, 2]) of each run; float32.

    The weights are those of all layers, kernel [inputs, units] before bias [units], in one row. The
    losses are the mean squared errors of the training points and of the others.
    """
    def network(run: Run) -> tuple:
        return run.features, run.hidden, run.activation
    for _, runs in groupby(settings.runs(), network):
        yield from _runs_of_one_network(list(runs), settings)


def _runs_of_one_network(runs: list[Run], settings: Settings):
    """They share a graph, whose learning rate is fed, and begin with the same weights."""
    first, graph = runs[0], Graph()
    with graph.as_default():
        set_random_seed(settings.seed)
        x = placeholder(dtypes.float32, [None, len(FEATURES[first.features])])
        y = placeholder(dtypes.float32, [None, 1])
        rate = placeholder(dtypes.float32, [])
        layer = x
        for units in first.hidden:
            layer = dense(layer, units, _FUNCTIONS[first.activation])
        loss = mean_squared_error(y, dense(layer, 1, tanh))
        step = GradientDescentOptimizer(rate).minimize(loss)
        variables, initializer = trainable_variables(), global_variables_initializer()
    with Session(graph=graph) as session:
        train = session.make_callable(step, [x, y, rate])
        measure = session.make_callable(loss, [x, y])
        session.run(initializer)
        beginning = session.variable_values(variables)
        for run in runs:
            session.set_variable_values(zip(variables, beginning))
            inputs, labels = features_of(run, settings.seed)
            halves = [(half, other) for half, other in zip(np.array_split(inputs, 2),
                                                           np.array_split(labels, 2))]
            weights, losses, done = [], [], 0
            random = np.random.RandomState(settings.seed)
            for epoch in epochs_kept(settings):
                for _ in range(epoch - done):
                    _one_epoch(train, *halves[0], np.float32(run.rate), random)
                done = epoch
                values = session.variable_values(variables)
                weights.append(np.concatenate([value.ravel() for value in values]))
                losses.append([measure(*half) for half in halves])
            yield run, np.array(weights), np.array(losses, np.float32)


def _one_epoch(train, inputs, labels, rate, random):
    order = random.permutation(len(inputs))
    for start in range(0, len(order), BATCH):
        rows = order[start:start + BATCH]
        train(inputs[rows], labels[rows], rate)


def features_of(run: Run, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(what the network is given [points, features], labels [points, 1]) of a run."""
    plane, labels = points(run.problem, seed)
    x, y = plane[:, 0] / SCALE, plane[:, 1] / SCALE
    known = {'x': x, 'y': y, 'x²': x * x, 'y²': y * y, 'x·y': x * y}
    return np.stack([known[name] for name in FEATURES[run.features]], axis=1), labels


def epochs_kept(settings: Settings) -> list[int]:
    """The epochs after which weights are kept: close to each other at the beginning."""
    along = np.linspace(0, 1, settings.snapshots) ** 2 * settings.epochs
    return sorted(set(map(int, np.round(along))))
