"""tf.enable_v2_behavior, and the parts of it: `==` by value, shapes of ints.

Both replace methods of classes while they are enabled, so that nothing else pays for them.
"""
from __future__ import annotations

import os
import sys

from tinyflow.api.v2.dataset_methods import METHODS
from tinyflow.data.dataset import Dataset
from tinyflow.eager.enabling import disable_eager_execution, enable_eager_execution
from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph.eager_mode import executing_eagerly, variables_have_values
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.source_location import is_internal
from tinyflow.graph.support.errors import OpError, misuse
from tinyflow.graph.support.v1_v2_switches import (
    UNDO,
    disable_control_flow_v2,
    disable_resource_variables,
    enable_control_flow_v2,
    enable_resource_variables,
)
from tinyflow.ops.math.logic import equal, not_equal
from tinyflow.ops.variables.variable_base import VariableBase

__all__ = ['disable_tensor_equality', 'enable_tensor_equality', 'enable_v2_behavior',
           'enable_v2_tensorshape']


def enable_v2_behavior():
    """Eager execution, resource variables, `==` by value, shapes of ints, methods of Datasets.

    To be called at the program's start.

    Raises ValueError if the default graph has nodes already.
    """
    enable_eager_execution()
    enable_resource_variables()
    enable_control_flow_v2()
    enable_tensor_equality()
    enable_v2_tensorshape()
    _add_dataset_methods()
    UNDO['behavior'] = [disable_eager_execution, disable_resource_variables,
                        disable_control_flow_v2, disable_tensor_equality,
                        _remove_dataset_methods]


_WEAK = ('weakref.py', '_weakrefset.py')      # also called when an object dies
_LIBRARY = (os.path.dirname(os.__file__) + os.sep, '<frozen')

# ---- x == y ----------------------------------------------------------------------------------

def _asked_by_tinyflow():
    """True if tinyflow's own code compares or hashes: it looks for one and the same tensor.

    Also through Python's library, as in a WeakSet.
    """
    frame = sys._getframe(2)
    while frame is not None:
        filename = frame.f_code.co_filename
        if is_internal(filename) or filename.endswith(_WEAK):
            return True
        if not filename.startswith(_LIBRARY):
            return False
        frame = frame.f_back
    return True


def _comparison(compare, if_same):
    def method(self, other):
        if _asked_by_tinyflow() or other is None or not _has_value(self):
            return (self is other) is if_same
        try:
            return compare(self, other)
        except (TypeError, ValueError, OpError):
            if not executing_eagerly():
                raise
            return not if_same          # values that cannot be compared are not equal
    return method


def _has_value(x):
    """True unless it is a node of a Graph that a Session runs."""
    return variables_have_values() if isinstance(x, VariableBase) or type(x) is EagerTensor \
        else x.op.graph.outer_graph is not None


def _hash(self):
    if _has_value(self) and not _asked_by_tinyflow():
        raise misuse(TypeError(
            f'{"Variable" if isinstance(self, VariableBase) else "Tensor"} is unhashable: == '
            'compares values.\n  Hint: x.ref() as the key of a dict or in a set, and .deref() to '
            'get x back.'))
    return object.__hash__(self)


class Reference:
    """A key that stands for one tensor or Variable: `x.ref()`; `.deref()` gives it back."""

    __slots__ = ('_referenced',)

    def __init__(self, referenced):
        self._referenced = referenced

    def deref(self):
        """The tensor or Variable."""
        return self._referenced

    def __eq__(self, other):
        return isinstance(other, Reference) and self._referenced is other._referenced

    def __hash__(self):
        return id(self._referenced)

    def __repr__(self):
        return f'<Reference wrapping {self._referenced!r}>'


_EQUALITY = {'__eq__': _comparison(equal, True), '__ne__': _comparison(not_equal, False),
             '__hash__': _hash, 'ref': lambda self: Reference(self)}
_COMPARED = (Tensor, VariableBase)


def enable_tensor_equality():
    """`x == y` of tensors and Variables compares values; they are no keys of dicts any more."""
    for kind in _COMPARED:
        for name, method in _EQUALITY.items():
            setattr(kind, name, method)


def disable_tensor_equality():
    """`x == y` tells whether both are the same tensor: the default."""
    for kind in _COMPARED:
        if kind.__dict__.get('ref') is not None:
            for name in _EQUALITY:
                delattr(kind, name)
            kind.__hash__ = object.__hash__


# ---- shapes ----------------------------------------------------------------------------------

class _Version1:
    iterate = TensorShape.__iter__
    index = TensorShape.__getitem__
    describe = TensorShape.__repr__
    text = TensorShape.__str__


def _iterate(self):
    return iter([None if d.value is None else d.value for d in _Version1.iterate(self)])


def _index(self, key):
    found = _Version1.index(self, key)
    return found if isinstance(found, TensorShape) else found.value


def _describe(self):
    return f'TensorShape({None if self.raw is None else list(self.raw)})'


def _text(self):
    return '<unknown>' if self.raw is None else str(self.raw)


def enable_v2_tensorshape():
    """Entries of shapes are ints and None, not Dimensions."""
    _use(_iterate, _index, _describe, _text)
    UNDO['tensorshape'] = [_disable_v2_tensorshape]


def _disable_v2_tensorshape():
    _use(_Version1.iterate, _Version1.index, _Version1.describe, _Version1.text)


def _use(iterate, index, describe, text):
    TensorShape.__iter__, TensorShape.__getitem__ = iterate, index
    TensorShape.__repr__, TensorShape.__str__ = describe, text


# ---- Datasets --------------------------------------------------------------------------------

_REPLACED_METHODS = {name: vars(Dataset)[name] for name in METHODS if name in vars(Dataset)}


def _add_dataset_methods():
    for name, method in METHODS.items():
        setattr(Dataset, name, method)


def _remove_dataset_methods():
    for name in METHODS:
        if name in _REPLACED_METHODS:
            setattr(Dataset, name, _REPLACED_METHODS[name])
        else:
            delattr(Dataset, name)
