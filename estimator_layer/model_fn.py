"""EstimatorSpec, the result of a model_fn, and ModeKeys."""
from __future__ import annotations

import collections

from estimator_layer.export.signatures import with_default_output
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse, why
from tinyflow.ops.array import shaping
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.sessions.scaffold import Scaffold
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['EstimatorSpec', 'ModeKeys']


class ModeKeys:
    """The three modes in which an Estimator builds its model: TRAIN, EVAL, PREDICT."""

    TRAIN = 'train'
    EVAL = 'eval'
    PREDICT = 'infer'


_FIELDS = ('mode', 'predictions', 'loss', 'train_op', 'eval_metric_ops', 'export_outputs',
           'training_chief_hooks', 'training_hooks', 'scaffold', 'evaluation_hooks',
           'prediction_hooks')


class EstimatorSpec(collections.namedtuple('EstimatorSpec', _FIELDS)):
    """The ops that an Estimator runs in one mode; the constructor checks them.

    TRAIN needs `loss` (scalar) and `train_op`, EVAL needs `loss`, PREDICT needs `predictions` (a
    tensor or a dict of tensors, each [batch, ...]); what a mode does not need is ignored there.

    Args:
      eval_metric_ops: {name: (value, update_op)}, as functions of tf.metrics return them, or
        {name: a Keras metric whose update_state was called}.
      export_outputs: {name: tf.estimator.export.ExportOutput}, the signatures of an exported
        model; without it the predictions are the only one.
      training_hooks, training_chief_hooks, evaluation_hooks, prediction_hooks: SessionRunHooks.
      scaffold: a tf.train.Scaffold: initialization, checks, Saver and summaries.

    Raises ValueError for a field that is missing, of another graph or of a wrong shape, TypeError
    for one of a wrong type.
    """

    __slots__ = ()

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None,
                export_outputs=None, training_chief_hooks=None, training_hooks=None,
                scaffold=None, evaluation_hooks=None, prediction_hooks=None):
        train_op = _checked_train_op(train_op, mode)
        loss = _checked_loss(loss, mode)
        predictions = _checked_predictions(predictions, mode)
        if mode == ModeKeys.PREDICT:
            export_outputs = with_default_output(export_outputs, predictions)
        return super().__new__(
            cls, mode=mode, predictions=predictions, loss=loss, train_op=train_op,
            eval_metric_ops=_checked_metrics(eval_metric_ops), export_outputs=export_outputs,
            training_chief_hooks=_checked_hooks(training_chief_hooks),
            training_hooks=_checked_hooks(training_hooks), scaffold=_checked_scaffold(scaffold),
            evaluation_hooks=_checked_hooks(evaluation_hooks),
            prediction_hooks=_checked_hooks(prediction_hooks))

    def __repr__(self):
        """The fields that are set, tensors by name."""
        fields = ', '.join(f'{name}={_short(value)}' for name, value in self._asdict().items()
                           if value is not None and not _is_empty(value)
                           and name != 'scaffold')
        return f'EstimatorSpec({fields})'

    def _replace(self, **changes):
        """A copy with some fields replaced; the mode cannot be changed."""
        if changes.get('mode', self.mode) != self.mode:
            raise misuse(ValueError('mode of EstimatorSpec cannot be changed.'))
        return EstimatorSpec(**{**self._asdict(), **changes})


def _is_empty(value):
    return isinstance(value, (dict, tuple, list)) and not value


def _short(value):
    """A short text: tensors and ops by name, other objects by class."""
    if isinstance(value, (Tensor, Operation, Variable)):
        return value.name
    if isinstance(value, dict):
        return '{' + ', '.join(f'{key!r}: {_short(part)}' for key, part in value.items()) + '}'
    if isinstance(value, (tuple, list)):
        return '(' + ', '.join(_short(part) for part in value) + ')'
    return repr(value) if isinstance(value, (str, int, float)) else f'<{type(value).__name__}>'


def _checked_train_op(train_op, mode):
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise misuse(ValueError(
                'Missing train_op.\n  Hint: in mode TRAIN a model_fn returns the op of one '
                'training step: train_op=optimizer.minimize(loss, '
                'global_step=tf.train.get_global_step()).' + why('estimator-spec')))
        return None
    if not isinstance(train_op, (Tensor, Operation, Variable)):
        raise misuse(TypeError(f'train_op must be Operation or Tensor, given: {train_op}'))
    if isinstance(train_op, Variable):
        train_op = train_op.op
    _check_graph(train_op, 'train_op', train_op.name)
    return train_op


def _checked_loss(loss, mode):
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise misuse(ValueError(
                f'Missing loss.\n  Hint: in mode {mode.upper()} a model_fn returns '
                'EstimatorSpec(mode, loss=..., ...), a scalar tensor.'))
        return None
    loss = _tensor(loss, 'loss')
    if loss.get_shape().num_elements() not in (None, 1):
        raise misuse(ValueError(
            f'Loss must be scalar, given: {loss}\n  Hint: one number for the batch, '
            'such as tf.reduce_mean(loss).'))
    _check_graph(loss, 'loss', loss.name)
    if loss.get_shape().ndims:
        logging.warning('The loss has shape %s, one number per example; a batch of more than one '
                        'example will fail. Hint: tf.reduce_mean(loss).', loss.get_shape())
    return loss if loss.get_shape().is_compatible_with([]) else shaping.reshape(loss, [])


def _checked_predictions(predictions, mode):
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise misuse(ValueError(
                'Missing predictions.\n  Hint: in mode PREDICT a model_fn returns '
                'EstimatorSpec(mode, predictions=...), a tensor or a dict of tensors.'))
        return {}
    if not isinstance(predictions, dict):
        predictions = _tensor(predictions, 'predictions')
        _check_graph(predictions, 'prediction values', predictions.name)
        return predictions
    tensors = {key: _tensor(value, f'predictions[{key}]') for key, value in predictions.items()}
    for key, tensor in tensors.items():
        _check_graph(tensor, 'prediction values', f'{key}: {tensor.name}')
    return tensors


def _checked_metrics(metrics):
    """{name: (value, update_op)}, also of Keras metrics."""
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise misuse(TypeError(f'eval_metric_ops must be a dict, given: {metrics}'))
    pairs = {}
    for key, metric in metrics.items():
        if _is_keras_metric(metric):
            metric = _keras_metric_ops(metric)
        elif not isinstance(metric, tuple) or len(metric) != 2:
            raise misuse(TypeError(
                'Values of eval_metric_ops must be (metric_value, update_op) tuples, given: '
                f'{metric} for key: {key}\n  Hint: functions of tf.metrics return such a pair: '
                'tf.metrics.mean(value).'))
        for part in metric:
            if isinstance(part, (Tensor, Operation, Variable)):
                _check_graph(part, 'eval_metric_ops', f'{key}: {part.name}')
        pairs[key] = metric
    return pairs


def _is_keras_metric(metric):
    """True for a Keras metric, recognized by its methods: this package does not import Keras."""
    return all(hasattr(metric, name) for name in ('update_state', 'result', 'updates'))


def _keras_metric_ops(metric):
    if not metric.updates:
        raise misuse(ValueError(
            f'Please call update_state(...) on the "{metric.name}" metric'))
    graph = get_default_graph()
    for collection in (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES):
        known = graph.get_collection_ref(collection)
        known.extend(v for v in metric.variables if not any(v is other for other in known))
    return metric.result(), metric.updates[0]


def _checked_hooks(hooks):
    hooks = tuple(hooks or ())
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            raise misuse(TypeError(
                f'All hooks must be SessionRunHook instances, given: {hook}'))
    return hooks


def _checked_scaffold(scaffold):
    scaffold = scaffold or Scaffold()
    if not isinstance(scaffold, Scaffold):
        raise misuse(TypeError(f'scaffold must be tf.train.Scaffold. Given: {scaffold}'))
    return scaffold


def _tensor(value, what):
    if isinstance(value, Variable):
        return convert_to_tensor(value)
    if not isinstance(value, Tensor):
        raise misuse(TypeError(f'{what} must be Tensor, given: {value}'))
    return value


def _check_graph(element, what, name):
    if element.graph is not get_default_graph():
        site = getattr(getattr(element, 'op', element), 'site', None)
        created = f'\n  created at {site}' if site else ''
        raise misuse(ValueError(
            f'{what} with "{name}" must be from the default graph.{created}\n'
            'Possible causes of this error include:\n\n'
            f'1) {what} was created outside the context of the default graph.\n\n'
            '2) The object passed through to EstimatorSpec was not created in the most recent '
            'call to "model_fn".\n  Hint: an Estimator calls model_fn again, in a new graph, '
            'for every mode: create the tensor inside model_fn.'))
