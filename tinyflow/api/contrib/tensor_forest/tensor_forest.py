"""tf.contrib.tensor_forest: random forests that learn from batches of examples."""
from __future__ import annotations

import math

from tinyflow.api.contrib.tensor_forest.ops import tree_ops as ops
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collection, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.array.gathering import gather
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_onehot import where
from tinyflow.ops.control_flow.grouping import group
from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec
from tinyflow.ops.math import arithmetic, reduction
from tinyflow.ops.random.random_functions import random_uniform
from tinyflow.train.resources import register_resource


class ForestHParams:
    """The settings of a forest; `fill()` computes those that follow from others.

    Settings of TensorFlow's that choose other kinds of leaves, splits and pruning are refused.
    """

    def __init__(self, num_trees=100, max_nodes=10000, bagging_fraction=1.0,
                 num_splits_to_consider=0, feature_bagging_fraction=1.0, max_fertile_nodes=0,
                 split_after_samples=250, valid_leaf_threshold=1, dominate_method='bootstrap',
                 dominate_fraction=0.99, model_name='all_dense', split_finish_name='basic',
                 split_pruning_name='none', prune_every_samples=0,
                 early_finish_check_every_samples=0, collate_examples=False,
                 checkpoint_stats=False, use_running_stats_method=False,
                 initialize_average_splits=False, inference_tree_paths=False, param_file=None,
                 split_name='less_or_equal', num_classes=None, num_features=None,
                 regression=False, base_random_seed=0, **kwargs):
        given = dict(locals())
        self.__dict__.update({k: v for k, v in given.items() if k not in ('self', 'kwargs')})
        self.__dict__.update(kwargs)
        for name, usual in (('model_name', 'all_dense'), ('split_finish_name', 'basic'),
                            ('split_pruning_name', 'none'), ('split_name', 'less_or_equal'),
                            ('feature_bagging_fraction', 1.0), ('param_file', None)):
            if given[name] != usual:
                raise misuse(NotImplementedError(f'ForestHParams({name}={given[name]!r}) is not '
                                                 f'implemented; it is {usual!r}.'))

    def fill(self):
        """Computes what is left out; returns the object. ValueError without num_classes or
        num_features."""
        for name in ('num_classes', 'num_features'):
            if getattr(self, name) is None:
                raise misuse(ValueError(f'{name} must be provided.'))
        self.bagged_num_features = int(self.feature_bagging_fraction * self.num_features)
        self.bagged_features = None
        self.num_outputs = self.num_classes if self.regression else 1
        self.num_output_columns = self.num_classes + 1
        self.num_splits_to_consider = self.num_splits_to_consider or max(
            10, math.floor(math.sqrt(self.num_features)))
        return self


class _TreeSaveable(SaveableObject):
    """The nodes of a tree for a Saver."""

    def __init__(self, handle, create, name):
        self._create = create
        arrays = ops.ForestTreeArrays.apply(handle)
        super().__init__(handle, [SaveSpec(tensor, '', f'{name}_{part}') for tensor, part in zip(
            arrays, ('feature', 'threshold', 'left', 'stats'))], name)

    def restore(self, restored_tensors, restored_shapes):
        return ops.RestoreForestTree.apply(self.op, *restored_tensors)


class RandomForestGraphs:
    """The graphs of a forest: training, inference, its size."""

    def __init__(self, params, device_assigner=None, variables=None, tree_variables_class=None,
                 tree_graphs=None, training=True):
        self.params = params
        self.trees = [self._tree(i) for i in range(params.num_trees)]

    def _tree(self, i):
        params = self.params
        name = f'tree-{i}'
        seed = params.base_random_seed and params.base_random_seed + i
        handle = ops.ForestTree.apply(
            shared_name=name, regression=params.regression, outputs=params.num_classes,
            split_after_samples=params.split_after_samples, max_nodes=params.max_nodes,
            num_splits_to_consider=params.num_splits_to_consider, seed=seed, name=name)
        create = ops.CreateForestTree.apply(handle)
        register_resource(handle, create, ops.IsForestTreeInitialized.apply(handle))
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TreeSaveable(handle, create, name))
        return handle

    def training_graph(self, input_data, input_labels, num_trainers=1, trainer_id=0,
                       **tree_kwargs):
        """The Operation that takes a batch. Shapes: data [n, features], labels [n].

        With a bagging_fraction below 1, each tree takes that share of the examples, drawn
        each time.
        """
        data = _data(input_data)
        labels = convert_to_tensor(input_labels, name='labels')
        steps = []
        for handle in self.trees:
            x, y = data, labels
            if self.params.bagging_fraction < 1.0:
                chosen = _drawn(data, self.params.bagging_fraction)
                x, y = gather(data, chosen), gather(labels, chosen)
            steps.append(ops.GrowForestTree.apply(handle, x, y))
        return group(*steps, name='train')

    def inference_graph(self, input_data, **inference_args):
        """(probabilities or means [n, outputs], paths [n, trees], variances [n, outputs]).

        Paths are empty: TensorFlow has them with inference_tree_paths=True, which is not
        implemented.
        """
        if self.params.inference_tree_paths:
            raise misuse(NotImplementedError('inference_tree_paths=True is not implemented'))
        data = _data(input_data)
        each = joining.stack([ops.ForestTreePredictions.apply(handle, data)
                              for handle in self.trees])
        each.set_shape([self.params.num_trees, data.shape[0], self.params.num_classes])
        total = reduction.reduce_sum(each, 0)
        average = arithmetic.multiply(total, 1.0 / self.params.num_trees, name='probabilities')
        squares = reduction.reduce_sum(each * each, 0) / self.params.num_trees
        variance = arithmetic.maximum(0.0, squares - average * average)
        count = shape_ops.shape(data)[0]
        paths = constants.fill(joining.stack([count, self.params.num_trees]), '')
        return average, paths, variance

    def average_size(self):
        """The mean number of nodes of a tree."""
        sizes = joining.stack([ops.ForestTreeSize.apply(handle) for handle in self.trees])
        return reduction.reduce_mean(cast(sizes, dtypes.float32))

    def training_loss(self, features, labels, name='training_loss'):
        """The mean number of nodes, negative: trees grow as long as they learn."""
        return arithmetic.negative(self.average_size(), name=name)

    def validation_loss(self, features, labels):
        """As `training_loss`."""
        return self.training_loss(features, labels, name='validation_loss')


def _data(input_data):
    with name_scope(None, 'data'):
        if isinstance(input_data, dict):
            parts = [convert_to_tensor(input_data[key]) for key in sorted(input_data)]
            parts = [shaping.expand_dims(p, 1) if p.shape.ndims == 1 else p for p in parts]
            return joining.concat([cast(p, dtypes.float32) for p in parts], 1)
        return convert_to_tensor(input_data, name='features')


def _drawn(data, share):
    """The numbers of some rows."""
    return where(random_uniform([shape_ops.shape(data)[0]]) < share)[:, 0]


__all__ = ['ForestHParams', 'RandomForestGraphs']


def __dir__():
    return __all__
