"""A decision tree that grows while examples come: its nodes, its candidate splits, its leaves.

Each leaf that may still be split draws some candidates (a feature, and the value of an arriving
example as the threshold) and counts what each would send left. After enough examples the candidate
with the purest sides wins, and the leaf becomes a node with two leaves ("extremely randomized
trees", Geurts, Ernst and Wehenkel, Machine Learning 63, 2006, on a stream).
"""
from __future__ import annotations

import numpy as np


class Tree:
    """Nodes as arrays; node 0 is the root, and the right child is the one after the left.

    A leaf has a slot, a row of the arrays of candidates. Shapes of these: [slots, candidates], and
    [slots, candidates, statistics] of what went left.
    """

    def __init__(self, settings, seed):
        self.settings = settings
        self._rng = np.random.RandomState(seed)
        self.feature = np.full(1, -1, np.int32)          # -1: a leaf
        self.threshold = np.zeros(1, np.float32)
        self.left = np.zeros(1, np.int32)
        self.stats = np.zeros((1, settings.stats_size))  # of each node, since it is a leaf
        self._make_slots()

    @property
    def size(self):
        """The number of nodes."""
        return len(self.feature)

    def leaves(self, x):
        """The leaf of each example. Shapes: x [n, features] -> [n]."""
        nodes = np.zeros(len(x), np.int64)
        rows = np.arange(len(x))
        while len(rows):
            here = nodes[rows]
            inner = self.feature[here] >= 0
            rows, here = rows[inner], here[inner]
            values = x[rows, self.feature[here]]
            nodes[rows] = self.left[here] + (values > self.threshold[here])
        return nodes

    def add(self, x, y):
        """Takes examples, then splits the leaves that have seen enough. Shapes: [n, f], [n, s]."""
        if not len(x):
            return
        leaves = self.leaves(x)
        order = np.argsort(leaves, kind='stable')
        found, starts = np.unique(leaves[order], return_index=True)
        sums = np.add.reduceat(y[order], starts, axis=0)
        self.stats[found] += sums
        slots = self._slot[found]
        self._totals[slots] += sums
        self._seen[slots] += np.diff([*starts, len(x)])
        counts = self.settings.num_splits_to_consider
        for i in np.flatnonzero(self._drawn[slots] < counts):
            end = starts[i + 1] if i + 1 < len(starts) else len(x)
            self._draw(slots[i], x[order[starts[i]:end]])
        self._count_left(self._slot[leaves], x, y)
        ready = (self._seen[slots] >= self.settings.split_after_samples) \
            & self.settings.is_mixed(self._totals[slots])
        for leaf in found[ready].tolist():
            self._split(leaf)

    def _make_slots(self):
        leaves = np.flatnonzero(self.feature < 0)
        self._slot = np.full(self.size, -1, np.int64)    # of each node
        self._slot[leaves] = np.arange(len(leaves))
        self._features = np.zeros((0, self.settings.num_splits_to_consider), np.int64)
        self._thresholds = np.zeros(self._features.shape, np.float32)
        self._left = np.zeros((*self._features.shape, self.settings.stats_size))
        self._totals = np.zeros((0, self.settings.stats_size))
        self._seen, self._drawn = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._append_slots(len(leaves))

    def _append_slots(self, count):
        for name in ('_features', '_thresholds', '_left', '_totals', '_seen', '_drawn'):
            array = getattr(self, name)
            more = np.zeros((count, *array.shape[1:]), array.dtype)
            setattr(self, name, np.concatenate([array, more]))

    def _clear(self, slot):
        self._left[slot], self._totals[slot] = 0, 0
        self._seen[slot], self._drawn[slot] = 0, 0

    def _draw(self, slot, x):
        """Candidates of arriving examples; what came before a candidate is on its right."""
        have = self._drawn[slot]
        count = min(self.settings.num_splits_to_consider - have, len(x))
        features = self._rng.randint(x.shape[1], size=count)
        self._features[slot, have:have + count] = features
        self._thresholds[slot, have:have + count] = x[np.arange(count), features]
        self._drawn[slot] += count

    def _count_left(self, slots, x, y):
        candidates = np.arange(self._features.shape[1])
        values = x[np.arange(len(x))[:, None], self._features[slots]]
        left = (values <= self._thresholds[slots]) & (candidates < self._drawn[slots][:, None])
        rows, columns = np.nonzero(left)
        places = slots[rows] * len(candidates) + columns
        flat = self._left.reshape(-1, self.settings.stats_size)
        for k in range(self.settings.stats_size):
            flat[:, k] += np.bincount(places, weights=y[rows, k], minlength=len(flat))

    def _split(self, leaf):
        slot = self._slot[leaf]
        if self.size + 2 > self.settings.max_nodes:
            return
        left, total = self._left[slot], self._totals[slot]
        right = total - left
        divides = (self.settings.count(left) > 0) & (self.settings.count(right) > 0)
        if not divides.any():
            self._clear(slot)                            # other candidates
            return
        scores = self.settings.impurity(left) + self.settings.impurity(right)
        best = int(np.argmin(np.where(divides, scores, np.inf)))
        first = self.size
        self.feature[leaf], self.left[leaf] = self._features[slot, best], first
        self.threshold[leaf] = self._thresholds[slot, best]
        self.feature = np.concatenate([self.feature, [-1, -1]]).astype(np.int32)
        self.threshold = np.concatenate([self.threshold, [0, 0]]).astype(np.float32)
        self.left = np.concatenate([self.left, [0, 0]]).astype(np.int32)
        self.stats = np.concatenate([self.stats, [left[best], right[best]]])
        self._slot = np.concatenate([self._slot, [slot, len(self._seen)]])
        self._slot[leaf] = -1
        self._clear(slot)
        self._append_slots(1)

    def to_arrays(self):
        """Everything but the candidates, for a checkpoint."""
        return self.feature, self.threshold, self.left, self.stats

    def from_arrays(self, feature, threshold, left, stats):
        """Takes what `to_arrays` gave; leaves begin with new candidates."""
        self.feature, self.threshold, self.left = feature.copy(), threshold.copy(), left.copy()
        self.stats = stats.astype(np.float64)
        self._make_slots()


class Classes:
    """Statistics of labels that are classes: how often each came."""

    def __init__(self, classes, split_after_samples, num_splits_to_consider, max_nodes):
        self.stats_size = self.outputs = classes
        self.split_after_samples = split_after_samples
        self.num_splits_to_consider, self.max_nodes = num_splits_to_consider, max_nodes

    def of_labels(self, labels):
        """One-hot rows. Shapes: labels [n] or [n, 1] -> [n, classes]."""
        return np.eye(self.stats_size)[labels.reshape(-1).astype(np.int64)]

    def count(self, stats):
        """The number of examples."""
        return stats.sum(-1)

    def impurity(self, stats):
        """The number of examples times Gini's impurity."""
        count = np.maximum(stats.sum(-1), 1e-9)
        return count - (stats * stats).sum(-1) / count

    def is_mixed(self, stats):
        """Whether examples of several classes came."""
        return (stats > 0).sum(-1) > 1

    def predictions(self, stats):
        """The share of each class."""
        return stats / np.maximum(stats.sum(-1, keepdims=True), 1e-9)


class Numbers:
    """Statistics of labels that are vectors of numbers: count, sums, and sums of squares."""

    def __init__(self, outputs, split_after_samples, num_splits_to_consider, max_nodes):
        self.outputs, self.stats_size = outputs, 1 + 2 * outputs
        self.split_after_samples = split_after_samples
        self.num_splits_to_consider, self.max_nodes = num_splits_to_consider, max_nodes

    def of_labels(self, labels):
        """Shapes: labels [n] or [n, outputs] -> [n, 1 + 2 outputs]."""
        labels = labels.reshape(len(labels), self.outputs).astype(np.float64)
        return np.concatenate([np.ones((len(labels), 1)), labels, labels * labels], 1)

    def count(self, stats):
        """The number of examples."""
        return stats[..., 0]

    def impurity(self, stats):
        """The sum of squared distances from the mean."""
        count = np.maximum(stats[..., :1], 1e-9)
        sums, squares = stats[..., 1:1 + self.outputs], stats[..., 1 + self.outputs:]
        return (squares - sums * sums / count).sum(-1)

    def is_mixed(self, stats):
        """Whether several examples came."""
        return stats[..., 0] > 1

    def predictions(self, stats):
        """The mean of each output."""
        return stats[..., 1:1 + self.outputs] / np.maximum(stats[..., :1], 1e-9)


__all__ = ['Classes', 'Numbers', 'Tree']
