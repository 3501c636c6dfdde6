"""Estimator.train: one graph, one MonitoredTrainingSession, one session.run per step.

MonitoredTrainingSession restores the latest checkpoint of model_dir, if there is one
(tinyflow/train/sessions/session_manager.py).
"""
from __future__ import annotations

from contextlib import nullcontext

from estimator_layer.call_input_fn import call_input_fn, warn_of_endless_input
from estimator_layer.cluster_roles import default_device_fn
from estimator_layer.model_fn import ModeKeys
from estimator_layer.train_on_replicas import build_on_replicas
from tinyflow.graph.defaults import add_to_collection, get_collection, set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.summary import summaries
from tinyflow.train import training_util
from tinyflow.train.checkpoints.saver import Saver
from tinyflow.train.hooks.checkpoints import CheckpointSaverHook
from tinyflow.train.hooks.logging_tensors import LoggingTensorHook
from tinyflow.train.hooks.nan import NanTensorHook
from tinyflow.train.hooks.stopping import StopAtStepHook
from tinyflow.train.sessions.monitored_training import MonitoredTrainingSession

__all__ = ['train']


def train(estimator, input_fn, hooks, steps, max_steps, listeners):
    """Trains in a new graph; returns the loss of the last step, None if there was no step."""
    config = estimator.config
    strategy = config.train_distribute
    device_fn = config.device_fn or default_device_fn(config)
    with Graph().as_default() as graph, graph.device(device_fn), \
            strategy.scope() if strategy else nullcontext():
        set_random_seed(config.tf_random_seed)
        estimator._create_global_step(graph)
        training_util.global_step_read(graph)
        inputs, spec = _build(estimator, input_fn, config)
        if steps is None and max_steps is None:
            warn_of_endless_input(inputs, [*hooks, *spec.training_hooks], 'training',
                                  'neither steps nor max_steps is',
                                  'train(input_fn, steps=1000)', depth=3)
        global_step = training_util.get_global_step(graph)
        hooks = [*inputs.hooks, *hooks, *_stop_hooks(steps, max_steps)]
        return _run(estimator, config, spec, hooks, global_step, listeners)


def _build(estimator, input_fn, config):
    """(Inputs, EstimatorSpec), built once, or once per replica of a strategy."""
    if config.train_distribute is not None:
        return build_on_replicas(estimator, input_fn, config, config.train_distribute)
    inputs = call_input_fn(input_fn, ModeKeys.TRAIN, estimator._input_params(ModeKeys.TRAIN),
                           config)
    return inputs, estimator._call_model_fn(inputs.features, inputs.labels, ModeKeys.TRAIN, config)


def _stop_hooks(steps, max_steps):
    return [StopAtStepHook(steps, max_steps)] if steps is not None or max_steps is not None else []


def _run(estimator, config, spec, hooks, global_step, listeners):
    estimator._warm_start(estimator.latest_checkpoint())
    if not any(summary.op.name == 'loss' for summary in get_collection(GraphKeys.SUMMARIES)):
        summaries.scalar('loss', spec.loss)
    add_to_collection(GraphKeys.LOSSES, spec.loss)
    hooks = [*hooks, NanTensorHook(spec.loss)]
    if config.log_step_count_steps is not None:
        hooks.append(LoggingTensorHook({'loss': spec.loss, 'step': global_step},
                                       every_n_iter=config.log_step_count_steps))
    hooks.extend(spec.training_hooks)
    _add_saver(spec.scaffold, config)
    chief_hooks = _saver_hooks(estimator.model_dir, config, spec, hooks, listeners)
    with MonitoredTrainingSession(
            master=config.master, is_chief=config.is_chief, checkpoint_dir=estimator.model_dir,
            scaffold=spec.scaffold, hooks=hooks,
            chief_only_hooks=[*chief_hooks, *spec.training_chief_hooks],
            save_checkpoint_secs=0, save_summaries_steps=config.save_summary_steps,
            config=config.session_config, log_step_count_steps=config.log_step_count_steps,
            max_wait_secs=config.session_creation_timeout_secs) as session:
        loss, fetches, any_step = None, [spec.train_op, spec.loss], False
        while not session.should_stop():
            _, loss = session.run(fetches)
            any_step = True
    if not any_step:
        logging.warning('Training with estimator made no steps. Perhaps input is empty or '
                        'misspecified.')
    return loss


def _add_saver(scaffold, config):
    if not scaffold.saver and not get_collection(GraphKeys.SAVERS):
        add_to_collection(GraphKeys.SAVERS, Saver(
            sharded=True, max_to_keep=config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
            defer_build=True, save_relative_paths=True))


def _saver_hooks(model_dir, config, spec, hooks, listeners):
    """The CheckpointSaverHook, unless the model or the caller has one; adds the listeners to it."""
    chief_hooks = []
    savers = [hook for hook in [*hooks, *spec.training_chief_hooks]
              if isinstance(hook, CheckpointSaverHook)]
    if (config.save_checkpoints_secs or config.save_checkpoints_steps) and not savers:
        chief_hooks = savers = [CheckpointSaverHook(
            model_dir, save_secs=config.save_checkpoints_secs,
            save_steps=config.save_checkpoints_steps, scaffold=spec.scaffold)]
    if listeners and not savers:
        raise misuse(ValueError(
            'There should be a CheckpointSaverHook to use saving_listeners. Please set one of the '
            'RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs.'))
    if savers:
        savers[0]._listeners.extend(listeners)
    return chief_hooks
