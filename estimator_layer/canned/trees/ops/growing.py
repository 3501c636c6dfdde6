"""Tree growing: the best split of each leaf from sums of gradients, and a new layer of a tree.

A leaf of value w costs 1/2 (h + l2) w^2 + g w + l1 |w|, with the sums g and h of the gradients and
hessians of its examples. The minimum is at w = -(g -+ l1) / (h + l2); the reduction of the cost is
the gain (Chen and Guestrin 2016, "XGBoost", equations 5 to 7, with l1).
"""
from __future__ import annotations

import numpy as np

from estimator_layer.canned.trees.ops.model import Candidate
from estimator_layer.canned.trees.ops.pruning import prune

NO_PRUNING, PRE_PRUNING, POST_PRUNING = 0, 1, 2
ENOUGH = 0.01               # centering ends when the bias changes by less than this part
_TOLERANCE = 1e-15          # gains that differ by less are equal
_SMALL = np.float32(1e-7)   # above it neighbouring float32 differ by more than that
_LOWEST = np.finfo(np.float32).min

_f32 = np.float32


def weights_and_gains(gradients, hessians, l1, l2):
    """(the best value of a leaf, its gain). Shapes: [*a], [*a] -> [*a], [*a], float32."""
    if l1 > 0:
        shrunk = np.where(gradients > l1, gradients - l1,
                          np.where(gradients < -l1, gradients + l1, _f32(0)))
    else:
        shrunk = gradients
    below = hessians + l2
    with np.errstate(divide='ignore', invalid='ignore', over='ignore'):
        weights = np.where(below <= _TOLERANCE, _f32(0), -shrunk / below)
        gains = -shrunk * weights
    return weights, gains


def best_splits(stats, nodes, l1, l2, complexity, min_node_weight):
    """For each feature (node ids, gains, thresholds, left values, right values) of its best splits.

    Shapes: stats, a list of [max_splits, buckets, 2] (gradients and hessians); nodes, a range.
    Leaves whose hessians sum up to less than min_node_weight are skipped.
    """
    first, end = nodes
    cumulated = np.cumsum(np.stack(stats)[:, first:end], axis=2, dtype=_f32)
    gradients, hessians = cumulated[..., 0], cumulated[..., 1]
    all_gradients, all_hessians = gradients[..., -1:], hessians[..., -1:]
    left, left_gains = weights_and_gains(gradients, hessians, l1, l2)
    right, right_gains = weights_and_gains(all_gradients - gradients, all_hessians - hessians,
                                           l1, l2)
    _, parents = weights_and_gains(all_gradients, all_hessians, l1, l2)
    gains = left_gains + right_gains
    best = _first_largest(gains)
    at = best[..., None]

    def chosen(values):
        return np.take_along_axis(values, at, -1)[..., 0]
    best_gains = chosen(gains) - parents[..., 0] - complexity
    left, right = chosen(left), chosen(right)
    heavy = ~(all_hessians[..., 0] < min_node_weight)
    ids = np.arange(first, end, dtype=np.int32)
    return [(ids[h], g[h].astype(_f32), b[h].astype(np.int32), one[h], other[h])
            for h, g, b, one, other in zip(heavy, best_gains, best, left, right)]


def _first_largest(gains):
    """The first position, along the last axis, after which no gain is larger."""
    gains = np.where(np.isnan(gains), _LOWEST, gains)
    best = np.argmax(gains, -1)
    tiny = np.abs(np.max(gains, -1)) < _SMALL
    if tiny.any():
        rows = gains[tiny]
        top, where = np.full(len(rows), _LOWEST), np.zeros(len(rows), best.dtype)
        for bucket in range(rows.shape[1]):
            larger = rows[:, bucket] - top >= _TOLERANCE
            top, where = np.where(larger, rows[:, bucket], top), np.where(larger, bucket, where)
        best[tiny] = where
    return best


def choose(feature_ids, node_ids, gains, thresholds, lefts, rights, learning_rate):
    """{node: the Candidate of the largest gain}; of equal ones that of the smallest feature."""
    chosen = {}
    for feature, *columns in zip(feature_ids.tolist(), node_ids, gains, thresholds, lefts, rights):
        for node, gain, threshold, left, right in zip(*columns):
            node, old = int(node), chosen.get(int(node))
            if old is not None:
                if abs(gain - old.gain) < _TOLERANCE:
                    if feature >= old.feature:
                        continue
                elif not gain - old.gain >= _TOLERANCE:
                    continue
            chosen[node] = Candidate(feature, int(threshold), gain, learning_rate * left,
                                     learning_rate * right)
    return chosen


def grow(ensemble, candidates, max_depth, pruning):
    """Adds a layer to the last tree; a tree of max_depth layers is done, and a new one begins."""
    _count_attempt(ensemble)
    tree = ensemble.trees[-1] if ensemble.trees else ensemble.add_tree()
    ensemble.changed()
    first = len(tree)
    if candidates and not 0 <= min(candidates) <= max(candidates) < first:
        raise ValueError(f'the growing tree has {first} nodes, and the nodes to split are '
                         f'{sorted(candidates)}')
    for node in sorted(candidates):
        if pruning == PRE_PRUNING and candidates[node].gain < 0:
            continue
        tree.split(node, candidates[node])
    if len(tree) == first:
        return
    tree.layers += 1
    end = len(tree)
    if tree.layers >= max_depth:
        tree.finalized = True
        if pruning == POST_PRUNING:
            prune(tree)
        ensemble.add_tree()
        first, end = 0, 1
    ensemble.first_node, ensemble.end_node = first, end


def _count_attempt(ensemble):
    trees = ensemble.trees
    if not trees or len(trees[-1]) == 1 and (len(trees) == 1 or trees[-2].finalized):
        ensemble.trees_attempted += 1
    ensemble.layers_attempted += 1


def center(ensemble, gradient, hessian, l1, l2):
    """Moves the root of the first tree towards the mean; True while the change is significant."""
    step, _ = weights_and_gains(_f32(gradient), _f32(hessian), l1, l2)
    if not ensemble.trees:
        ensemble.add_tree(step)
        ensemble.changed()
        return True
    tree = ensemble.trees[0]
    tree.values[0] = _f32(tree.values[0] + step)
    tree.changed()
    ensemble.changed()
    with np.errstate(divide='ignore', invalid='ignore'):
        return bool(abs(_f32(step) / tree.values[0]) > ENOUGH)
