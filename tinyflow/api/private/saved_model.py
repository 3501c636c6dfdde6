"""tensorflow.python.saved_model.utils_impl and loader_impl: the files of a SavedModel."""
from __future__ import annotations

import os

from tinyflow.train.saved_model import constants
from tinyflow.train.saved_model.loader import read_saved_model as _parse_saved_model

__all__ = ['_parse_saved_model', 'get_assets_dir', 'get_variables_dir', 'get_variables_path']


def get_variables_dir(export_dir):
    """The folder of the Variables."""
    return os.path.join(os.fsdecode(export_dir), constants.VARIABLES_DIRECTORY)


def get_variables_path(export_dir):
    """The Variables as a checkpoint, for tf.train.load_variable."""
    return os.path.join(get_variables_dir(export_dir), constants.VARIABLES_FILENAME)


def get_assets_dir(export_dir):
    """The folder of the assets, such as vocabularies."""
    return os.path.join(os.fsdecode(export_dir), constants.ASSETS_DIRECTORY)
