"""Ops on the trees of a forest: make, grow, predict, count nodes."""
from __future__ import annotations

import numpy as np

from tinyflow.api.contrib.tensor_forest.trees import Classes, Numbers, Tree
from tinyflow.graph import dtypes
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.support.resource_handles import SessionHandle


class _Holder:
    """The place of a tree in a Session; `tree` is None until it is made."""

    def __init__(self, attrs):
        kind = Numbers if attrs['regression'] else Classes
        self.settings = kind(attrs['outputs'], attrs['split_after_samples'],
                             attrs['num_splits_to_consider'], attrs['max_nodes'])
        self.seed, self.tree = attrs['seed'], None


class ForestTree(SessionHandle):
    """The handle of a tree that grows from examples."""

    attrs = {'container': '', 'shared_name': '', 'regression': False, 'outputs': REQUIRED,
             'split_after_samples': REQUIRED, 'num_splits_to_consider': REQUIRED,
             'max_nodes': REQUIRED, 'seed': 0}

    def state(attrs):
        return boxed(_Holder(attrs))


class _OnTree(Op, abstract=True):
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE


def _tree(handle):
    tree = handle.item().tree
    if tree is None:
        raise errors.op_error(errors.FailedPreconditionError, 'The tree is not initialized.',
                              'run resources.initialize_resources(resources.shared_resources()) '
                              'with the initializers of Variables.')
    return tree


def _examples(features):
    if features.ndim != 2:
        raise OpFailure(f'features must have rank 2, not {features.ndim}',
                        'one row for each example.')
    return features.astype(np.float32, copy=False)


class CreateForestTree(_OnTree):
    """Makes the tree, one leaf."""

    signature = 'handle: resource ->'

    def shape(handle):
        return []

    def kernel(handle):
        holder = handle.item()
        if holder.tree is None:
            seed = holder.seed or int.from_bytes(np.random.default_rng().bytes(4), 'little')
            holder.tree = Tree(holder.settings, seed)


class IsForestTreeInitialized(_OnTree):
    """True once the tree was made."""

    signature = 'handle: resource -> is_initialized: bool'

    def shape(handle):
        return ()

    def kernel(handle):
        return np.array(handle.item().tree is not None)


class GrowForestTree(_OnTree):
    """Takes examples and splits leaves that have seen enough."""

    signature = 'handle: resource, features: T, labels: Tlabels ->'
    types = {'T': dtypes.NUMBERS, 'Tlabels': dtypes.NUMBERS}

    def shape(handle, features, labels):
        return []

    def kernel(handle, features, labels):
        tree, x = _tree(handle), _examples(features)
        if len(labels) != len(x):
            raise OpFailure(f'{len(x)} examples have {len(labels)} labels',
                            'one label for each example.')
        if isinstance(tree.settings, Classes):
            _check_classes(labels, tree.settings.outputs)
        tree.add(x, tree.settings.of_labels(labels))


def _check_classes(labels, classes):
    if labels.size and not (labels.min() >= 0 and labels.max() < classes):
        raise OpFailure(f'labels are {labels.min()} to {labels.max()}, not 0 to {classes - 1}',
                        'num_classes of ForestHParams is the number of classes.')


class ForestTreePredictions(_OnTree):
    """What the leaf of each example says: the share of each class, or means."""

    signature = 'handle: resource, features: T -> predictions: float32'
    types = {'T': dtypes.NUMBERS}

    def shape(handle, features):
        return None if features is None else (features[0], None)

    def kernel(handle, features):
        tree = _tree(handle)
        stats = tree.stats[tree.leaves(_examples(features))]
        return tree.settings.predictions(stats).astype(np.float32)


class ForestTreeSize(_OnTree):
    """The number of nodes."""

    signature = 'handle: resource -> tree_size: int32'

    def shape(handle):
        return ()

    def kernel(handle):
        return np.array(_tree(handle).size, np.int32)


class ForestTreeArrays(_OnTree):
    """The nodes of a tree: features, thresholds, left children, statistics."""

    signature = ('handle: resource -> feature: int32, threshold: float32, left: int32, '
                 'stats: float64')

    def shape(handle):
        return [(None,), (None,), (None,), (None, None)]

    def kernel(handle):
        return tuple(array.copy() for array in _tree(handle).to_arrays())


class RestoreForestTree(_OnTree):
    """Replaces a tree by one of those nodes."""

    signature = ('handle: resource, feature: int32, threshold: float32, left: int32, '
                 'stats: float64 ->')

    def shape(handle, feature, threshold, left, stats):
        return []

    def kernel(handle, feature, threshold, left, stats):
        CreateForestTree.kernel(handle)
        _tree(handle).from_arrays(feature, threshold, left, stats)


__all__: list[str] = []
