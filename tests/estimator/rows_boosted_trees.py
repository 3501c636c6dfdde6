"""Rows of boosted trees and of accumulators; no public function makes most of these ops.

tests/estimator/test_boosted_trees.py compares them with values recorded from TF 1.15.5.
"""
import numpy as np

from estimator_layer.canned.trees.ops import (  # noqa: F401 - declare ops
    ensemble_ops,
    quantile_ops,
    stats_ops,
)
from estimator_layer.canned.trees.ops.messages import serialized
from estimator_layer.canned.trees.ops.model import Candidate, Ensemble
from tests.ops.rows import row
from tinyflow.graph.op import Op

BUCKETS = np.array([0, 1, 2, 3], np.int32)
VALUES = np.array([3, 1, 4, 1, 5], np.float32)
STATS = np.array([[[1, 2], [-3, 1]], [[0, 0], [0, 0]]], np.float32)


def op(name, *inputs, **attrs):
    return Op.registry[name].apply(*inputs, **attrs)


def stump():
    """One tree: buckets up to 1 give -0.5, others 0.5."""
    ensemble = Ensemble()
    ensemble.add_tree().split(0, Candidate(0, 1, np.float32(2), np.float32(-.5), np.float32(.5)))
    ensemble.trees[0].layers, ensemble.end_node = 1, 3
    ensemble.first_node = ensemble.layers_attempted = ensemble.trees_attempted = 1
    return serialized(ensemble)


def planted(tf, make, data=None):
    """`make` of an ensemble that is there."""
    handle = op('BoostedTreesEnsembleResourceHandleOp')
    create = op('BoostedTreesCreateEnsemble', handle, 7, stump() if data is None else data)
    with tf.control_dependencies([create]):
        return make(handle)


def after(tf, operation, make):
    with tf.control_dependencies([operation]):
        return make()


def predict(handle, buckets):
    return op('BoostedTreesPredict', handle, [buckets], logits_dimension=1)


def decided(buckets):
    return np.where(buckets <= 1, -.5, .5).astype(np.float32)


def update(tf, handle, left):
    return op('BoostedTreesUpdateEnsemble', handle, [0], [[1, 2]], [np.float32([.5, .6])],
              [[0, 2]], [left], [np.float32([[.25], [2]])], 9, .5, pruning_mode=0)


def gathered(tf, make, epsilon=.1):
    """`make` of quantile streams that took VALUES and were flushed."""
    handle = op('BoostedTreesQuantileStreamResourceHandleOp')
    create = op('BoostedTreesCreateQuantileStreamResource', handle, epsilon, 1)
    with tf.control_dependencies([create]):
        sketch = op('BoostedTreesMakeQuantileSummaries', [VALUES], np.float32([1]), epsilon)
        add = op('BoostedTreesQuantileStreamResourceAddSummaries', handle, list(sketch))
    with tf.control_dependencies([add]):
        flush = op('BoostedTreesQuantileStreamResourceFlush', handle, 10)
    with tf.control_dependencies([flush]):
        return make(handle)


def boundaries(handle):
    return op('BoostedTreesQuantileStreamResourceGetBucketBoundaries', handle, num_features=1)


def mean_of(tf, x, steps=(0, 0), required=2, **settings):
    accumulator = tf.ConditionalAccumulator(x.dtype, x.shape, **settings)
    added = [accumulator.apply_grad(x * (i + 1), step) for i, step in enumerate(steps)]
    with tf.control_dependencies(added):
        return accumulator.take_grad(required)


def late(tf, x):
    """Gradients that count, after those of step 1 and before are too old."""
    accumulator = tf.ConditionalAccumulator(x.dtype)
    with tf.control_dependencies([accumulator.set_global_step(2)]):
        added = [accumulator.apply_grad(x, step) for step in (1, 2, 3)]
    with tf.control_dependencies(added):
        return accumulator.num_accumulated()


def ranks(values):
    found, counts = np.unique(values, return_counts=True)
    ends = np.cumsum(counts)
    return np.stack([found, counts, ends - counts, ends], 1).astype(np.float32)


ROWS = [
    row('BoostedTreesEnsembleResourceHandleOp',
        lambda tf: planted(tf, lambda h: op('IsBoostedTreesEnsembleInitialized', h)), [],
        ref=lambda: np.bool_(True), grad=False),
    row('IsBoostedTreesEnsembleInitialized', lambda tf: op(
        'IsBoostedTreesEnsembleInitialized', op('BoostedTreesEnsembleResourceHandleOp')), [],
        ref=lambda: np.bool_(False), grad=False),
    row('BoostedTreesCreateEnsemble', lambda tf, x: planted(tf, lambda h: predict(h, x), b''),
        [BUCKETS], ref=lambda x: np.zeros((4, 1), np.float32), grad=False,
        run_bad=[lambda tf: (planted(tf, lambda h: predict(h, BUCKETS), b'\xff'), {})]),
    row('BoostedTreesPredict', lambda tf, x: planted(tf, lambda h: predict(h, x)), [BUCKETS],
        ref=lambda x: decided(x)[:, None], grad=False,
        bad=[lambda tf: op('BoostedTreesPredict', op('BoostedTreesEnsembleResourceHandleOp'),
                           [BUCKETS], logits_dimension=3)],
        run_bad=[lambda tf: (predict(op('BoostedTreesEnsembleResourceHandleOp'), BUCKETS), {})]),
    row('BoostedTreesTrainingPredict', lambda tf, x: planted(tf, lambda h: op(
        'BoostedTreesTrainingPredict', h, [0, 0, 0, 0], [-1, 0, 2, -1], [x],
        logits_dimension=1)), [BUCKETS],
        ref=lambda x: [np.float32([[-.5], [-.5], [0], [.5]]), np.int32([0] * 4),
                       np.int32([1, 1, 2, 2])], grad=False),
    row('BoostedTreesExampleDebugOutputs', lambda tf, x: planted(tf, lambda h: op(
        'BoostedTreesExampleDebugOutputs', h, [x], logits_dimension=1)), [BUCKETS[1:3]],
        ref=lambda x: np.array([b'\x0a\x01\x00\x12\x08\x00\x00\x00\x00\x00\x00\x00\xbf',
                                b'\x0a\x01\x00\x12\x08\x00\x00\x00\x00\x00\x00\x00\x3f'], object),
        grad=False),
    row('BoostedTreesGetEnsembleStates', lambda tf: planted(
        tf, lambda h: op('BoostedTreesGetEnsembleStates', h)), [],
        ref=lambda: [np.int64(7), np.int32(1), np.int32(0), np.int32(1), np.int32([1, 3])],
        grad=False),
    row('BoostedTreesSerializeEnsemble', lambda tf: planted(
        tf, lambda h: op('BoostedTreesSerializeEnsemble', h)), [],
        ref=lambda: [np.int64(7), np.array(stump(), object)], grad=False),
    row('BoostedTreesDeserializeEnsemble', lambda tf, x: planted(tf, lambda h: after(
        tf, op('BoostedTreesDeserializeEnsemble', h, 8, stump()), lambda: predict(h, x)), b''),
        [BUCKETS], ref=lambda x: decided(x)[:, None], grad=False),
    row('BoostedTreesCenterBias', lambda tf, x: planted(tf, lambda h: after(
        tf, op('BoostedTreesCenterBias', h, [[-.6]], [[.3]], 0., .1).op,
        lambda: predict(h, x)), b''), [BUCKETS],
        ref=lambda x: np.full((4, 1), .6 / .4, np.float32), grad=False),
    row('BoostedTreesUpdateEnsemble', lambda tf, x: planted(tf, lambda h: after(
        tf, update(tf, h, np.float32([[-1], [-2]])), lambda: predict(h, x))), [BUCKETS],
        ref=lambda x: np.float32([[-1], [-.375], [-.5], [1.5]]), grad=False),
    row('BoostedTreesMakeStatsSummary', lambda tf, n, g, h: op(
        'BoostedTreesMakeStatsSummary', n, g, h, [BUCKETS], max_splits=2, num_buckets=4),
        [np.int32([0, 1, 1, 0]), np.float32([[1], [2], [3], [4]]), np.ones((4, 1), np.float32)],
        ref=lambda n, g, h: np.float32([[[[1, 1], [0, 0], [0, 0], [4, 1]],
                                         [[0, 0], [2, 1], [3, 1], [0, 0]]]]), grad=False,
        run_bad=[lambda tf: (op('BoostedTreesMakeStatsSummary', [5], [[1.]], [[1.]], [[0]],
                                max_splits=2, num_buckets=4), {})]),
    row('BoostedTreesCalculateBestGainsPerFeature', lambda tf, s: op(
        'BoostedTreesCalculateBestGainsPerFeature', [0, 1], [s], 0., 1., .5, 0., max_splits=2),
        [STATS], ref=lambda s: [np.int32([0]), np.float32([1 / 3 + 9 / 2 - 4 / 4 - .5]),
                                np.int32([0]), np.float32([[-1 / 3]]), np.float32([[3 / 2]])],
        grad=False, static_result=False),
    row('BoostedTreesQuantileStreamResourceHandleOp', lambda tf: op(
        'IsBoostedTreesQuantileStreamResourceInitialized',
        op('BoostedTreesQuantileStreamResourceHandleOp')), [], ref=lambda: np.bool_(False),
        grad=False),
    row('IsBoostedTreesQuantileStreamResourceInitialized', lambda tf: gathered(tf, lambda h: op(
        'IsBoostedTreesQuantileStreamResourceInitialized', h)), [], ref=lambda: np.bool_(True),
        grad=False),
    row('BoostedTreesCreateQuantileStreamResource', lambda tf: gathered(tf, boundaries), [],
        ref=lambda: [np.unique(VALUES)], grad=False, static_result=False,
        run_bad=[lambda tf: (gathered(tf, boundaries, 0.)[0], {})]),
    row('BoostedTreesMakeQuantileSummaries', lambda tf, x: op(
        'BoostedTreesMakeQuantileSummaries', [x], np.float32([1]), .1), [VALUES],
        ref=lambda x: [ranks(x)], grad=False, static_result=False,
        run_bad=[lambda tf: (op('BoostedTreesMakeQuantileSummaries', [VALUES],
                                np.float32([1, 2]), .1)[0], {})]),
    row('BoostedTreesQuantileStreamResourceAddSummaries', lambda tf: gathered(tf, boundaries), [],
        ref=lambda: [np.unique(VALUES)], grad=False, static_result=False),
    row('BoostedTreesQuantileStreamResourceFlush', lambda tf: gathered(
        tf, lambda h: after(tf, op('BoostedTreesQuantileStreamResourceFlush', h, 10),
                            lambda: boundaries(h))), [], ref=lambda: [np.float32([])],
        grad=False, static_result=False),
    row('BoostedTreesQuantileStreamResourceGetBucketBoundaries',
        lambda tf: gathered(tf, boundaries), [], ref=lambda: [np.unique(VALUES)], grad=False,
        static_result=False, run_bad=[lambda tf: (boundaries(
            op('BoostedTreesQuantileStreamResourceHandleOp'))[0], {})]),
    row('BoostedTreesQuantileStreamResourceDeserialize', lambda tf: gathered(
        tf, lambda h: after(tf, op('BoostedTreesQuantileStreamResourceDeserialize', h,
                                   [np.float32([2, 9])]), lambda: boundaries(h))), [],
        ref=lambda: [np.float32([2, 9])], grad=False, static_result=False),
    row('BoostedTreesBucketize', lambda tf, x: op(
        'BoostedTreesBucketize', [x], [np.float32([1, 3, 4])], num_features=1), [VALUES],
        ref=lambda x: [np.int32([1, 0, 2, 0, 2])], grad=False),
    row('ResourceConditionalAccumulator', lambda tf, x: mean_of(tf, x, reduction_type='SUM'),
        [(2, 3)], ref=lambda x: 3 * x, grad=False, unknown=False),
    row('ResourceAccumulatorApplyGradient', mean_of, [(2, 3)], ref=lambda x: 1.5 * x, grad=False,
        unknown=False,
        bad=[lambda tf: tf.ConditionalAccumulator(tf.float32, [2]).apply_grad([1., 2., 3.])]),
    row('ResourceAccumulatorTakeGradient', lambda tf, x: mean_of(tf, x, (0, 0, 0)), [()],
        ref=lambda x: 2 * x, grad=False, unknown=False,
        run_bad=[lambda tf: (mean_of(tf, tf.constant(1.), required=0), {}),
                 lambda tf: (mean_of(tf, tf.constant(1.), required=3), {})]),
    row('ResourceAccumulatorSetGlobalStep', late, [()], ref=lambda x: np.int32(2), grad=False),
    row('ResourceAccumulatorNumAccumulated', late, [(3,)], ref=lambda x: np.int32(2), grad=False),
]
