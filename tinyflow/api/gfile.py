"""tf.gfile: files and directories, under TF1's names."""
from tinyflow.graph.support import filesystem as _files
from tinyflow.graph.support.filesystem import GFile
from tinyflow.graph.support.missing import explain_missing as _explain_missing


def Copy(oldpath, newpath, overwrite=False):                    # noqa: N802 (TF's names)
    """Copies a file. AlreadyExistsError if there is one already, unless `overwrite`."""
    _files.copy(oldpath, newpath, overwrite)


def DeleteRecursively(dirname):                                 # noqa: N802
    """Deletes a directory and its contents. NotFoundError if there is none."""
    _files.rmtree(dirname)


def Exists(filename):                                           # noqa: N802
    """True if there is a file or directory of that name."""
    return _files.exists(filename)


def Glob(filename):                                             # noqa: N802
    """The paths that match a pattern (or one of several)."""
    return _files.glob(filename)


def IsDirectory(dirname):                                       # noqa: N802
    """True if the path is a directory."""
    return _files.isdir(dirname)


def ListDirectory(dirname):                                     # noqa: N802
    """The names in a directory. NotFoundError if it is not a directory."""
    return _files.listdir(dirname)


def MakeDirs(dirname):                                          # noqa: N802
    """Creates a directory and its parents; they may exist already."""
    _files.makedirs(dirname)


def MkDir(dirname):                                             # noqa: N802
    """Creates a directory; its parent must exist."""
    _files.mkdir(dirname)


def Remove(filename):                                           # noqa: N802
    """Deletes a file. NotFoundError if there is none."""
    _files.remove(filename)


def Rename(oldname, newname, overwrite=False):                  # noqa: N802
    """Moves a file. AlreadyExistsError if there is one already, unless `overwrite`."""
    _files.rename(oldname, newname, overwrite)


def Stat(filename):                                             # noqa: N802
    """Length, time of the last change and kind of a file. NotFoundError if there is none."""
    return _files.stat(filename)


def Walk(top, in_order=True):                                   # noqa: N802
    """(directory, directories, files) of a directory tree, top-down or bottom-up."""
    return _files.walk(top, in_order)


class FastGFile(GFile):
    """Same as GFile."""


Open = GFile

__all__ = ['Copy', 'DeleteRecursively', 'Exists', 'FastGFile', 'GFile', 'Glob', 'IsDirectory',
           'ListDirectory', 'MakeDirs', 'MkDir', 'Open', 'Remove', 'Rename', 'Stat', 'Walk']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
