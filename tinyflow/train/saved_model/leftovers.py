"""What a failed export leaves behind is removed, so that it can be tried again."""
from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

from tinyflow.formats.wire import files
from tinyflow.graph.defaults import get_default_graph
from tinyflow.train.saved_model import constants

__all__ = ['has_files', 'replaced_export', 'undone_on_error']

_COLLECTIONS = (constants.ASSETS_KEY, constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY)


def has_files(directory):
    """True if there is a file in a directory or below it; folders alone are leftovers."""
    return any(files for _, _, files in os.walk(directory))


@contextmanager
def undone_on_error(export_dir):
    """After an error in the block, removes the files and folders that are new in `export_dir`, and
    the new members of the collections of the default graph that an export adds to.
    """
    graph, before = get_default_graph(), set(_paths(export_dir))
    members = {key: graph.get_collection(key) for key in _COLLECTIONS}
    try:
        yield
    except BaseException:
        for path in _paths(export_dir):
            if path not in before:
                _remove(path)
        for key, there in members.items():
            if graph.get_collection(key) != there:
                graph.get_collection_ref(key)[:] = there
        raise


@contextmanager
def replaced_export(export_dir):
    """Gives a new directory to export to; what the block wrote there then replaces the files of
    the same names in `export_dir`. After an error nothing has changed.
    """
    temporary = files.temporary_name(export_dir)
    try:
        yield temporary
        os.makedirs(export_dir, exist_ok=True)
        for name in os.listdir(temporary):
            old = os.path.join(export_dir, name)
            if os.path.isdir(old):
                shutil.rmtree(old)
            os.replace(os.path.join(temporary, name), old)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _paths(directory):
    """All files and folders below a directory, the contents of a folder before the folder."""
    for folder, folders, names in os.walk(directory, topdown=False):
        yield from [os.path.join(folder, name) for name in [*names, *folders]]


def _remove(path):
    try:
        os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    except OSError:                 # the error of the export is the one to show
        pass
