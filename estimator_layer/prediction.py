"""How an Estimator predicts: examples come out one by one, batch after batch."""
from __future__ import annotations

from estimator_layer.input_values import features_and_labels
from estimator_layer.kept_prediction import KeptPrediction
from estimator_layer.model_fn import ModeKeys
from estimator_layer.other_model import mend_told
from estimator_layer.predictions import chosen, single_examples, warn_if_endless
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.train.checkpoints.checkpoint_state import latest_checkpoint
from tinyflow.train.sessions.monitored_session import MonitoredSession
from tinyflow.train.sessions.session_creators import ChiefSessionCreator

__all__ = ['predict']


def predict(estimator, input_fn, predict_keys, hooks, checkpoint_path, yield_single_examples):
    """A generator of predictions. The graph is built when the first one is asked for."""
    checkpoint_path = checkpoint_path or latest_checkpoint(estimator.model_dir)
    if not checkpoint_path:
        # Values by chance look like an answer; a warm start's are one.
        tell = logging.info if estimator._warm_start_settings else logging.warning
        tell('Could not find trained model in model_dir: %s, running initialization to '
             'predict.', estimator.model_dir)
    kept = None
    if checkpoint_path and not hooks:
        kept = estimator._kept.of(estimator, input_fn, checkpoint_path, KeptPrediction)
    if kept is not None:
        batches = kept.run(checkpoint_path, predict_keys)
    else:
        batches = _in_a_new_graph(estimator, input_fn, predict_keys, hooks, checkpoint_path)
    with mend_told(estimator.model_dir):
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
        inputs = features_and_labels(input_fn, ModeKeys.PREDICT, estimator.params, config)
        warn_if_endless(_may_end(graph))
        spec = estimator._call_model_fn(inputs.features, None, ModeKeys.PREDICT, config)
        estimator._warm_start(checkpoint_path)
        fetches = chosen(spec.predictions, predict_keys)
        creator = ChiefSessionCreator(
            checkpoint_filename_with_path=checkpoint_path, master=config.master,
            scaffold=spec.scaffold, config=config.session_config)
        with MonitoredSession(session_creator=creator,
                              hooks=[*inputs.hooks, *hooks, *spec.prediction_hooks]) as session:
            while not session.should_stop():
                yield session.run(fetches)


def _may_end(graph):
    """False if nothing in the input says that it ends."""
    return bool(graph.get_collection(GraphKeys.QUEUE_RUNNERS)) or any(
        op.type == 'IteratorGetNext' for op in graph.get_operations())
