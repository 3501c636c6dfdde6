"""The model_fn of boosted trees: predictions, or a training step that grows a layer."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees import columns as features_of
from estimator_layer.canned.trees.growers import AccumulatorGrower, InMemoryGrower
from estimator_layer.canned.trees.hooks import InitializeGrowerHook, StopWhenGrownHook
from estimator_layer.canned.trees.hparams import max_splits
from estimator_layer.canned.trees.ops.ensemble_ops import (
    BoostedTreesPredict,
    BoostedTreesTrainingPredict,
)
from estimator_layer.canned.trees.ops.stats_ops import BoostedTreesMakeStatsSummary
from estimator_layer.canned.trees.resources import QuantileAccumulator, TreeEnsemble
from estimator_layer.canned.trees.row_cache import (
    NEW,
    RowCache,
    cached_features,
    untrained_variable,
)
from estimator_layer.model_fn import ModeKeys
from tinyflow.graph.support.errors import misuse

__all__ = ['NAME', 'Inputs', 'model_fn']

NAME = 'boosted_trees'
_QUANTILES = 'QuantileAccumulator'


class Inputs:
    """The columns sorted by name, and the bucket boundaries of the float columns."""

    def __init__(self, columns, epsilon):
        self.columns = sorted(columns, key=lambda column: column.name)
        self.float_columns = features_of.float_columns(self.columns)
        self.num_quantiles = int(1. / epsilon)
        self.quantiles, self.boundaries = None, {}
        if self.float_columns:
            self.quantiles = QuantileAccumulator(
                epsilon, features_of.feature_count(self.float_columns), self.num_quantiles,
                _QUANTILES)
            self.boundaries = features_of.float_boundaries(self.float_columns,
                                                           self.quantiles.boundaries())

    def buckets(self, features):
        """A list of the features [batch], bucketized."""
        return features_of.transformed(features, self.columns, self.boundaries)


def model_fn(features, labels, mode, head, columns, hparams, n_batches_per_layer, config,
             closed_form=None, weight_column=None, train_in_memory=False):
    """The EstimatorSpec of a mode.

    `closed_form` is a function of (logits, labels) that returns gradients and hessians; by default
    the loss is differentiated.
    """
    with tf.name_scope(NAME) as name:
        step = tf.train.get_or_create_global_step()
        ensemble = TreeEnsemble(name)
        inputs = Inputs(columns, hparams.quantile_sketch_epsilon)
        if mode != ModeKeys.TRAIN:
            logits = BoostedTreesPredict.apply(
                ensemble.handle, inputs.buckets(features), logits_dimension=head.logits_dimension)
            return head.create_estimator_spec(features=features, mode=mode, labels=labels,
                                              train_op_fn=tf.no_op, logits=logits)
        _check_in_memory(train_in_memory, n_batches_per_layer, config)
        training = _Training(features, labels, head, inputs, hparams, ensemble, step,
                             n_batches_per_layer, config, closed_form, weight_column,
                             train_in_memory)
    return training.spec()


def _check_in_memory(train_in_memory, n_batches_per_layer, config):
    if not train_in_memory:
        return
    if n_batches_per_layer != 1:
        raise misuse(ValueError(
            'When train_in_memory is enabled, input_fn should return the entire dataset as a '
            'single batch, and n_batches_per_layer should be set as 1.'))
    if not config.is_chief or config.num_worker_replicas > 1 or config.num_ps_replicas > 0:
        raise misuse(ValueError('train_in_memory is supported only for non-distributed training.'))


class _Training:
    """The graph of a training step."""

    def __init__(self, features, labels, head, inputs, hparams, ensemble, step,
                 n_batches_per_layer, config, closed_form, weight_column, in_memory):
        self._features, self._labels, self._head = features, labels, head
        self._inputs, self._hparams, self._step = inputs, hparams, step
        self._closed_form, self._in_memory = closed_form, in_memory
        tf.no_op()                  # TF1 creates it to get the device of the worker
        self._ready = untrained_variable(not inputs.float_columns, 'are_boundaries_ready')
        self._create_buckets()
        with tf.control_dependencies([tf.no_op()]):         # in TF1 a copy of the trees
            stamp, *counts, self._nodes = ensemble.states()
            partial, self._tree_ids, self._node_ids = BoostedTreesTrainingPredict.apply(
                ensemble.handle, *self._cached[:2], self._buckets,
                logits_dimension=head.logits_dimension)
        self._logits = self._cached[2] + partial
        self._sizes, self._groups = features_of.grouped(inputs.columns, inputs.num_quantiles)
        if in_memory:
            self._grower = InMemoryGrower(ensemble, inputs.quantiles, hparams, self._groups)
        else:
            self._grower = AccumulatorGrower(
                ensemble, inputs.quantiles, hparams, stamp, n_batches_per_layer, self._sizes,
                config.is_chief, self._groups)
        for key, value in zip(('num_trees', 'num_finalized_trees', 'num_attempted_layers'),
                              counts):
            tf.summary.scalar(f'ensemble/{key}', value)
        self._counts = counts
        self._centering = untrained_variable(hparams.center_bias, 'center_bias_needed')
        self._weights = self._example_weights(weight_column)

    def _create_buckets(self):
        """The buckets of the batch, and the cached tree, node and logit of each row."""
        inputs, dimension = self._inputs, self._head.logits_dimension
        self._cache = self._fill_cache = None
        if self._in_memory:
            batch = tf.shape(self._labels)[0]
            self._buckets, self._fill_cache = cached_features(
                self._features, inputs.columns, batch, inputs.boundaries, self._ready)
            self._cache = RowCache(batch, dimension)
            self._cached = self._cache.lookup()
            return
        self._buckets = inputs.buckets(self._features)
        batch = tf.shape(self._labels)[0]
        self._cached = (tf.zeros([batch], dtype=tf.int32),
                        NEW * tf.ones([batch], dtype=tf.int32),
                        tf.zeros([batch, dimension], dtype=tf.float32))

    def _example_weights(self, column):
        if column is None:
            return tf.constant(1., shape=[1])
        if isinstance(column, str):
            column = tf.feature_column.numeric_column(key=column, shape=(1,))
        return features_of.transformed(self._features, [column])[0]

    def spec(self):
        """The EstimatorSpec, with the hooks that initialize the grower and end the training."""
        spec = self._head.create_estimator_spec(
            features=self._features, mode=ModeKeys.TRAIN, labels=self._labels,
            train_op_fn=self._train_op, logits=self._logits)
        _, done, layers = self._counts
        stop = StopWhenGrownHook(done, layers, self._hparams.n_trees, self._hparams.max_depth)
        return spec._replace(
            training_hooks=(*spec.training_hooks, stop),
            training_chief_hooks=[InitializeGrowerHook(self._grower.chief_init_op()),
                                  *spec.training_chief_hooks])

    def _train_op(self, loss):
        if not self._inputs.float_columns:
            return self._grow(loss)
        return tf.cond(self._ready, lambda: self._grow(loss), self._update_quantiles)

    def _update_quantiles(self):
        with tf.name_scope('UpdateQuantile'):
            values = features_of.transformed(self._features, self._inputs.float_columns)
            return self._grower.accumulate_quantiles(values, self._weights, self._ready)

    def _grow(self, loss):
        operations = [self._fill_cache] if self._in_memory else []
        if self._cache:
            operations.append(tf.cond(
                self._centering, tf.no_op,
                lambda: self._cache.insert(self._tree_ids, self._node_ids, self._logits)))
        gradients, hessians = self._derivatives(loss)
        stats = self._stats(gradients, hessians)
        if self._hparams.center_bias:
            update = tf.cond(
                self._centering,
                lambda: self._grower.center_bias(self._centering, gradients, hessians),
                lambda: self._grower.grow_tree(stats, self._nodes))
        else:
            update = self._grower.grow_tree(stats, self._nodes)
        operations.append(update)
        with tf.control_dependencies([update]):
            operations.append(tf.assign_add(self._step, 1).op)
        return tf.group(operations, name='grow_op')

    def _derivatives(self, loss):
        if self._closed_form:
            return self._closed_form(self._logits, self._labels)
        gradients = tf.gradients(loss, self._logits, name='Gradients')[0]
        return gradients, tf.gradients(gradients, self._logits, name='Hessians')[0]

    def _stats(self, gradients, hessians):
        """Lists, one per number of buckets, of sums [splits, buckets, 2]."""
        return [[tf.squeeze(BoostedTreesMakeStatsSummary.apply(
            self._node_ids, gradients, hessians, [self._buckets[feature]],
            max_splits=max_splits(self._hparams), num_buckets=size), axis=0)
            for feature in ids] for ids, size in zip(self._groups, self._sizes)]
