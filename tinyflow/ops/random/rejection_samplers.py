"""Rejection samplers of TensorFlow 1: gamma, Poisson and bounded normal distributions.

Each output draws until a value is accepted, so outputs use different numbers of words. Seeded
streams give the numbers of TensorFlow 1.15; see `samplers.py` for what all samplers share.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tinyflow.ops.random.philox import Counter, PhiloxStream, SystemStream, blocks_at, chunks, words
from tinyflow.ops.random.philox_floats import (
    NORMAL,
    UNIFORM,
    float_type,
    log32,
    normal64,
    uniform64,
)
from tinyflow.ops.random.samplers import PER_OUTPUT, Shape, Stream

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


class _Readers:
    """One reader per output, each at its own position in the stream; all advance at once.

    TF's rejection samplers draw a whole block, use its numbers from the last to the first, and
    draw the next block when none is left.
    """

    def __init__(self, start: Counter, offsets: np.ndarray) -> None:
        self._start = start
        self._next = offsets

    def source(
        self, convert: Callable[[np.ndarray], np.ndarray], per_block: int
    ) -> Callable[[np.ndarray], np.ndarray]:
        """A function that returns one number for each output at indices `which`."""
        values = np.empty((len(self._next), per_block))
        left = np.zeros(len(self._next), np.intp)

        def take(which: np.ndarray) -> np.ndarray:
            empty = which[left[which] == 0]
            if len(empty):
                drawn = convert(blocks_at(self._start, self._next[empty]).reshape(-1))
                values[empty] = drawn.reshape(-1, per_block)
                self._next[empty] += 1
                left[empty] = per_block
            left[which] -= 1
            return values[which, left[which]]

        return take


def random_gamma(
    stream: Stream,
    shape: Shape,
    alpha: np.ndarray,
) -> np.ndarray:
    """Gamma variates of unit rate (TF's RandomGamma), in alpha's dtype.

    Shapes: alpha [*a] -> [*shape, *a]. Marsaglia and Tsang, "A simple method for generating gamma
    variables", ACM TOMS 26 (2000), in float64; alpha < 1 is raised by one and then corrected.
    """
    kind = float_type(alpha.dtype)
    if isinstance(stream, SystemStream):
        drawn = stream.generator.standard_gamma(alpha, (*shape, *alpha.shape))
        return _narrow(drawn, kind)
    return _per_parameter(stream, shape, alpha, kind, _gamma)


def random_poisson(
    stream: Stream,
    shape: Shape,
    rate: np.ndarray,
    dtype: DTypeLike = np.float32,
) -> np.ndarray:
    """Poisson counts (TF's RandomPoissonV2); NaN where a rate is negative or not finite.

    Shapes: rate [*r] -> [*shape, *r]. Computed in float64. Knuth's product of uniforms below a
    rate of 10; above, Hormann's transformed rejection, "The transformed rejection method for
    generating Poisson random variables", Insurance: Mathematics and Economics 12 (1993).
    """
    if isinstance(stream, PhiloxStream):
        return _per_parameter(stream, shape, rate, dtype, _poisson)
    wide = rate.astype(np.float64)
    proper = np.isfinite(wide) & (wide >= 0)
    counts = stream.generator.poisson(np.where(proper, wide, 0), (*shape, *rate.shape))
    return _narrow(np.where(proper, counts, np.nan), dtype)


def _narrow(x: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    # TF rounds float64 to float32 and then to float16, which can differ from rounding once.
    return (x.astype(np.float32) if np.dtype(dtype) == np.float16 else x).astype(dtype)


def _per_parameter(
    stream: PhiloxStream,
    shape: Shape,
    parameter: np.ndarray,
    dtype: DTypeLike,
    sampler: Callable[[_Readers, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Samples for each entry of `parameter`: all of the first entry, then all of the second...

    Shapes: parameter [*p] -> [*shape, *p]; the sampler works in float64. Output k,
    counted in that order, starts at block 256 k.
    """
    samples = math.prod(shape)
    total = samples * parameter.size
    start = stream.reserve(PER_OUTPUT * total)
    flat = parameter.reshape(-1).astype(np.float64)
    drawn = np.empty(total, dtype)

    for first, n in chunks(total):
        outputs = np.arange(first, first + n)
        readers = _Readers(start, outputs * PER_OUTPUT)
        drawn[first : first + n] = _narrow(sampler(readers, flat[outputs // samples]), dtype)
    by_sample = drawn.reshape(parameter.size, samples).T
    return np.ascontiguousarray(by_sample).reshape((*shape, *parameter.shape))


def _gamma(readers: _Readers, alpha: np.ndarray) -> np.ndarray:
    """Shapes: alpha [n] of float64 -> [n] of float64."""
    take_normal = readers.source(normal64, 2)
    take_uniform = readers.source(uniform64, 2)
    result = np.empty_like(alpha)
    exponential = alpha == 1
    (which,) = np.nonzero(exponential)
    result[which] = -np.log1p(-take_uniform(which))
    (which,) = np.nonzero(~exponential)
    d = alpha + np.where(alpha < 1, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    while len(which):
        x = take_normal(which)
        v = 1 + c[which] * x
        usable = v > 0
        tried, x, v = which[usable], x[usable], v[usable]
        v = v * v * v
        u = take_uniform(tried)
        squeezed = u < 1 - 0.0331 * (x * x) * (x * x)
        with np.errstate(divide="ignore"):
            accepted = np.log(u) < 0.5 * x * x + d[tried] * (1 - v + np.log(v))
        accepted |= squeezed
        done = tried[accepted]
        result[done] = d[done] * v[accepted]
        small = done[alpha[done] < 1]
        result[small] *= take_uniform(small) ** (1 / alpha[small])
        waiting = ~usable
        waiting[usable] = ~accepted
        which = which[waiting]
    return result


def _poisson(readers: _Readers, rate: np.ndarray) -> np.ndarray:
    """Shapes: rate [n] of float64 -> [n] of float64."""
    take = readers.source(uniform64, 2)
    result = np.full_like(rate, np.nan)
    proper = np.isfinite(rate) & (rate >= 0)
    _poisson_by_products(take, rate, np.nonzero(proper & (rate < 10))[0], result)
    _poisson_by_rejection(take, rate, np.nonzero(proper & (rate >= 10))[0], result)
    return result


def _poisson_by_products(
    take: Callable[[np.ndarray], np.ndarray],
    rate: np.ndarray,
    which: np.ndarray,
    result: np.ndarray,
) -> None:
    """Into result[which]: how many uniforms can be multiplied until they are below exp(-rate)."""
    bound = np.exp(-rate)
    product = np.ones_like(rate)
    result[which] = 0
    while len(which):
        product[which] *= take(which)
        which = which[product[which] > bound[which]]
        result[which] += 1


def _poisson_by_rejection(
    take: Callable[[np.ndarray], np.ndarray],
    rate: np.ndarray,
    which: np.ndarray,
    result: np.ndarray,
) -> None:
    """Into result[which], with the names of Hormann's paper: transformed rejection."""
    while len(which):
        mean = rate[which]
        b = 0.931 + 2.53 * np.sqrt(mean)
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        u = take(which) - 0.5
        v = take(which)
        margin = 0.5 - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.floor((2 * a / margin + b) * u + mean + 0.43)
            accepted = (margin >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
            rejected = (k < 0) | ((margin < 0.013) & (v > margin))
            log_hat = np.log(v * inverse_alpha / (a / (margin * margin) + b))
            accepted |= ~rejected & (log_hat <= -mean + k * np.log(mean) - _log_factorial(k))
        result[which[accepted]] = k[accepted]
        which = which[~accepted]


_SMALL_LOG_FACTORIALS = np.array([math.lgamma(k + 1) for k in range(32)])


def _log_factorial(k: np.ndarray) -> np.ndarray:
    """log(k!) for whole k; 0 below 0. Stirling's series from 32 on."""
    x = np.maximum(k, 32) + 1
    series = (1 / 12 - (1 / 360 - 1 / 1260 / (x * x)) / (x * x)) / x
    large = (x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + series
    small = _SMALL_LOG_FACTORIALS[np.clip(k, 0, 31).astype(np.intp)]
    return np.where(k < 32, small, large)


def parameterized_truncated_normal(
    stream: Stream,
    shape: Shape,
    means: np.ndarray,
    stddevs: np.ndarray,
    minvals: np.ndarray,
    maxvals: np.ndarray,
) -> np.ndarray:
    """Normals of given mean and deviation within bounds (TF's ParameterizedTruncatedNormal).

    Shapes: parameters [] or [shape[0]], of one float dtype -> [*shape]. ValueError where a
    deviation is not positive, the bounds are in the wrong order or both are infinite. Batches use
    their blocks one after another, as TF does on one thread. Method: Robert, "Simulation of
    truncated normal variables", Statistics and Computing 5 (1995).
    """
    kind = float_type(means.dtype)
    result: np.ndarray = np.empty(tuple(shape), kind)
    flat = result.reshape(-1)
    if means.size == stddevs.size == 1 and minvals.ndim == maxvals.ndim == 0:
        batches, per_batch = -(-flat.size // 100), 100
    else:
        batches, per_batch = shape[0], math.prod(shape[1:])
    philox = stream.philox if isinstance(stream, SystemStream) else stream
    cursor = _Cursor(philox.reserve(batches * 2 * _MAX_REJECTIONS * (per_batch + 3) // 4), kind)
    rows = [np.broadcast_to(p.reshape(-1), batches) for p in (means, stddevs, minvals, maxvals)]
    for batch, (mean, deviation, low, high) in enumerate(zip(*rows)):
        if not (deviation > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
            raise ValueError(
                "Need stddev > 0, minval < maxval and one finite bound; received "
                f"stddev={deviation}, minval={low}, maxval={high}."
            )
        if (np.isinf(low) and low < 0) or high < mean:
            low, high, deviation = high, low, -deviation
        part = flat[batch * per_batch : (batch + 1) * per_batch]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            lower, upper = (low - mean) / deviation, (high - mean) / deviation
            part[...] = _between(cursor, lower, upper, len(part), kind) * deviation + mean
    return result


# TF gives up after so many rejections in a row, and reserves blocks for them.
_MAX_REJECTIONS = 1000


class _Cursor:
    """A position in a stream that advances over the used blocks."""

    def __init__(self, start: Counter, kind: type) -> None:
        self._start, self._kind = start, kind
        self.per_block = 2 if kind is np.float64 else 4

    def peek(self, count: int, make: dict) -> np.ndarray:
        """The next `count` blocks as numbers. Shapes: -> [count, per_block]."""
        bits = words(self._start, 4 * count)
        return make[self._kind](bits).reshape(count, self.per_block)

    def skip(self, count: int) -> None:
        self._start = self._start.skip(count)


def _between(cursor: _Cursor, lower: float, upper: float, count: int, kind: type) -> np.ndarray:
    """Standard normals in [lower, upper]; the proposal depends on where the bounds are.

    Shapes: -> [count]. All arithmetic is in `kind`, as the choices depend on its rounding.
    """
    root = np.sqrt(lower * lower + kind(4))
    exponent = kind(0.5) + (lower * (lower - root)) / kind(4)
    cutoff = kind(2) * np.exp(exponent) / (lower + root)
    span = upper - lower
    if (lower < kind(-1.3) and upper >= 0) or (upper > kind(1.3) and lower <= 0):
        blocks_each, propose = 1, _from_normal(cursor, lower, upper)
    elif span < cutoff:
        blocks_each, propose = 2, _from_uniform(cursor, lower, span, kind)
    else:
        blocks_each, propose = 1, _from_exponential(cursor, lower, upper, kind)
    result: np.ndarray = np.empty(count, kind)
    filled = rejected = 0
    while filled < count:
        tries = count - filled + 8
        values, accepted = propose(tries)
        (hits,) = np.nonzero(accepted.reshape(-1))
        hits = hits[: count - filled]
        result[filled : filled + len(hits)] = values.reshape(-1)[hits]
        filled += len(hits)
        # The rest of the last block is dropped, as in TF.
        used = tries if filled < count else hits[-1] // values.shape[1] + 1
        cursor.skip(int(used) * blocks_each)
        rejected = 0 if len(hits) else rejected + values.size
        if rejected > _MAX_REJECTIONS:
            raise ArithmeticError(
                f"None of {rejected} samples was in [{lower}, {upper}] deviations from the mean."
            )
    return result


_Proposal = Callable[[int], tuple[np.ndarray, np.ndarray]]


def _from_normal(cursor: _Cursor, lower: float, upper: float) -> _Proposal:
    def propose(tries: int) -> tuple[np.ndarray, np.ndarray]:
        z = cursor.peek(tries, NORMAL)
        return z, (z >= lower) & (z <= upper)

    return propose


def _from_uniform(cursor: _Cursor, lower: float, span: float, kind: type) -> _Proposal:
    peak = lower * lower if lower >= 0 else kind(0)

    def propose(tries: int) -> tuple[np.ndarray, np.ndarray]:
        u = cursor.peek(2 * tries, UNIFORM)
        z = u[::2] * span + lower
        return z, u[1::2] <= np.exp((peak - z * z) / kind(2))

    return propose


def _from_exponential(cursor: _Cursor, lower: float, upper: float, kind: type) -> _Proposal:
    alpha = (lower + np.sqrt(lower * lower + kind(4))) / kind(2)

    def propose(tries: int) -> tuple[np.ndarray, np.ndarray]:
        u = cursor.peek(tries, UNIFORM)
        z = -_log(u[:, ::2]) / alpha + lower
        x = alpha - z if lower < alpha else lower - alpha
        return z, (u[:, 1::2] <= np.exp(-x * x / kind(2))) & (z < upper)

    return propose


def _log(u: np.ndarray) -> np.ndarray:
    """log of uniform numbers, -inf at 0, with TF's rounding in float32. Shapes: u [*a] -> [*a]."""
    if u.dtype != np.float32:
        return np.log(u)
    y = log32(np.maximum(u, np.float32(1e-7)).reshape(-1)).reshape(u.shape)
    return np.where(u > 0, y, np.float32(-np.inf))
