"""Data from files and generators: get_file, Sequence."""
from __future__ import annotations

import errno
import hashlib
import os
import warnings

from keras_layer.utils.hdf5 import lost
from keras_layer.utils.progbar import Progbar
from tinyflow.graph.support.errors import misuse

__all__ = ['Sequence', 'get_file']


class Sequence:
    """Base of datasets with random access to batches; `fit` may request them in any order.

    A subclass defines __getitem__(index) -> (x, y) and __len__; `on_epoch_end` is called after
    each epoch.
    """

    def __getitem__(self, index):
        raise NotImplementedError(f'{type(self).__name__}.__getitem__(index)')

    def __len__(self):
        raise NotImplementedError(f'{type(self).__name__}.__len__()')

    def on_epoch_end(self):
        """Called after each epoch."""

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]


def get_file(fname, origin, untar=False, md5_hash=None, file_hash=None, cache_subdir='datasets',
             hash_algorithm='auto', extract=False, archive_format='auto', cache_dir=None):
    """The path of a file in Keras' cache (~/.keras), downloaded from `origin` if it does not exist.

    A file whose hash (`hash_algorithm`: 'md5', 'sha256', or by its length) is not `file_hash` is
    downloaded again. `extract` unpacks it in its folder, as 'tar', 'zip' or by detection; `untar`
    unpacks fname.tar.gz and returns the folder fname. OSError if it cannot be downloaded, which
    names the path for a manual download.
    """
    cache = cache_dir or os.path.join(os.path.expanduser('~'), '.keras')
    if not os.access(os.path.dirname(cache) or '.', os.W_OK) and not os.path.isdir(cache):
        cache = os.path.join('/tmp', '.keras')
    folder = os.path.join(cache, cache_subdir)
    path = os.path.join(folder, fname + '.tar.gz' if untar else fname)
    inside = os.path.join(folder, fname)
    if untar and os.path.isdir(inside):         # unpacked before; the archive need not be kept
        return inside
    if file_hash is None and md5_hash is not None:
        file_hash, hash_algorithm = md5_hash, 'md5'
    if os.path.exists(path) and file_hash and not _has_hash(path, file_hash, hash_algorithm):
        print(f'{path} is outdated or damaged: its hash is not the expected one. It is '
              'downloaded again.')
        _fetch(origin, path, file_hash, hash_algorithm)
    elif not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        _fetch(origin, path, file_hash, hash_algorithm)
    if untar:
        _extract_whole(path, folder, 'tar')
        return inside
    if extract:
        _extract_whole(path, folder, archive_format)
    return path


def _fetch(origin, path, file_hash, algorithm):
    """Downloads to a temporary file, and renames it if the hash is right."""
    from urllib import error, request  # start-up time
    temporary = f'{path}.part{os.getpid()}'
    print(f'Downloading data from {origin}')
    try:
        with request.urlopen(origin, timeout=30) as source, open(temporary, 'wb') as target:
            _copied(source, target)
        if file_hash and not _has_hash(temporary, file_hash, algorithm):
            raise misuse(OSError(f'The download of {origin} is not the file that was expected: its '
                                 f'hash is not {file_hash}.'))
        os.replace(temporary, path)
    except (error.URLError, OSError, ValueError) as problem:
        if 'is not the file' in str(problem):
            raise
        raise misuse(OSError(
            f'{origin} cannot be downloaded: {problem}\n  Hint: without a network, save the '
            f'file manually as {path}{_included(origin)}')) from None
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _included(origin):
    """The end of a hint for pictures: data that need no download."""
    pictures = any(name in origin for name in ('mnist', 'cifar'))
    return '; or take the small pictures that are included: keras.datasets.digits.' * pictures


def _copied(source, target):
    size = source.headers.get('Content-Length')
    bar, done = Progbar(int(size) if size else None, unit_name='byte'), 0
    while block := source.read(1 << 16):
        target.write(block)
        done += len(block)
        bar.update(done)


def validate_file(fpath, file_hash, algorithm='auto', chunk_size=65535):
    """True if the file's hash, MD5 or SHA-256, is `file_hash`; its length tells which of them."""
    return _has_hash(fpath, file_hash, algorithm)


def _has_hash(path, wanted, algorithm='auto'):
    if algorithm not in ('auto', 'md5', 'sha256'):
        raise misuse(ValueError(f"hash_algorithm is 'auto', 'md5' or 'sha256', not "
                                f'{algorithm!r}.'))
    of_256 = algorithm == 'sha256' or algorithm == 'auto' and len(wanted) == 64
    digest = hashlib.sha256() if of_256 else hashlib.md5()
    with open(path, 'rb') as file:
        for block in iter(lambda: file.read(1 << 20), b''):
            digest.update(block)
    return digest.hexdigest() == str(wanted)


def _extract_whole(path, folder, archive_format):
    """Unpacks an archive; errors about its content name it. A full disk remains an OSError."""
    try:
        _extract(path, folder, archive_format)
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):         # not of the archive's content
            raise
        raise lost(path, f'is damaged: {error}') from None
    except Exception as error:
        if getattr(error, 'raised_by_tinyflow', False):
            raise
        raise lost(path, f'is damaged: {type(error).__name__}: {error}') from None


def _extract(path, folder, archive_format):
    """Unpacks inside `folder` only; ValueError, and nothing written, if a member would leave it."""
    import tarfile  # start-up time
    import zipfile  # start-up time
    kinds = ['tar', 'zip'] if archive_format == 'auto' else archive_format or []
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == 'tar' and tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                _check_members(path, folder, [m.name for m in archive.getmembers()])
                _untar(archive, path, folder)
            return
        if kind == 'zip' and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                _check_members(path, folder, archive.namelist())
                archive.extractall(folder)
            return
        if kind not in ('tar', 'zip'):
            raise misuse(ValueError(f"archive_format is 'auto', 'tar' or 'zip', not {kind!r}."))
    if archive_format is not None:
        warnings.warn(f'{path} is not an archive of the kind {archive_format!r}, and is left as it '
                      'is.', stacklevel=3)


def _check_members(path, folder, names):
    root = os.path.realpath(folder)
    for name in names:
        target = os.path.realpath(os.path.join(root, name))
        if target != root and not target.startswith(root + os.sep):
            raise misuse(ValueError(f'{path} is not unpacked: its member {name!r} would be written '
                                    f'outside of {folder}.'))


def _untar(archive, path, folder):
    import tarfile  # start-up time
    try:
        # Python's own filter also handles links, devices and permissions.
        archive.extractall(folder, filter='data')
    except getattr(tarfile, 'FilterError', ()) as problem:
        raise misuse(ValueError(f'{path} is not unpacked: {problem}')) from None
    except TypeError:                       # Python without filters: files and folders only
        for member in archive.getmembers():
            if not (member.isfile() or member.isdir()):
                raise misuse(ValueError(f'{path} is not unpacked: {member.name!r} is neither a '
                                        'file nor a folder.')) from None
        archive.extractall(folder)
