"""The ops of an evaluation: the update op of all metrics, and their values."""
from __future__ import annotations

from tinyflow.api import metrics
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.control_flow.grouping import group
from tinyflow.train import training_util
from tinyflow.train.sessions.evaluation import get_or_create_eval_step
from tinyflow.train.sessions.scaffold import Scaffold

__all__ = ['metric_ops', 'scaffold_with_metrics']


def metric_ops(spec):
    """(update op of all metrics, {name: value}), with 'loss' and 'global_step' added."""
    ops = dict(spec.eval_metric_ops)
    for reserved in ('loss', GraphKeys.GLOBAL_STEP):
        if reserved in ops:
            raise misuse(ValueError(
                f'Metric with name `{reserved}` is not allowed, because Estimator already defines '
                'a default metric with the same name.'))
    ops['loss'] = metrics.mean(spec.loss)
    names = sorted(ops)
    values = {name: ops[name][0] for name in names}
    update = group(*[ops[name][1] for name in names])
    values[GraphKeys.GLOBAL_STEP] = training_util.get_global_step()
    return update, values


def scaffold_with_metrics(scaffold):
    """The Scaffold with a local_init_op that also initializes the variables of the metrics."""
    if not scaffold or not scaffold.local_init_op:
        return scaffold
    get_or_create_eval_step()
    return Scaffold(local_init_op=group(scaffold.local_init_op, Scaffold.default_local_init_op()),
                    copy_from_scaffold=scaffold)
