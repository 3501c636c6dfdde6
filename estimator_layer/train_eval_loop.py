"""tf.estimator.train_and_evaluate: evaluates and exports each new checkpoint of a training."""
from __future__ import annotations

import collections
import copy
import os
import time
from collections.abc import Iterable
from contextlib import contextmanager
from typing import Any

from estimator_layer.call_input_fn import check_input_fn
from estimator_layer.cluster_roles import start_server, wait_for_others
from estimator_layer.estimator import Estimator
from estimator_layer.export.exporter import Exporter
from estimator_layer.tf_config import TaskType
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import OpError, misuse
from tinyflow.train.checkpoints.checkpoint_state import watched_checkpoint
from tinyflow.train.checkpoints.recovery import is_about_its_files, say_once
from tinyflow.train.hooks.checkpoints import CheckpointSaverListener
from tinyflow.train.hooks.timers import SecondOrStepTimer
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['EvalSpec', 'TrainSpec', 'train_and_evaluate']

_WARNING_INTERVAL = 600     # seconds between warnings that there is nothing to evaluate


class TrainSpec(collections.namedtuple('TrainSpec', ('input_fn', 'max_steps', 'hooks'))):
    """The training of train_and_evaluate: its input, the last global step, its hooks.

    Raises ValueError for a number of steps that is not positive, TypeError for invalid hooks.
    """

    __slots__ = ()

    def __new__(cls, input_fn, max_steps=None, hooks=None):
        check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise misuse(ValueError(f'Must specify max_steps > 0, given: {max_steps}'))
        return super().__new__(cls, input_fn, max_steps, _hooks(hooks))


class EvalSpec(collections.namedtuple('EvalSpec', (
        'input_fn', 'steps', 'name', 'hooks', 'exporters', 'start_delay_secs', 'throttle_secs'))):
    """The evaluations of train_and_evaluate.

    Args:
      steps: batches of one evaluation; None: to the end of the input.
      name: a suffix of the directory of the summaries, `eval_<name>`.
      exporters: tf.estimator.Exporters, which may write a SavedModel after an evaluation.
      start_delay_secs: how long a separate evaluator waits before its first evaluation.
      throttle_secs: the minimum time between two evaluations; a checkpoint that is written earlier
        is skipped, with a log entry.
    """

    __slots__ = ()

    def __new__(cls, input_fn, steps: int | None = 100, name=None, hooks=None, exporters=None,
                start_delay_secs=120, throttle_secs=600):
        check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise misuse(ValueError(f'Must specify steps > 0, given: {steps}'))
        if name is not None and not isinstance(name, str):
            raise misuse(TypeError(f'`name` must be string, given: {name}'))
        if start_delay_secs < 0:
            raise misuse(ValueError(
                f'Must specify start_delay_secs >= 0, given: {start_delay_secs}'))
        if throttle_secs < 0:
            raise misuse(ValueError(f'Must specify throttle_secs >= 0, given: {throttle_secs}'))
        return super().__new__(cls, input_fn, steps, name, _hooks(hooks), _exporters(exporters),
                               start_delay_secs, throttle_secs)


def train_and_evaluate(estimator, train_spec, eval_spec) -> Any:
    """Trains and evaluates each checkpoint; returns (metrics, exports) of the last evaluation.

    The evaluation runs in this process after a checkpoint is saved, while the training keeps its
    session and the position in its input. RunConfig(save_checkpoints_steps, save_checkpoints_secs)
    sets the interval; EvalSpec(throttle_secs) skips checkpoints. A checkpoint that has gone or is
    not whole when it is to be evaluated is skipped, too, with one log entry.
    """
    for name, value, kind in (('estimator', estimator, Estimator),
                              ('train_spec', train_spec, TrainSpec),
                              ('eval_spec', eval_spec, EvalSpec)):
        if not isinstance(value, kind):
            raise misuse(TypeError(f'`{name}` must have type `tf.estimator.{kind.__name__}`. '
                                   f'Got: {type(value)}'))
    config = estimator.config
    if config.task_type == TaskType.EVALUATOR:
        if config.task_id > 0:
            raise misuse(ValueError(
                'For distributed training, there can only be one `evaluator` task (with task id '
                f'0).  Given task id {config.task_id}\n  Hint: start one process with '
                '"task": {"type": "evaluator", "index": 0} in TF_CONFIG.'))
        return _run_evaluator(estimator, train_spec, eval_spec)
    strategy = config.train_distribute
    if strategy is not None and strategy.extended.trains_together:
        return _run_worker(estimator, train_spec, eval_spec)
    if config.cluster_spec:
        return _run_task(estimator, train_spec, eval_spec)
    return _run_local(estimator, train_spec, eval_spec)


def _run_task(estimator, train_spec, eval_spec):
    """One task of a cluster with servers. Those of a ps serve until the process is ended."""
    config = estimator.config
    server = start_server(config)
    if config.task_type == TaskType.PS:
        return server.join()
    wait_for_others(config)
    if config.task_type == TaskType.MASTER:
        return _run_local(estimator, train_spec, eval_spec)
    estimator.train(train_spec.input_fn, hooks=train_spec.hooks, max_steps=train_spec.max_steps)
    return None, None


def _run_worker(estimator, train_spec, eval_spec):
    """One of several workers that train together.

    In a cluster of TF_CONFIG a task `evaluator` evaluates, as in TensorFlow. Workers that mpiexec
    has started have none: worker 0 evaluates, and the others wait. (None, None) where a worker has
    not evaluated.
    """
    config = estimator.config
    if config.is_chief and not config.cluster_spec:
        alone = copy.copy(estimator)
        alone._config = config.replace(eval_distribute=None)    # the others only train
        return _run_local(alone, train_spec, eval_spec)
    estimator.train(train_spec.input_fn, hooks=train_spec.hooks, max_steps=train_spec.max_steps)
    return None, None


def _run_local(estimator, train_spec, eval_spec):
    config = estimator.config
    if not config.cluster_spec:
        logging.info('Running training and evaluation locally (non-distributed).')
    logging.info('Start train and evaluate loop. The evaluate will happen after every checkpoint. '
                 'Checkpoint frequency is determined based on RunConfig arguments: '
                 'save_checkpoints_steps %s or save_checkpoints_secs %s.',
                 config.save_checkpoints_steps, config.save_checkpoints_secs)
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    listener = _EvaluateNewCheckpoints(evaluator, eval_spec.throttle_secs)
    estimator.train(train_spec.input_fn, hooks=train_spec.hooks, max_steps=train_spec.max_steps,
                    saving_listeners=[listener])
    return evaluator.metrics, evaluator.exports


class _EvaluateNewCheckpoints(CheckpointSaverListener):
    """Evaluates a checkpoint after it is saved, unless the last evaluation was too recent."""

    def __init__(self, evaluator, throttle_secs):
        self._evaluator = evaluator
        self._throttle_secs = throttle_secs

    def begin(self):
        self._timer = SecondOrStepTimer(every_secs=self._throttle_secs)
        self._first = True          # the checkpoint before the first step

    def after_save(self, session, global_step_value):
        if self._first:
            self._first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            logging.info('Skip the current checkpoint eval due to throttle secs (%s secs).',
                         self._throttle_secs)

    def end(self, session, global_step_value):
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step):
        self._timer.update_last_triggered_step(step)
        if not self._evaluator.evaluate() and not self._evaluator.skipped:
            raise misuse(RuntimeError('There was no new checkpoint after the training.'))


class _Evaluator:
    """Evaluates and exports the latest checkpoint, each checkpoint once.

    `skipped` says whether the last call met one that has gone or is not whole.
    """

    def __init__(self, estimator, eval_spec, max_steps):
        self._estimator, self._spec, self._max_steps = estimator, eval_spec, max_steps
        self._last_path = None
        self._last_warning = 0
        self.metrics, self.exports, self.skipped = None, None, False

    def evaluate(self):
        """True if there was a new checkpoint."""
        path, problem = watched_checkpoint(self._estimator.model_dir)
        self.skipped = problem is not None and (path is None or path != self._last_path)
        if self.skipped:
            say_once(f'Skipping a checkpoint: {problem}')
            return False
        if not path:
            self._warn('Estimator is not trained yet. Will start an evaluation when a checkpoint '
                       'is ready.')
            return False
        if path == self._last_path:
            self._warn('No new checkpoint ready for evaluation. Skip the current evaluation pass '
                       'as evaluation results are expected to be same for the same checkpoint.')
            return False
        with self._skips_what_goes(path):
            self.metrics = self._estimator.evaluate(
                self._spec.input_fn, steps=self._spec.steps, name=self._spec.name,
                checkpoint_path=path, hooks=self._spec.hooks)
            self._last_path = path
            self._last_warning = 0
            self.exports = self._export(path)
        return path == self._last_path

    @contextmanager
    def _skips_what_goes(self, path):
        """Logs an error if the checkpoint has gone or is not whole; raises it otherwise."""
        try:
            yield
        except (OpError, ValueError, OSError) as error:
            problem = is_about_its_files(error, path)
            if problem is None:
                raise
            self.skipped = True
            say_once(f'Skipping a checkpoint: {problem}')

    def _export(self, path):
        last = bool(self._max_steps) and self.metrics['global_step'] >= self._max_steps
        return [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(self._estimator.model_dir, 'export', exporter.name),
                checkpoint_path=path, eval_result=self.metrics, is_the_final_export=last)
            for exporter in self._spec.exporters]

    def _warn(self, message):
        if time.time() - self._last_warning > _WARNING_INTERVAL:
            logging.warning(message)
            self._last_warning = time.time()


def _run_evaluator(estimator, train_spec, eval_spec):
    """The loop of a separate evaluator: another process trains and writes checkpoints.

    It ends with the evaluation of step `max_steps`; while the last checkpoint is not whole, it
    waits for another.
    """
    if eval_spec.start_delay_secs:
        logging.info('Waiting %f secs before starting eval.', eval_spec.start_delay_secs)
        time.sleep(eval_spec.start_delay_secs)
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    while True:
        start = time.time()
        evaluated = evaluator.evaluate()
        step = evaluator.metrics['global_step'] if evaluator.metrics else 0
        if train_spec.max_steps and step >= train_spec.max_steps:
            logging.info('Exiting evaluation, global_step=%s >= train max_steps=%s', step,
                         train_spec.max_steps)
            return evaluator.metrics, evaluator.exports
        wait = eval_spec.throttle_secs - (time.time() - start)
        if wait > 0:
            logging.info('Waiting %f secs before starting next eval run.', wait)
            time.sleep(wait)
        elif not evaluated and not eval_spec.throttle_secs:
            logging.warning('EvalSpec.throttle_secs is set as 0. This might overload the job '
                            'before finding (next) new checkpoint. Please consider to increase '
                            'it.')
            time.sleep(1)


# ---- checks ------------------------------------------------------------------------------------


def _hooks(hooks):
    hooks = tuple(hooks or ())
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            raise misuse(TypeError(
                f'All hooks must be `SessionRunHook` instances, given: {hook}'))
    return hooks


def _exporters(exporters):
    """The Exporters as a tuple, checked to have distinct names."""
    if not exporters:
        return ()
    checked = (exporters,) if isinstance(exporters, Exporter) else exporters
    checked = tuple(checked) if isinstance(checked, Iterable) else (checked,)
    if not all(isinstance(exporter, Exporter) for exporter in checked):
        raise misuse(TypeError('`exporters` must be an Exporter, an iterable of Exporter, or '
                               f'`None`, found {exporters}.'))
    names = [exporter.name for exporter in checked]
    for name in names:
        if not name:
            raise misuse(ValueError('An Exporter cannot have a name that is `None` or empty. All '
                                    f'exporter names: {names}'))
        if not isinstance(name, str):
            raise misuse(ValueError(f'An Exporter must have a string name. Given: {type(name)}'))
    if len(set(names)) < len(names):
        raise misuse(ValueError('`exporters` must have unique names. Such a name cannot be '
                                f'`None`. All exporter names: {names}'))
    return checked
