"""Inspect checkpoints without a graph: list_variables, load_variable, NewCheckpointReader."""
from __future__ import annotations

import os

from tinyflow.formats.wire.checkpoint_v1 import reader_of
from tinyflow.graph.support.errors import NotFoundError, misuse
from tinyflow.ops.variables.variable_lists import global_variables
from tinyflow.train.checkpoints.checkpoint_state import checkpoint_exists, latest_checkpoint

__all__ = ['NewCheckpointReader', 'list_variables', 'load_checkpoint', 'load_variable',
           'matching_variables']


class CheckpointReader:
    """Reads tensors of a checkpoint by name."""

    def __init__(self, prefix):
        self._reader = reader_of(prefix)

    def get_tensor(self, tensor_str):
        """The value of a tensor, an array (a scalar for a shape without axes).

        Raises NotFoundError for an unknown name, DataLossError for damaged bytes.
        """
        value = self._reader.get(_text(tensor_str))
        return value if value.ndim else value[()]

    def has_tensor(self, tensor_str):
        """True if there is a tensor of that name."""
        return _text(tensor_str) in self._reader

    def get_variable_to_shape_map(self):
        """{name: shape as a list} of all tensors."""
        return {name: list(self._reader.shape(name)) for name in self._reader.names()}

    def get_variable_to_dtype_map(self):
        """{name: DType} of all tensors."""
        return {name: self._reader.dtype(name) for name in self._reader.names()}

    def debug_string(self):
        """A line of bytes for each tensor: name, dtype and shape."""
        from tinyflow.formats.protos import types_pb2  # start-up time
        lines = []
        for name in self._reader.names():
            kind = types_pb2.DataType.Name(self._reader.dtype_number(name))
            sizes = ','.join(map(str, self._reader.shape(name)))
            lines.append(f'{name} ({kind}) [{sizes}]\n')
        return ''.join(lines).encode()


def _text(name):
    return name.decode() if isinstance(name, bytes) else name


def NewCheckpointReader(filepattern):
    """A reader of the checkpoint of that name. Raises NotFoundError if there is none."""
    prefix = _text(os.fspath(filepattern))
    if not checkpoint_exists(prefix):
        raise NotFoundError(None, None, 'Unsuccessful TensorSliceReader constructor: Failed to '
                            f'find any matching files for {prefix}')
    return CheckpointReader(prefix)


def load_checkpoint(ckpt_dir_or_file):
    """A reader of a checkpoint, or of the latest one of a directory.

    Raises ValueError if the directory has none.
    """
    return NewCheckpointReader(checkpoint_filename(ckpt_dir_or_file))


def checkpoint_filename(ckpt_dir_or_file):
    """The prefix of a checkpoint: itself, or the latest one of a directory."""
    path = _text(os.fspath(ckpt_dir_or_file))
    if not os.path.isdir(path):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise misuse(ValueError("Couldn't find 'checkpoint' file or checkpoints in given "
                                f'directory {path}'))
    return latest


def list_variables(ckpt_dir_or_file):
    """[(name, shape)] of all tensors of a checkpoint, by name."""
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return sorted(shapes.items())


def load_variable(ckpt_dir_or_file, name):
    """The value of one tensor of a checkpoint."""
    name = name[:-2] if name.endswith(':0') else name
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def matching_variables(ckpt_dir_or_file, var_list=None):
    """Those of `var_list` that a checkpoint has, with equal name, dtype and shape.

    Only in tinyflow, for a model that has changed since: a Saver of these restores the matching
    part. `var_list` defaults to all global Variables.
    """
    var_list = global_variables() if var_list is None else var_list
    with reader_of(checkpoint_filename(ckpt_dir_or_file)) as reader:
        return [v for v in var_list if v.op.name in reader
                and reader.dtype_number(v.op.name) == v.dtype.base_dtype.as_datatype_enum
                and v.shape.is_compatible_with(reader.shape(v.op.name))]
