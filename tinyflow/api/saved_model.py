"""tf.saved_model: saves and loads a graph with its Variables, assets and signatures.

    tf.saved_model.simple_save(sess, 'model', inputs={'x': x}, outputs={'y': y})
    model = tf.saved_model.load('model')
    model.signatures['serving_default'](x=array)['y']
"""
from __future__ import annotations

import os as _os

from tinyflow.graph.defaults import get_collection as _get_collection
from tinyflow.graph.keys import GraphKeys as _GraphKeys
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.train.saved_model import (
    builder,
    constants,
    loader,
    main_op,
    signature_constants,
    signature_def_utils,
    tag_constants,
    utils,
)
from tinyflow.train.saved_model.builder import SavedModelBuilder as Builder
from tinyflow.train.saved_model.constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tinyflow.train.saved_model.leftovers import undone_on_error as _undone_on_error
from tinyflow.train.saved_model.loader import maybe_saved_model_directory
from tinyflow.train.saved_model.main_op import main_op_with_restore
from tinyflow.train.saved_model.signature_constants import (
    CLASSIFY_INPUTS,
    CLASSIFY_METHOD_NAME,
    CLASSIFY_OUTPUT_CLASSES,
    CLASSIFY_OUTPUT_SCORES,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    PREDICT_INPUTS,
    PREDICT_METHOD_NAME,
    PREDICT_OUTPUTS,
    REGRESS_INPUTS,
    REGRESS_METHOD_NAME,
    REGRESS_OUTPUTS,
)
from tinyflow.train.saved_model.signature_def_utils import (
    build_signature_def,
    classification_signature_def,
    is_valid_signature,
    predict_signature_def,
    regression_signature_def,
)
from tinyflow.train.saved_model.tag_constants import GPU, SERVING, TPU, TRAINING
from tinyflow.train.saved_model.utils import build_tensor_info, get_tensor_from_tensor_info

contains_saved_model = maybe_saved_model_directory

__all__ = [
    'ASSETS_DIRECTORY', 'ASSETS_KEY', 'Builder', 'CLASSIFY_INPUTS', 'CLASSIFY_METHOD_NAME',
    'CLASSIFY_OUTPUT_CLASSES', 'CLASSIFY_OUTPUT_SCORES', 'DEFAULT_SERVING_SIGNATURE_DEF_KEY', 'GPU',
    'LEGACY_INIT_OP_KEY', 'MAIN_OP_KEY', 'PREDICT_INPUTS', 'PREDICT_METHOD_NAME', 'PREDICT_OUTPUTS',
    'REGRESS_INPUTS', 'REGRESS_METHOD_NAME', 'REGRESS_OUTPUTS', 'SAVED_MODEL_FILENAME_PB',
    'SAVED_MODEL_FILENAME_PBTXT', 'SAVED_MODEL_SCHEMA_VERSION', 'SERVING', 'TPU', 'TRAINING',
    'VARIABLES_DIRECTORY', 'VARIABLES_FILENAME', 'build_signature_def', 'build_tensor_info',
    'builder', 'classification_signature_def', 'constants', 'contains_saved_model',
    'get_tensor_from_tensor_info', 'is_valid_signature', 'load', 'load_v2', 'loader', 'main_op',
    'main_op_with_restore', 'maybe_saved_model_directory', 'predict_signature_def',
    'regression_signature_def', 'save', 'signature_constants', 'signature_def_utils', 'simple_save',
    'tag_constants', 'utils',
]


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """Writes the default graph, with the values in `session`, as a SavedModel for serving.

    inputs and outputs: dicts of tensors by name; they become the signature 'serving_default' of the
    graph tagged 'serve'. legacy_init_op: an Operation to run after loading. An export that fails
    leaves no files, and can be tried again.
    """
    signature = predict_signature_def(inputs, outputs)
    writer = Builder(export_dir)
    with _undone_on_error(_os.fspath(export_dir)):
        writer.add_meta_graph_and_variables(
            session, tags=[SERVING],
            signature_def_map={DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            assets_collection=_get_collection(_GraphKeys.ASSET_FILEPATHS), main_op=legacy_init_op,
            clear_devices=True)
        writer.save()


def load(sess, tags=None, export_dir=None, import_scope=None, **saver_kwargs):
    """Loads a SavedModel: load(sess, tags, export_dir) into a Session; its MetaGraphDef.

    As in TensorFlow 2, load(export_dir) returns an object with its own graph and Session,
    whose `.signatures['serving_default'](x=array)` runs it. Raises OSError if there is no
    SavedModel or it is damaged, RuntimeError if no graph in it has these tags.
    """
    if isinstance(sess, (str, bytes, _os.PathLike)):
        return load_v2(sess, tags)
    if export_dir is None:
        raise _misuse(TypeError('load(sess, tags, export_dir) needs the directory; load(export_dir)'
                                ' needs no Session.'))
    return loader.load(sess, tags, export_dir, import_scope, **saver_kwargs)


def load_v2(export_dir, tags=None):
    """The SavedModel in a directory, as an object: see `load`."""
    from tinyflow.train.saved_model.loaded import LoadedModel  # start-up time
    return LoadedModel(export_dir, tags)


def save(obj, export_dir, signatures=None):
    """Writes a tf.Module, Keras model or Checkpoint, with its functions, as a SavedModel.

    signatures: a tf.function or ConcreteFunction, or a dict of them by name. Needs eager execution.
    """
    from tinyflow.train.saved_model.saving import save  # start-up time
    save(obj, export_dir, signatures)


__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
