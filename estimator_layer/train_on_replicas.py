"""Training under a tf.distribute.Strategy: one model per replica, merged to one EstimatorSpec."""
from __future__ import annotations

from estimator_layer.call_input_fn import (
    InitializeIteratorHook,
    Inputs,
    dataset_of_input_fn,
    split_features_labels,
)
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.control_flow.grouping import group
from tinyflow.ops.variables import replica_context as replication
from tinyflow.train.sessions.scaffold import Scaffold

__all__ = ['build_on_replicas']


def build_on_replicas(estimator, input_fn, config, strategy):
    """(Inputs, EstimatorSpec) of a training in which each replica takes its own batch.

    Call it inside the scope of the strategy.
    """
    inputs = _distribute_inputs(input_fn, estimator, config, strategy)
    strategy._scale_loss_for_estimator = True
    try:
        return inputs, _merged_spec(estimator, inputs, config, strategy)
    finally:
        strategy._scale_loss_for_estimator = False


def _merged_spec(estimator, inputs, config, strategy):
    specs = strategy.extended.call_for_each_replica(
        estimator._call_model_fn, args=(inputs.features, inputs.labels, ModeKeys.TRAIN, config))
    loss = strategy.reduce('SUM' if replication.loss_is_a_sum() else 'MEAN', specs.loss)
    return EstimatorSpec(
        ModeKeys.TRAIN, loss=loss, train_op=strategy.group(specs.train_op),
        training_hooks=_hooks_of_first(specs.training_hooks, strategy),
        training_chief_hooks=_hooks_of_first(specs.training_chief_hooks, strategy),
        scaffold=_merge_scaffolds(specs.scaffold, strategy))


def _distribute_inputs(input_fn, estimator, config, strategy):
    """Inputs whose features and labels are PerReplica values: the next batch of each replica."""
    iterator = strategy.make_input_fn_iterator(
        lambda context: dataset_of_input_fn(input_fn, ModeKeys.TRAIN,
                                            estimator._input_params(ModeKeys.TRAIN), config,
                                            context))
    features, labels = split_features_labels(iterator.get_next())
    return Inputs(features, labels, [InitializeIteratorHook(iterator)], iterator)


def _hooks_of_first(hooks, strategy):
    """The hooks of the first replica: a model_fn adds the same ones in every replica."""
    return [strategy.experimental_local_results(hook)[0] for hook in hooks]


def _merge_scaffolds(scaffold, strategy):
    """One Scaffold for those of all replicas."""
    parts = strategy.experimental_local_results(scaffold)
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    if any(part.saver is not None and part.saver is not first.saver for part in parts):
        raise misuse(ValueError('Only one of the replicas may have a Saver in its Scaffold.'))

    def grouped(name):
        ops = [getattr(part, name) for part in parts if getattr(part, name) is not None]
        return group(*dict.fromkeys(ops)) if ops else None

    def init_all(scaffold, session):
        for part in parts:
            if part.init_fn:
                part.init_fn(session)

    return Scaffold(
        init_op=grouped('init_op'), local_init_op=grouped('local_init_op'),
        init_feed_dict={key: value for part in parts
                        for key, value in (part.init_feed_dict or {}).items()} or None,
        init_fn=init_all if any(part.init_fn for part in parts) else None,
        ready_op=first.ready_op, ready_for_local_init_op=first.ready_for_local_init_op,
        summary_op=first.summary_op, saver=first.saver)
