"""tf.testing: checks a gradient against central differences, for op authors.

One random projection is compared instead of every entry of a Jacobian: with random weights w, the
slope of sum(w * y(x)) along a random direction u must be sum(dx * u), where dx is what gradients()
builds. The second order is the same check of dx as a function of x and w.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tinyflow.gradients.reverse import gradients
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.session.session import Session

# Central differences err by about step**2 + precision / step, least near the cube root of the
# precision.
_STEPS = {'float64': 1e-5, 'float32': 5e-3, 'float16': 5e-2}


class Slope(NamedTuple):
    """One comparison: the slope along a direction of `x`, by gradients() and by differences."""

    order: int
    x: Tensor
    analytic: float
    numeric: float

    @property
    def error(self) -> float:
        """The difference, relative to the slope where that is larger than 1; inf for NaN."""
        gap = abs(self.analytic - self.numeric)
        scale = max(1.0, abs(self.analytic), abs(self.numeric))
        return gap / scale if np.isfinite(gap) and np.isfinite(scale) else float('inf')


def check_gradient(y, xs, feed, order=2, tol=1e-6, step=None, seed=0, session=None) -> None:
    """Raises AssertionError unless the gradient of `y` by `xs` agrees with central differences.

    `y` is a Tensor or a list of them, `xs` placeholders, `feed` their values; float64 is advised.
    With order=2 the second derivatives are checked too. Choose values away from kinks: at x = 0
    the two one-sided slopes of abs(x) differ. `step` is the size of the differences.
    """
    for slope in compare_slopes(y, xs, feed, order, step, seed, session):
        if not slope.error <= tol:
            names = ', '.join(f"{t.op.type} '{t.name}'" for t in _as_list(y))
            raise AssertionError(
                f"gradient of {names} by '{slope.x.name}' is wrong (order {slope.order}): along a "
                f'random direction gradients() gives {slope.analytic:.10g}, '
                f'central differences give {slope.numeric:.10g}; relative error '
                f'{slope.error:.2g} > {tol:g}.')


def compute_gradient_error(y, xs, feed, order=1, step=None, seed=0, session=None) -> float:
    """The largest relative difference between gradients() and central differences.

    Arguments as for `check_gradient`; a correct float64 gradient has about 1e-9.
    """
    slopes = compare_slopes(y, xs, feed, order, step, seed, session)
    return max((slope.error for slope in slopes), default=0.0)


def compare_slopes(y, xs, feed, order=1, step=None, seed=0, session=None) -> list[Slope]:
    """The comparisons of `check_gradient`: one for each of `xs` and each order."""
    ys, xs = _as_list(y), _as_list(xs)
    ys = [t for t in ys if t.dtype.base_dtype.is_floating]
    feed = {t: np.array(v, t.dtype.base_dtype.np) for t, v in feed.items()}
    rng = np.random.default_rng(seed)
    if session is not None:
        return _compare(ys, xs, feed, session, order, 1, step, rng)
    graph = (ys or xs)[0].graph
    with Session(graph=graph) as own:
        own.run([v.initializer for v in graph.get_collection('variables')])
        return _compare(ys, xs, feed, own, order, 1, step, rng)


def _compare(ys, xs, feed, session, deepest, order, step, rng):
    values = session.run(ys, feed)
    weights = _weights(ys, values, rng)             # placeholder -> value, one for each y
    dxs = gradients(ys, xs, grad_ys=list(weights)) if ys else [None] * len(xs)
    dxs = [None if dx is None else convert_to_tensor(dx) for dx in dxs]
    reached, weighted = [dx for dx in dxs if dx is not None], {**feed, **weights}
    found = iter(session.run(reached, weighted) if reached else ())     # in one program
    slopes = [_slope(x, None if dx is None else next(found), ys, weights, feed, session, order,
                     step, rng) for x, dx in zip(xs, dxs)]
    if order < deepest and reached:
        slopes += _compare(reached, [*xs, *weights], weighted, session, deepest, order + 1, step,
                           rng)
    return slopes


def _weights(ys, values, rng):
    """A placeholder for each y, with random weights."""
    weights = {}
    with ys[0].graph.as_default() if ys else name_scope(None):
        for y, value in zip(ys, values):
            dtype = y.dtype.base_dtype
            weight = nodes.Placeholder(dtype=dtype, shape=y.shape, name='weight')
            weights[weight] = rng.uniform(-1.0, 1.0, np.shape(value)).astype(dtype.np)
    return weights


def _slope(x, gradient, ys, weights, feed, session, order, step, rng):
    direction = rng.uniform(-1.0, 1.0, feed[x].shape)
    size = step or max(_STEPS[t.dtype.base_dtype.name] for t in [x, *ys])
    analytic = 0.0 if gradient is None else float(np.sum(gradient * direction))
    moved = []
    for sign in (1.0, -1.0):
        there = {**feed, x: (feed[x] + sign * size * direction).astype(feed[x].dtype)}
        values = session.run(ys, there)
        moved.append(sum(np.sum(np.asarray(value, np.float64) * weight)
                         for value, weight in zip(values, weights.values())))
    return Slope(order, x, analytic, float(moved[0] - moved[1]) / (2.0 * size))


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


__all__ = ['Slope', 'check_gradient', 'compare_slopes', 'compute_gradient_error']


def __dir__():
    return __all__
