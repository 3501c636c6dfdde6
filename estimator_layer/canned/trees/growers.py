"""Growers: ops that grow the trees by a layer once there are statistics of enough batches."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees.hparams import check_pruning_mode, max_splits
from estimator_layer.canned.trees.ops.ensemble_ops import (
    BoostedTreesCenterBias,
    BoostedTreesUpdateEnsemble,
)
from estimator_layer.canned.trees.ops.stats_ops import BoostedTreesCalculateBestGainsPerFeature

__all__ = ['AccumulatorGrower', 'InMemoryGrower']


class _Grower:
    """Base of the growers: centering the bias, growing a layer."""

    def __init__(self, ensemble, quantiles, hparams, feature_ids):
        self._ensemble, self._quantiles = ensemble, quantiles
        self._hparams, self._feature_ids = hparams, feature_ids
        self._pruning = check_pruning_mode(hparams)

    def chief_init_op(self):
        """An Operation that the chief runs before the first step."""
        return tf.no_op()

    def _center(self, needed, gradients, hessians):
        hparams = self._hparams
        still_needed = BoostedTreesCenterBias.apply(self._ensemble.handle, gradients, hessians,
                                                    hparams.l1, hparams.l2)
        return needed.assign(still_needed)

    def _grow(self, stats, nodes):
        """Grows a layer. Shapes: stats, lists of [splits, buckets, 2]; nodes [2]."""
        hparams, ids, columns = self._hparams, [], [[] for _ in range(5)]
        for group_stats, feature_ids in zip(stats, self._feature_ids):
            splits = BoostedTreesCalculateBestGainsPerFeature.apply(
                nodes, group_stats, hparams.l1, hparams.l2, hparams.tree_complexity,
                hparams.min_node_weight, max_splits=max_splits(hparams))
            count = len(feature_ids)
            for i, column in enumerate(columns):
                column += splits[i * count:(i + 1) * count]
            ids += feature_ids
        return BoostedTreesUpdateEnsemble.apply(
            self._ensemble.handle, ids, *columns, hparams.max_depth, hparams.learning_rate,
            pruning_mode=self._pruning)


class InMemoryGrower(_Grower):
    """For batches of all data: each step grows a layer or centers the bias."""

    def accumulate_quantiles(self, float_features, weights, ready):
        """An Operation that computes the boundaries from this batch and sets `ready`."""
        with tf.control_dependencies([self._quantiles.add_summaries(float_features, weights)]):
            flush = self._quantiles.flush()
            with tf.control_dependencies([flush]):
                return ready.assign(True).op

    def center_bias(self, needed, gradients, hessians):
        """An Operation that centers the bias. Shapes: gradients, hessians [batch, 1]."""
        means = [tf.expand_dims(tf.reduce_mean(each, 0), 0) for each in (gradients, hessians)]
        return self._center(needed, *means)

    def grow_tree(self, stats, nodes):
        """An Operation that grows a layer."""
        return self._grow(stats, nodes)


class AccumulatorGrower(_Grower):
    """Accumulates statistics of n_batches_per_layer batches for each layer."""

    def __init__(self, ensemble, quantiles, hparams, stamp, n_batches_per_layer, bucket_sizes,
                 is_chief, feature_ids):
        super().__init__(ensemble, quantiles, hparams, feature_ids)
        self._stamp, self._batches, self._is_chief = stamp, n_batches_per_layer, is_chief
        self._accumulators, self._chief_ops = [], []
        for i, (ids, size) in enumerate(zip(feature_ids, bucket_sizes)):
            self._accumulators.append(self._accumulator(
                [len(ids), max_splits(hparams), size, 2],
                f'numeric_stats_summary_accumulator_{i}'))
        if hparams.center_bias:
            self._bias_accumulator = self._accumulator([2, 1], 'bias_accumulator')

    def _accumulator(self, shape, shared_name):
        accumulator = tf.ConditionalAccumulator(tf.float32, shape, shared_name)
        self._chief_ops.append(accumulator.set_global_step(self._stamp))
        return accumulator

    def chief_init_op(self):
        return tf.group(self._chief_ops)

    def accumulate_quantiles(self, float_features, weights, ready):
        """An Operation that adds a batch and, after enough batches, computes the boundaries."""
        added = self._quantiles.add_summaries(float_features, weights)
        counter = tf.ConditionalAccumulator(tf.float32, [], 'quantile_summary_accum')
        stamped = counter.set_global_step(self._stamp)
        counted = counter.apply_grad(tf.constant(0.), self._stamp)
        update = tf.group(added, stamped, counted)
        if not self._is_chief:
            return update

        def flush():
            taken = counter.take_grad(1)
            flushed = self._quantiles.flush()
            return tf.group(flushed, taken, ready.assign(True).op)
        with tf.control_dependencies([update]):
            return tf.cond(tf.greater_equal(counter.num_accumulated(), self._batches), flush,
                           tf.no_op, name='wait_until_quaniles_accumulated')

    def center_bias(self, needed, gradients, hessians):
        """An Operation that centers the bias, after enough batches. Shapes: [batch, 1] each."""
        means = tf.reduce_mean(tf.stack([gradients, hessians], axis=0), axis=1)
        applied = self._bias_accumulator.apply_grad(means, self._stamp)

        def stamp_accumulators():
            return tf.group([accumulator.set_global_step(self._stamp + 1)
                             for accumulator in self._accumulators])

        def center():
            gradient, hessian = tf.unstack(self._bias_accumulator.take_grad(1), axis=0)
            centered = self._center(needed, tf.expand_dims(gradient, 0),
                                    tf.expand_dims(hessian, 0))
            with tf.control_dependencies([centered]):
                return tf.cond(needed, tf.no_op, stamp_accumulators)
        with tf.control_dependencies([applied]):
            if not self._is_chief:
                return tf.no_op()
            return tf.cond(
                tf.greater_equal(self._bias_accumulator.num_accumulated(), self._batches), center,
                tf.no_op, name='wait_until_n_batches_for_bias_accumulated')

    def grow_tree(self, stats, nodes):
        """An Operation that grows a layer, after enough batches."""
        applied = [accumulator.apply_grad(tf.stack(group_stats, axis=0), self._stamp)
                   for accumulator, group_stats in zip(self._accumulators, stats)]

        def grow():
            return self._grow([tf.unstack(accumulator.take_grad(1), axis=0)
                               for accumulator in self._accumulators], nodes)
        with tf.control_dependencies(applied):
            if not self._is_chief:
                return tf.no_op()
            fewest = tf.reduce_min(tf.stack([accumulator.num_accumulated()
                                             for accumulator in self._accumulators]))
            return tf.cond(tf.greater_equal(fewest, self._batches), grow, tf.no_op,
                           name='wait_until_n_batches_accumulated')
