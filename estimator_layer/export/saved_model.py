"""Estimator.export_saved_model: builds a graph per mode, restores a checkpoint, writes files."""
from __future__ import annotations

import os
import shutil
import time

import numpy as np

from estimator_layer.call_input_fn import call_input_fn
from estimator_layer.export.export_output import EvalOutput, TrainOutput
from estimator_layer.export.receivers import (
    TensorServingInputReceiver,
    build_raw_serving_input_receiver_fn,
)
from estimator_layer.export.signatures import signature_defs
from estimator_layer.model_fn import ModeKeys
from tinyflow.formats.wire import files
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collection, get_collection, set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import logging, nest
from tinyflow.graph.support.errors import NotFoundError, misuse, why
from tinyflow.ops.array.placeholders import placeholder
from tinyflow.session.session import Session
from tinyflow.train.checkpoints.inspection import checkpoint_filename
from tinyflow.train.checkpoints.saver import Saver
from tinyflow.train.saved_model import constants, tag_constants
from tinyflow.train.saved_model.assets import checked_name
from tinyflow.train.saved_model.builder import SavedModelBuilder
from tinyflow.train.sessions.scaffold import Scaffold, built

__all__ = ['TAGS', 'export', 'receiver_fn_of_input_fn', 'timestamped_directory']

TAGS = {ModeKeys.PREDICT: [tag_constants.SERVING], ModeKeys.TRAIN: [tag_constants.TRAINING],
        ModeKeys.EVAL: ['eval']}
_ATTEMPTS = 10
_EXTRA = 'assets.extra'


def export(estimator, base, receivers, assets_extra=None, as_text=False, checkpoint_path=None,
           strip_default_attrs=True):
    """Writes one SavedModel for {mode: input receiver function}; returns its directory, as bytes.

    It is written under a temporary name first, so that readers never see an incomplete export.
    """
    checkpoint_path = checkpoint_path or estimator.latest_checkpoint()
    if not checkpoint_path:
        settings = estimator._warm_start_settings
        if settings is None:
            raise misuse(ValueError(
                f"Couldn't find trained model at {estimator.model_dir}.\n  Hint: "
                'estimator.train(input_fn) first; an export holds the latest checkpoint.'
                + why('estimator-no-checkpoint')))
        checkpoint_path = checkpoint_filename(settings.ckpt_to_initialize_from)
    modes = [mode for mode in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)
             if receivers.get(mode)]
    if not modes:
        raise misuse(ValueError(
            f'No valid modes for exporting found. Got {list(receivers)}.'))
    directory = timestamped_directory(os.fsdecode(base))
    temporary = files.temporary_name(
        os.path.join(os.path.dirname(directory), f'temp-{os.path.basename(directory)}'))
    if os.path.isdir(base):
        files.remove_abandoned(os.fsdecode(base))       # exports that were killed
    try:
        builder = SavedModelBuilder(temporary)
        signatures = {}
        for mode in modes:
            signatures[mode] = _add_mode(estimator, builder, mode, receivers[mode], checkpoint_path,
                                         strip_default_attrs, with_variables=mode == modes[0])
        builder.save(as_text)
        _copy_assets(assets_extra, temporary)
        os.rename(temporary, directory)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    logging.info('SavedModel written to: %s', directory)
    _log_how_to_call(directory, signatures.get(ModeKeys.PREDICT, {}))
    return os.fsencode(directory)


def _add_mode(estimator, builder, mode, receiver_fn, checkpoint_path, strip_default_attrs,
              with_variables):
    """Adds the graph of one mode; returns its {name: SignatureDef}."""
    config = estimator.config
    with Graph().as_default() as graph:
        estimator._create_global_step(graph)
        set_random_seed(config.tf_random_seed)
        receiver = _call_receiver_fn(receiver_fn)
        spec = estimator._call_model_fn(receiver.features, getattr(receiver, 'labels', None), mode,
                                        config)
        signatures = signature_defs(
            receiver.receiver_tensors, _outputs(mode, spec),
            getattr(receiver, 'receiver_tensors_alternatives', None),
            serving_only=mode == ModeKeys.PREDICT)
        with Session(config=config.session_config) as session:
            main_op = spec.scaffold.local_init_op
            if main_op is None:
                main_op = Scaffold.default_local_init_op()
            saver = built(spec.scaffold.saver or Saver(sharded=True))
            try:
                saver.restore(session, checkpoint_path)
            except NotFoundError as error:
                raise misuse(ValueError(
                    'Could not load all requested variables from checkpoint. Please make sure '
                    'your model_fn does not expect variables that were not saved in the '
                    f'checkpoint.\n\nEncountered error with mode `{mode}` while restoring '
                    f'checkpoint from: `{checkpoint_path}`. Full Traceback:\n\n{error}')) from error
            add = {'tags': TAGS[mode], 'signature_def_map': signatures, 'main_op': main_op,
                   'assets_collection': get_collection(GraphKeys.ASSET_FILEPATHS),
                   'saver': saver, 'strip_default_attrs': strip_default_attrs}
            if spec.train_op is not None:
                add_to_collection(constants.TRAIN_OP_KEY, spec.train_op)
            if with_variables:
                builder.add_meta_graph_and_variables(session, **add)
            else:
                builder.add_meta_graph(**add)
    return signatures


def _call_receiver_fn(receiver_fn):
    """The input receiver that the function returns, checked."""
    if not callable(receiver_fn):
        raise misuse(TypeError(
            f'The serving_input_receiver_fn is not a function: {type(receiver_fn).__name__}.\n'
            '  Hint: pass the function itself, without (); it is called inside the graph that is '
            'exported. build_parsing_serving_input_receiver_fn(spec) returns such a function.'))
    receiver = receiver_fn()
    if not hasattr(receiver, 'features') or not hasattr(receiver, 'receiver_tensors'):
        raise misuse(AttributeError(
            f'The serving_input_receiver_fn returned a {type(receiver).__name__}, which has no '
            'features and receiver_tensors.\n  Hint: return tf.estimator.export.'
            "ServingInputReceiver(features={'x': x}, receiver_tensors={'x': x}), x a placeholder "
            "with the first dimension None; or pass tf.estimator.export."
            "build_raw_serving_input_receiver_fn({'x': x})."))
    return receiver


def _outputs(mode, spec):
    if mode == ModeKeys.PREDICT:
        return spec.export_outputs
    if mode == ModeKeys.TRAIN:
        return {'train': TrainOutput(spec.loss, spec.predictions, spec.eval_metric_ops)}
    return {'eval': EvalOutput(spec.loss, spec.predictions, spec.eval_metric_ops)}


def timestamped_directory(base):
    """A new directory `base`/<seconds since 1970>: later exports have larger numbers."""
    for attempt in range(_ATTEMPTS):
        directory = os.path.join(base, str(int(time.time())))
        if not os.path.exists(directory):
            return directory
        logging.warn('Directory %s already exists; retrying (attempt %d/%d)', directory,
                     attempt + 1, _ATTEMPTS)
        time.sleep(1)
    raise misuse(RuntimeError('Failed to obtain a unique export directory name after '
                              f'{_ATTEMPTS} attempts.'))


def _copy_assets(assets_extra, directory):
    for name, source in (assets_extra or {}).items():
        target = os.path.join(directory, _EXTRA, checked_name(name, directory, _EXTRA))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)


def receiver_fn_of_input_fn(estimator, input_fn):
    """A serving_input_receiver_fn with a placeholder for each feature of the training input."""
    with Graph().as_default():
        inputs = call_input_fn(input_fn, ModeKeys.TRAIN,
                               estimator._input_params(ModeKeys.TRAIN), estimator.config)
        features = nest.map_structure(
            lambda part: convert_to_tensor(part) if isinstance(part, np.ndarray) else part,
            inputs.features)
    if isinstance(features, Tensor):
        shape = [None, *features.get_shape()[1:]]

        def receive():
            received = placeholder(features.dtype, shape, 'input')
            return TensorServingInputReceiver(received, received)
        return receive
    if not isinstance(features, dict) or \
            not all(isinstance(tensor, Tensor) for tensor in features.values()):
        raise misuse(ValueError(
            'The features of this input_fn are not a dict of dense tensors.\n  Hint: pass a '
            'serving_input_receiver_fn; for sparse features tf.estimator.export.'
            'build_parsing_serving_input_receiver_fn(feature_spec) creates one.'))
    return build_raw_serving_input_receiver_fn(features)


def _log_how_to_call(directory, signatures):
    """Logs the inputs and outputs of each signature, and a command that calls the model."""
    for name, signature in sorted(signatures.items()):
        for what, infos in (('takes', signature.inputs), ('returns', signature.outputs)):
            tensors = ', '.join(
                f'{key}: {dtypes.as_dtype(info.dtype).name}'
                f'{[d.size if d.size >= 0 else None for d in info.tensor_shape.dim]}'
                for key, info in sorted(infos.items()))
            logging.info('Signature %r %s %s', name, what, tensors)
    signature = signatures.get('serving_default')
    if signature is not None:
        logging.info("To try it: python -m tinyflow predict %s %s\n  or in Python: "
                     "tf.saved_model.load('%s').signatures['serving_default'](%s)", directory,
                     _command_line_options(signature), directory,
                     ', '.join(f'{name}=...' for name in sorted(signature.inputs)))


def _command_line_options(signature):
    """The command line options that call a signature, with zeros of the right shape."""
    if list(signature.inputs) == ['examples']:
        return '--examples ROWS.csv'
    parts = []
    for name, info in sorted(signature.inputs.items()):
        value = '"..."' if dtypes.as_dtype(info.dtype) is dtypes.string else '0'
        for dimension in reversed([d.size for d in info.tensor_shape.dim]):
            size = 1 if dimension < 0 else min(dimension, 8)
            value = '[' + ', '.join([value] * size) + ']'
        parts.append(f"{name}='{value}'")
    return '--inputs ' + ' '.join(parts)
