"""tf.contrib.estimator.SavedModelEstimator: goes on with a model that was exported."""
from __future__ import annotations

import os

import numpy as np

from estimator_layer.estimator import Estimator, WarmStartSettings
from estimator_layer.export.export_output import EvalOutput, TrainOutput
from estimator_layer.export.saved_model import TAGS
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from tinyflow.formats.graphdef import meta_graph
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_collection, get_collection_ref, get_default_graph
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train import training_util
from tinyflow.train.checkpoints.inspection import list_variables
from tinyflow.train.saved_model import constants, loader, signature_constants
from tinyflow.train.sessions.scaffold import Scaffold

__all__ = ['SavedModelEstimator']

_METHODS = {ModeKeys.TRAIN: TrainOutput.METHOD_NAME, ModeKeys.EVAL: EvalOutput.METHOD_NAME}


class SavedModelEstimator(Estimator):
    """An Estimator whose graphs and first values are those of a SavedModel.

    `saved_model_dir` was written by Estimator.experimental_export_all_saved_models, or by
    export_saved_model: then it can predict only. An input_fn returns the features, and labels,
    that the exported graph is fed with, dense tensors of the same dtypes. Training writes
    checkpoints to `model_dir`. Raises ValueError for a directory that is not a SavedModel,
    RuntimeError for a mode that was not exported.
    """

    def __init__(self, saved_model_dir, model_dir=None):
        self.saved_model_dir = os.fsdecode(saved_model_dir)
        checkpoint = os.path.join(self.saved_model_dir, constants.VARIABLES_DIRECTORY,
                                  constants.VARIABLES_FILENAME)
        if not os.path.exists(f'{checkpoint}.index'):
            raise misuse(ValueError('Directory provided has an invalid SavedModel format: '
                                    f'{self.saved_model_dir}'))
        self._saved_model = loader.read_saved_model(self.saved_model_dir)
        names = [name for name, _ in list_variables(checkpoint)]
        super().__init__(model_fn=self._model_fn_of_files, model_dir=model_dir,
                         warm_start_from=WarmStartSettings(checkpoint, vars_to_warm_start=names))
        logging.info('Available modes for Estimator: %s',
                     [mode for mode in TAGS if self._signature(mode) is not None])

    def _create_global_step(self, graph):
        """None: the exported graph has one."""

    def _meta_graph(self, mode):
        return loader.find_meta_graph(self._saved_model, TAGS[mode], self.saved_model_dir)

    def _signature(self, mode):
        """The SignatureDef of a mode; None if the mode was not exported."""
        key = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY \
            if mode == ModeKeys.PREDICT else mode
        try:
            return dict(self._meta_graph(mode).signature_def).get(key)
        except RuntimeError:
            return None

    def _model_fn_of_files(self, features, labels, mode):
        signature = self._signature(mode)
        if signature is None:
            raise misuse(RuntimeError(
                f'{mode} mode is not available in the SavedModel. Use saved_model_cli to check '
                'that the Metagraph for this mode has been exported.\n  Hint: estimator.'
                'experimental_export_all_saved_models(directory, {mode: input_receiver_fn}) '
                'exports several modes.'))
        if training_util.get_global_step(get_default_graph()) is not None:
            raise misuse(RuntimeError(
                'Graph must not contain a global step tensor before the SavedModel is loaded. '
                'Please make sure that the input function does not create a global step.'))
        outputs, main_op = self._import(mode, signature, _input_map(signature, features, labels))
        training_util.assert_global_step(training_util.get_global_step(get_default_graph()))
        train_ops = get_collection(constants.TRAIN_OP_KEY)
        if len(train_ops) > 1:
            raise misuse(RuntimeError('Multiple ops found in the train_op collection.'))
        for key in (constants.ASSETS_KEY, constants.LEGACY_INIT_OP_KEY, constants.MAIN_OP_KEY,
                    constants.TRAIN_OP_KEY):
            del get_collection_ref(key)[:]          # so that this graph can be exported again
        loss, predictions, metrics = _parts(mode, outputs, signature.method_name)
        return EstimatorSpec(mode, loss=loss, predictions=predictions, eval_metric_ops=metrics,
                             train_op=train_ops[0] if train_ops else None,
                             scaffold=Scaffold(local_init_op=main_op))

    def _import(self, mode, signature, input_map):
        """({key: tensor} of the signature's outputs, the op that initializes the graph)."""
        proto, outputs = self._meta_graph(mode), dict(signature.outputs)
        _, _, tensors = meta_graph.import_meta_graph(
            proto, input_map=input_map, return_elements=[o.name for o in outputs.values()])
        return dict(zip(outputs, tensors)), loader.main_op_of(proto, get_default_graph(), None,
                                                              self.saved_model_dir)


def _input_map(signature, features, labels):
    """{name of an input, and of control edges from it: the tensor to take instead}."""
    given = {**_by_key(features, 'feature'), **({} if labels is None else
                                                _by_key(labels, 'label'))}
    found = {}
    for key, info in signature.inputs.items():
        if key not in given:
            raise misuse(ValueError(
                f'Key "{key}" not found in features or labels passed in to the model function. '
                f'All required keys: {list(signature.inputs)}'))
        _check_fits(given[key], info, key)
        name = info.name.partition(':')[0]
        found[name] = found[f'^{name}'] = given[key]
    return found


def _by_key(tensors, default):
    """The features or labels as a dict; a single tensor gets the key of an export."""
    if not isinstance(tensors, dict):
        tensors = {default: tensors}
    found = {}
    for key, tensor in tensors.items():
        if isinstance(tensor, np.ndarray):
            tensor = convert_to_tensor(tensor)
        if not isinstance(tensor, Tensor):
            raise misuse(ValueError(
                f'{default} {key} must be a dense Tensor; got {tensor!r}.\n  Hint: '
                'tf.sparse.to_dense in the input_fn, or the serialized examples.'))
        found[str(key)] = tensor
    return found


def _check_fits(tensor, info, key):
    dtype, shape = dtypes.as_dtype(info.dtype), TensorShape(info.tensor_shape)
    text = ''
    if tensor.dtype != dtype:
        text += f'\n\tExpected dtype: {dtype!r}, Got: {tensor.dtype!r}'
    if not tensor.shape.is_compatible_with(shape):
        text += f'\n\tExpected shape: {shape}, Got: {tensor.shape}'
    if text:
        raise misuse(ValueError(
            f'Tensor shape and/or dtype validation failed for input {key}:{text}'))


def _parts(mode, outputs, method_name):
    """(loss, predictions, metrics) of the outputs of a signature."""
    if mode == ModeKeys.PREDICT:
        return None, outputs, None
    if method_name != _METHODS[mode]:
        raise misuse(RuntimeError(
            f'Invalid SignatureDef method name for mode {mode}.\n\tExpected: {_METHODS[mode]}\n\t'
            f'Got: {method_name}\nPlease ensure that the SavedModel was exported with '
            '`tf.estimator.experimental_export_all_saved_models()`.'))
    predictions = {key: value for key, value in outputs.items()
                   if key.split('/')[0] == 'predictions'}
    metrics = {}
    for key, value in outputs.items():
        name = key.removesuffix('/value')
        update = outputs.get(f'{name}/update_op')
        if name != key and key.startswith('metrics/') and update is not None:
            metrics[name] = value, update
    return outputs['loss'], predictions, metrics
