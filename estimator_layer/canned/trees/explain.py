"""Explanations of boosted trees: feature importances, contributions to one prediction."""
from __future__ import annotations

import collections

import numpy as np

import tinyflow as tf
from estimator_layer.canned.trees.model_fn import NAME, Inputs
from estimator_layer.canned.trees.ops.ensemble_ops import (
    BoostedTreesExampleDebugOutputs,
    BoostedTreesPredict,
)
from estimator_layer.canned.trees.ops.messages import restore
from estimator_layer.canned.trees.ops.model import LEAF, Ensemble
from estimator_layer.canned.trees.resources import TreeEnsemble
from estimator_layer.model_fn import ModeKeys
from tinyflow.formats.protos import boosted_trees_pb2
from tinyflow.graph.support.errors import misuse

__all__ = ['PATH_KEY', 'bias_and_contributions', 'importances', 'predict_with_paths']

PATH_KEY = '_serialized_debug_outputs_proto'


def importances(serialized, names, normalize):
    """{column name: sum of the gains of its splits}, in decreasing order.

    Raises ValueError if `normalize` and no split has a gain.
    """
    ensemble = Ensemble()
    restore(ensemble, 0, serialized)
    sums = np.zeros(len(names))
    for tree in ensemble.trees:
        gains = np.zeros(len(names))
        for feature, gain in zip(tree.features, tree.gains):
            if feature != LEAF:
                gains[feature] += gain
        sums += gains * tree.weight
    if normalize:
        if (sums < 0).any():
            raise misuse(ValueError('feature_importances must be non-negative.\n  Hint: '
                                    'normalize=False, or pruning.'))
        if not sums.sum() > 0:
            raise misuse(ValueError('Trees are all empty or contain only a root node.'))
        sums = sums / sums.sum()
    return _by_name(names, sums)


def _by_name(names, values):
    """{name: sum of its values}, in decreasing order of absolute values."""
    sums = {}
    for name, value in zip(names, values):
        sums[name] = sums.get(name, 0) + value
    return collections.OrderedDict(
        sorted(sums.items(), key=lambda item: abs(item[1]), reverse=True))


def predict_with_paths(features, head, columns, epsilon):
    """The EstimatorSpec of PREDICT, with the path of each example through the trees."""
    mode = ModeKeys.PREDICT
    with tf.name_scope(NAME) as name:
        ensemble = TreeEnsemble(name)
        buckets = Inputs(columns, epsilon).buckets(features)
        logits = BoostedTreesPredict.apply(ensemble.handle, buckets,
                                           logits_dimension=head.logits_dimension)
        spec = head.create_estimator_spec(features=features, mode=mode, labels=None,
                                          train_op_fn=tf.no_op, logits=logits)
        paths = BoostedTreesExampleDebugOutputs.apply(ensemble.handle, buckets,
                                                      logits_dimension=head.logits_dimension)
        return spec._replace(predictions={**spec.predictions, PATH_KEY: paths})


def bias_and_contributions(serialized, names, is_classification):
    """(bias, {column name: contribution to the prediction}) of an example.

    The prediction changes from node to node; each change is attributed to the feature of the split
    (Palczewska et al. 2013, "Interpreting random forest models using a feature contribution
    method"). For a classifier the prediction is the probability.
    """
    path = boosted_trees_pb2.DebugOutput.FromString(serialized)
    outputs = np.array(path.logits_path)
    if is_classification:
        outputs = 1 / (1 + np.exp(-outputs))
    changes = np.bincount(np.array(path.feature_ids, np.intp), weights=np.diff(outputs),
                          minlength=len(names))
    return outputs[0], _by_name(names, changes)
