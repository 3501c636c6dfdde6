"""Constant folding at graph construction: a tensor's value, or the part of it that is known.

Shapes are often computed inside the graph (`tf.stack([tf.shape(x)[0], 784])`). Knowing such values,
even partly, is what gives a reshape a static shape.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.support.errors import OpFailure

_LARGEST = 4096         # elements; larger constants are not folded at construction
_HIGHEST_RANK = 64      # a longer vector is not a shape
_DEEPEST = 64           # ops; a longer chain counts as unknown, to limit recursion


def constant_value(tensor, depth=0):
    """The tensor's value as an array if constants and static shapes determine it, else None.

    The array must not be modified.
    """
    op = tensor.op
    if op.type == 'Const':
        return op.attrs['value']
    if op.type == 'Placeholder' or depth > _DEEPEST or tensor.dtype in dtypes.HANDLES:
        return None
    try:
        value = tensor._static
    except AttributeError:
        value = tensor._static = _evaluate(tensor, op, depth)
    return value if isinstance(value, np.ndarray) else None


# The op types that TensorFlow's tensor_util.constant_value looks through.
_SEEN_THROUGH = frozenset({'Cast', 'ConcatV2', 'Equal', 'Fill', 'NotEqual', 'Pack', 'Range'})
_OF_STATIC_SHAPES = frozenset({'Rank', 'Shape', 'Size'})


def constant_value_as_tensorflow(tensor):
    """`constant_value` where TensorFlow 1.15 knows it too: an error or a graph may depend on it."""
    return constant_value(tensor) if _is_known_to_tensorflow(tensor) else None


def _is_known_to_tensorflow(tensor, depth=0):
    kind = tensor.op.type
    return kind == 'Const' or kind in _OF_STATIC_SHAPES or kind in _SEEN_THROUGH and \
        depth < _DEEPEST and all(_is_known_to_tensorflow(t, depth + 1) for t in tensor.op.inputs)


def static_value(tensor, depth=0):
    """The value in the form that shape functions take: int, tuple, array, or None if unknown.

    Integers and booleans are Python values, so that they can be used as sizes and axes. Unknown
    entries of a tuple are None.
    """
    value = constant_value(tensor, depth)
    if value is not None:
        return as_python(value)
    known = getattr(tensor, '_static', None)
    return _unknown_entries(tensor) if known is None else known


def _unknown_entries(tensor):
    """A tuple of Nones as long as an integer vector: as a shape, it has at least a known rank."""
    shape = tensor.raw_shape
    if shape and len(shape) == 1 and shape[0] is not None and shape[0] <= _HIGHEST_RANK and \
            tensor.dtype.base_dtype.is_integer:
        return (None,) * shape[0]
    return None


_MOST = 1 << 20         # sizes and axes in one tensor
_RANKS = ('a scalar', 'a vector', 'a matrix')


def check_rank(name, ranks, shape, value=None):
    """Raises ValueError if the static input `name` has none of the `ranks`; None means unknown."""
    if ranks is None or shape is None or len(shape) in ranks:
        return
    wanted = ' or '.join(_RANKS[rank] for rank in ranks)
    if not isinstance(value, (int, tuple)) or not shapes.known(value if shape else ()):
        raise ValueError(f'{name} must be {wanted}, not of shape {shapes.text(shape)}')
    if not shape:
        raise OpFailure(f'{name} must be {wanted}, not the scalar {value}',
                        f'[{value}]' if 1 in ranks else None)
    hint = _list(value[0]) if len(value) == 1 and len(shape) - 1 in ranks else None
    raise OpFailure(f'{name} must be {wanted}, not {_list(value)}', hint)


def _list(value):
    return f'[{", ".join(map(_list, value))}]' if isinstance(value, tuple) else str(value)


def checked(array, name, ranks):
    """A static input in the form that kernels take. ValueError if its rank is wrong."""
    check_rank(name, ranks, array.shape)
    return as_python(array)


def as_python(value):
    """An integer or boolean array as an int or nested tuples; other arrays unchanged."""
    if value.dtype.kind not in 'iub':
        return value
    if value.size > _MOST:              # a few bytes of a GraphDef can say this
        raise OpFailure(f'sizes and axes come from a tensor of {value.size} elements')
    return _tuples(value.tolist())


def _tuples(value):
    return tuple(map(_tuples, value)) if type(value) is list else value


def _evaluate(tensor, op, depth):
    definition = op.definition
    if definition.fold_partial is not None and not _is_entry_of_partly_known(tensor, op, depth):
        value = definition.fold_partial(op, lambda t: static_value(t, depth + 1))
        if value is not None:
            if not _complete(value):
                return value
            return np.asarray(value, tensor.dtype.np)
    if (not definition.pure or definition.kernel is None or definition.state is not None
            or definition.writes or not op.inputs):
        return None
    arrays = []
    for t in op.inputs:
        array = constant_value(t, depth + 1)
        if array is None or array.size > _LARGEST:
            return None
        arrays.append(array)
    try:
        value = evaluate(op, arrays)[tensor.value_index]
    except Exception:                                   # noqa: BLE001 - the run will report it
        return None
    return value if value.size <= _LARGEST else None


def _is_entry_of_partly_known(tensor, op, depth):
    """True for `tf.shape(x)[0]`, x [2, ?], which TensorFlow does not know either.

    A static shape that is known in more places gives another graph, and other random numbers.
    """
    return op.type == 'StridedSlice' and tensor.raw_shape == () and \
        constant_value(op.inputs[0], depth + 1) is None


def _complete(value):
    return None not in value if isinstance(value, tuple) else True


def evaluate(op, arrays):
    """Runs a pure op's kernel on input arrays and returns a tuple of output arrays."""
    with np.errstate(all='ignore'):
        result = op.definition.call(op.attrs, arrays)
    return tuple(np.asarray(r, t.dtype.base_dtype.np) for r, t in zip(result, op.outputs))
