"""Signatures: the input and output tensors of a saved graph, and their purpose."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.train.saved_model import signature_constants as names
from tinyflow.train.saved_model.utils import build_tensor_info

__all__ = ['build_signature_def', 'classification_signature_def', 'is_valid_signature',
           'predict_signature_def', 'regression_signature_def']

_STRING = dtypes.string.as_datatype_enum
_FLOAT = dtypes.float32.as_datatype_enum


def build_signature_def(inputs=None, outputs=None, method_name=None):
    """The SignatureDef of TensorInfos by name."""
    from tinyflow.formats.protos.meta_graph_pb2 import SignatureDef  # start-up time
    signature = SignatureDef()
    for infos, given in ((signature.inputs, inputs), (signature.outputs, outputs)):
        for name, info in (given or {}).items():
            infos[name].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def predict_signature_def(inputs, outputs):
    """The signature of a prediction: dicts of tensors by name. ValueError if one is empty."""
    for what, given in (('inputs', inputs), ('outputs', outputs)):
        if not given:
            raise misuse(ValueError(f'Prediction {what} cannot be None or empty.'))
    return build_signature_def({k: build_tensor_info(t) for k, t in inputs.items()},
                               {k: build_tensor_info(t) for k, t in outputs.items()},
                               names.PREDICT_METHOD_NAME)


def regression_signature_def(examples, predictions):
    """The signature of a regression: serialized Examples (strings) to float32 predictions."""
    inputs = {names.REGRESS_INPUTS: _examples(examples, 'Regression')}
    if predictions is None:
        raise misuse(ValueError('Regression predictions cannot be None.'))
    outputs = {names.REGRESS_OUTPUTS: _info(predictions, _FLOAT, 'Regression output must be a '
                                            'float Tensor.')}
    return build_signature_def(inputs, outputs, names.REGRESS_METHOD_NAME)


def classification_signature_def(examples, classes, scores):
    """The signature of a classification: serialized Examples to names of classes and scores."""
    inputs = {names.CLASSIFY_INPUTS: _examples(examples, 'Classification')}
    if classes is None and scores is None:
        raise misuse(ValueError('Classification classes and scores cannot both be None.'))
    outputs = {}
    if classes is not None:
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = _info(
            classes, _STRING, 'Classification classes must be a string Tensor.')
    if scores is not None:
        outputs[names.CLASSIFY_OUTPUT_SCORES] = _info(
            scores, _FLOAT, 'Classification scores must be a float Tensor.')
    return build_signature_def(inputs, outputs, names.CLASSIFY_METHOD_NAME)


def _examples(examples, what):
    if examples is None:
        raise misuse(ValueError(f'{what} examples cannot be None.'))
    problem = f'{what} examples must be a string Tensor.'
    if not isinstance(examples, Tensor):
        raise misuse(ValueError(problem))
    return _info(examples, _STRING, problem)


def _info(tensor, dtype, problem):
    info = build_tensor_info(tensor)
    if info.dtype != dtype:
        raise misuse(ValueError(problem))
    return info


def is_valid_signature(signature_def):
    """True if TensorFlow Serving supports this signature: classify, regress or predict."""
    if signature_def is None:
        return False
    inputs = {k: i.dtype for k, i in signature_def.inputs.items()}
    outputs = {k: i.dtype for k, i in signature_def.outputs.items()}
    if signature_def.method_name == names.PREDICT_METHOD_NAME:
        return bool(inputs and outputs)
    if signature_def.method_name == names.REGRESS_METHOD_NAME:
        return inputs == {names.REGRESS_INPUTS: _STRING} and \
            outputs == {names.REGRESS_OUTPUTS: _FLOAT}
    if signature_def.method_name == names.CLASSIFY_METHOD_NAME:
        allowed = {names.CLASSIFY_OUTPUT_CLASSES: _STRING, names.CLASSIFY_OUTPUT_SCORES: _FLOAT}
        return inputs == {names.CLASSIFY_INPUTS: _STRING} and bool(outputs) and \
            outputs.items() <= allowed.items()
    return False


__getattr__ = _explain_missing('tinyflow.saved_model.signature_def_utils', __all__)


def __dir__():
    return __all__
