"""The `checkpoint` file of a directory: which checkpoints there are, and which is the latest.

What is done if there are checkpoints, but that state file is of no use (recovery.py):

    state file        get_checkpoint_state    latest_checkpoint     training, Estimators
    damaged, empty    the newest whole one    the newest whole one  the newest whole one
    names a missing   as the file says        the newest whole one  the newest whole one
    missing           None                    None                  the newest numbered one

The functions give None for a missing file, as TensorFlow does: programs begin in a new directory
that way, or in one with checkpoints for other purposes. A training (Estimator, monitored
sessions, Supervisor, SessionManager, CheckpointManager) would overwrite `model.ckpt-100` of the
former one, so it continues from that. Each says so in the log, once. If there are checkpoints and
none is whole, all of these raise a DataLossError that names the files. In such a CheckpointState
no other checkpoint is listed, so that no Saver deletes the old ones. Those who follow a training
(`watched_checkpoint`) skip what is not whole and wait for the next.
"""
from __future__ import annotations

import logging
import os
import re
import time
from typing import Any

from tinyflow.formats.wire import bundle_writer, files
from tinyflow.formats.wire.bundle import index_name
from tinyflow.formats.wire.checkpoint_v1 import files_of
from tinyflow.graph.support.errors import DataLossError, NotFoundError, OpError, misuse
from tinyflow.train.checkpoints import recovery

_LOG = logging.getLogger('tensorflow')


def state_path(directory, latest_filename=None):
    """The path of the state file of a directory."""
    return os.path.join(directory, 'checkpoint' if latest_filename is None else latest_filename)


def generate_checkpoint_state_proto(save_dir, model_checkpoint_path,
                                    all_model_checkpoint_paths=None,
                                    all_model_checkpoint_timestamps=None,
                                    last_preserved_timestamp=None):
    """The CheckpointState that names these checkpoints; paths become relative to `save_dir` where
    `save_dir` itself is."""
    from tinyflow.formats.protos import checkpoint_state_pb2  # start-up time
    paths = list(all_model_checkpoint_paths or ())
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    times = all_model_checkpoint_timestamps
    if times and len(times) != len(paths):
        raise misuse(ValueError(
            'Checkpoint timestamps, if provided, must match checkpoint paths (got paths '
            f'{paths} and timestamps {times})'))
    if not os.path.isabs(save_dir):
        paths = [_relative(path, save_dir) for path in paths]
        model_checkpoint_path = _relative(model_checkpoint_path, save_dir)
    return checkpoint_state_pb2.CheckpointState(
        model_checkpoint_path=model_checkpoint_path, all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times, last_preserved_timestamp=last_preserved_timestamp)


def _relative(path, directory):
    return path if os.path.isabs(path) else os.path.relpath(path, directory or '.')


def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                            latest_filename=None, all_model_checkpoint_timestamps=None,
                            last_preserved_timestamp=None):
    """Writes the state file of the directory `save_dir` atomically."""
    write_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename,
                all_model_checkpoint_timestamps, last_preserved_timestamp)


def write_state(save_dir, latest, paths=None, latest_filename=None, timestamps=None,
                preserved=None, relative=False):
    """As `update_checkpoint_state`; `relative` writes every path relative to the directory."""
    from google.protobuf import text_format  # start-up time
    if relative:
        latest = _from_directory(latest, save_dir)
        paths = [_from_directory(path, save_dir) for path in paths or ()]
        proto = generate_checkpoint_state_proto(os.path.abspath(save_dir), latest, paths,
                                                timestamps, preserved)
    else:
        proto = generate_checkpoint_state_proto(save_dir, latest, paths, timestamps, preserved)
    path = state_path(save_dir, latest_filename)
    if path == proto.model_checkpoint_path:
        raise misuse(RuntimeError(f"Save path '{latest}' conflicts with path used for checkpoint "
                                  'state.  Please use a different save path.'))
    files.write_atomically(path, text_format.MessageToString(proto))


def _from_directory(path, directory):
    return os.path.relpath(path, directory or '.')


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """The CheckpointState of a directory, with full paths; None if it has no readable one.

    For a damaged state file it is that of the newest whole checkpoint, where TensorFlow gives
    None and the program would start over. DataLossError if there are checkpoints, but none is
    whole; ValueError for an empty state file without checkpoints.
    """
    checkpoint_dir = os.fspath(checkpoint_dir)
    state, problem = read_state(checkpoint_dir, latest_filename)
    if problem is None:
        return state
    found = recovery.newest_whole(checkpoint_dir, problem)
    if found is None and state is not None:
        raise misuse(ValueError(f'Invalid checkpoint state loaded from {checkpoint_dir}'))
    if found is None:
        _LOG.warning('%s: Checkpoint ignored', problem)
    return found and _state_of(found)


def read_state(directory, latest_filename=None):
    """(the CheckpointState of a directory or None, what is wrong with its file or None).

    (None, None) if there is no such file.
    """
    from google.protobuf import text_format  # start-up time

    from tinyflow.formats.protos import checkpoint_state_pb2  # start-up time
    path = state_path(directory, latest_filename)
    if not os.path.exists(path):
        return None, None
    try:
        with files.explained(path), open(path, 'rb') as file:
            state = text_format.Parse(file.read().decode(), checkpoint_state_pb2.CheckpointState())
    except NotFoundError:
        return None, None
    except OpError as error:
        return None, f'The state file {error.message} (it cannot be read)'
    except (text_format.ParseError, UnicodeDecodeError) as error:
        return None, f'The state file {path} is damaged ({error})'
    if not state.model_checkpoint_path:
        return state, f'The state file {path} is empty, or names no checkpoint'
    state.model_checkpoint_path = _full(state.model_checkpoint_path, directory)
    state.all_model_checkpoint_paths[:] = [_full(p, directory)
                                           for p in state.all_model_checkpoint_paths]
    return state, None


def _state_of(prefix):
    """A state that names this checkpoint and lists no other, which a Saver might delete."""
    from tinyflow.formats.protos import checkpoint_state_pb2  # start-up time
    return checkpoint_state_pb2.CheckpointState(model_checkpoint_path=prefix)


def _names_a_missing(directory, state, latest_filename=None):
    return (f'The state file {state_path(directory, latest_filename)} names '
            f'{state.model_checkpoint_path}, which does not exist')


def _full(path, directory):
    return path if os.path.isabs(path) else os.path.join(directory, path)


def latest_checkpoint(checkpoint_dir, latest_filename=None) -> Any:
    """The prefix of the latest checkpoint of a directory; None if there is none.

    That is the one that the state file names, and None without such a file. If the file is
    damaged or names a checkpoint that does not exist, it is the newest whole one (in TensorFlow
    None). DataLossError if there are checkpoints, but none is whole.
    """
    checkpoint_dir = os.fspath(checkpoint_dir)
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or checkpoint_exists(state.model_checkpoint_path):
        return state and state.model_checkpoint_path
    found = recovery.newest_whole(checkpoint_dir,
                                  _names_a_missing(checkpoint_dir, state, latest_filename))
    if found is None:
        _LOG.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return found


def state_for_training(directory, names=r'-\d+\Z'):
    """The CheckpointState to continue a training from; None if there is no checkpoint.

    Without a state file it is the newest whole checkpoint whose name matches `names`: a training
    that started over would overwrite those of its former steps. Files without a number, such as
    values to start from, are left alone.
    """
    directory = os.fspath(directory)
    state = get_checkpoint_state(directory)
    if state is None:
        found = recovery.newest_whole(
            directory, f'The state file {state_path(directory)} is missing, but there are '
            'checkpoints (to start over, move them or use another directory)', names)
    elif checkpoint_exists(state.model_checkpoint_path):
        return state
    else:
        found = recovery.newest_whole(directory, _names_a_missing(directory, state))
    return _state_of(found) if found else state


def latest_for_training(directory):
    """The prefix of the checkpoint of `state_for_training`; None if there is none."""
    state = state_for_training(directory)
    exists = state is not None and checkpoint_exists(state.model_checkpoint_path)
    return state.model_checkpoint_path if exists else None


def watched_checkpoint(directory):
    """(the latest checkpoint or None, what is wrong with it or None), for those who follow another
    program's training: nothing is raised, and no older one is taken if the latest is gone.
    """
    state, problem = read_state(directory)
    if problem is not None:
        try:
            return recovery.newest_whole(directory, problem), None
        except DataLossError as error:
            return None, error.message
    if state is None:
        return None, None
    if not checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path, _names_a_missing(directory, state)
    return state.model_checkpoint_path, recovery.problem_of(state.model_checkpoint_path)


def checkpoint_exists(checkpoint_prefix):
    """True if there is a checkpoint of that name (its table, or a file of the old V1 format)."""
    prefix = os.fspath(checkpoint_prefix)
    return os.path.exists(index_name(prefix)) or bool(files_of(prefix))


def get_checkpoint_mtimes(checkpoint_prefixes):
    """The modification time of each checkpoint, in seconds since 1970; missing ones are omitted."""
    times = []
    for prefix in checkpoint_prefixes:
        paths = files_of(index_name(prefix)) or files_of(prefix)
        if paths:
            times.append(os.path.getmtime(paths[0]))
    return times


def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=2, meta_graph_suffix='meta'):
    """Removes the files of a checkpoint; format 1 was used before TensorFlow 0.12."""
    if checkpoint_format_version == 1:
        for path in files_of(checkpoint_prefix):
            files.remove(path)
    else:
        bundle_writer.remove(checkpoint_prefix)
    files.remove(meta_graph_name(checkpoint_prefix, meta_graph_suffix))
    files.remove(f'{checkpoint_prefix}.resume')         # see exact_resume.py


def meta_graph_name(prefix, suffix='meta'):
    """The name of the graph's file: of 'model-3' and of a sharded 'model-3-?????-of-00002'."""
    base = re.sub(r'-[\d\?]+-of-\d+$', '', prefix)
    return f'{base}.{suffix}'


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields each new latest checkpoint of a directory, as it appears.

    After `timeout` seconds without one it ends, unless `timeout_fn()` returns False. A checkpoint
    that has gone or is not whole is skipped, with one log entry, until it is whole.
    """
    checkpoint_dir, last = os.fspath(checkpoint_dir), None
    while True:
        new = _wait_for_new(checkpoint_dir, last, timeout)
        if new is None:
            if not timeout_fn:
                _LOG.info('Timed-out waiting for a checkpoint.')
                return
            if timeout_fn():
                return
            continue
        start, last = time.time(), new
        yield new
        left = start + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)


def _wait_for_new(directory, last, timeout, pause=1.0):
    stop = None if timeout is None else time.time() + timeout
    while True:
        path, problem = watched_checkpoint(directory)
        if problem is not None and path != last:
            recovery.say_once(f'Skipping a checkpoint: {problem}')
        elif path is not None and path != last:
            return path
        if stop is not None and time.time() + pause > stop:
            return None
        time.sleep(pause)
