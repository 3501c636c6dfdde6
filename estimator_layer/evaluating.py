"""How an Estimator evaluates: a graph of the model and its metrics, run over the input."""
from __future__ import annotations

from estimator_layer.input_values import features_and_labels
from estimator_layer.kept_evaluation import KeptEvaluation
from estimator_layer.metric_ops import metric_ops, scaffold_of
from estimator_layer.model_fn import ModeKeys
from estimator_layer.results import write_results
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.support import logging
from tinyflow.train.checkpoints.checkpoint_state import latest_checkpoint
from tinyflow.train.sessions.evaluation import StopAfterNEvalsHook, evaluate_once

__all__ = ['evaluate']


def evaluate(estimator, input_fn, steps, hooks, checkpoint_path, name):
    """{metric: value} of a checkpoint; the latest one, or new Variables where there is none.

    With eval_distribute a step takes a batch for each replica. Their metrics add up to those of
    one replica over the same batches, and so they are evaluated.
    """
    strategy = estimator.config.eval_distribute
    if steps is not None and strategy is not None:
        steps *= strategy.num_replicas_in_sync
    checkpoint_path = checkpoint_path or latest_checkpoint(estimator.model_dir)
    directory = estimator.eval_dir(name)
    if not checkpoint_path:
        # Values by chance look like an answer; a warm start's are one.
        tell = logging.info if estimator._warm_start_settings else logging.warning
        tell('Could not find trained model in model_dir: %s, running initialization to '
             'evaluate.', estimator.model_dir)
    elif not hooks:
        kept = estimator._kept.of(estimator, input_fn, checkpoint_path, KeptEvaluation)
        if kept is not None:
            return kept.run(checkpoint_path, steps, directory)
    return _in_a_new_graph(estimator, input_fn, steps, hooks, checkpoint_path, directory)


def _in_a_new_graph(estimator, input_fn, steps, hooks, checkpoint_path, directory):
    config = estimator.config
    with Graph().as_default() as graph, graph.device(config.device_fn):
        set_random_seed(config.tf_random_seed)
        estimator._create_global_step(graph)
        inputs = features_and_labels(input_fn, ModeKeys.EVAL, estimator.params, config)
        spec = estimator._call_model_fn(inputs.features, inputs.labels, ModeKeys.EVAL, config)
        update, values = metric_ops(spec)
        estimator._warm_start(checkpoint_path)
        results = evaluate_once(
            checkpoint_path, master=config.evaluation_master, scaffold=scaffold_of(spec.scaffold),
            eval_ops=update, final_ops=values, config=config.session_config,
            hooks=[*inputs.hooks, *hooks, *_stopping(steps), *spec.evaluation_hooks])
        write_results(directory, results, checkpoint_path)
        return results


def _stopping(steps):
    """TF tells how far an evaluation is if it knows how far there is to go."""
    return [] if steps is None else [StopAfterNEvalsHook(steps)]
