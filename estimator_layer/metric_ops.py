"""The ops of an evaluation: what adds a batch to the metrics, and what reads them."""
from __future__ import annotations

from tinyflow.api import metrics
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import worded
from tinyflow.ops.control_flow.grouping import group
from tinyflow.train import training_util
from tinyflow.train.sessions.evaluation import get_or_create_eval_step
from tinyflow.train.sessions.scaffold import Scaffold

__all__ = ['metric_ops', 'scaffold_of']


def metric_ops(spec):
    """(the op that adds a batch to all metrics, {name: value}); 'loss' and 'global_step' join."""
    ops = dict(spec.eval_metric_ops)
    for taken in ('loss', GraphKeys.GLOBAL_STEP):
        if taken in ops:
            raise worded(ValueError(
                f'Metric with name `{taken}` is not allowed, because Estimator already defines a '
                'default metric with the same name.'))
    ops['loss'] = metrics.mean(spec.loss)
    names = sorted(ops)
    values = {name: ops[name][0] for name in names}
    update = group(*[ops[name][1] for name in names])
    values[GraphKeys.GLOBAL_STEP] = training_util.get_global_step()
    return update, values


def scaffold_of(scaffold):
    """The model's own local_init_op does not know of the metrics' variables: both together."""
    if not scaffold or not scaffold.local_init_op:
        return scaffold
    get_or_create_eval_step()
    return Scaffold(local_init_op=group(scaffold.local_init_op, Scaffold.default_local_init_op()),
                    copy_from_scaffold=scaffold)
