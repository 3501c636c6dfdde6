"""Rows of the ops on trees of tf.contrib.tensor_forest."""
import numpy as np

from tests.ops.rows import row
from tinyflow.api.contrib.tensor_forest.ops import tree_ops as ops

X = np.array([[0.0], [0.0], [1.0], [1.0]], np.float32)
LABELS = np.array([0, 0, 1, 1], np.int32)
SPLIT = (np.array([0, -1, -1], np.int32), np.array([0.5, 0, 0], np.float32),
         np.array([1, 0, 0], np.int32), np.array([[2.0, 2.0], [2.0, 0.0], [1.0, 3.0]]))


def tree(**attrs):
    return ops.ForestTree.apply(outputs=2, split_after_samples=4, num_splits_to_consider=8,
                                max_nodes=9, seed=1, **attrs)


def after(tf, steps, result):
    """result(handle), after each of steps(handle) in turn."""
    handle = tree()
    done = [ops.CreateForestTree.make([handle], {})]
    for step in steps:
        with tf.control_dependencies(done):
            done = [step(handle)]
    with tf.control_dependencies(done):
        return result(handle)


def grow(handle):
    return ops.GrowForestTree.make([handle, X, LABELS], {})


def restore(handle):
    return ops.RestoreForestTree.make([handle, *SPLIT], {})


def unmade(tf):
    return ops.ForestTreeSize.apply(tree())


ROWS = [
    row('ForestTree', lambda tf: after(tf, [], ops.IsForestTreeInitialized.apply),
        ref=lambda: np.array(True), grad=False, run_bad=[unmade]),
    row('CreateForestTree', lambda tf: after(tf, [], ops.ForestTreeSize.apply),
        ref=lambda: np.array(1), grad=False),
    row('IsForestTreeInitialized', lambda tf: ops.IsForestTreeInitialized.apply(tree()),
        ref=lambda: np.array(False), grad=False),
    row('GrowForestTree', lambda tf: after(tf, [grow], ops.ForestTreeSize.apply),
        ref=lambda: np.array(3), grad=False, run_bad=[
            lambda tf: after(tf, [lambda h: ops.GrowForestTree.make([h, X, LABELS + 1], {})],
                             ops.ForestTreeSize.apply),
            lambda tf: after(tf, [lambda h: ops.GrowForestTree.make([h, X, LABELS[:2]], {})],
                             ops.ForestTreeSize.apply)]),
    row('ForestTreePredictions',
        lambda tf, x: after(tf, [restore], lambda h: ops.ForestTreePredictions.apply(h, x)), [X],
        ref=lambda x: np.where(x <= 0.5, np.float32([[1, 0]]), np.float32([[0.25, 0.75]])),
        grad=False, unknown=False, static_result=False),
    row('ForestTreeSize', lambda tf: after(tf, [restore], ops.ForestTreeSize.apply),
        ref=lambda: np.array(3), grad=False, run_bad=[unmade]),
    row('ForestTreeArrays', lambda tf: after(tf, [restore], ops.ForestTreeArrays.apply),
        ref=lambda: list(SPLIT), grad=False, static_result=False),
    row('RestoreForestTree', lambda tf: after(tf, [grow, restore], ops.ForestTreeSize.apply),
        ref=lambda: np.array(3), grad=False),
]
