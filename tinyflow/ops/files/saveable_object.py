"""SaveableObject and SaveSpec: an object that a Saver saves, and its tensors.

A SaveableObject is saved under one name; it may need several tensors (SaveSpec), and knows how
to put restored tensors back.
"""
from __future__ import annotations


class SaveSpec:
    """A tensor, the name it is saved under, and which slice of a larger tensor it is ('': all)."""

    def __init__(self, tensor, slice_spec, name, dtype=None, device=None):
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        self.dtype = dtype if dtype is not None or callable(tensor) else tensor.dtype
        self.device = device if device is not None or callable(tensor) else tensor.device

    @property
    def tensor(self):
        """The tensor to save; made now, if a function makes it."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """An object to save: `op` produces it, `specs` are its tensors.

    A subclass defines ``restore(restored_tensors, restored_shapes)``, which gives an Operation.
    """

    def __init__(self, op, specs, name):
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def optional_restore(self):
        """True if an object-based checkpoint may lack it."""
        return False

    @property
    def device(self):
        return self.specs[0].device

    def restore(self, restored_tensors, restored_shapes):
        """An Operation that puts the values back; `restored_shapes` is None, or says how to
        reshape them."""
        raise ValueError('Calling an abstract method.')


__all__ = ['SaveSpec', 'SaveableObject']
