"""Attributes that Keras 2.1 sets on tensors: _keras_shape and _uses_learning_phase."""
from __future__ import annotations

from tinyflow.graph.operation import Tensor

__all__ = ['disable', 'enable', 'uses_learning_phase']


class _FromTensor:
    """An attribute that is computed from the tensor; it can be replaced."""

    def __init__(self, compute):
        self.compute = compute

    def __get__(self, tensor, owner):
        return self if tensor is None else self.compute(tensor)


def uses_learning_phase(tensor):
    """True if a value on the way to the tensor differs between training and use."""
    seen, left = set(), [tensor.op]
    while left:
        op = left.pop()
        if op.name.endswith('keras_learning_phase'):
            return True
        if op not in seen:
            seen.add(op)
            left += [t.op for t in op.inputs]
    return False


def enable():
    """From now on tensors have the attributes."""
    Tensor._keras_shape = _FromTensor(lambda t: t.raw_shape)
    Tensor._uses_learning_phase = _FromTensor(uses_learning_phase)


def disable():
    """From now on they have them no longer."""
    for name in ('_keras_shape', '_uses_learning_phase'):
        if name in vars(Tensor):
            delattr(Tensor, name)
