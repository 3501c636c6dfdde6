"""The signatures of an exported model: which receivers feed which outputs."""
from __future__ import annotations

from estimator_layer.export.export_output import ExportOutput, PredictOutput
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import worded
from tinyflow.train.saved_model import signature_constants as names, signature_def_utils

__all__ = ['signature_defs', 'with_default_output']

DEFAULT = names.DEFAULT_SERVING_SIGNATURE_DEF_KEY

# How the log speaks of a signature, by the method that serves it.
_METHODS = {
    names.CLASSIFY_METHOD_NAME: 'Classify',
    names.REGRESS_METHOD_NAME: 'Regress',
    names.PREDICT_METHOD_NAME: 'Predict',
    'tensorflow/supervised/training': 'Train',
    'tensorflow/supervised/eval': 'Eval',
}


def with_default_output(export_outputs, predictions):
    """{name: ExportOutput} with one that serves by default, of the predictions if none is given.

    Raises TypeError for what is not a dict of ExportOutputs, ValueError if there are several and
    none is named 'serving_default'.
    """
    if export_outputs is None:
        return {DEFAULT: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict):
        raise worded(TypeError(f'export_outputs must be dict, given: {export_outputs}'))
    for output in export_outputs.values():
        if not isinstance(output, ExportOutput):
            raise worded(TypeError(
                'Values in export_outputs must be ExportOutput objects. '
                f'Given: {export_outputs}\n  Mend: tf.estimator.export.PredictOutput(tensors).'))
    if DEFAULT in export_outputs:
        return export_outputs
    if len(export_outputs) > 1:
        raise worded(ValueError(
            'Multiple export_outputs were provided, but none of them is specified as the '
            'default.  Do this by naming one of them with '
            'signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY.'))
    return {**export_outputs, DEFAULT: next(iter(export_outputs.values()))} \
        if export_outputs else export_outputs


def signature_defs(receiver_tensors, export_outputs, alternatives=None, serving_only=True):
    """{signature name: SignatureDef} for every output, and for every alternative receiver.

    An output that the receiver cannot feed (a classification of other things than serialized
    examples) is left out; the log says which and why.
    """
    groups = {None: receiver_tensors, **(alternatives or {})}
    made, left_out = {}, {}
    for receiver, tensors in groups.items():
        tensors = tensors if isinstance(tensors, dict) else {'input': tensors}
        for key, output in export_outputs.items():
            name = str(key or 'None')
            name = name if receiver is None else f'{receiver or "None"}:{name}'
            try:
                made[name] = output.as_signature_def(tensors)
            except ValueError as error:
                left_out[name] = str(error)
    _log(made, left_out)
    if serving_only:
        made = {name: signature for name, signature in made.items()
                if signature_def_utils.is_valid_signature(signature)}
    return made


def _log(made, left_out):
    by_method = {method: [] for method in _METHODS}
    for name, signature in made.items():
        by_method.setdefault(signature.method_name, []).append(name)
    for method, found in by_method.items():
        logging.info('Signatures INCLUDED in export for %s: %s', _METHODS.get(method, method),
                     found or 'None')
    if left_out:
        logging.info('Signatures EXCLUDED from export because they cannot be be served via '
                     'TensorFlow Serving APIs:')
        for name, message in left_out.items():
            logging.info("'%s' : %s", name, message)
    if not made:
        logging.warn('Export includes no signatures!')
    elif DEFAULT not in made:
        logging.warn('Export includes no default signature!')
