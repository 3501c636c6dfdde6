"""tf.train.Saver: saves the values of Variables in checkpoints, and keeps the last few."""
from __future__ import annotations

import logging
import os
import time
from typing import Any

import numpy as np

from tinyflow.formats.wire import files
from tinyflow.formats.wire.checkpoint_v1 import reader_of
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.session.interrupts import whole
from tinyflow.train.checkpoints import checkpoint_state
from tinyflow.train.checkpoints.object_graph import full_names_to_keys
from tinyflow.train.checkpoints.restore_check import Differences, wanted_by
from tinyflow.train.checkpoints.saveables import all_saveables
from tinyflow.train.checkpoints.saver_builder import V2, BulkSaverBuilder, parts_removed_on_error
from tinyflow.train.training_util import global_step as read_global_step

_LOG = logging.getLogger('tensorflow')


class Saver:
    """Saves Variables to files and restores them.

    `var_list` is a list of Variables, or a dict from the names to use in the files to Variables;
    by default all global Variables. The last `max_to_keep` checkpoints are kept (None: all), and
    one for each `keep_checkpoint_every_n_hours`. `reshape` restores into other shapes of the same
    size. Raises ValueError if there is nothing to save, unless `allow_empty`.

    `restore_sequentially` has no effect: one node reads all values.
    """

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5,
                 keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False,
                 saver_def=None, builder=None, defer_build=False, allow_empty=False,
                 write_version=V2, pad_step_number=False, save_relative_paths=False, filename=None):
        if defer_build and var_list:
            raise misuse(ValueError('If `var_list` is provided then build cannot be deferred. '
                                    'Either set defer_build=False or var_list=None.'))
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self.saver_def: Any = saver_def
        self._builder = builder
        self._allow_empty = allow_empty
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._filename = filename
        self._is_built = False
        self._is_empty = False
        self._last_checkpoints = []             # (prefix, time), oldest first
        self._half_deleted = []         # what a killed process left of them
        self._to_be_deleted = []
        self._next_kept = None                  # checkpoints younger than this are deleted
        if not defer_build:
            self.build()
        if self.saver_def:
            _check_saver_def(self.saver_def)
            self._write_version = self.saver_def.version

    # ---- nodes ---------------------------------------------------------------------------

    def build(self):
        """Adds the nodes, if that was deferred."""
        if self._is_built:
            return
        self._is_built = True
        if not self.saver_def:
            if self._var_list is None and executing_eagerly():
                raise misuse(RuntimeError(
                    'When eager execution is enabled, `var_list` must specify a list or dict of '
                    'variables to save\n  Hint: tf.train.Checkpoint(model=model) saves all that an '
                    'object has.'))
            if self._var_list is None:
                self._var_list = all_saveables()
            if not self._var_list:
                if not self._allow_empty:
                    raise misuse(ValueError(report(
                        'No variables to save', hint='make the Saver after the Variables, in '
                        'their graph: `with graph.as_default():`.' + why('nothing-to-save'))))
                self._is_empty = True
                return
            self.saver_def = (self._builder or BulkSaverBuilder(self._write_version)).build(
                self._var_list, reshape=self._reshape, sharded=self._sharded,
                max_to_keep=self._max_to_keep, keep_checkpoint_every_n_hours=self._keep_hours,
                name=self._name, restore_sequentially=self._restore_sequentially,
                filename=self._filename)
        elif self._name:
            for field in ('filename_tensor_name', 'save_tensor_name', 'restore_op_name'):
                setattr(self.saver_def, field,
                        f'{self._name.rstrip("/")}/{getattr(self.saver_def, field)}')
        _check_saver_def(self.saver_def)
        self._next_kept = time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600

    def as_saver_def(self):
        """The SaverDef protocol buffer."""
        return self.saver_def

    def to_proto(self, export_scope=None):
        """A SaverDef, with names as seen from inside `export_scope`; None if it is outside."""
        if export_scope is None:
            return self.saver_def
        inside = export_scope.rstrip('/') + '/'
        if not (self.saver_def.filename_tensor_name.startswith(inside)
                and self.saver_def.save_tensor_name.startswith(inside)
                and self.saver_def.restore_op_name.startswith(inside)):
            return None
        copy = type(self.saver_def)()
        copy.CopyFrom(self.saver_def)
        for field in ('filename_tensor_name', 'save_tensor_name', 'restore_op_name'):
            setattr(copy, field, getattr(copy, field)[len(inside):])
        return copy

    @staticmethod
    def from_proto(saver_def, import_scope=None):
        """A Saver for nodes that are in the graph already."""
        copy = type(saver_def)()
        copy.CopyFrom(saver_def)
        return Saver(saver_def=copy, name=import_scope)

    # ---- the list of checkpoints ---------------------------------------------------------

    @property
    def last_checkpoints(self):
        """The prefixes of the checkpoints that are kept, oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints):
        """Sets that list (deprecated: set_last_checkpoints_with_time)."""
        if not isinstance(last_checkpoints, list):
            raise misuse(TypeError('last_checkpoints must be a list of prefixes, not '
                                   f'{last_checkpoints!r}'))
        self._last_checkpoints = [(path, np.inf) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
        """Sets the list of pairs (prefix, seconds since 1970)."""
        if not isinstance(last_checkpoints_with_time, list):
            raise misuse(TypeError('last_checkpoints_with_time must be a list of pairs, not '
                                   f'{last_checkpoints_with_time!r}'))
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths):
        """Sets the list to those of the prefixes that exist: after a restart.

        The next save removes what is left of the others, which a killed process was deleting.
        """
        self._half_deleted = [path for path in checkpoint_paths
                              if not checkpoint_state.checkpoint_exists(path)]
        self.set_last_checkpoints_with_time(
            [(path, when) for path in checkpoint_paths
             for when in checkpoint_state.get_checkpoint_mtimes([path])])

    def _record(self, prefix):
        if not self.saver_def.max_to_keep:
            return
        self._last_checkpoints = [kept for kept in self._last_checkpoints if kept[0] != prefix]
        self._last_checkpoints.append((prefix, time.time()))
        while len(self._last_checkpoints) > self.saver_def.max_to_keep:
            self._to_be_deleted.append(self._last_checkpoints.pop(0))

    def _expired(self):
        """The prefixes of checkpoints to delete: those that are too many and not kept for good."""
        found, self._to_be_deleted = self._to_be_deleted, []
        expired = []
        for prefix, when in found:
            if when > self._next_kept:
                self._next_kept += self.saver_def.keep_checkpoint_every_n_hours * 3600
            else:
                expired.append(prefix)
        return expired

    def _delete(self, prefix, suffix):
        try:
            checkpoint_state.remove_checkpoint(prefix, self.saver_def.version, suffix)
        except OSError as error:
            _LOG.warning('Ignoring: %s', error)

    # ---- save ----------------------------------------------------------------------------

    def save(self, sess, save_path, global_step=None, latest_filename=None,
             meta_graph_suffix='meta', write_meta_graph=True, write_state=True,
             strip_default_attrs=False, save_debug_info=False) -> Any:
        """Writes the checkpoint `save_path`, or `save_path-<global_step>`, and returns its prefix.

        `global_step` is a number, Tensor or Variable. Until everything is on disk the previous
        checkpoint is the latest. Ctrl-C ends the program after the save, so that no checkpoint is
        there which the state file does not list. Raises RuntimeError before `build`, ValueError for
        a missing directory.
        """
        self._check_built('save')
        latest_filename = 'checkpoint' if latest_filename is None else latest_filename
        if os.path.split(latest_filename)[0]:
            raise misuse(ValueError("'latest_filename' must not contain path components"))
        _check_session(sess)
        save_path = os.fspath(save_path)
        prefix = self._prefix(sess, save_path, global_step, latest_filename)

        def write(prefix):
            if not self._is_empty:
                prefix = self._write(sess, save_path, prefix)
            if write_meta_graph:
                meta = checkpoint_state.meta_graph_name(prefix, meta_graph_suffix)
                with sess.graph.as_default():
                    self.export_meta_graph(meta, strip_default_attrs=strip_default_attrs,
                                           save_debug_info=save_debug_info)
            if write_state and not self._is_empty:
                self._rotate(prefix, save_path, latest_filename, meta_graph_suffix)
            return None if self._is_empty else prefix
        return whole(write, prefix)

    def _rotate(self, prefix, save_path, latest_filename, meta_graph_suffix):
        """Names the checkpoint in the state file, and deletes the oldest."""
        self._record(prefix)

        def record(prefixes):
            checkpoint_state.write_state(
                os.path.dirname(save_path), prefix, prefixes, latest_filename,
                relative=self._save_relative_paths)
        old = self._expired()
        if old:                     # the file names them until they are gone, should this be killed
            record([*old, *self.last_checkpoints])
        for other in old:
            self._delete(other, meta_graph_suffix)
        record(self.last_checkpoints)
        for other in set(self._half_deleted) - {prefix, *self.last_checkpoints}:
            self._delete(other, meta_graph_suffix)
        self._half_deleted = []
        files.remove_abandoned(os.path.dirname(save_path))

    def _prefix(self, sess, save_path, global_step, latest_filename):
        if global_step is not None:
            if not isinstance(global_step, (int, np.integer)):
                global_step = read_global_step(sess, global_step)
            return self._numbered(save_path, global_step)
        if os.path.basename(save_path) == latest_filename and not self._sharded:
            raise misuse(ValueError("'latest_filename' collides with 'save_path': "
                                    f"'{latest_filename}' and '{save_path}'"))
        return save_path

    def _numbered(self, save_path, global_step):
        return f'{save_path}-{global_step:08d}' if self._pad_step_number else \
            f'{save_path}-{global_step:d}'

    def _write(self, sess, save_path, prefix):
        feed = {self.saver_def.filename_tensor_name: prefix}
        try:
            with parts_removed_on_error(sess.graph, self.saver_def, prefix):
                saved = sess.run(self.saver_def.save_tensor_name, feed)
        except errors.NotFoundError as error:
            parent = os.path.dirname(save_path)
            if parent and not os.path.isdir(parent):
                raise misuse(ValueError(
                    f"Parent directory of {save_path} doesn't exist, can't save.\n  Hint: "
                    f'os.makedirs({parent!r}, exist_ok=True)')) from error
            raise
        return saved.decode() if isinstance(saved, bytes) else str(saved)

    def _check_built(self, what):
        if not self._is_built:
            raise misuse(RuntimeError(
                f'`build()` should be called before {what} if defer_build==True'))

    # ---- restore -------------------------------------------------------------------------

    def restore(self, sess, save_path):
        """Restores the Variables of `sess` from the checkpoint `save_path`.

        Variables need not be initialised before. Either all are restored, or none is changed and
        the error has a table of missing and different values: NotFoundError, InvalidArgumentError.
        Raises ValueError if there is no such checkpoint.
        """
        if self._is_empty:
            return
        self._check_built('restore')
        _check_session(sess)
        if save_path is None:
            raise misuse(ValueError(
                "Can't load save_path when it is None.\n  Hint: tf.train.latest_checkpoint gives "
                'None if the directory has no checkpoint: train and save first, or check the '
                'path.'))
        prefix = os.fspath(save_path)
        prefix = prefix.decode() if isinstance(prefix, bytes) else prefix
        if not checkpoint_state.checkpoint_exists(prefix) or _is_a_part(prefix):
            raise misuse(ValueError(_no_checkpoint(prefix)))
        _LOG.info('Restoring parameters from %s', prefix)
        feed = {self.saver_def.filename_tensor_name: prefix}
        feed.update(self._values_of_objects(sess, prefix))
        sess.run(self.saver_def.restore_op_name, feed)

    def _values_of_objects(self, sess, prefix):
        """Checks that the checkpoint is complete; feeds for values that have other names there."""
        try:
            restore = sess.graph.get_operation_by_name(self.saver_def.restore_op_name)
        except KeyError:
            raise misuse(ValueError(
                f"The graph of the session has no node '{self.saver_def.restore_op_name}' of this "
                'Saver.\n  Hint: a Session of the graph that the Saver was made in.')) from None
        wanted = wanted_by(restore)
        if wanted is None:
            return {}
        with reader_of(prefix) as reader:
            differences = Differences(wanted, reader)
            if not differences:
                return {}
            keys = differences.missing and _object_keys(reader)
            if keys:
                return _object_values(reader, wanted, keys, differences)
            raise differences.error()

    # ---- the graph -----------------------------------------------------------------------

    def export_meta_graph(self, filename=None, collection_list=None, as_text=False,
                          export_scope=None, clear_devices=False, clear_extraneous_savers=False,
                          strip_default_attrs=False, save_debug_info=False):
        """Writes the default graph, its collections and this Saver to a file; a MetaGraphDef.

        `save_debug_info` has no effect: nodes of tinyflow have no stack traces.
        """
        return export_meta_graph(
            filename=filename, graph_def=None, saver_def=self.saver_def,
            collection_list=collection_list, as_text=as_text, export_scope=export_scope,
            clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)


def _check_session(sess):
    if not hasattr(sess, 'run'):        # a Session, or a wrapper of one: MonitoredSession, ...
        raise misuse(TypeError(f"'sess' must be a Session; {sess!r}"))


def _check_saver_def(saver_def):
    for field in ('save_tensor_name', 'restore_op_name'):
        if not getattr(saver_def, field):
            raise misuse(ValueError(f'saver_def must specify the {field}: {saver_def}'))


def _is_a_part(path):
    """True for the name of one of a checkpoint's files instead of the checkpoint's name."""
    looks = path.endswith(('.index', '.meta')) or '.data-' in os.path.basename(path)
    return looks and not os.path.exists(f'{path}.index')


def _no_checkpoint(prefix):
    """The message for a path without a checkpoint; lists the existing ones."""
    directory = os.path.dirname(prefix) or '.'
    there = []
    if os.path.isdir(directory):
        there = sorted(name[:-len('.index')] for name in os.listdir(directory)
                       if name.endswith('.index'))
    if _is_a_part(prefix):
        hint = 'the path without that ending; a checkpoint is several files.'
    elif os.path.isdir(prefix):
        hint = f'that is a directory: tf.train.latest_checkpoint({prefix!r}).'
    elif not os.path.isdir(directory):
        hint = f'there is no directory {os.path.abspath(directory)}.'
    elif there:
        shown = ', '.join(there[:5]) + (' ...' if len(there) > 5 else '')
        hint = f'in {directory} there are: {shown}'
    else:
        hint = f'there are no checkpoints in {os.path.abspath(directory)}.'
    return f'The passed save_path is not a valid checkpoint: {prefix}\n  Hint: {hint}' \
        + why('checkpoint-path')


# ---- checkpoints of tf.train.Checkpoint, by the names of Variables -------------------------------


def _object_keys(reader):
    """{full name of a Variable: its key} of an object-based checkpoint; {} for others."""
    return full_names_to_keys(reader)


def _object_values(reader, wanted, keys, differences):
    """The feeds for the RestoreV2 nodes, with values found under their objects' keys."""
    if any(w.name not in keys for w in wanted):
        raise differences.error()
    _LOG.warning('Restoring an object-based checkpoint using a name-based saver. This may be '
                 'somewhat fragile; tf.train.Checkpoint restores by objects.')
    return {w.tensor: w.value(reader, keys[w.name]) for w in wanted}


# ---- graphs in files -----------------------------------------------------------------------------


def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None,
                      collection_list=None, as_text=False, graph=None, export_scope=None,
                      clear_devices=False, clear_extraneous_savers=False,
                      strip_default_attrs=False, save_debug_info=False, **kwargs):
    """A MetaGraphDef: the graph, its collections, the Saver; written to `filename` if given.

    `save_debug_info` has no effect, as in Saver.export_meta_graph.
    """
    from tinyflow.formats.graphdef import meta_graph  # start-up time
    return meta_graph.export_meta_graph(
        filename=filename, meta_info_def=meta_info_def, graph_def=graph_def, saver_def=saver_def,
        collection_list=collection_list, as_text=as_text, graph=graph, export_scope=export_scope,
        clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs, **kwargs)


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None,
                      **kwargs) -> Any:
    """Adds the nodes and collections of a `.meta` file to the default graph.

    Returns the Saver of that graph, or None if it has no Variables to save.
    """
    from tinyflow.formats.graphdef import meta_graph  # start-up time
    from tinyflow.formats.wire import reading  # start-up time
    proto, variables, _ = meta_graph.import_meta_graph(
        meta_graph_or_file, clear_devices=clear_devices, import_scope=import_scope, **kwargs)
    in_file = isinstance(meta_graph_or_file, (str, os.PathLike))
    with reading.naming(os.fspath(meta_graph_or_file) if in_file else None):
        if proto.HasField('saver_def'):
            return Saver(saver_def=proto.saver_def, name=_scope_of(variables, import_scope))
        return Saver() if all_saveables(import_scope) else None


def _scope_of(variables, import_scope):
    """The scope of the nodes: `import_scope`, with a number if that was taken."""
    for name, variable in variables.items():
        return variable.name[:-len(name)].rstrip('/')
    return import_scope


__all__ = ['Saver', 'export_meta_graph', 'import_meta_graph']
