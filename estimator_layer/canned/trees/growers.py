"""Growing in a training graph: when there are enough batches, a layer from their statistics."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees.ops.ensemble_ops import (
    BoostedTreesCenterBias,
    BoostedTreesUpdateEnsemble,
)
from estimator_layer.canned.trees.ops.stats_ops import BoostedTreesCalculateBestGainsPerFeature
from estimator_layer.canned.trees.settings import max_splits, pruning_of

__all__ = ['AccumulatorGrower', 'InMemoryGrower']


class _Grower:
    """What both ways of growing share."""

    def __init__(self, ensemble, quantiles, settings, feature_ids):
        self._ensemble, self._quantiles = ensemble, quantiles
        self._settings, self._feature_ids = settings, feature_ids
        self._pruning = pruning_of(settings)

    def chief_init_op(self):
        """What the chief runs before the first step."""
        return tf.no_op()

    def _center(self, needed, gradients, hessians):
        settings = self._settings
        again = BoostedTreesCenterBias.apply(self._ensemble.handle, gradients, hessians,
                                             settings.l1, settings.l2)
        return needed.assign(again)

    def _grow(self, stats, nodes):
        """Grows a layer. Shapes: stats, lists of [splits, buckets, 2]; nodes [2]."""
        settings, ids, columns = self._settings, [], [[] for _ in range(5)]
        for own, feature_ids in zip(stats, self._feature_ids):
            found = BoostedTreesCalculateBestGainsPerFeature.apply(
                nodes, own, settings.l1, settings.l2, settings.tree_complexity,
                settings.min_node_weight, max_splits=max_splits(settings))
            count = len(feature_ids)
            for i, column in enumerate(columns):
                column += found[i * count:(i + 1) * count]
            ids += feature_ids
        return BoostedTreesUpdateEnsemble.apply(
            self._ensemble.handle, ids, *columns, settings.max_depth, settings.learning_rate,
            pruning_mode=self._pruning)


class InMemoryGrower(_Grower):
    """A batch is the whole data: a layer, or a centering, in each step."""

    def accumulate_quantiles(self, float_features, weights, ready):
        """An Operation that makes the boundaries from this batch, and says that they are there."""
        with tf.control_dependencies([self._quantiles.add_summaries(float_features, weights)]):
            flush = self._quantiles.flush()
            with tf.control_dependencies([flush]):
                return ready.assign(True).op

    def center_bias(self, needed, gradients, hessians):
        """Centers. Shapes: gradients, hessians [batch, 1]."""
        means = [tf.expand_dims(tf.reduce_mean(each, 0), 0) for each in (gradients, hessians)]
        return self._center(needed, *means)

    def grow_tree(self, stats, nodes):
        """Grows a layer."""
        return self._grow(stats, nodes)


class AccumulatorGrower(_Grower):
    """A layer needs n_batches_per_layer batches, whose statistics are gathered."""

    def __init__(self, ensemble, quantiles, settings, stamp, n_batches_per_layer, bucket_sizes,
                 is_chief, feature_ids):
        super().__init__(ensemble, quantiles, settings, feature_ids)
        self._stamp, self._batches, self._is_chief = stamp, n_batches_per_layer, is_chief
        self._accumulators, self._chief_ops = [], []
        for i, (ids, size) in enumerate(zip(feature_ids, bucket_sizes)):
            self._accumulators.append(self._accumulator(
                [len(ids), max_splits(settings), size, 2],
                f'numeric_stats_summary_accumulator_{i}'))
        if settings.center_bias:
            self._bias_accumulator = self._accumulator([2, 1], 'bias_accumulator')

    def _accumulator(self, shape, shared_name):
        accumulator = tf.ConditionalAccumulator(tf.float32, shape, shared_name)
        self._chief_ops.append(accumulator.set_global_step(self._stamp))
        return accumulator

    def chief_init_op(self):
        return tf.group(self._chief_ops)

    def accumulate_quantiles(self, float_features, weights, ready):
        """An Operation that adds a batch, and makes the boundaries if it was the last needed."""
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
        """An Operation that centers, after enough batches. Shapes: [batch, 1] each."""
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
        applied = [accumulator.apply_grad(tf.stack(own, axis=0), self._stamp)
                   for accumulator, own in zip(self._accumulators, stats)]

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
