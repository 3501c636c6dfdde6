"""SavedModelBuilder: writes graphs, signatures, Variables and assets as a SavedModel."""
from __future__ import annotations

import logging
import os

from tinyflow.formats.wire import reading
from tinyflow.graph.defaults import add_to_collection, get_collection
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.train.checkpoints.saver import Saver
from tinyflow.train.saved_model import constants
from tinyflow.train.saved_model.assets import asset_files, checked_name, save_assets
from tinyflow.train.saved_model.leftovers import has_files, undone_on_error

__all__ = ['SavedModelBuilder']

_LOG = logging.getLogger('tinyflow')


class SavedModelBuilder:
    """Writes a SavedModel into a new directory.

    First add_meta_graph_and_variables(sess, tags, signature_def_map), then add_meta_graph for each
    further graph with the same Variables, then save(). Raises AssertionError if the directory has
    files; empty folders in it, of an export that was killed, do not matter (in TensorFlow they do).
    What an add_meta_graph that fails has written is removed, so that it can be called again.
    """

    def __init__(self, export_dir):
        from tinyflow.formats.protos.saved_model_pb2 import SavedModel  # start-up time
        self._export_dir = os.fsdecode(export_dir)
        self._saved_model = SavedModel(
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
        self._has_saved_variables = False
        if has_files(self._export_dir):
            raise misuse(AssertionError(report(
                "Export directory already exists, and isn't empty: " + self._export_dir,
                hint=f"another directory for each export, '{self._export_dir}/2', or "
                     f"shutil.rmtree('{self._export_dir}') before.")))
        self._make_directory()

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None,
                                     assets_collection=None, legacy_init_op=None,
                                     clear_devices=False, main_op=None, strip_default_attrs=False,
                                     saver=None):
        """Adds the default graph, and the values that its Variables have in `sess`.

        tags: names that select the graph when it is loaded. signature_def_map: name ->
        SignatureDef. assets_collection: constant string tensors that name files. main_op: an
        Operation to run after loading (legacy_init_op is its old name). saver: saves the
        Variables, by default a Saver of all. AssertionError if it was called before.
        """
        if self._has_saved_variables:
            raise misuse(AssertionError(
                'Graph state including variables and assets has already been saved. Please invoke '
                '`add_meta_graph()` instead.'))
        with undone_on_error(self._export_dir):
            signatures = self._prepare(signature_def_map, assets_collection,
                                       main_op or legacy_init_op)
            saver = saver or _saver()
            self._save_variables(sess, saver)
            self._add(saver, tags, signatures, clear_devices, strip_default_attrs)
        self._has_saved_variables = True

    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None,
                       legacy_init_op=None, clear_devices=False, main_op=None,
                       strip_default_attrs=False, saver=None):
        """Adds the default graph as one more graph with the Variables saved before.

        AssertionError if none were saved; the arguments are those of add_meta_graph_and_variables.
        """
        if not self._has_saved_variables:
            raise misuse(AssertionError(
                'Graph state including variables and assets has not been saved yet. Please invoke '
                '`add_meta_graph_and_variables()` first.'))
        with undone_on_error(self._export_dir):
            signatures = self._prepare(signature_def_map, assets_collection,
                                       main_op or legacy_init_op)
            self._add(saver or _saver(), tags, signatures, clear_devices, strip_default_attrs)

    def save(self, as_text=False):
        """Writes saved_model.pb (or .pbtxt, if `as_text`) atomically; returns its path."""
        name = constants.SAVED_MODEL_FILENAME_PBTXT if as_text else \
            constants.SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._export_dir, name)
        self._make_directory()
        reading.write(path, self._saved_model, as_text)
        _LOG.info('SavedModel written to: %s', path)
        return path.encode()

    # ---- parts ---------------------------------------------------------------------------

    def _make_directory(self):
        os.makedirs(self._export_dir or '.', exist_ok=True)     # '' is the working directory

    def _save_variables(self, sess, saver):
        directory = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        os.makedirs(directory, exist_ok=True)
        saver.save(sess, os.path.join(directory, constants.VARIABLES_FILENAME),
                   write_meta_graph=False, write_state=False)

    def _prepare(self, signature_def_map, assets_collection, main_op):
        signatures = dict(signature_def_map or {})
        for key, signature in signatures.items():
            _check_signature(key, signature)
        for asset in save_assets(assets_collection, self._export_dir):
            add_to_collection(constants.ASSETS_KEY, asset)
        if main_op is not None:
            _add_main_op(main_op)
        return signatures

    def _add(self, saver, tags, signatures, clear_devices, strip_default_attrs):
        exported = saver.export_meta_graph(clear_devices=clear_devices,
                                           strip_default_attrs=strip_default_attrs)
        for asset in asset_files(exported):             # also those of an imported graph
            checked_name(asset.filename, self._export_dir)
        proto = self._saved_model.meta_graphs.add()
        proto.CopyFrom(exported)
        proto.meta_info_def.tags.extend(tags)
        for key, signature in signatures.items():
            proto.signature_def[key].CopyFrom(signature)


def _saver():
    return Saver(sharded=True, allow_empty=True)


def _add_main_op(main_op):
    if not isinstance(main_op, Operation):
        raise misuse(TypeError(f'main_op needs to be an Operation: {main_op!r}'))
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if get_collection(key):
            raise misuse(ValueError('Graph already contains one or more main ops under the '
                                    f'collection {key}.'))
    add_to_collection(constants.MAIN_OP_KEY, main_op)


_RESERVED = {constants.INIT_OP_SIGNATURE_KEY: 'initialization',
             constants.TRAIN_OP_SIGNATURE_KEY: 'the train op'}


def _check_signature(key, signature):
    if key in _RESERVED:
        raise misuse(KeyError(f'SignatureDef map key "{key}" is reserved for {_RESERVED[key]}. '
                              'Please use a different key.'))
    for infos in (signature.inputs, signature.outputs):
        for name, info in infos.items():
            if info.WhichOneof('encoding') is None:
                raise misuse(AssertionError(
                    'All TensorInfo protos used in the SignatureDefs must have one of the '
                    f"'encoding' fields (e.g., name or coo_sparse) set: '{name}' of '{key}'"))
            if not info.dtype and info.WhichOneof('encoding') != 'composite_tensor':
                raise misuse(AssertionError(
                    'All TensorInfo protos used in the SignatureDefs must have the dtype field '
                    f"set: '{name}' of '{key}'"))


__getattr__ = _explain_missing('tinyflow.saved_model.builder', __all__)


def __dir__():
    return __all__
