"""Early stopping: hooks that end the training depending on the evaluation metrics."""
from __future__ import annotations

import glob
import operator
import os
import shutil
from typing import Any

from estimator_layer.estimator import Estimator
from tinyflow.formats.wire.events import summary_iterator
from tinyflow.graph import dtypes
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables import variable_ops as state
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.variable_scope import AUTO_REUSE, get_variable, variable_scope
from tinyflow.train import training_util
from tinyflow.train.checkpoints.checkpoint_state import (
    get_checkpoint_state,
    update_checkpoint_state,
)
from tinyflow.train.hooks.timers import SecondOrStepTimer
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['make_early_stopping_hook', 'read_eval_metrics', 'stop_if_higher_hook',
           'stop_if_lower_hook', 'stop_if_no_decrease_hook', 'stop_if_no_increase_hook']


def make_early_stopping_hook(estimator, should_stop_fn, run_every_secs: Any = 60,
                             run_every_steps: Any = None):
    """A hook that ends the training when `should_stop_fn()` is true.

    It is called every `run_every_secs` seconds or `run_every_steps` steps, by the chief of a
    cluster, whose other workers stop when it does. Raises TypeError unless `estimator` is an
    Estimator, ValueError if both intervals are given.
    """
    if not isinstance(estimator, Estimator):
        raise misuse(TypeError('`estimator` must have type `tf.estimator.Estimator`. '
                               f'Got: {type(estimator)}'))
    if run_every_secs is not None and run_every_steps is not None:
        raise misuse(ValueError('Only one of `run_every_secs` and `run_every_steps` must be set.'))
    if not estimator.config.is_chief and not estimator.config.train_distribute:
        return _CheckForStoppingHook()
    return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)


def stop_if_higher_hook(estimator, metric_name, threshold, eval_dir=None, min_steps=0,
                        run_every_secs: Any = 60, run_every_steps: Any = None):
    """A hook that ends the training once a metric is above `threshold`.

    `eval_dir` has the event files of the evaluations (default: estimator.eval_dir()). Evaluations
    before step `min_steps` do not count.
    """
    return _threshold_hook(estimator, metric_name, threshold, True, eval_dir, min_steps,
                           run_every_secs, run_every_steps)


def stop_if_lower_hook(estimator, metric_name, threshold, eval_dir=None, min_steps=0,
                       run_every_secs: Any = 60, run_every_steps: Any = None):
    """A hook that ends the training once a metric is below `threshold`."""
    return _threshold_hook(estimator, metric_name, threshold, False, eval_dir, min_steps,
                           run_every_secs, run_every_steps)


def stop_if_no_increase_hook(estimator, metric_name, max_steps_without_increase, eval_dir=None,
                             min_steps=0, run_every_secs: Any = 60, run_every_steps: Any = None,
                             restore_best=False):
    """A hook that ends the training when a metric has not increased for so many steps.

    `restore_best` (not in TensorFlow) then makes the best evaluated checkpoint the latest one.
    """
    return _patience_hook(estimator, metric_name, max_steps_without_increase, True, eval_dir,
                          min_steps, run_every_secs, run_every_steps, restore_best)


def stop_if_no_decrease_hook(estimator, metric_name, max_steps_without_decrease, eval_dir=None,
                             min_steps=0, run_every_secs: Any = 60, run_every_steps: Any = None,
                             restore_best=False):
    """A hook that ends the training when a metric has not decreased for so many steps."""
    return _patience_hook(estimator, metric_name, max_steps_without_decrease, False, eval_dir,
                          min_steps, run_every_secs, run_every_steps, restore_best)


def read_eval_metrics(eval_dir):
    """{global step: {metric: value}} of the events in a directory, in order of the steps."""
    by_step = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(eval_dir), '*.tfevents.*'))):
        for event in summary_iterator(path):
            metrics = {value.tag: value.simple_value for value in event.summary.value
                       if value.HasField('simple_value')}
            if metrics:
                by_step[event.step] = metrics
    return dict(sorted(by_step.items()))


def _threshold_hook(estimator, metric_name, threshold, higher, eval_dir, min_steps, run_every_secs,
                    run_every_steps):
    beyond = operator.gt if higher else operator.lt
    evaluations = _Evaluations(estimator, metric_name, eval_dir, min_steps)

    def should_stop():
        for step, value in evaluations.values():
            if beyond(value, threshold):
                logging.info('At step %s, metric "%s" has value %s which is %s the configured '
                             'threshold (%s) for early stopping.', step, metric_name, value,
                             'higher than' if higher else 'lower than', threshold)
                return True
        return False

    hook = make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)
    hook.evaluations = evaluations
    return hook


def _patience_hook(estimator, metric_name, patience, increase, eval_dir, min_steps,
                   run_every_secs, run_every_steps, restore_best):
    better = operator.gt if increase else operator.lt
    evaluations = _Evaluations(estimator, metric_name, eval_dir, min_steps)
    best = _BestCheckpoint(estimator.model_dir) if restore_best else None

    def copy_best():
        values = list(evaluations.values())
        if values:
            choose = max if increase else min
            best.copy(choose(values, key=lambda evaluation: evaluation[1])[0])

    def should_stop():
        best_value, best_step = None, None
        if best:
            copy_best()
        for step, value in evaluations.values():
            if best_value is None or better(value, best_value):
                best_value, best_step = value, step
            elif step - best_step >= patience:
                logging.info('No %s in metric "%s" for %s steps, which is greater than or equal '
                             'to max steps (%s) configured for early stopping.',
                             'increase' if increase else 'decrease', metric_name,
                             step - best_step, patience)
                return True
        return False

    hook = make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)
    hook.evaluations, hook.best, hook.copy_best = evaluations, best, copy_best
    return hook


class _Evaluations:
    """The values of one metric in the evaluations so far."""

    def __init__(self, estimator, metric_name, eval_dir, min_steps):
        if not isinstance(estimator, Estimator):
            raise misuse(TypeError('`estimator` must have type `tf.estimator.Estimator`. '
                                   f'Got: {type(estimator)}'))
        self._directory = eval_dir or estimator.eval_dir()
        self._name, self._min_steps = metric_name, min_steps
        self.last_step = None
        self._warned_at = ...           # `last_step` at the time of the last warning

    def values(self):
        """Yields (step, value) of each evaluation; ValueError if the metric is missing."""
        for step, metrics in read_eval_metrics(self._directory).items():
            self.last_step = step
            if step < self._min_steps:
                continue
            if self._name not in metrics:
                raise misuse(ValueError(
                    f'The evaluations in {self._directory} have no metric "{self._name}".\n  '
                    f'Hint: one of {", ".join(sorted(metrics))}.'))
            yield step, metrics[self._name]

    def warn_if_none_since(self, last_check, step):
        """Warns if there was no evaluation since `last_check`: then the hook cannot stop."""
        if (self.last_step is None or self.last_step < last_check) and \
                self._warned_at != self.last_step:
            self._warned_at = self.last_step
            since = 'yet' if self.last_step is None else f'since step {self.last_step}'
            logging.warning(
                'Early stopping was checked at step %s, but there was no evaluation %s in %s: '
                'it reads the metrics that evaluations write there. '
                'tf.estimator.train_and_evaluate evaluates during training, after each checkpoint '
                'that EvalSpec(throttle_secs=...) does not skip.', step, since, self._directory)


class _BestCheckpoint:
    """A copy of the best checkpoint, which keep_checkpoint_max would remove sooner or later."""

    def __init__(self, model_dir):
        self._model_dir = model_dir
        self._directory = os.path.join(model_dir, 'best')
        self._step = None

    def copy(self, step):
        """Copies the checkpoint of that step, if it still exists."""
        files = glob.glob(os.path.join(glob.escape(self._model_dir), f'model.ckpt-{step}.*'))
        if step == self._step or not files:
            return
        os.makedirs(self._directory, exist_ok=True)
        try:
            for path in files:
                shutil.copy(path, self._directory)
        except FileNotFoundError as error:          # removed meanwhile; the former best stays
            logging.warning('The best checkpoint is not copied: %s', error)
            self._remove(lambda name: name.startswith(f'model.ckpt-{step}.'))
            return
        self._remove(lambda name: not name.startswith(f'model.ckpt-{step}.'))
        self._step = step

    def _remove(self, unwanted):
        for name in os.listdir(self._directory):
            if unwanted(name):
                os.remove(os.path.join(self._directory, name))

    def restore(self):
        """Makes it the latest checkpoint of the model_dir."""
        if self._step is None:
            logging.warning('There is no best checkpoint to restore: none was evaluated.')
            return
        path = os.path.join(self._directory, f'model.ckpt-{self._step}')
        state = get_checkpoint_state(self._model_dir)
        others = list(state.all_model_checkpoint_paths) if state else []
        update_checkpoint_state(self._model_dir, path, [*others, path])
        logging.info('The best evaluation was at step %s: %s is now the latest checkpoint.',
                     self._step, path)


def _get_or_create_stop_var():
    """The Variable by which the chief stops the other workers."""
    with variable_scope('signal_early_stopping', reuse=AUTO_REUSE):
        return get_variable('STOP', shape=[], dtype=dtypes.bool, initializer=zeros_initializer(),
                            trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES])


class _CheckForStoppingHook(SessionRunHook):
    """Stops the training of a worker after the chief has stopped."""

    def begin(self):
        self._stop_var = _get_or_create_stop_var()

    def before_run(self, run_context):
        return SessionRunArgs(self._stop_var)

    def after_run(self, run_context, run_values):
        if run_values.results:
            logging.info('Early stopping requested, suspending run.')
            run_context.request_stop()


class _StopOnPredicateHook(SessionRunHook):
    """Calls `should_stop_fn` at intervals and requests the stop of the training."""

    evaluations = best = copy_best = None

    def __init__(self, should_stop_fn, run_every_secs: Any = 60, run_every_steps: Any = None):
        if not callable(should_stop_fn):
            raise misuse(TypeError('`should_stop_fn` must be callable'))
        self._should_stop = should_stop_fn
        self._timer = SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)
        self._stopped = False

    def begin(self):
        self._timer.reset()
        self._last_check = 0
        self._stopped = False
        self._global_step = training_util.get_global_step()
        self._stop_var = _get_or_create_stop_var()
        self._stop = state.assign(self._stop_var, True)

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        step = run_values.results
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop():
            logging.info('Requesting early stopping at global step %d', step)
            run_context.session.run(self._stop)
            run_context.request_stop()
            self._stopped = True
        elif self.evaluations is not None and self._last_check:     # not at the first check
            self.evaluations.warn_if_none_since(self._last_check, step)
        self._last_check = step

    def end(self, session):
        if self.best is not None and self._stopped:
            self.copy_best()            # the last checkpoint was evaluated in the meantime
            self.best.restore()
