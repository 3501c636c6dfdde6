"""The nodes of a Saver: a placeholder for the file name, save ops, restore ops."""
from __future__ import annotations

import os
import shutil
import uuid
from contextlib import contextmanager

from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.defaults import control_dependencies, device, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, identity_and_cast, placeholders
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.files import saving
from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec
from tinyflow.ops.strings.joins import string_join
from tinyflow.train.checkpoints.saveables import (
    VariableSaveable,
    by_name,
    restore_group,
    saveables_for,
)

V1, V2 = 1, 2


class BulkSaverBuilder:
    """Builds the nodes of a Saver and the SaverDef that names them."""

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject
    VariableSaveable = VariableSaveable

    def __init__(self, write_version=V2):
        self._write_version = write_version

    def build(self, names_to_saveables, reshape=False, sharded=False, max_to_keep=5,
              keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False,
              filename='model'):
        """Adds the nodes, and returns a SaverDef protocol buffer."""
        from tinyflow.formats.protos import saver_pb2  # start-up time
        if self._write_version not in (V1, V2):
            raise misuse(RuntimeError(f'Unexpected write_version: {self._write_version}'))
        saveables = saveables_for(by_name(names_to_saveables))
        max_to_keep = 0 if max_to_keep is None else max_to_keep
        with name_scope(name, 'save', [s.op for s in saveables]):
            prefix = placeholders.placeholder_with_default(filename or 'model', (), 'filename')
            prefix = placeholders.placeholder_with_default(prefix, (), 'Const')
            if sharded:
                groups = _by_device(saveables)
                saved = _save_shards(prefix, groups) if self._write_version == V2 else \
                    _save_files(prefix, groups)
                restored = _restore_shards(prefix, groups, reshape)
            else:
                saved = _save(prefix, saveables, self._write_version)
                restored = _restore(prefix, saveables, reshape, 'restore_all')
        return saver_pb2.SaverDef(
            filename_tensor_name=prefix.name, save_tensor_name=saved.name,
            restore_op_name=restored.name, max_to_keep=max_to_keep, sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version)


def _specs(saveables):
    return [spec for saveable in saveables for spec in saveable.specs]


def _save(prefix, saveables, version=V2):
    """The name of the checkpoint, once all is saved."""
    specs = _specs(saveables)
    arguments = (prefix, [s.name for s in specs], [s.slice_spec for s in specs],
                 [s.tensor for s in specs])
    if version == V2:
        save = saving.SaveV2.apply(*arguments, name='SaveV2')
    else:
        from tinyflow.ops.files import saving_v1  # start-up time
        save = saving_v1.SaveSlices.apply(*arguments, name='save')
    return grouping.with_dependencies([save], prefix)


def _restore(prefix, saveables, reshape, name, where=''):
    """The Operation that restores."""
    specs = _specs(saveables)
    with device(_on_cpu(where)):
        tensors = saving.RestoreV2.apply(
            prefix, [s.name for s in specs], [s.slice_spec for s in specs],
            dtypes=tuple(s.dtype.base_dtype for s in specs), name='RestoreV2')
    return restore_group(saveables, tensors, reshape, name)


# ---- a file for each device ----------------------------------------------------------------------


def _by_device(saveables):
    """[(device, its saveables)] in the order of the devices' names."""
    groups = {}
    for saveable in saveables:
        groups.setdefault(_device_of(saveable), []).append(saveable)
    return sorted(groups.items())


def _device_of(saveable):
    owner = saveable.op                 # a Variable, or the object that a saveable of its own saves
    owner = owner if hasattr(owner, 'device') else saveable.specs[0].tensor
    return owner.device


def _on_cpu(where):
    """The CPU of the task that a device belongs to."""
    job = '/'.join(part for part in where.split('/') if not part.startswith('device:'))
    return f'{job.rstrip("/")}/device:CPU:0'


def _save_shards(prefix, groups):
    part = string_join([prefix, f'_temp_{uuid.uuid4().hex}/part'])
    count = constants.constant(len(groups), name='num_shards')
    names, saved = [], []
    for shard, (where, saveables) in enumerate(groups):
        with device(_on_cpu(where)):
            names.append(saving.ShardedFilename.apply(part, shard, count))
            saved.append(_save(names[-1], saveables))
    with control_dependencies([t.op for t in saved]), device(_on_cpu(groups[-1][0])):
        merged = saving.MergeV2Checkpoints.apply(names, prefix)
        with control_dependencies([merged]):
            return identity_and_cast.Identity.apply(prefix)


def _save_files(prefix, groups):
    """Sharded files of the first format stay apart; their name is a pattern."""
    count = constants.constant(len(groups), name='num_shards')
    saved = []
    for shard, (where, saveables) in enumerate(groups):
        with device(_on_cpu(where)):
            name = saving.ShardedFilename.apply(prefix, shard, count)
            saved.append(_save(name, saveables, V1))
    with control_dependencies([t.op for t in saved]):
        return saving.ShardedFilespec.apply(prefix, count)


@contextmanager
def parts_removed_on_error(graph, saver_def, prefix):
    """Removes the parts of a sharded save that fails, in their folder of the Saver's own."""
    try:
        yield
    except BaseException:
        part = _part_suffix(graph, saver_def)
        if part and os.path.dirname(part).startswith('_temp_'):
            shutil.rmtree(prefix + os.path.dirname(part), ignore_errors=True)
        raise


def _part_suffix(graph, saver_def):
    """'_temp_.../part' of the nodes that `_save_shards` makes, as TensorFlow does; None for others.
    """
    try:
        saved = graph.get_tensor_by_name(saver_def.save_tensor_name).op
    except (KeyError, ValueError):
        return None
    for merge in saved.control_inputs:
        if merge.type == 'MergeV2Checkpoints':
            node = merge.inputs[0].op
            while node.type != 'StringJoin' and node.inputs:
                node = node.inputs[0].op
            value = constant_value(node.inputs[-1]) if node.inputs else None
            return value is not None and value.ndim == 0 and value.item().decode()
    return None


def _restore_shards(prefix, groups, reshape):
    restored = []
    for where, saveables in groups:
        with device(where or None):
            restored.append(_restore(prefix, saveables, reshape, 'restore_shard', where))
    return grouping.group(*restored, name='restore_all')
