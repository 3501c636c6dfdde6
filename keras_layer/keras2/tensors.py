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
    """True if a value on the way to the tensor differs between training and use.

    All outputs of a model count as one value.
    """
    seen, left = set(), [tensor]
    while left:
        one = left.pop()
        if one.op.name.endswith('keras_learning_phase') or _is_output_of_such_a_model(one):
            return True
        if one.op not in seen:
            seen.add(one.op)
            left += one.op.inputs
    return False


def _is_output_of_such_a_model(tensor):
    history = getattr(tensor, '_keras_history', None)
    return history is not None and getattr(history.layer, 'uses_learning_phase', False)


def enable():
    """From now on tensors have the attributes."""
    Tensor._keras_shape = _FromTensor(lambda t: t.raw_shape)
    Tensor._uses_learning_phase = _FromTensor(uses_learning_phase)


def disable():
    """From now on they have them no longer."""
    for name in ('_keras_shape', '_uses_learning_phase'):
        if name in vars(Tensor):
            delattr(Tensor, name)
