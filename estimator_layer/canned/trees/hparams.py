"""The hyperparameters of boosted trees."""
from __future__ import annotations

import collections

from estimator_layer.canned.trees.ops import growing as trees_growing
from tinyflow.graph.support.errors import misuse

__all__ = ['TreeHParams', 'check_pruning_mode', 'max_splits']

TreeHParams = collections.namedtuple('TreeHParams', [
    'n_trees', 'max_depth', 'learning_rate', 'l1', 'l2', 'tree_complexity', 'min_node_weight',
    'center_bias', 'pruning_mode', 'quantile_sketch_epsilon'])

_MODES = {'none': trees_growing.NO_PRUNING, 'pre': trees_growing.PRE_PRUNING,
          'post': trees_growing.POST_PRUNING}


def max_splits(hparams):
    """The maximum number of splits of one tree."""
    return (1 << hparams.max_depth) - 1


def check_pruning_mode(hparams):
    """The pruning mode as the ops take it; ValueError unless it is consistent."""
    if hparams.pruning_mode not in _MODES:
        raise misuse(ValueError('pruning_mode mode must be one of: ' + ', '.join(sorted(_MODES))))
    mode = _MODES[hparams.pruning_mode]
    if hparams.tree_complexity > 0 and mode == trees_growing.NO_PRUNING:
        raise misuse(ValueError(
            'Tree complexity have no effect unless pruning mode is chosen.\n  Hint: '
            "pruning_mode='pre' or 'post'."))
    if hparams.tree_complexity <= 0 and mode != trees_growing.NO_PRUNING:
        raise misuse(ValueError('For pruning, tree_complexity must be positive.'))
    return mode
