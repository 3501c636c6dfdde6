"""Sums of gradients and hessians by node and bucket, and the best splits by them."""
from __future__ import annotations

import numpy as np

from estimator_layer.canned.trees.ops.growing import best_splits
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure


class BoostedTreesMakeStatsSummary(Op):
    """Sums of gradients and hessians. Shapes: [batch] -> [features, max_splits, buckets, 2]."""

    signature = ('node_ids: int32, gradients: float32, hessians: float32, '
                 'bucketized_features_list: num_features*int32 -> stats_summary: float32')
    attrs = {'max_splits': REQUIRED, 'num_buckets': REQUIRED}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(node_ids, gradients, hessians, bucketized_features_list, *, max_splits, num_buckets):
        return len(bucketized_features_list), max_splits, num_buckets, 2

    def kernel(node_ids, gradients, hessians, bucketized_features_list, *, max_splits,
               num_buckets):
        gradients, hessians = gradients.reshape(-1), hessians.reshape(-1)
        start, size = node_ids.astype(np.intp) * num_buckets, max_splits * num_buckets
        sums = np.empty((len(bucketized_features_list), size, 2), np.float32)
        for own, buckets in zip(sums, bucketized_features_list):
            buckets = buckets.reshape(-1)
            _check(node_ids, buckets, max_splits)
            for i, values in enumerate((gradients, hessians)):      # summed as float64
                own[:, i] = np.bincount(start + buckets, values, size)[:size]
        return sums.reshape(-1, max_splits, num_buckets, 2)


def _check(nodes, buckets, max_splits):
    """ValueError for invalid nodes or buckets of examples.

    There may be one bucket too many: a sketch gives as many boundaries as requested, or one more.
    TensorFlow adds its examples to the next node, and drops those after the last.
    """
    if nodes.size and not 0 <= nodes.min() <= nodes.max() < max_splits:
        wrong = nodes[(nodes < 0) | (nodes >= max_splits)][0]
        raise OpFailure(f'the node {wrong} of an example is not in [0, {max_splits})',
                        'max_splits is 2 to the power of max_depth, less 1.')
    if buckets.size and buckets.min() < 0:
        raise ValueError(f'the bucket {buckets.min()} of an example is below 0')


class BoostedTreesCalculateBestGainsPerFeature(Op):
    """For each feature and each node of the range, the split that gains most.

    Shapes: node_id_range [2]; stats [max_splits, buckets, 2] -> [nodes] and values [nodes, 1].
    """

    signature = ('node_id_range: int32, stats_summary_list: num_features*float32, l1: float32, '
                 'l2: float32, tree_complexity: float32, min_node_weight: float32 '
                 '-> node_ids_list: num_features*int32, gains_list: num_features*float32, '
                 'thresholds_list: num_features*int32, '
                 'left_node_contribs_list: num_features*float32, '
                 'right_node_contribs_list: num_features*float32')
    attrs = {'max_splits': REQUIRED}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(node_id_range, stats_summary_list, l1, l2, tree_complexity, min_node_weight):
        count = len(stats_summary_list)
        return [(None,)] * (3 * count) + [(None, 1)] * (2 * count)

    def kernel(node_id_range, stats_summary_list, l1, l2, tree_complexity, min_node_weight):
        found = best_splits(stats_summary_list, node_id_range.tolist(), l1, l2, tree_complexity,
                            min_node_weight)
        nodes, gains, thresholds, left, right = zip(*found)
        return (*nodes, *gains, *thresholds, *(column[:, None] for column in left),
                *(column[:, None] for column in right))


__all__: list[str] = []
