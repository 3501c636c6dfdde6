"""Data from files and generators: get_file, Sequence."""
from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import zipfile

from tinyflow.errors import worded

__all__ = ['Sequence', 'get_file']


class Sequence:
    """Base of data sets that give batch `index` of `len(self)`; `fit` may take them in any order.

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
    """The path of a file in Keras' cache (~/.keras), downloaded from `origin` if it is not there.

    A file whose hash is not `file_hash` is downloaded anew. OSError where it cannot be got; it says
    where to put the file by hand.
    """
    cache = cache_dir or os.path.join(os.path.expanduser('~'), '.keras')
    if not os.access(os.path.dirname(cache) or '.', os.W_OK) and not os.path.isdir(cache):
        cache = os.path.join('/tmp', '.keras')
    folder = os.path.join(cache, cache_subdir)
    path = os.path.join(folder, fname + '.tar.gz' if untar else fname)
    wanted = file_hash or md5_hash
    if not os.path.exists(path) or wanted and not _has_hash(path, wanted):
        os.makedirs(folder, exist_ok=True)
        _download(origin, path)
        if wanted and not _has_hash(path, wanted):
            os.remove(path)
            raise worded(OSError(f'What {origin} gave is not the file that was expected: its hash '
                                 'differs.'))
    if untar or extract:
        _extract(path, folder)
    return os.path.join(folder, fname) if untar else path


def _download(origin, path):
    from urllib import error, request
    temporary = f'{path}.part{os.getpid()}'
    try:
        with request.urlopen(origin, timeout=30) as source, open(temporary, 'wb') as target:
            shutil.copyfileobj(source, target)
        os.replace(temporary, path)
    except (error.URLError, OSError, ValueError) as problem:
        raise worded(OSError(
            f'{origin} cannot be downloaded: {problem}\n  Mend: where there is no network, put the '
            f'file there by hand: {path}')) from None
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _has_hash(path, wanted):
    digest = hashlib.sha256() if len(wanted) == 64 else hashlib.md5()
    with open(path, 'rb') as file:
        for block in iter(lambda: file.read(1 << 20), b''):
            digest.update(block)
    return digest.hexdigest() == wanted


def _extract(path, folder):
    """Unpacks inside `folder` only: a member that would leave it is refused."""
    if tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter='data')
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
