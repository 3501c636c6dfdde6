"""Estimator.evaluate: restores a checkpoint and runs the metrics over the input.

Without hooks the graph and session of an earlier call are reused (session_cache/); otherwise a new
graph is built and evaluate_once restores the checkpoint.
"""
from __future__ import annotations

from estimator_layer.call_input_fn import call_input_fn, warn_of_endless_input
from estimator_layer.eval_summaries import write_eval_summaries
from estimator_layer.evaluate_on_workers import AddUpMetrics, agreed_checkpoint
from estimator_layer.metric_ops import metric_ops, scaffold_with_metrics
from estimator_layer.model_fn import ModeKeys
from estimator_layer.session_cache.evaluation import CachedEvaluation
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import OpError
from tinyflow.train.checkpoints.recovery import is_about_its_files, say_once
from tinyflow.train.sessions.evaluation import StopAfterNEvalsHook, evaluate_once

__all__ = ['evaluate']


def evaluate(estimator, input_fn, steps, hooks, checkpoint_path, name):
    """{metric: value} of a checkpoint, by default the latest; without any, of new Variables.

    With eval_distribute a step takes a batch per replica. The metrics equal those of one replica
    over the same batches, which is how they are computed: where there are several workers, each
    reads its own part of the input, and their counts are added up.
    """
    strategy = estimator.config.eval_distribute
    latest = checkpoint_path or estimator.latest_checkpoint()
    if strategy is not None and strategy.extended.trains_together:
        return _in_a_new_graph(estimator, input_fn, steps, hooks,
                               agreed_checkpoint(strategy, latest), estimator.eval_dir(name),
                               strategy)
    if steps is not None and strategy is not None:
        steps *= strategy.num_replicas_in_sync
    try:
        return _of_checkpoint(estimator, input_fn, steps, hooks, latest, name)
    except (OpError, ValueError) as error:
        problem = latest and is_about_its_files(error, latest)
        following = checkpoint_path or estimator.latest_checkpoint()
        if not problem or following == latest:
            raise
        say_once(f'Skipping a checkpoint: {problem}')       # a training has removed it meanwhile
    return _of_checkpoint(estimator, input_fn, steps, hooks, following, name)


def _of_checkpoint(estimator, input_fn, steps, hooks, checkpoint_path, name):
    directory = estimator.eval_dir(name)
    if not checkpoint_path:
        # Predictions of random weights look like results; those of a warm start are results.
        log = logging.info if estimator._warm_start_settings else logging.warning
        log('Could not find trained model in model_dir: %s, running initialization to '
            'evaluate.', estimator.model_dir)
    elif not hooks:
        cached = estimator._session_cache.get(estimator, input_fn, checkpoint_path,
                                              CachedEvaluation)
        if cached is not None:
            if steps is None:
                _warn_if_endless(cached.batches, (), 5)
            return cached.run(checkpoint_path, steps, directory)
    return _in_a_new_graph(estimator, input_fn, steps, hooks, checkpoint_path, directory)


def _in_a_new_graph(estimator, input_fn, steps, hooks, checkpoint_path, directory, workers=None):
    """The results of a graph of its own; those of all workers if a strategy of `workers` is given.
    """
    config, extended = estimator.config, workers and workers.extended
    if workers:
        hooks = [*hooks, AddUpMetrics(workers)]
    with Graph().as_default() as graph, graph.device(config.device_fn):
        set_random_seed(config.tf_random_seed)
        estimator._create_global_step(graph)
        inputs = call_input_fn(input_fn, ModeKeys.EVAL, estimator._input_params(ModeKeys.EVAL),
                               config, extended and extended._input_context())
        spec = estimator._call_model_fn(inputs.features, inputs.labels, ModeKeys.EVAL, config)
        if steps is None:
            _warn_if_endless(inputs, [*hooks, *spec.evaluation_hooks], 5 if workers else 6)
        update, values = metric_ops(spec)
        estimator._warm_start(checkpoint_path)
        results = evaluate_once(
            checkpoint_path, master=config.evaluation_master,
            scaffold=scaffold_with_metrics(spec.scaffold), eval_ops=update, final_ops=values,
            config=config.session_config,
            hooks=[*inputs.hooks, *hooks, *_stop_hooks(steps), *spec.evaluation_hooks])
        if not workers or extended.should_save_summary:
            write_eval_summaries(directory, results, checkpoint_path)
        return results


def _warn_if_endless(inputs, hooks, depth):
    warn_of_endless_input(inputs, hooks, 'evaluation', 'steps are not',
                          'evaluate(input_fn, steps=1)', depth)


def _stop_hooks(steps):
    """The hook that stops after `steps` batches and, as in TF, logs the progress up to then."""
    return [] if steps is None else [StopAfterNEvalsHook(steps)]
