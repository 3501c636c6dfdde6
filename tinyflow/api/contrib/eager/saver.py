"""Saver by the names of Variables, and Variables that begin with saved values."""
from __future__ import annotations

import os

from tinyflow.formats.wire.bundle_writer import BundleWriter
from tinyflow.formats.wire.checkpoint_v1 import reader_of
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.variable_creation import variable_creator_scope
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.checkpoints import checkpoint_state

__all__ = ['Saver', 'restore_variables_on_create']


class Saver:
    """Saves Variables by their names, and restores them; a list, or a dict by name."""

    def __init__(self, var_list):
        if not isinstance(var_list, dict):
            var_list = {v.op.name: v for v in var_list}
        for variable in var_list.values():
            if not isinstance(variable, Variable):
                raise misuse(TypeError(f'Saver takes Variables, not {variable!r}.'))
        self._variables = var_list

    def save(self, file_prefix, global_step=None):
        """Writes a checkpoint `file_prefix`, or `file_prefix-<global_step>`; returns its name."""
        prefix = os.fspath(file_prefix)
        if global_step is not None:
            prefix = f'{prefix}-{int(global_step)}'
        with BundleWriter(prefix) as writer:
            for name, variable in sorted(self._variables.items()):
                writer.add(name, variable.numpy(), variable.dtype.base_dtype)
        checkpoint_state.write_state(os.path.dirname(prefix) or '.', prefix, [prefix])
        return prefix

    def restore(self, file_prefix):
        """Gives the Variables their saved values."""
        with reader_of(os.fspath(file_prefix)) as reader:
            values = {name: reader.get(name) for name in self._variables}
        for name, variable in self._variables.items():
            variable.assign(values[name])


def restore_variables_on_create(save_path, map_func=None):
    """Variables made inside the block begin with their values in a checkpoint, by name.

    `map_func` changes a Variable's name to that in the file. A Variable that the file lacks begins
    as it would. None or '' as `save_path`: all do.
    """
    reader = reader_of(os.fspath(save_path)) if save_path else None

    def creator(make, **settings):
        variable = make(**settings)
        name = variable.name.partition(':')[0]
        name = map_func(name) if map_func else name
        if reader is not None and name in reader:
            variable.assign(reader.get(name))
        return variable
    return variable_creator_scope(creator)
