"""SignatureDefs of an exported model, from its receivers and outputs."""
from __future__ import annotations

from estimator_layer.export.export_output import ExportOutput, PredictOutput
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.saved_model import signature_constants as names, signature_def_utils

__all__ = ['signature_defs', 'with_default_output']

DEFAULT = names.DEFAULT_SERVING_SIGNATURE_DEF_KEY

# The name of a serving method in the log.
_METHODS = {
    names.CLASSIFY_METHOD_NAME: 'Classify',
    names.REGRESS_METHOD_NAME: 'Regress',
    names.PREDICT_METHOD_NAME: 'Predict',
    'tensorflow/supervised/training': 'Train',
    'tensorflow/supervised/eval': 'Eval',
}


def with_default_output(export_outputs, predictions):
    """{name: ExportOutput} with a default entry; a PredictOutput of the predictions by default.

    Raises TypeError for anything but a dict of ExportOutputs, ValueError if there are several and
    none is named 'serving_default'.
    """
    if export_outputs is None:
        return {DEFAULT: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict):
        raise misuse(TypeError(f'export_outputs must be dict, given: {export_outputs}'))
    for output in export_outputs.values():
        if not isinstance(output, ExportOutput):
            raise misuse(TypeError(
                'Values in export_outputs must be ExportOutput objects. '
                f'Given: {export_outputs}\n  Hint: tf.estimator.export.PredictOutput(tensors).'))
    if DEFAULT in export_outputs:
        return export_outputs
    if len(export_outputs) > 1:
        raise misuse(ValueError(
            'Multiple export_outputs were provided, but none of them is specified as the '
            'default.  Do this by naming one of them with '
            'signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY.'))
    return {**export_outputs, DEFAULT: next(iter(export_outputs.values()))} \
        if export_outputs else export_outputs


def signature_defs(receiver_tensors, export_outputs, alternatives=None, serving_only=True):
    """{signature name: SignatureDef} for every output and every alternative receiver.

    An output that does not fit the receiver (such as a classification without serialized examples)
    is excluded; the log says which and why.
    """
    groups = {None: receiver_tensors, **(alternatives or {})}
    signatures, excluded = {}, {}
    for receiver, tensors in groups.items():
        tensors = tensors if isinstance(tensors, dict) else {'input': tensors}
        for key, output in export_outputs.items():
            name = str(key or 'None')
            name = name if receiver is None else f'{receiver or "None"}:{name}'
            try:
                signatures[name] = output.as_signature_def(tensors)
            except ValueError as error:
                excluded[name] = str(error)
    _log(signatures, excluded)
    if serving_only:
        signatures = {name: signature for name, signature in signatures.items()
                      if signature_def_utils.is_valid_signature(signature)}
    return signatures


def _log(signatures, excluded):
    by_method = {method: [] for method in _METHODS}
    for name, signature in signatures.items():
        by_method.setdefault(signature.method_name, []).append(name)
    for method, signature_names in by_method.items():
        logging.info('Signatures INCLUDED in export for %s: %s', _METHODS.get(method, method),
                     signature_names or 'None')
    if excluded:
        logging.info('Signatures EXCLUDED from export because they cannot be be served via '
                     'TensorFlow Serving APIs:')
        for name, message in excluded.items():
            logging.info("'%s' : %s", name, message)
    if not signatures:
        logging.warn('Export includes no signatures!')
    elif DEFAULT not in signatures:
        logging.warn('Export includes no default signature!')
