"""tensorflow.python.saved_model.utils_impl, loader_impl and tools.saved_model_utils: its files."""
from __future__ import annotations

import os

from tinyflow.graph.support.errors import misuse
from tinyflow.train.saved_model import constants
from tinyflow.train.saved_model.loader import (
    read_saved_model,
    read_saved_model as _parse_saved_model,
    read_saved_model as parse_saved_model,
)

__all__ = ['_parse_saved_model', 'get_assets_dir', 'get_meta_graph_def', 'get_variables_dir',
           'get_variables_path', 'parse_saved_model', 'read_saved_model']


def get_meta_graph_def(saved_model_dir, tag_set):
    """The MetaGraphDef of a SavedModel with these tags, separated by commas."""
    wanted = set(tag_set.split(','))
    for found in read_saved_model(saved_model_dir).meta_graphs:
        if set(found.meta_info_def.tags) == wanted:
            return found
    raise misuse(RuntimeError(f'MetaGraphDef associated with tag-set {tag_set} could not be found '
                              'in SavedModel'))


def get_variables_dir(export_dir):
    """The folder of the Variables."""
    return os.path.join(os.fsdecode(export_dir), constants.VARIABLES_DIRECTORY)


def get_variables_path(export_dir):
    """The Variables as a checkpoint, for tf.train.load_variable."""
    return os.path.join(get_variables_dir(export_dir), constants.VARIABLES_FILENAME)


def get_assets_dir(export_dir):
    """The folder of the assets, such as vocabularies."""
    return os.path.join(os.fsdecode(export_dir), constants.ASSETS_DIRECTORY)
