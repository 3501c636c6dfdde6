"""Strategies of tf.train.replica_device_setter: which parameter server keeps a Variable."""
from __future__ import annotations

import hashlib

from tinyflow.graph.shapes import size
from tinyflow.graph.support.errors import misuse

__all__ = ['GreedyLoadBalancingStrategy', 'RandomStrategy', 'byte_size_load_fn']


class RandomStrategy:
    """A task for each operation by a hash (MD5) of its name and `seed`: the same in every run."""

    def __init__(self, num_ps_tasks, seed=0):
        self._num_tasks, self._seed = num_ps_tasks, seed

    def __call__(self, op):
        digest = hashlib.md5(f'{op.name}_{self._seed}'.encode(), usedforsecurity=False)
        return int(digest.hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """The task with the least load so far; `load_fn(operation)` is what an operation adds."""

    def __init__(self, num_tasks, load_fn):
        self._load_fn = load_fn
        self._loads = [0.] * num_tasks

    def __call__(self, op):
        task = min(range(len(self._loads)), key=self._loads.__getitem__)
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op):
    """The size in bytes of a Variable's output; 1 for a resource Variable, as in TensorFlow.

    ValueError if it has several outputs, or the shape is not known.
    """
    if len(op.outputs) != 1:
        raise misuse(ValueError(f"{op.type} '{op.name}' must have a single output"))
    if op.type == 'VarHandleOp':            # devices are to be those of TensorFlow
        return 1
    shape = op.attrs.get('shape', op.outputs[0].raw_shape)
    dtype = op.attrs.get('dtype', op.outputs[0].dtype.base_dtype)
    if shape is None or None in shape:
        raise misuse(ValueError(f"The shape of '{op.name}' is not fully known: {shape}"))
    return size(shape) * dtype.size
