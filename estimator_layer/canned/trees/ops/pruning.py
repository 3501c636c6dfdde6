"""Post-pruning: turns branches of no gain back into leaves."""
from __future__ import annotations

from estimator_layer.canned.trees.ops.model import LEAF


def prune(tree):
    """Removes, bottom-up, splits of two leaves with a negative gain.

    `tree.pruned` then has, for each old node, its new position and the change of its output:
    examples there continue from the new node.
    """
    removed = {}                       # old node -> (its parent, the parent's output less its own)
    _prepare(tree, 0, removed)
    if not removed:
        return
    numbers = {old: new for new, old in enumerate(n for n in range(len(tree)) if n not in removed)}
    tree.pruned = [_new_position(node, removed, numbers, tree) for node in range(len(tree))]
    kept = sorted(numbers)
    tree.lefts[:] = [numbers.get(n, n) for n in tree.lefts]
    tree.rights[:] = [numbers.get(n, n) for n in tree.rights]
    for entries in (tree.features, tree.thresholds, tree.lefts, tree.rights, tree.values,
                    tree.gains, tree.was_leaf):
        entries[:] = [entries[n] for n in kept]
    for node, feature in enumerate(tree.features):
        if feature == LEAF:
            tree.lefts[node] = tree.rights[node] = node
    tree.changed()


def _prepare(tree, node, removed):
    if tree.features[node] == LEAF:
        return
    left, right = tree.lefts[node], tree.rights[node]
    _prepare(tree, left, removed)
    _prepare(tree, right, removed)
    if tree.features[left] == tree.features[right] == LEAF and tree.gains[node] < 0:
        for child in (left, right):
            removed[child] = node, tree.values[node] - tree.values[child]
        tree.features[node], tree.gains[node] = LEAF, type(tree.gains[node])(0)
        tree.thresholds[node], tree.was_leaf[node] = 0, False


def _new_position(node, removed, numbers, tree):
    """(new number, change) of an old node: that of the nearest remaining ancestor."""
    change = type(tree.values[0])(0)
    while node in removed:
        node, more = removed[node]
        change += more
    return numbers[node], change
