"""A model built once for each replica of a strategy, and put together to one EstimatorSpec."""
from __future__ import annotations

from estimator_layer import input_values
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from tinyflow.graph.support.errors import worded
from tinyflow.ops.control_flow.grouping import group
from tinyflow.ops.variables import replica_context as replication
from tinyflow.train.sessions.scaffold import Scaffold

__all__ = ['trained_on_replicas']


def trained_on_replicas(estimator, input_fn, config, strategy):
    """(Inputs, EstimatorSpec) of a training: each replica takes a batch of its own.

    To be called inside the scope of the strategy.
    """
    inputs = _shared_out(input_fn, estimator, config, strategy)
    strategy._scale_loss_for_estimator = True
    try:
        return inputs, _spec(estimator, inputs, config, strategy)
    finally:
        strategy._scale_loss_for_estimator = False


def _spec(estimator, inputs, config, strategy):
    specs = strategy.extended.call_for_each_replica(
        estimator._call_model_fn, args=(inputs.features, inputs.labels, ModeKeys.TRAIN, config))
    loss = strategy.reduce('SUM' if replication.loss_is_a_sum() else 'MEAN', specs.loss)
    return EstimatorSpec(
        ModeKeys.TRAIN, loss=loss, train_op=strategy.group(specs.train_op),
        training_hooks=_of_the_first(specs.training_hooks, strategy),
        training_chief_hooks=_of_the_first(specs.training_chief_hooks, strategy),
        scaffold=_combined(specs.scaffold, strategy))


def _shared_out(input_fn, estimator, config, strategy):
    """Features and labels, PerReplica: each replica's next batch."""
    dataset = input_values.dataset_of(input_fn, ModeKeys.TRAIN, estimator.params, config,
                                      strategy.num_replicas_in_sync)
    iterator = strategy.make_input_fn_iterator(lambda context: dataset)
    features, labels = input_values.parted(iterator.get_next())
    return input_values.Inputs(features, labels, [input_values.StartIterator(iterator)], iterator)


def _of_the_first(hooks, strategy):
    """The hooks of the first replica: what a model_fn adds, it adds in each."""
    return [strategy.experimental_local_results(hook)[0] for hook in hooks]


def _combined(scaffold, strategy):
    """One Scaffold of those that the replicas made."""
    parts = strategy.experimental_local_results(scaffold)
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    if any(part.saver is not None and part.saver is not first.saver for part in parts):
        raise worded(ValueError('Only one of the replicas may have a Saver in its Scaffold.'))

    def together(name):
        ops = [getattr(part, name) for part in parts if getattr(part, name) is not None]
        return group(*dict.fromkeys(ops)) if ops else None

    def init_all(scaffold, session):
        for part in parts:
            if part.init_fn:
                part.init_fn(session)

    return Scaffold(
        init_op=together('init_op'), local_init_op=together('local_init_op'),
        init_feed_dict={key: value for part in parts
                        for key, value in (part.init_feed_dict or {}).items()} or None,
        init_fn=init_all if any(part.init_fn for part in parts) else None,
        ready_op=first.ready_op, ready_for_local_init_op=first.ready_for_local_init_op,
        summary_op=first.summary_op, saver=first.saver)
