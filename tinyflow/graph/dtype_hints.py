"""Hints for dtype errors: the cast to write, as code that the user can copy."""
from __future__ import annotations

import re

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import why

_ARG_MAX = ('ArgMax', 'ArgMin')


def as_written(label, tensor):
    """How a program would refer to a tensor: by a name that the user chose, else by `label`.

    `label` is what the message calls the tensor (such as 'x').
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
    """Code that casts a tensor to `dtype`."""
    return f'tf.cast({as_written(label, tensor)}, tf.{dtype.name})'


def for_mismatch(kind, first, second):
    """The hint for two (label, tensor) inputs of an op of type `kind` whose dtypes differ."""
    if dtypes.string in (_dtype(first), _dtype(second)):
        text, number = (first, second) if _dtype(first) is dtypes.string else (second, first)
        return (f'{as_written(*text)} is a string and {as_written(*number)} is not: convert '
                'strings to numbers in Python, e.g. float(text), before feeding them.')
    classes, scores = (first, second) if first[1].op.type in _ARG_MAX else (second, first)
    if kind in ('Equal', 'NotEqual') and classes[1].op.type in _ARG_MAX and _one_hot(classes[1],
                                                                                     scores[1]):
        return ('compare class indices with class indices: '
                f'tf.argmax({as_written(*scores)}, 1) converts one-hot rows to indices.')
    item, other = (first, second) if _is_cast(first, second) else (second, first)
    return f'{cast(*item, _dtype(other))} gives both the same dtype.' + why('dtype-mismatch')


def _one_hot(classes, scores):
    if not scores.dtype.base_dtype.is_floating:
        return False
    return (classes.raw_shape is None or scores.raw_shape is None
            or len(scores.raw_shape) == len(classes.raw_shape) + 1)


def _dtype(item):
    return item[1].dtype.base_dtype


_KINDS = 'biufc'


def _is_cast(first, second):
    """True if `first` is the one to cast: the narrower dtype is cast to the wider one.

    Between two float widths, the Variable keeps its dtype; without a Variable, float32 wins.
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


_WHOLE = ('axis', 'dimension', 'dims', 'multiples', 'perm', 'reduction_indices', 'shape', 'size')


def for_not_allowed(label, tensor, allowed):
    """The hint for a tensor whose dtype is not in the set `allowed`."""
    dtype = tensor.dtype.base_dtype
    if dtype is dtypes.string and label in _WHOLE:
        return "an axis or a size is a whole number, without quotes: 1 in place of '1'."
    if dtype is dtypes.string:
        return 'expected numbers, got strings: convert with float(text) in Python before feeding.'
    if dtypes.string in allowed and len(allowed) == 1:
        return 'expected strings: convert with str(number) in Python before feeding.'
    if allowed == {dtypes.bool}:
        return f'a comparison gives booleans, such as {as_written(label, tensor)} > 0.'
    order = [dtypes.float32, dtypes.int32, dtypes.int64, dtypes.float64]
    if dtype.is_integer:
        order.insert(0, dtypes.int64 if dtypes.float32 not in allowed else dtypes.float32)
    target = next((d for d in order if d in allowed), None)
    if target is None:
        return 'tf.cast to one of them.'
    return cast(label, tensor, target)


def for_value(dtype, other):
    """The hint for a Python value of `dtype` combined with the (label, tensor) `other`."""
    base = _dtype(other)
    if dtypes.string in (dtype, base):
        return 'strings and numbers do not mix: convert with float(text) in Python.'
    if base.is_bool or dtype.is_floating and not base.is_floating:
        return f'{cast(*other, dtype)} gives both the same dtype.' + why('dtype-mismatch')
    return f'use a value of dtype {base.name}.' + why('dtype-mismatch')
