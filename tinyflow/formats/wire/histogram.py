"""Histograms of summaries: counts of values between limits that grow by a tenth each.

TensorFlow 1.15's limits, so that equal values give equal bytes: 1e-12, 1.1e-12, ... to 1e20, the
same below zero, zero, and the largest double at both ends. A value is counted below the first limit
that is larger.
"""
from __future__ import annotations

from functools import cache

import numpy as np

from tinyflow.graph.support.errors import OpFailure

_FIRST, _LAST, _GROWTH = 1e-12, 1e20, 1.1
_HUGE = np.finfo(np.float64).max
_CHUNK = 1 << 15                # values at a time: they stay in the processor's cache


@cache
def bucket_limits():
    """The 1,551 limits, in rising order."""
    growing, limit = [], _FIRST
    while limit < _LAST:
        growing.append(limit)
        limit *= _GROWTH                        # sequentially: the same rounding errors as in TF
    positive = np.array([*growing, _HUGE])
    return np.concatenate([-positive[::-1], [0.0], positive])


@cache
def _cells():
    """For the upper 16 bits of a double: the bucket of the least double that begins with them, and
    the limit where the next bucket begins.

    Such doubles differ by at most a sixteenth and limits by a tenth, so there is at most one such
    limit: a bucket is found by one look-up and one comparison.
    """
    heads = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
    heads[1 << 15:] |= np.uint64((1 << 48) - 1)             # negative: largest magnitude
    least = heads.view(np.float64)
    least = np.where(np.isnan(least), 0.0, least)           # never reached; see `fill`
    limits = bucket_limits()
    buckets = np.minimum(np.searchsorted(limits, least, side='right'), len(limits) - 1)
    return buckets, limits[buckets]


def _bucket_of(values):
    buckets, following = _cells()
    heads = (values.view(np.uint64) >> np.uint64(48)).astype(np.intp)
    found = buckets[heads]
    found += values >= following[heads]
    return np.minimum(found, len(bucket_limits()) - 1, out=found)


def fill(proto, values):
    """Writes the histogram of an array into a HistogramProto.

    Shapes: values [...]. Raises ValueError for a NaN or an infinity.
    """
    flat = values.reshape(-1)
    counts = np.zeros(len(bucket_limits()), np.int64)
    least, largest, total, squares = _HUGE, -_HUGE, 0.0, 0.0
    for begin in range(0, len(flat), _CHUNK):
        part = flat[begin:begin + _CHUNK].astype(np.float64)
        if not np.isfinite(part).all():
            raise _not_finite(part)
        counts += np.bincount(_bucket_of(part), minlength=len(counts))
        least, largest = min(least, _end(part, part.min())), max(largest, _end(part, part.max()))
        with np.errstate(over='ignore'):
            squares, total = _added(squares, part * part), _added(total, part)
    proto.min, proto.max, proto.num = least, largest, float(len(flat))
    proto.sum, proto.sum_squares = total, squares
    kept = _kept(counts)
    proto.bucket_limit.extend(bucket_limits()[kept].tolist())
    proto.bucket.extend(counts[kept].astype(np.float64).tolist())


def _added(total, part):
    """`total` plus the sum of `part`, which is overwritten: sequentially, because NumPy's
    pairwise sum rounds differently."""
    part[0] += total
    return float(np.add.accumulate(part)[-1])


def _end(part, value):
    """The least or largest value; of 0.0 and -0.0, which are equal, the first one."""
    return value if value else part[np.argmax(part == 0)]


def _kept(counts):
    """The buckets to write: those with values, and the last of each run of empty ones."""
    if not counts.any():
        return np.array([len(counts) - 1])
    full = counts > 0
    return np.flatnonzero(full | np.append(full[1:], True))


def _not_finite(part):
    first = part[~np.isfinite(part)][0]
    return OpFailure(f'{"Nan" if np.isnan(first) else "Infinity"} in summary histogram',
                     'tf.check_numerics or tf.add_check_numerics_ops finds its origin.')
