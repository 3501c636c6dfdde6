"""Estimator.predict: restores a checkpoint and yields predictions, one example at a time.

Without hooks the graph and session of an earlier call are reused (session_cache/); otherwise a new
graph is built and ChiefSessionCreator restores the checkpoint.
"""
from __future__ import annotations

from estimator_layer.call_input_fn import call_input_fn
from estimator_layer.checkpoint_mismatch import explain_checkpoint_mismatch
from estimator_layer.model_fn import ModeKeys
from estimator_layer.prediction_outputs import select_predictions, single_examples, warn_if_endless
from estimator_layer.session_cache.prediction import CachedPrediction
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.train.sessions.monitored_session import MonitoredSession
from tinyflow.train.sessions.session_creators import ChiefSessionCreator

__all__ = ['predict']


def predict(estimator, input_fn, predict_keys, hooks, checkpoint_path, yield_single_examples):
    """A generator of predictions. The graph is built when the first one is consumed."""
    checkpoint_path = checkpoint_path or estimator.latest_checkpoint()
    if not checkpoint_path:
        # Predictions of random weights look like results; those of a warm start are results.
        log = logging.info if estimator._warm_start_settings else logging.warning
        log('Could not find trained model in model_dir: %s, running initialization to '
            'predict.', estimator.model_dir)
    cached = None
    if checkpoint_path and not hooks:
        cached = estimator._session_cache.get(estimator, input_fn, checkpoint_path,
                                              CachedPrediction)
    if cached is not None:
        batches = cached.run(checkpoint_path, predict_keys)
    else:
        batches = _in_a_new_graph(estimator, input_fn, predict_keys, hooks, checkpoint_path)
    with explain_checkpoint_mismatch(estimator.model_dir):
        for batch in batches:
            if yield_single_examples:
                yield from single_examples(batch)
            else:
                yield batch


def _in_a_new_graph(estimator, input_fn, predict_keys, hooks, checkpoint_path):
    config = estimator.config
    with Graph().as_default() as graph, graph.device(config.device_fn):
        set_random_seed(config.tf_random_seed)
        estimator._create_global_step(graph)
        inputs = call_input_fn(input_fn, ModeKeys.PREDICT,
                               estimator._input_params(ModeKeys.PREDICT), config)
        warn_if_endless(_may_end(graph))
        spec = estimator._call_model_fn(inputs.features, None, ModeKeys.PREDICT, config)
        estimator._warm_start(checkpoint_path)
        fetches = select_predictions(spec.predictions, predict_keys)
        creator = ChiefSessionCreator(
            checkpoint_filename_with_path=checkpoint_path, master=config.master,
            scaffold=spec.scaffold, config=config.session_config)
        with MonitoredSession(session_creator=creator,
                              hooks=[*inputs.hooks, *hooks, *spec.prediction_hooks]) as session:
            while not session.should_stop():
                yield session.run(fetches)


def _may_end(graph):
    """False if the input has no Dataset and no QueueRunner, so that it never ends."""
    return bool(graph.get_collection(GraphKeys.QUEUE_RUNNERS)) or any(
        op.type == 'IteratorGetNext' for op in graph.get_operations())
