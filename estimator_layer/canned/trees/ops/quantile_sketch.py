"""Quantiles of a stream of weighted values, in little memory and with a bounded error.

A Summary holds some of the values in order, each with its weight and with bounds on its rank (the
total weight of smaller values). Two summaries merge into one; compressing drops entries as long as
the ranks between the remaining ones are known well enough. A Stream keeps summaries in levels, each
representing twice the values of the one below (Greenwald and Khanna 2001; Zhang and Wang 2007).
"""
from __future__ import annotations

import math

import numpy as np

_f32 = np.float32


class Summary:
    """Values with weight, least and greatest rank. Shapes: entries [n, 4], float32."""

    def __init__(self, entries=None):
        self.entries = np.zeros((0, 4), _f32) if entries is None else np.asarray(entries, _f32)

    def __len__(self):
        return len(self.entries)

    @classmethod
    def of(cls, values, weights):
        """The exact summary of values [n] with weights [n]; weights of 0 or less do not count."""
        counted = weights > 0
        values, weights = values[counted], weights[counted]
        order = np.lexsort((weights, values))
        values, weights = values[order], weights[order]
        if not len(values):
            return cls()
        first = np.concatenate([[True], values[1:] != values[:-1]])
        sums = np.zeros(int(first.sum()), _f32)
        np.add.at(sums, np.cumsum(first) - 1, weights)
        ends = np.cumsum(sums, dtype=_f32)
        starts = np.concatenate([_f32([0]), ends[:-1]])
        return cls(np.stack([values[first], sums, starts, ends], 1))

    def merged(self, other):
        """The summary of both streams."""
        if not len(other):
            return self
        if not len(self):
            return other
        mine = self._with_ranks_in(other)
        theirs = other._with_ranks_in(self)
        both = np.isin(other.entries[:, 0], self.entries[:, 0])
        rows = np.concatenate([mine, theirs[~both]])
        return Summary(rows[np.argsort(rows[:, 0], kind='stable')])

    def _with_ranks_in(self, other):
        """The entries, with ranks that include the entries of `other`."""
        values, weights, least, greatest = self.entries.T
        before = np.searchsorted(other.entries[:, 0], values, 'left')
        o_values, o_weights, o_least, o_greatest = other.entries.T
        nearest = np.minimum(before, len(other) - 1)
        equal = o_values[nearest] == values
        next_least = np.concatenate([_f32([0]), o_least + o_weights])[before]
        previous = np.concatenate([o_greatest - o_weights, o_greatest[-1:]])[before]
        return np.stack([
            values, weights + np.where(equal, o_weights[nearest], _f32(0)),
            least + np.where(equal, o_least[nearest], next_least),
            greatest + np.where(equal, o_greatest[nearest], previous)], 1)

    def compressed(self, size, error=0.0):
        """About `size` of the entries, including the first and the last."""
        size, count = max(size, 2), len(self)
        if count <= size:
            return self
        limit = self.total() * max(1.0 / size, error)
        _, weights, least, greatest = self.entries.T
        ends, starts = (greatest - weights).tolist(), (least + weights).tolist()
        kept, sum_, read = [0], 0, 0
        while read + 1 < count:
            start, ahead = starts[read], read + 1
            while ahead < count and sum_ < count and ends[ahead] - start <= limit:
                sum_ += size
                ahead += 1
            read = read + 1 if ahead == read + 1 else ahead - 1
            kept.append(read)
            sum_ -= count
        if kept[-1] + 1 != count:
            kept.append(count - 1)
        return Summary(self.entries[kept])

    def total(self):
        """The weight of all values."""
        return float(self.entries[-1, 3]) if len(self) else 0.0

    def error(self):
        """The maximum rank error, as a fraction of the total weight."""
        if len(self) < 2:
            return 0.0
        _, weights, least, greatest = self.entries.T
        inside = (greatest - least - weights)[1:]
        between = (greatest - weights)[1:] - (least + weights)[:-1]
        return max(0.0, float(np.maximum(inside, between).max())) / self.total()

    def boundaries(self, count):
        """At least `count` of the values, if there are that many. Shapes: -> [n]."""
        return self.compressed(count, float(_f32(self.error() + 1.0 / count))).entries[:, 0]

    def quantiles(self, count):
        """The count + 1 quantiles from the least to the greatest value. Shapes: -> [count + 1]."""
        if not len(self):
            return np.zeros(0, _f32)
        count, total = max(count, 2), self.entries[-1, 3]
        values, weights, least, greatest = self.entries.T
        middles, result, at = least + greatest, [], 0
        for rank in range(count + 1):
            twice = 2 * (rank * total / count)
            ahead = at + 1
            while ahead < len(self) and twice >= middles[ahead]:
                ahead += 1
            at = ahead - 1
            lower = ahead == len(self) or \
                twice < least[at] + weights[at] + greatest[ahead] - weights[ahead]
            result.append(values[at if lower else ahead])
        return np.array(result, _f32)


class Stream:
    """Adds values or summaries; `finish()` returns the Summary of all."""

    def __init__(self, error, max_elements):
        self._error = error
        self._block = _block_size(error, max_elements)
        self._buffer_size = min(self._block * 2, max_elements)
        self._levels = []

    def push(self, values, weights):
        """Adds values [n] with weights [n]."""
        counted = weights > 0
        values, weights = values[counted], weights[counted]
        for start in range(0, len(values), self._buffer_size):
            rows = slice(start, start + self._buffer_size)
            self.push_summary(Summary.of(values[rows], weights[rows]))

    def push_summary(self, summary):
        """Adds a Summary of other values."""
        local = summary.compressed(self._block, self._error)
        if not len(local):
            return
        level = 0
        while True:
            if len(self._levels) <= level:
                self._levels.append(Summary())
            current = self._levels[level]
            local = local.merged(current)
            if not len(current) or len(local) <= self._block + 1:
                self._levels[level] = local
                return
            local = local.compressed(self._block, self._error)
            self._levels[level] = Summary()
            level += 1

    def finish(self):
        """The Summary of all added values; resets the stream."""
        result = Summary()
        for summary in self._levels:
            result = result.merged(summary)
        self._levels = []
        return result


def _block_size(error, max_elements):
    """Entries of one level, so that the error over all levels stays below `error`."""
    if error <= np.finfo(np.float64).eps:
        return max(max_elements, 2)
    level, size = 1, 2
    while (1 << level) * size < max_elements:
        size = math.ceil(level / error) + 1
        level += 1
    return max(size, 2)


__all__ = ['Stream', 'Summary']
