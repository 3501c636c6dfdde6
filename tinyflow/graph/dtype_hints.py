"""What to write instead: the mend of an error about dtypes, in code that the user can copy."""
from __future__ import annotations

import re

from tinyflow.graph import dtypes

_ARG_MAX = ('ArgMax', 'ArgMin')


def spoken(label, tensor):
    """A tensor as a program would write it: a Variable's or placeholder's name, or its label.

    `label` is the tensor's part in the message (such as 'x'), for one whose name nobody chose.
    """
    op = tensor.op
    if _is_variable(tensor) and op.inputs:
        op = op.inputs[0].op
    name = op.name
    automatic = re.fullmatch(rf'{op.type}(_\d+)?', name) or name.rpartition('/')[2] == label
    if name.isidentifier() and not automatic and not re.fullmatch(r'Variable(_\d+)?', name):
        return name
    return label


def cast(label, tensor, dtype):
    """The code that makes `dtype` of a tensor."""
    return f'tf.cast({spoken(label, tensor)}, tf.{dtype.name})'


def for_two(kind, first, second):
    """The mend for two (label, tensor) of different dtypes as inputs of an op of type `kind`."""
    if dtypes.string in (_dtype(first), _dtype(second)):
        text, number = (first, second) if _dtype(first) is dtypes.string else (second, first)
        return (f'{spoken(*text)} is text and {spoken(*number)} is not: make numbers of texts in '
                'Python, e.g. float(text), before they are fed.')
    classes, scores = (first, second) if first[1].op.type in _ARG_MAX else (second, first)
    if kind in ('Equal', 'NotEqual') and classes[1].op.type in _ARG_MAX and _one_hot(classes[1],
                                                                                     scores[1]):
        return (f'compare class numbers with class numbers: tf.argmax({spoken(*scores)}, 1) makes '
                'them of one-hot rows.')
    item, other = (first, second) if _gives_way(first, second) else (second, first)
    return f'{cast(*item, _dtype(other))} makes them agree.'


def _one_hot(classes, scores):
    if not scores.dtype.base_dtype.is_floating:
        return False
    return (classes.raw_shape is None or scores.raw_shape is None
            or len(scores.raw_shape) == len(classes.raw_shape) + 1)


def _dtype(item):
    return item[1].dtype.base_dtype


_KINDS = 'biufc'


def _gives_way(first, second):
    """True if the first is the one to cast: what holds less goes to what holds more.

    Of two float widths the Variable stays as it is, and float32 where neither is one.
    """
    x, y = _dtype(first), _dtype(second)
    if x.kind != y.kind and not {x.kind, y.kind} <= set('iu'):
        return _KINDS.find(x.kind) < _KINDS.find(y.kind)
    if x.is_floating:
        variables = [_is_variable(item[1]) for item in (first, second)]
        if variables[0] != variables[1]:
            return variables[1]
        return x.size > y.size if dtypes.float32 in (x, y) else x.size < y.size
    return x.size < y.size


def _is_variable(tensor):
    op = tensor.op
    return op.type == 'VariableV2' or (op.type in ('Identity', 'ReadVariableOp') and
                                       op.inputs[0].op.type in ('VariableV2', 'VarHandleOp'))


def for_wanted(label, tensor, allowed):
    """The mend for a tensor whose dtype is not one of those `allowed`."""
    dtype = tensor.dtype.base_dtype
    if dtype is dtypes.string:
        return 'numbers are wanted, not text: float(text) in Python, before it is fed.'
    if dtypes.string in allowed and len(allowed) == 1:
        return 'text is wanted: str(number) in Python, before it is fed.'
    if allowed == {dtypes.bool}:
        return f'a comparison makes booleans, such as {spoken(label, tensor)} > 0.'
    order = [dtypes.float32, dtypes.int32, dtypes.int64, dtypes.float64]
    if dtype.is_integer:
        order.insert(0, dtypes.int64 if dtypes.float32 not in allowed else dtypes.float32)
    target = next((d for d in order if d in allowed), None)
    if target is None:
        return 'tf.cast to one of them.'
    return cast(label, tensor, target)


def for_value(dtype, other):
    """The mend for a Python value of `dtype` that meets the (label, tensor) `other`."""
    base = _dtype(other)
    if dtypes.string in (dtype, base):
        return 'text and numbers do not mix: float(text) in Python makes a number.'
    if base.is_bool or dtype.is_floating and not base.is_floating:
        return f'{cast(*other, dtype)} makes them agree.'
    return f'a value that is {base.name}.'
