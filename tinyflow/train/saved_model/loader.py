"""Load a SavedModel: its graph into the Session's graph, its Variables into the Session."""
from __future__ import annotations

import contextlib
import logging
import os

from tinyflow.formats.graphdef import importing, meta_graph, scopes
from tinyflow.formats.graphdef.collections import VARIABLE_KEYS
from tinyflow.formats.wire import reading
from tinyflow.graph.defaults import get_collection, get_default_graph
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.train.saved_model import assets, constants

__all__ = ['load', 'maybe_saved_model_directory']

_LOG = logging.getLogger('tinyflow')


def maybe_saved_model_directory(export_dir):
    """True if the directory has a saved_model.pb or saved_model.pbtxt."""
    return _model_file(os.fsdecode(export_dir)) is not None


def _model_file(export_dir):
    for name in (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT):
        path = os.path.join(export_dir, name)
        if os.path.exists(path):
            return path
    return None


def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Loads the graph with exactly these `tags` into the Session, with its Variables and tables.

    The nodes go to the graph of `sess`, under the name scope `import_scope` if one is given.
    Returns the MetaGraphDef, whose signature_def names inputs and outputs. Raises OSError if the
    SavedModel is missing or damaged, RuntimeError if no graph has these tags.
    """
    export_dir = os.fsdecode(export_dir)        # Estimator.export_saved_model returns bytes
    proto = find_meta_graph(read_saved_model(export_dir), tags, export_dir)
    with sess.graph.as_default():
        proto = load_graph(proto, import_scope, export_dir, **saver_kwargs)
        restore(sess, proto, export_dir, import_scope)
    return proto


def read_saved_model(export_dir):
    """The SavedModel message in a directory. OSError if it is missing or damaged."""
    from tinyflow.formats.protos.saved_model_pb2 import SavedModel  # start-up time
    export_dir = os.fsdecode(export_dir)
    path = _model_file(export_dir)
    if path is None:
        raise misuse(OSError(
            f'SavedModel file does not exist at: {export_dir}/{{'
            f'{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}'
            + _others(export_dir)))
    try:
        return reading.read(path, SavedModel)
    except errors.DataLossError as error:
        raise misuse(OSError(f'Cannot parse file: {error}')) from None


def _others(export_dir):
    """A hint: SavedModels one level below, as Estimators write them."""
    if not os.path.isdir(export_dir):
        return '\n  Hint: there is no such directory; is the working directory the expected one?'
    below = [n for n in sorted(os.listdir(export_dir))
             if _model_file(os.path.join(export_dir, n)) is not None]
    return f'\n  Hint: there are SavedModels in {", ".join(below[:5])} below it.' if below else ''


def find_meta_graph(saved_model, tags, export_dir):
    """The MetaGraphDef with exactly these tags. RuntimeError, with the existing tags, if none."""
    wanted = {tags} if isinstance(tags, str) else set(tags)
    for proto in saved_model.meta_graphs:
        if set(proto.meta_info_def.tags) == wanted:
            return proto
    there = ' or '.join(repr(sorted(p.meta_info_def.tags)) for p in saved_model.meta_graphs)
    raise misuse(RuntimeError(
        f"MetaGraphDef associated with tags {sorted(wanted)} could not be found in SavedModel "
        f'{export_dir}.\n  Hint: its tags are {there or "missing: it has no graphs"}.'))


def load_graph(proto, import_scope=None, where=None, **saver_kwargs):
    """Adds nodes and collections to the default graph; the MetaGraphDef.

    Errors name the SavedModel in the directory `where`.
    """
    if where is not None:
        _check_assets(proto, where)
    with reading.naming(None if where is None else _model_file(where)):
        proto = _without_unknown_ops(proto)
        proto, _, _ = meta_graph.import_meta_graph(proto, import_scope=import_scope,
                                                   **saver_kwargs)
    return proto


def _check_assets(proto, export_dir):
    with naming_damage(export_dir, 'its assets'):
        found = assets.asset_files(proto)
    for asset in found:
        assets.asset_path(asset.filename, export_dir)


def _without_unknown_ops(proto):
    """The MetaGraphDef without nodes of unknown op types, if nothing needs them.

    TensorFlow 2 saves with ops that loading does not run.
    """
    unknown = importing.unknown_ops(proto.graph_def)
    if not unknown:
        return proto
    removed = set(unknown)
    for node in proto.graph_def.node:           # saved in an order in which inputs come first
        if any(name.lstrip('^').split(':')[0] in removed for name in node.input):
            removed.add(node.name)
    needed = {name.split(':')[0] for name in needed_names(proto)}
    if removed & needed:
        return proto                            # importing it reports what is missing
    _LOG.warning('Not loaded because of unknown op types: %s and nodes that use them. '
                 'Neither the signatures nor restoring needs them.', ', '.join(sorted(unknown)[:5]))
    result = type(proto)()
    result.CopyFrom(proto)
    del result.graph_def.node[:]
    result.graph_def.node.extend([n for n in proto.graph_def.node if n.name not in removed])
    for key, collection in result.collection_def.items():
        if collection.WhichOneof('kind') == 'node_list':
            kept = [n for n in collection.node_list.value if n.split(':')[0] not in removed]
            collection.node_list.value[:] = kept
        elif key in VARIABLE_KEYS:
            collection.bytes_list.value[:] = [
                _without_initializer(value, removed) for value in collection.bytes_list.value]
    return result


def _without_initializer(value, removed):
    """A serialized VariableDef without names of removed nodes."""
    from tinyflow.formats.protos.variable_pb2 import VariableDef  # start-up time
    proto = reading.parse(value, VariableDef, 'a VariableDef of the SavedModel')
    for field in ('initializer_name', 'initial_value_name'):
        if getattr(proto, field).split(':')[0] in removed:
            proto.ClearField(field)
    return proto.SerializeToString(deterministic=True)


def needed_names(proto):
    """Names of the nodes and tensors that signatures, restoring and initialising need."""
    found = [a.tensor_info.name for a in assets.asset_files(proto)]
    for signature in proto.signature_def.values():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            found += [info.name] if info.name else [
                info.coo_sparse.values_tensor_name, info.coo_sparse.indices_tensor_name,
                info.coo_sparse.dense_shape_tensor_name]
    if proto.saver_def.restore_op_name:
        found += [proto.saver_def.restore_op_name, proto.saver_def.filename_tensor_name]
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key in proto.collection_def:
            found += list(proto.collection_def[key].node_list.value)
    return found


def restore(sess, proto, export_dir, import_scope=None):
    """Gives the Variables in `sess` their saved values and runs the main op."""
    prefix = os.path.join(export_dir, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME)
    graph = get_default_graph()
    if proto.HasField('saver_def') and os.path.exists(prefix + '.index'):
        names = proto.saver_def.filename_tensor_name, proto.saver_def.restore_op_name
        with naming_damage(export_dir, 'the nodes of its saver_def'):
            filename, operation = [graph.as_graph_element(scopes.prepend(n, import_scope))
                                   for n in names]
        sess.run(getattr(operation, 'op', operation), {filename: prefix})
    with naming_damage(export_dir, 'its initialisation or its assets'):
        main_op = main_op_of(proto, graph, import_scope, _model_file(export_dir))
        feeds = {} if main_op is None else {
            graph.get_tensor_by_name(name): path
            for name, path in assets.asset_feeds(proto, export_dir, import_scope).items()}
    if main_op is not None:
        sess.run(main_op, feeds)


@contextlib.contextmanager
def naming_damage(export_dir, what):
    """Turns an error about a missing name into an error about the SavedModel file."""
    from google.protobuf.message import DecodeError  # start-up time
    try:
        yield
    except (KeyError, ValueError, DecodeError) as error:
        text = error.args[0] if isinstance(error, KeyError) else error
        raise misuse(ValueError(f'The SavedModel is damaged, {what}: {text}\n  in '
                                f'{_model_file(export_dir)}')) from None


def main_op_of(proto, graph, import_scope, where):
    """The op of an imported graph that initializes it, or None; `where` is for errors."""
    key = constants.INIT_OP_SIGNATURE_KEY
    if key in proto.signature_def:
        name = proto.signature_def[key].outputs[key].name
        return graph.as_graph_element(scopes.prepend(name, import_scope))
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key in proto.collection_def:
            count = len(proto.collection_def[key].node_list.value)
            if count != 1:
                raise misuse(RuntimeError(
                    'Expected exactly one SavedModel init op. Found: '
                    f'{list(proto.collection_def[key].node_list.value)}\n  in {where}'))
            return get_collection(key)[-1]
    return None


__getattr__ = _explain_missing('tinyflow.saved_model.loader', __all__)


def __dir__():
    return __all__
