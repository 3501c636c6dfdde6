"""Points in the plane, each with a label of -1 or 1: the problems of the playground."""
from __future__ import annotations

import numpy as np

__all__ = ['PROBLEMS', 'points']

NUMBER = 240            # points of a problem; half of them are for training
NOISE = 0.35            # standard deviation, of coordinates from -6 to 6


def points(name, seed=0):
    """(x [NUMBER, 2], y [NUMBER, 1]) float32 of a problem in PROBLEMS, in random order."""
    random = np.random.RandomState(seed)
    x, y = PROBLEMS[name](random)
    order = random.permutation(len(x))
    x = x + random.normal(0, NOISE, x.shape)
    return x[order].astype(np.float32), y[order, np.newaxis].astype(np.float32)


def _disc(random):
    """A disc inside a ring."""
    half = NUMBER // 2
    radius = np.concatenate([random.uniform(0, 2.2, half), random.uniform(3.8, 5.4, half)])
    angle = random.uniform(0, 2 * np.pi, NUMBER)
    return _polar(radius, angle), _labels(half)


def _xor(random):
    """Four squares, of which those that touch at a corner belong together."""
    x = random.uniform(0.4, 5.2, (NUMBER, 2)) * random.choice([-1, 1], (NUMBER, 2))
    return x, np.where(x[:, 0] * x[:, 1] > 0, 1., -1.)


def _clouds(random):
    """Two clouds, which a line separates."""
    half = NUMBER // 2
    centres = np.repeat([[2.2, 2.2], [-2.2, -2.2]], half, axis=0)
    return centres + random.normal(0, 1.1, (NUMBER, 2)), _labels(half)


def _spirals(random):
    """Two spirals, one inside the other."""
    half = NUMBER // 2
    along = np.tile(np.linspace(0.15, 1, half), 2)
    angle = along * 3.2 * np.pi + np.repeat([0, np.pi], half)
    return _polar(5.4 * along, angle), _labels(half)


def _polar(radius, angle):
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _labels(half):
    return np.repeat([1., -1.], half)


PROBLEMS = {'disc': _disc, 'xor': _xor, 'clouds': _clouds, 'spirals': _spirals}
