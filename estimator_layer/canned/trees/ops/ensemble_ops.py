"""Tree ensemble ops of boosted trees: create, restore, predict, and grow an ensemble.

BoostedTreesEnsembleResourceHandleOp gives a handle, an array of no dimensions that holds the
Session's Ensemble; it is initialized by BoostedTreesCreateEnsemble.
"""
from __future__ import annotations

import numpy as np

from estimator_layer.canned.trees.ops import growing as trees_growing, messages as trees_messages
from estimator_layer.canned.trees.ops.model import Ensemble
from estimator_layer.canned.trees.ops.resources import (
    IsInitialized,
    ResourceOp,
    initialized_resource,
)
from tinyflow.formats.protos import boosted_trees_pb2
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import REQUIRED
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.support.resource_handles import SessionHandle


class BoostedTreesEnsembleResourceHandleOp(SessionHandle):
    """The handle of an ensemble."""

    def state(attrs):
        return boxed(Ensemble())


def _ensemble(handle):
    """The Ensemble; FailedPreconditionError if it is not initialized."""
    return initialized_resource(handle, 'tree ensemble is', 'it')


class IsBoostedTreesEnsembleInitialized(IsInitialized):
    """True once the ensemble was created or restored."""

    signature = 'tree_ensemble_handle: resource -> is_initialized: bool'


class BoostedTreesCreateEnsemble(ResourceOp):
    """Creates the ensemble from a serialized one ('': empty), unless it is initialized."""

    signature = ('tree_ensemble_handle: resource, stamp_token: int64, '
                 'tree_ensemble_serialized: string ->')

    def kernel(tree_ensemble_handle, stamp_token, tree_ensemble_serialized):
        ensemble = tree_ensemble_handle.item()
        if not ensemble.made:
            trees_messages.restore(ensemble, stamp_token, tree_ensemble_serialized.item())


class BoostedTreesDeserializeEnsemble(ResourceOp):
    """Replaces the ensemble by a serialized one."""

    signature = BoostedTreesCreateEnsemble.signature

    def kernel(tree_ensemble_handle, stamp_token, tree_ensemble_serialized):
        trees_messages.restore(_ensemble(tree_ensemble_handle), stamp_token,
                               tree_ensemble_serialized.item())


class BoostedTreesSerializeEnsemble(ResourceOp):
    """The stamp and the bytes of a TreeEnsemble message."""

    signature = ('tree_ensemble_handle: resource -> stamp_token: int64, '
                 'tree_ensemble_serialized: string')

    def shape(tree_ensemble_handle):
        return (), ()

    def kernel(tree_ensemble_handle):
        ensemble = _ensemble(tree_ensemble_handle)
        return (np.array(ensemble.stamp, np.int64), boxed(trees_messages.serialized(ensemble)))


class BoostedTreesGetEnsembleStates(ResourceOp):
    """The stamp, counts of trees and layers, and the nodes [first, end) of the growing layer."""

    signature = ('tree_ensemble_handle: resource -> stamp_token: int64, num_trees: int32, '
                 'num_finalized_trees: int32, num_attempted_layers: int32, '
                 'last_layer_nodes_range: int32')

    def shape(tree_ensemble_handle):
        return (), (), (), (), (2,)

    def kernel(tree_ensemble_handle):
        found = _ensemble(tree_ensemble_handle)
        nodes = found.first_node, max(found.end_node, 1)
        return (np.array(found.stamp, np.int64), np.array(len(found.trees), np.int32),
                np.array(found.finalized_trees(), np.int32),
                np.array(found.layers_attempted, np.int32), np.array(nodes, np.int32))


# ---- examples ------------------------------------------------------------------------------


def _batch(features):
    """The number of examples, if a shape has it."""
    return next((f[0] for f in features if f), None)


def _matrix(features):
    """Buckets [features, batch] of a list of [batch] or [batch, 1]."""
    return np.stack([f.reshape(-1) for f in features])


def _check_dimension(logits_dimension):
    if logits_dimension != 1:
        raise OpFailure(f'logits_dimension must be 1, not {logits_dimension}',
                        'TensorFlow 1 has trees of one output: a number, or the logit of two '
                        'classes.')


class BoostedTreesPredict(ResourceOp):
    """The sum of the trees for each example."""

    signature = ('tree_ensemble_handle: resource, '
                 'bucketized_features: num_bucketized_features*int32 -> logits: float32')
    attrs = {'logits_dimension': REQUIRED}

    def shape(tree_ensemble_handle, bucketized_features, *, logits_dimension):
        _check_dimension(logits_dimension)
        return _batch(bucketized_features), logits_dimension

    def kernel(tree_ensemble_handle, bucketized_features):
        found = _ensemble(tree_ensemble_handle)
        return found.predict(_matrix(bucketized_features))[:, None]


class BoostedTreesTrainingPredict(ResourceOp):
    """The change of predictions since cached nodes, and the new tree and node ids to cache."""

    signature = ('tree_ensemble_handle: resource, cached_tree_ids: int32, cached_node_ids: int32, '
                 'bucketized_features: num_bucketized_features*int32 -> partial_logits: float32, '
                 'tree_ids: int32, node_ids: int32')
    attrs = {'logits_dimension': REQUIRED}

    def shape(tree_ensemble_handle, cached_tree_ids, cached_node_ids, bucketized_features, *,
              logits_dimension):
        _check_dimension(logits_dimension)
        batch = _batch(bucketized_features)
        return (batch, logits_dimension), (batch,), (batch,)

    def kernel(tree_ensemble_handle, cached_tree_ids, cached_node_ids, bucketized_features):
        found = _ensemble(tree_ensemble_handle)
        logits, trees, nodes = found.predict_more(_matrix(bucketized_features), cached_tree_ids,
                                                  cached_node_ids)
        return logits[:, None], np.array(trees, np.int32), np.array(nodes, np.int32)


class BoostedTreesExampleDebugOutputs(ResourceOp):
    """For each example a DebugOutput message: the features of its splits and their outputs."""

    signature = ('tree_ensemble_handle: resource, '
                 'bucketized_features: num_bucketized_features*int32 '
                 '-> examples_debug_outputs_serialized: string')
    attrs = {'logits_dimension': REQUIRED}

    def shape(tree_ensemble_handle, bucketized_features, *, logits_dimension):
        _check_dimension(logits_dimension)
        return (_batch(bucketized_features),)

    def kernel(tree_ensemble_handle, bucketized_features):
        paths = _ensemble(tree_ensemble_handle).paths(_matrix(bucketized_features))
        found = np.empty(len(paths), object)
        found[:] = [boosted_trees_pb2.DebugOutput(
            feature_ids=features, logits_path=outputs).SerializeToString()
            for features, outputs in paths]
        return found


# ---- growing -------------------------------------------------------------------------------


class BoostedTreesCenterBias(ResourceOp):
    """Makes the first tree's root predict the mean; True if that should be done again."""

    signature = ('tree_ensemble_handle: resource, mean_gradients: float32, '
                 'mean_hessians: float32, l1: float32, l2: float32 -> continue_centering: bool')

    def shape(tree_ensemble_handle, mean_gradients, mean_hessians, l1, l2):
        return ()

    def kernel(tree_ensemble_handle, mean_gradients, mean_hessians, l1, l2):
        return np.array(trees_growing.center(
            _ensemble(tree_ensemble_handle), mean_gradients.reshape(-1)[0],
            mean_hessians.reshape(-1)[0], l1, l2))


class BoostedTreesUpdateEnsemble(ResourceOp):
    """Splits the leaves of the growing layer by their best features."""

    signature = ('tree_ensemble_handle: resource, feature_ids: int32, '
                 'node_ids: num_features*int32, gains: num_features*float32, '
                 'thresholds: num_features*int32, left_node_contribs: num_features*float32, '
                 'right_node_contribs: num_features*float32, max_depth: int32, '
                 'learning_rate: float32 ->')
    attrs = {'pruning_mode': REQUIRED}

    def kernel(tree_ensemble_handle, feature_ids, node_ids, gains, thresholds, left_node_contribs,
               right_node_contribs, max_depth, learning_rate, *, pruning_mode):
        candidates = trees_growing.choose(
            feature_ids, node_ids, gains, thresholds, _flat(left_node_contribs),
            _flat(right_node_contribs), learning_rate)
        trees_growing.grow(_ensemble(tree_ensemble_handle), candidates, int(max_depth),
                           pruning_mode)


def _flat(columns):
    """Columns [n, 1] as [n]."""
    return [column.reshape(-1) for column in columns]


__all__: list[str] = []
