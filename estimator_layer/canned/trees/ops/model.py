"""Tree and Ensemble: boosted trees as arrays, and prediction with them.

A tree is a few lists, one entry for each node: node 0 is the root, and a node whose `feature` is
LEAF is a leaf. An example goes left where its bucket of the feature is not above the threshold.
"""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

LEAF = -1
_AT_ONCE = 1 << 20              # (tree, example) pairs processed at a time

_f32 = np.float32


@dataclass
class Tree:
    """One tree; `values` are the outputs of leaves; splits keep those they had as leaves."""

    weight: float = 1.0
    features: list = field(default_factory=list)
    thresholds: list = field(default_factory=list)
    lefts: list = field(default_factory=list)
    rights: list = field(default_factory=list)
    values: list = field(default_factory=list)
    gains: list = field(default_factory=list)
    was_leaf: list = field(default_factory=list)    # a split keeps its value as a leaf
    layers: int = 0
    finalized: bool = False
    pruned: list = field(default_factory=list)      # (node it became part of, change) per old node
    _arrays: tuple | None = None

    def __len__(self):
        return len(self.features)

    def add_leaf(self, value):
        """The number of a new leaf."""
        node = len(self.features)
        for entries, entry in ((self.features, LEAF), (self.thresholds, 0), (self.lefts, node),
                               (self.rights, node), (self.values, _f32(value)),
                               (self.gains, _f32(0)), (self.was_leaf, False)):
            entries.append(entry)
        self.changed()
        return node

    def split(self, node, candidate):
        """Turns a leaf into a split; `candidate` is a Candidate."""
        value = self.values[node]
        left = self.add_leaf(value + candidate.left)
        right = self.add_leaf(value + candidate.right)
        self.features[node], self.thresholds[node] = candidate.feature, candidate.threshold
        self.lefts[node], self.rights[node] = left, right
        self.gains[node] = candidate.gain
        self.was_leaf[node] = node != 0 or value != 0
        self.changed()

    def changed(self):
        """Marks the lists as changed."""
        self._arrays = None

    def arrays(self):
        """(feature, threshold, left, right, value) of the nodes, a leaf being its own children."""
        if self._arrays is None:
            features = np.array(self.features, np.int32)
            self._arrays = (np.maximum(features, 0), np.array(self.thresholds, np.int32),
                            np.array(self.lefts, np.int32), np.array(self.rights, np.int32),
                            np.array(self.values, _f32))
        return self._arrays

    def go_down(self, buckets, nodes):
        """The leaves below `nodes`. Shapes: buckets [features, batch], nodes [batch] -> [batch]."""
        feature, threshold, left, right, _ = self.arrays()
        columns = np.arange(buckets.shape[1])
        for _ in range(len(self)):
            below = np.where(buckets[feature[nodes], columns] <= threshold[nodes],
                             left[nodes], right[nodes])
            if np.array_equal(below, nodes):
                break
            nodes = below
        return nodes


@dataclass(frozen=True)
class Candidate:
    """The best way to split a leaf; `left` and `right` are added to its value."""

    feature: int
    threshold: int
    gain: float
    left: float
    right: float


class Ensemble:
    """Trees, the stamp that counts their changes, and how far growing is."""

    def __init__(self):
        self.stamp = -1
        self.made = False
        self.clear()

    def clear(self):
        """Removes all trees."""
        self.trees = []
        self.trees_attempted = self.layers_attempted = 0
        self.first_node = self.end_node = 0             # of the layer that grows next
        self._joined = None

    def changed(self):
        """Marks the trees as changed: increments the stamp."""
        self._joined = None
        self.stamp += 1

    def add_tree(self, value=0.0):
        """Adds a tree of one leaf."""
        tree = Tree()
        tree.add_leaf(value)
        self.trees.append(tree)
        return tree

    def finalized_trees(self):
        """The number of finished trees; only the last may be unfinished."""
        count = len(self.trees)
        return count if not count or self.trees[-1].finalized else count - 1

    # ---- examples ------------------------------------------------------------------------

    def _flat(self):
        """All trees as one: arrays of nodes, the roots, the weights, and the greatest depth."""
        if self._joined is None:
            starts = np.cumsum([0] + [len(tree) for tree in self.trees[:-1]])
            parts = list(zip(*[tree.arrays() for tree in self.trees]))
            lefts = [part + start for part, start in zip(parts[2], starts)]
            rights = [part + start for part, start in zip(parts[3], starts)]
            self._joined = (
                *(np.concatenate(part) for part in (parts[0], parts[1], lefts, rights, parts[4])),
                starts, np.array([tree.weight for tree in self.trees], _f32))
        return self._joined

    def _leaves(self, buckets):
        """(the leaf of each tree, its output). Shapes: [features, batch] -> [trees, batch]."""
        feature, threshold, left, right, value, roots, weights = self._flat()
        columns = np.arange(buckets.shape[1])
        nodes = np.repeat(roots[:, None], buckets.shape[1], 1)
        while True:
            below = np.where(buckets[feature[nodes], columns] <= threshold[nodes],
                             left[nodes], right[nodes])
            if np.array_equal(below, nodes):
                return nodes - roots[:, None], weights[:, None] * value[nodes]
            nodes = below

    def predict(self, buckets):
        """The sum of the trees. Shapes: buckets [features, batch] -> [batch]."""
        return self._from_the_start(buckets)[0]

    def _from_the_start(self, buckets):
        """(the sum of the trees, the leaf of the last tree)."""
        batch = buckets.shape[1]
        logits, nodes = np.zeros(batch, _f32), np.zeros(batch, np.int32)
        if not self.trees:
            return logits, nodes
        step = max(_AT_ONCE // len(self.trees), 1)
        for start in range(0, batch, step):
            rows = slice(start, start + step)
            leaves, outputs = self._leaves(buckets[:, rows])
            logits[rows] = np.add.reduce(outputs, axis=0)
            nodes[rows] = leaves[-1]
        return logits, nodes

    def predict_more(self, buckets, tree_ids, node_ids):
        """The change since examples were in these nodes: (change, tree ids, node ids).

        A node below 0 means a new example. Shapes: [batch] each.
        """
        if not self.trees:
            return np.zeros(len(tree_ids), _f32), tree_ids, np.zeros_like(node_ids)
        latest = len(self.trees) - 1
        new = np.full_like(tree_ids, latest)
        if not tree_ids.any() and (node_ids < 0).all():
            logits, nodes = self._from_the_start(buckets)
            return logits, new, nodes.astype(np.int32)
        logits, nodes = np.zeros(len(tree_ids), _f32), np.zeros_like(node_ids)
        for tree_id in np.unique(tree_ids):
            rows = np.flatnonzero(tree_ids == tree_id)
            self._go_on(buckets, rows, int(tree_id), node_ids[rows], logits, nodes)
        return logits, new, nodes

    def _go_on(self, buckets, rows, tree_id, start, logits, nodes):
        own = buckets[:, rows]
        total = np.zeros(len(rows), _f32)
        tree = self.trees[tree_id]
        known = start >= 0
        at, change = _after_pruning(tree, np.maximum(start, 0))
        change = np.where(known, change - np.array(tree.values, _f32)[at], _f32(0))
        for tree in self.trees[tree_id:]:
            at = tree.go_down(own, at)
            total += _f32(tree.weight) * (change + tree.arrays()[4][at])
            last, at, change = at, np.zeros_like(at), _f32(0)
        logits[rows], nodes[rows] = total, last

    def paths(self, buckets):
        """For each example, ([features that split it], [output before and after each])."""
        bias = _f32(self.trees[0].values[0]) if self.trees else _f32(0)
        found = []
        for example in buckets.T.tolist():
            features, outputs, past = [], [bias], _f32(0)
            for tree in self.trees:
                node, weight = 0, _f32(tree.weight)
                while tree.features[node] != LEAF:
                    features.append(tree.features[node])
                    left = example[features[-1]] <= tree.thresholds[node]
                    node = (tree.lefts if left else tree.rights)[node]
                    outputs.append(past + weight * tree.values[node])
                past = past + weight * tree.values[node]
            found.append((features, outputs))
        return found


def _after_pruning(tree, nodes):
    """(new positions of old nodes, the changes of their outputs)."""
    if not tree.pruned:
        return nodes, np.zeros(len(nodes), _f32)
    to = np.array([new for new, _ in tree.pruned], np.int32)
    change = np.array([change for _, change in tree.pruned], _f32)
    return to[nodes], change[nodes]


__all__ = ['LEAF', 'Candidate', 'Ensemble', 'Tree']
