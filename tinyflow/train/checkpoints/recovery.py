"""Finds checkpoints by their own files, where the state file of a directory is of no use.

A training must never begin at step 0 in a directory that has checkpoints: it would overwrite
them. If the state file `checkpoint` is damaged, empty, missing, or names a checkpoint that does not
exist, the newest whole one is taken and a log entry says so; if none is whole, a DataLossError
names the files. What each function does is in the table of checkpoint_state.py.
"""
from __future__ import annotations

import glob
import logging
import os
import re

from tinyflow.formats.wire.bundle import BundleReader, data_name, index_name
from tinyflow.formats.wire.checkpoint_v1 import ReaderV1
from tinyflow.graph.support import errors

__all__ = ['is_about_its_files', 'newest_whole', 'problem_of', 'say_once']

_LOG = logging.getLogger('tensorflow')
_NUMBER = re.compile(r'-(\d+)\Z')
_V1_SHARD = re.compile(r'-\d{5}(-of-\d{5})\Z')
_said: set[str] = set()
_results: dict[str, tuple] = {}             # prefix -> (stamp of its files, problem)


def say_once(text):
    """Logs a warning, once in this process: directories are polled."""
    if text not in _said:
        _said.add(text)
        _LOG.warning('%s', text)


# ---- is a checkpoint whole? ----------------------------------------------------------------------


def problem_of(prefix, every_byte=False):
    """What is wrong with the files of a checkpoint, a text; None if it is whole.

    The table must be readable and the data files as long as it says; with `every_byte` the data
    are read, too, and compared with their checksums.
    """
    try:
        if not os.path.exists(index_name(prefix)):
            _read_all(ReaderV1(prefix))
            return None
        with BundleReader(prefix) as reader:
            _check_sizes(reader)
            if every_byte:
                _read_all(reader)
    except errors.OpError as error:
        return error.message.partition('\n')[0]
    except (OSError, ValueError, TypeError) as error:
        return f'{prefix}: {error}'
    return None


def is_about_its_files(error, prefix):
    """What is wrong with a checkpoint if that explains this error, which must name it; else None.

    A program that follows a training may find a checkpoint removed, or written to one half.
    """
    return problem_of(prefix, every_byte=True) if prefix in str(error) else None


def _check_sizes(reader):
    """Raises an error if a data file is missing or too short."""
    needed = {}
    for key in reader.raw:
        entry = reader.parsed(key, repr(key))
        if not entry.slices:
            end = entry.offset + entry.size
            needed[entry.shard_id] = max(end, needed.get(entry.shard_id, 0))
    for shard, size in needed.items():
        path = data_name(reader.prefix, shard, reader.shards)
        if os.path.getsize(path) < size:
            raise ValueError(f'{path} has {os.path.getsize(path)} bytes, and should have {size}')


def _read_all(reader):
    for name in reader.names():
        try:
            reader.get(name)
        except errors.UnimplementedError:       # a dtype of other programs
            pass


def _remembered_problem(prefix):
    """`problem_of` every byte, which is read again only if the files have changed."""
    stamp = _stamp(prefix)
    if _results.get(prefix, ((),))[0] != stamp:
        _results[prefix] = stamp, problem_of(prefix, every_byte=True)
    return _results[prefix][1]


def _stamp(prefix):
    found = [(path, os.stat(path)) for path in _files(prefix)]
    return tuple([(path, stat.st_size, stat.st_mtime_ns) for path, stat in found])


def _files(prefix):
    """The files of a checkpoint, of either format."""
    if os.path.exists(index_name(prefix)):
        return [index_name(prefix), *sorted(glob.glob(f'{glob.escape(prefix)}.data-*'))]
    directory, name = os.path.split(prefix)     # a name such as 'model-3-?????-of-00002'
    return sorted(glob.glob(os.path.join(glob.escape(directory), name)))


# ---- which checkpoints are there? ----------------------------------------------------------------


def newest_whole(directory, problem, names=None):
    """The newest whole checkpoint of a directory, None if it has no checkpoint.

    `problem` is what is wrong with the state file, for the log and the error; `names` is a regular
    expression that the names of the checkpoints must match. DataLossError if none is whole.
    """
    damaged = []
    for prefix in _newest_first(directory, names):
        why = _remembered_problem(prefix)
        if why is None:
            skipped = ''.join([f'\n  skipped: {text}' for text in damaged])
            say_once(f'{problem}. The newest whole checkpoint by the files of the directory is '
                     f'used: {prefix}{skipped}')
            return prefix
        damaged.append(why)
    if damaged:
        listed = ''.join([f'\n  {text}' for text in damaged[:5]])
        raise errors.DataLossError(None, None, errors.report(
            f'{problem}, and no checkpoint of {directory or "."} is whole:{listed}',
            hint='copy the files again from a backup; to start over, use another directory.'))
    return None


def _newest_first(directory, names):
    """The checkpoints of a directory by the time of their files, in seconds, then by number.

    Copied files may all be of the same second.
    """
    found = []
    for prefix in _prefixes(directory):
        if names is None or re.search(names, os.path.basename(prefix)):
            number = _NUMBER.search(prefix)
            found.append((_seconds(prefix), int(number[1]) if number else -1, prefix))
    return [prefix for _, _, prefix in sorted(found, reverse=True)]


def _seconds(prefix):
    return max([int(os.stat(path).st_mtime) for path in _files(prefix)], default=0)


def _prefixes(directory):
    """All checkpoints of a directory; those of the first format are known by their .meta file."""
    try:
        names = set(os.listdir(directory or '.'))
    except OSError:
        return set()
    found = {name[:-len('.index')] for name in names if name.endswith('.index')}
    for name in names - found:
        base = _V1_SHARD.sub('', name)
        if f'{base}.meta' in names and base not in found:
            found.add(_V1_SHARD.sub(r'-?????\1', name))
    return {os.path.join(directory, name) for name in found}
