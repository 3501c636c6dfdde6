"""Outputs of an exported model: a classification, a regression, or named tensors."""
from __future__ import annotations

import abc

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.train.saved_model import signature_def_utils
from tinyflow.train.saved_model.utils import build_tensor_info

__all__ = ['ClassificationOutput', 'EvalOutput', 'ExportOutput', 'PredictOutput',
           'RegressionOutput', 'TrainOutput']


class ExportOutput(abc.ABC):
    """One signature of an exported model; EstimatorSpec.export_outputs maps names to these."""

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors):
        """The SignatureDef with `receiver_tensors` {name: Tensor} as inputs and this output."""


class ClassificationOutput(ExportOutput):
    """Classes, their scores, or both: the signature that TensorFlow Serving calls Classify.

    Shapes: scores [batch, classes] float, classes [batch, classes] string (all classes, in the
    order of the scores); or only classes [batch, k], the k best.

    Raises ValueError for other dtypes, or if both are missing.
    """

    def __init__(self, scores=None, classes=None):
        if scores is not None and not _is_float(scores):
            raise misuse(ValueError('Classification scores must be a float32 Tensor; got '
                                    f'{scores}'))
        if classes is not None and not _is_string(classes):
            raise misuse(ValueError(f'Classification classes must be a string Tensor; got {classes}'
                                    '\n  Hint: tf.as_string(class_ids).'))
        if scores is None and classes is None:
            raise misuse(ValueError('At least one of scores and classes must be set.'))
        self._scores, self._classes = scores, classes

    @property
    def scores(self):
        return self._scores

    @property
    def classes(self):
        return self._classes

    def as_signature_def(self, receiver_tensors):
        examples = _examples(receiver_tensors, 'Classification')
        return signature_def_utils.classification_signature_def(examples, self.classes,
                                                                self.scores)


class RegressionOutput(ExportOutput):
    """A predicted number: the signature that TensorFlow Serving calls Regress.

    Shapes: value [batch] or [batch, 1] float. Raises ValueError for another dtype.
    """

    def __init__(self, value):
        if not _is_float(value):
            raise misuse(ValueError(f'Regression output value must be a float32 Tensor; got '
                                    f'{value}'))
        self._value = value

    @property
    def value(self):
        return self._value

    def as_signature_def(self, receiver_tensors):
        return signature_def_utils.regression_signature_def(
            _examples(receiver_tensors, 'Regression'), self.value)


class PredictOutput(ExportOutput):
    """Any tensors by name: the signature that TensorFlow Serving calls Predict.

    A single tensor is named 'output'. Raises ValueError for a value that is not a tensor, or a key
    that is not a string.
    """

    def __init__(self, outputs):
        self._outputs = _tensors_by_name(outputs, 'output', 'Prediction')

    @property
    def outputs(self):
        return self._outputs

    def as_signature_def(self, receiver_tensors):
        return signature_def_utils.predict_signature_def(receiver_tensors, self.outputs)


class _SupervisedOutput(ExportOutput):
    """Loss, predictions and metrics of a graph exported for training or evaluation."""

    METHOD_NAME: str

    def __init__(self, loss=None, predictions=None, metrics=None):
        self._loss = _prefixed(loss, 'loss')
        self._predictions = _prefixed(predictions, 'predictions')
        self._metrics = None if metrics is None else _metric_tensors(metrics)

    @property
    def loss(self):
        return self._loss

    @property
    def predictions(self):
        return self._predictions

    @property
    def metrics(self):
        return self._metrics

    def as_signature_def(self, receiver_tensors):
        outputs = {**(self.loss or {}), **(self.predictions or {}), **(self.metrics or {})}
        return signature_def_utils.build_signature_def(
            {name: build_tensor_info(tensor) for name, tensor in receiver_tensors.items()},
            {name: build_tensor_info(tensor) for name, tensor in outputs.items()},
            self.METHOD_NAME)


class TrainOutput(_SupervisedOutput):
    """The signature of a graph exported for further training."""

    METHOD_NAME = 'tensorflow/supervised/training'


class EvalOutput(_SupervisedOutput):
    """The signature of a graph exported for evaluation."""

    METHOD_NAME = 'tensorflow/supervised/eval'


def _is_float(value):
    return isinstance(value, Tensor) and value.dtype.is_floating


def _is_string(value):
    return isinstance(value, Tensor) and value.dtype.base_dtype == dtypes.string


def _examples(receiver_tensors, what):
    """The single string tensor of serialized Examples that Classify and Regress require."""
    tensors = list(receiver_tensors.values())
    if len(tensors) != 1 or not _is_string(tensors[0]):
        raise misuse(ValueError(
            f'{what} input must be a single string Tensor; got {receiver_tensors}\n  Hint: '
            'build_parsing_serving_input_receiver_fn, whose input is serialized '
            'tf.train.Examples; or export a PredictOutput.'))
    return tensors[0]


def _tensors_by_name(outputs, name, what):
    if not isinstance(outputs, dict):
        outputs = {name: outputs}
    tensors = {}
    for key, value in outputs.items():
        if not isinstance(value, Tensor):
            raise misuse(ValueError(f'{what} output value must be a Tensor; got {value}.'))
        tensors[_joined(key, what)] = value
    return tensors


def _joined(key, what):
    """The key of an output; a tuple (head name, key) of a MultiHead becomes a path."""
    key = '/'.join(key) if isinstance(key, tuple) else key
    if not isinstance(key, str):
        raise misuse(ValueError(f'{what} output key must be a string; got {key}.'))
    return key


def _prefixed(outputs, prefix):
    if outputs is None:
        return None
    return {_with_prefix(key, prefix): value
            for key, value in _tensors_by_name(outputs, prefix, prefix).items()}


def _with_prefix(key, prefix):
    return key if key.startswith(prefix) else f'{prefix}/{key}'


def _metric_tensors(metrics):
    """{'metrics/<name>/value': ..., 'metrics/<name>/update_op': ...}."""
    if not isinstance(metrics, dict):
        metrics = {'metrics': metrics}
    outputs = {}
    for key, metric in metrics.items():
        if not isinstance(metric, tuple):
            metric = metric.result(), metric.updates[0]
        key = _with_prefix(_joined(key, 'metrics'), 'metrics')
        value, update = metric
        if not isinstance(value, Tensor):
            raise misuse(ValueError(f'{key} output value must be a Tensor; got {value}.'))
        if not isinstance(update, (Tensor, Operation)):
            raise misuse(ValueError(f'{key} update_op must be a Tensor or Operation; got '
                                    f'{update}.'))
        if isinstance(update, Operation):
            with control_dependencies([update]):
                update = constants.constant([], name='metric_op_wrapper')
        outputs[f'{key}/value'] = value
        outputs[f'{key}/update_op'] = update
    return outputs
