"""Resources of a boosted trees model: the tree ensemble and the quantile accumulator.

A Scaffold initializes them and a Saver saves them, under TensorFlow's names.
"""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees.ops import ensemble_ops as trees, quantile_ops as quantiles
from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec
from tinyflow.train.resources import register_resource

__all__ = ['QuantileAccumulator', 'TreeEnsemble']


class _TreesSaveable(SaveableObject):
    """The trees for a Saver: a stamp, and a serialized protocol buffer."""

    def __init__(self, handle, create, name):
        self._create = create
        stamp, serialized = trees.BoostedTreesSerializeEnsemble.apply(handle)
        super().__init__(handle, [SaveSpec(stamp, '', f'{name}_stamp'),
                                  SaveSpec(serialized, '', f'{name}_serialized')], name)

    def restore(self, restored_tensors, restored_shapes):
        with tf.control_dependencies([self._create]):
            return trees.BoostedTreesDeserializeEnsemble.apply(self.op, *restored_tensors)


class TreeEnsemble:
    """The tree ensemble; `handle` is its resource handle."""

    def __init__(self, name):
        with tf.name_scope(name, 'TreeEnsemble') as scope:
            self.handle = trees.BoostedTreesEnsembleResourceHandleOp.apply(
                shared_name=scope, name=scope)
            self.initializer = trees.BoostedTreesCreateEnsemble.apply(
                self.handle, 0, '')
            is_initialized = trees.IsBoostedTreesEnsembleInitialized.apply(self.handle)
            tf.add_to_collection(
                tf.GraphKeys.SAVEABLE_OBJECTS,
                _TreesSaveable(self.handle, self.initializer, self.handle.name))
            register_resource(self.handle, self.initializer, is_initialized)

    def states(self):
        """(stamp, trees, finalized trees, attempted layers, node range of the last layer [2])."""
        values = trees.BoostedTreesGetEnsembleStates.apply(self.handle)
        names = ('stamp_token', 'num_trees', 'num_finalized_trees', 'num_attempted_layers',
                 'last_layer_nodes_range')
        return [tf.identity(value, name=name) for value, name in zip(values, names)]


class _BoundariesSaveable(SaveableObject):
    """The boundaries for a Saver: a vector per feature."""

    def __init__(self, handle, create, boundaries, name):
        self._create = create
        super().__init__(handle, [
            SaveSpec(tensor, '', f'{name}_bucket_boundaries_{i}')
            for i, tensor in enumerate(boundaries)], name)

    def restore(self, restored_tensors, restored_shapes):
        with tf.control_dependencies([self._create]):
            return quantiles.BoostedTreesQuantileStreamResourceDeserialize.apply(
                self.op, restored_tensors)


class QuantileAccumulator:
    """Quantile sketches of the float features, and the bucket boundaries from them."""

    def __init__(self, epsilon, num_streams, num_quantiles, name):
        self._epsilon, self._num_streams = epsilon, num_streams
        self._num_quantiles = num_quantiles
        with tf.name_scope(name, 'QuantileAccumulator') as scope:
            self.handle = quantiles.BoostedTreesQuantileStreamResourceHandleOp.apply(
                shared_name=scope, name=scope)
            create = quantiles.BoostedTreesCreateQuantileStreamResource.apply(
                self.handle, epsilon, num_streams)
            is_initialized = quantiles.IsBoostedTreesQuantileStreamResourceInitialized.apply(
                self.handle)
        register_resource(self.handle, create, is_initialized)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, _BoundariesSaveable(
            self.handle, create, self.boundaries(), self.handle.name))

    def boundaries(self):
        """The boundaries of each feature. Shapes: -> [boundaries] each."""
        return quantiles.BoostedTreesQuantileStreamResourceGetBucketBoundaries.apply(
            self.handle, num_features=self._num_streams)

    def add_summaries(self, float_features, example_weights):
        """An Operation that adds a batch. Shapes: features [batch] each, weights [batch or 1]."""
        summaries = quantiles.BoostedTreesMakeQuantileSummaries.apply(
            float_features, example_weights, self._epsilon)
        return quantiles.BoostedTreesQuantileStreamResourceAddSummaries.apply(
            self.handle, summaries)

    def flush(self):
        """An Operation that computes the boundaries from the added summaries."""
        return quantiles.BoostedTreesQuantileStreamResourceFlush.apply(
            self.handle, self._num_quantiles)
