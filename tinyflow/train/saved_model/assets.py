"""Assets: files that a graph reads, such as vocabularies; they are copied into the SavedModel."""
from __future__ import annotations

import filecmp
import logging
import os

from tinyflow.formats.graphdef import scopes
from tinyflow.formats.wire import files
from tinyflow.graph import dtypes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.train.saved_model import constants

_LOG = logging.getLogger('tinyflow')


def save_assets(tensors, export_dir):
    """Copies the files that constant string tensors name into `export_dir`/assets.

    Returns AssetFileDefs, packed for the collection ASSETS_KEY. Raises TypeError for a tensor that
    is not a string constant, NotFoundError for a missing file.
    """
    from google.protobuf.any_pb2 import Any  # start-up time

    from tinyflow.formats.protos.meta_graph_pb2 import AssetFileDef  # start-up time
    if tensors is None:
        _LOG.info('No assets to save.')
        return []
    sources: dict[str, str] = {}
    packed = []
    for tensor in tensors:
        source = _path(tensor)
        name = _name(source, sources, export_dir)
        sources[name] = source
        asset = AssetFileDef(filename=name)
        asset.tensor_info.name = tensor.name
        wrapped = Any()
        wrapped.Pack(asset)
        # TensorFlow's readers expect TensorFlow's name of the message.
        wrapped.type_url = 'type.googleapis.com/tensorflow.AssetFileDef'
        packed.append(wrapped)
    _copy(sources, os.path.join(export_dir, constants.ASSETS_DIRECTORY))
    return packed


def _path(tensor):
    if not isinstance(tensor, Tensor):
        raise misuse(TypeError('Asset path tensor must be a Tensor.'))
    if tensor.op.type != 'Const':
        raise misuse(TypeError('Asset path tensor must be of type constant.'))
    if tensor.dtype is not dtypes.string:
        raise misuse(TypeError('Asset path tensor must be of dtype string.'))
    value = tensor.op.attrs['value']
    if value.size != 1:
        raise misuse(TypeError('Asset path tensor must be a scalar.'))
    path = value.reshape(())[()].decode()
    if not path:
        raise misuse(ValueError(f'Invalid asset filepath tensor {tensor}'))
    return path


def _name(source, sources, export_dir):
    """The base name of the file, with a number if another file has it."""
    base = name = checked_name(os.path.basename(source), export_dir)
    number = 0
    while name in sources and sources[name] != source and \
            not filecmp.cmp(source, sources[name], shallow=False):
        number += 1
        name = f'{base}_{number}'
    return name


def _copy(sources, directory):
    if not sources:
        _LOG.info('No assets to write.')
        return
    os.makedirs(directory, exist_ok=True)
    for name, source in sources.items():
        target = os.path.join(directory, name)
        if not os.path.exists(target):
            with files.explained(source), open(source, 'rb') as file:
                files.write_atomically(target, file.read())
    _LOG.info('Assets written to: %s', directory)


def asset_feeds(meta_graph, export_dir, import_scope=None):
    """{tensor name: path} of the assets of a loaded SavedModel.

    ValueError for the name of an asset that leads out of the SavedModel's folder of assets.
    """
    return {scopes.prepend(asset.tensor_info.name, import_scope):
            asset_path(asset.filename, export_dir) for asset in asset_files(meta_graph)}


def asset_path(name, export_dir):
    """The path of an asset; ValueError if its name, or a link, leads out of the SavedModel."""
    path = os.path.join(export_dir, constants.ASSETS_DIRECTORY, checked_name(name, export_dir))
    real, inside = os.path.realpath(path), os.path.realpath(export_dir)
    if os.path.commonpath([real, inside]) != inside:
        raise misuse(ValueError(
            f'The asset {name!r} of the SavedModel in {export_dir!r} is a link to {real!r}, which '
            'is not in its folder.\n  Hint: if you trust the SavedModel, put a copy of the file '
            'in the place of the link.'))
    return path


def asset_files(meta_graph):
    """The AssetFileDefs of a MetaGraphDef; old ones are in a collection."""
    from google.protobuf.message import DecodeError  # start-up time

    from tinyflow.formats.protos.meta_graph_pb2 import AssetFileDef  # start-up time
    if meta_graph.asset_file_def or constants.ASSETS_KEY not in meta_graph.collection_def:
        return list(meta_graph.asset_file_def)
    packed = meta_graph.collection_def[constants.ASSETS_KEY].any_list.value
    try:
        return [AssetFileDef.FromString(wrapped.value) for wrapped in packed]
    except DecodeError:
        raise misuse(ValueError(f'the collection {constants.ASSETS_KEY!r}, its list of assets, is '
                                'damaged')) from None


def checked_name(name, export_dir, folder=constants.ASSETS_DIRECTORY):
    """The name of a file below a folder of the SavedModel; ValueError if it leads out of it."""
    parts = name.replace('\\', '/').split('/')
    drive, _ = os.path.splitdrive(name)
    if parts[0] == '' or '..' in parts or drive or '\0' in name:
        raise misuse(ValueError(
            f'The asset {name!r} of the SavedModel in {export_dir!r} is not a file in its folder '
            f'{folder!r}.\n  Hint: a name is relative and has no "..", such as "vocabulary.txt".'))
    return name
