"""TPUEstimatorSpec, the result of a model_fn for a TPUEstimator."""
from __future__ import annotations

import collections

from estimator_layer.call_model_fn import parameter_names
from estimator_layer.model_fn import EstimatorSpec
from tinyflow.graph.support.errors import misuse
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['TPUEstimatorSpec']


class TPUEstimatorSpec(collections.namedtuple('TPUEstimatorSpec', (
        'mode', 'predictions', 'loss', 'train_op', 'eval_metrics', 'export_outputs', 'scaffold_fn',
        'host_call', 'training_hooks', 'evaluation_hooks', 'prediction_hooks'))):
    """The ops of one mode, with functions in place of what a TPU leaves to its host.

    Args:
      eval_metrics: (metric_fn, tensors); metric_fn(*tensors), or metric_fn(**tensors) of a dict,
        returns {name: (value, update_op)}.
      scaffold_fn: a function that makes the tf.train.Scaffold.
      host_call: (function, tensors); the tensors that it returns are computed in each step.
      The others are those of tf.estimator.EstimatorSpec, and are checked by `as_estimator_spec`.
    """

    __slots__ = ()

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metrics=None,
                export_outputs=None, scaffold_fn=None, host_call=None, training_hooks=None,
                evaluation_hooks=None, prediction_hooks=None):
        _check_call('eval_metrics', eval_metrics)
        _check_call('host_call', host_call)
        hooks = [tuple(hooks or ()) for hooks in (training_hooks, evaluation_hooks,
                                                  prediction_hooks)]
        for hook in sum(hooks, ()):
            if not isinstance(hook, SessionRunHook):
                raise misuse(TypeError(f'All hooks must be SessionRunHook instances, given: '
                                       f'{hook}'))
        return super().__new__(cls, mode, predictions, loss, train_op, eval_metrics,
                               export_outputs, scaffold_fn, host_call, *hooks)

    def as_estimator_spec(self):
        """The EstimatorSpec for the CPU: the functions are called now, in the default graph."""
        metrics = self.eval_metrics and _call(self.eval_metrics)
        hooks = () if self.host_call is None else (_EachStep(_call(self.host_call)),)
        return EstimatorSpec(
            self.mode, predictions=self.predictions, loss=self.loss, train_op=self.train_op,
            eval_metric_ops=metrics, export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks + hooks,
            evaluation_hooks=self.evaluation_hooks + hooks,
            prediction_hooks=self.prediction_hooks + hooks)


class _EachStep(SessionRunHook):
    """Computes tensors together with each step."""

    def __init__(self, tensors):
        self._tensors = tensors

    def before_run(self, run_context):
        return SessionRunArgs(self._tensors)


def _check_call(name, pair):
    if pair is None:
        return
    if not isinstance(pair, (tuple, list)):
        raise misuse(ValueError(f'{name} should be tuple or list'))
    if len(pair) != 2:
        raise misuse(ValueError(f'{name} should have two elements.'))
    function, tensors = pair
    if not callable(function):
        raise misuse(TypeError(f'{name}[0] should be callable.'))
    if not isinstance(tensors, (tuple, list, dict)):
        raise misuse(ValueError(f'{name}[1] should be tuple or list, or dict.'))
    names = parameter_names(function)
    if not isinstance(tensors, dict) and names and len(names) != len(tensors):
        raise misuse(RuntimeError(
            f'In TPUEstimatorSpec.{name}, length of tensors {len(tensors)} does not match method '
            f'args of the function, which takes {len(names)}.'))


def _call(pair):
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)
