"""tf.resource_loader: data files next to the source of a program."""
import inspect as _inspect
import os as _os

from tinyflow.graph.support.filesystem import GFile as _GFile
from tinyflow.graph.support.missing import explain_missing as _explain_missing


def _folder(frame):
    return _os.path.dirname(_os.path.abspath(_inspect.getsourcefile(frame) or frame.f_code
                                             .co_filename))


def get_data_files_path():
    """The directory of the calling source file."""
    return _folder(_inspect.currentframe().f_back)


def get_path_to_datafile(path):
    """The path of a data file next to the calling source file."""
    return _os.path.join(_folder(_inspect.currentframe().f_back), path)


def get_root_dir_with_all_resources():
    """The directory of the calling source file."""
    return _folder(_inspect.currentframe().f_back)


def load_resource(path):
    """The bytes of a file in the `tensorflow` package, here in tinyflow."""
    package = _os.path.dirname(_os.path.dirname(_os.path.abspath(__file__)))
    with _GFile(_os.path.join(package, path), 'rb') as file:
        return file.read()


def readahead_file_path(path, readahead='128M'):
    """The path itself."""
    return path


__all__ = ['get_data_files_path', 'get_path_to_datafile', 'get_root_dir_with_all_resources',
           'load_resource', 'readahead_file_path']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
