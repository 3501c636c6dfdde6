"""where, boolean_mask, one_hot, sequence_mask, repeat."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op, nodes
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.array import constants, gathering, joining, shaping
from tinyflow.ops.array.identity_and_cast import Cast
from tinyflow.ops.support.choice import BITS, choose, drop, keep

__all__ = ['boolean_mask', 'one_hot', 'repeat', 'sequence_mask', 'where']


class Where(Op):
    """The index vectors of the nonzero elements."""

    signature = 'input: T -> index: int64'
    types = {'T': dtypes.NUMBERS | {dtypes.bool}}
    attrs = {'T': dtypes.bool}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(input):
        return (None, None if input is None else len(input))

    def kernel(input):
        if not input.ndim:
            raise OpFailure('the condition must have at least one axis, not shape []',
                            'tf.reshape(condition, [-1])')
        return np.argwhere(input).astype(np.int64, copy=False)


class Select(Op):
    """t where the condition holds, e elsewhere; a condition vector selects whole rows."""

    signature = 'condition: bool, t: T, e: T -> output: T'
    overwrites = (2,)
    partial_rank = True

    def shape(condition, t, e):
        result = shapes.merge(t, e)
        if condition is None or result is None or condition == ():
            return result
        if len(condition) == 1 and result:
            return shapes.merge(result, condition + (None,) * (len(result) - 1))
        return shapes.merge(result, condition)

    def kernel(condition, t, e, out=None):
        if condition.shape == t.shape == e.shape:
            return choose(condition, t, e, out)
        if t.shape != e.shape or condition.shape != t.shape[:1]:
            Select.shape(condition.shape, t.shape, e.shape)
        if condition.ndim == 1 and t.ndim > 1:
            condition = condition.reshape(-1, *[1] * (t.ndim - 1))
        if out is None:
            return np.where(condition, t, e)
        if out is not e:
            np.copyto(out, e)
        np.copyto(out, t, where=condition)
        return out

    def emit(call):
        condition, t, e = call.inputs
        if not t.known_shape or condition.raw_shape != t.raw_shape or t.raw_shape != e.raw_shape \
                or t.dtype.np not in BITS:
            return None
        if _is_zero(e):
            kind, kept = keep, call.args[1]
        elif _is_zero(t):
            kind, kept = drop, call.args[2]
        else:
            return None
        return f'{call.constant(kind)}({kept}, {call.args[0]}, {call.out})'

    def gradient(op, dy):
        condition = op.inputs[0]
        zeros = constants.zeros_like(dy)
        return None, Select.apply(condition, dy, zeros), Select.apply(condition, zeros, dy)


def _is_zero(value):
    """True for a known value all of whose bits are 0."""
    array = value.array
    return array is not None and not np.ascontiguousarray(array).view(np.uint8).any()


class OneHot(Op):
    """off_value everywhere, but on_value at the index along a new axis."""

    signature = 'indices: TI, depth: int32, on_value: T, off_value: T -> output: T'
    types = {'TI': frozenset((dtypes.uint8, dtypes.int32, dtypes.int64))}
    attrs = {'axis': -1, 'TI': dtypes.int64}
    static = {'depth': 0}
    gradient = NOT_DIFFERENTIABLE

    def shape(indices, depth, on_value, off_value, *, axis):
        if depth is not None and depth < 0:
            raise ValueError(f'depth must not be negative, got {depth}')
        axis = shapes.axis(axis, len(indices) + 1)
        return indices[:axis] + (depth,) + indices[axis:]

    def kernel(indices, depth, on_value, off_value, out=None, *, axis):
        if on_value.ndim or off_value.ndim:
            raise ValueError('on_value and off_value must be scalars, got shapes '
                             f'{shapes.text(on_value.shape)} and {shapes.text(off_value.shape)}')
        axis = shapes.axis(axis, indices.ndim + 1)
        if out is None:
            out = np.empty(indices.shape[:axis] + (depth,) + indices.shape[axis:], on_value.dtype)
        out[...] = off_value
        before = shapes.size(indices.shape[:axis])
        indices = indices.reshape(before, -1) if indices.size else indices.reshape(before, 0)
        row, column = np.nonzero((indices >= 0) & (indices < depth))
        out.reshape(before, depth, indices.shape[1])[row, indices[row, column], column] = on_value
        return out


def where(condition, x=None, y=None, name=None):
    """x where the condition holds, y elsewhere; with a condition alone, the indices where it holds.

    Shapes: condition, x and y [*a] -> [*a]; condition [] or [a_0] with x, y [a_0, ...] -> [*a];
    condition [*a] alone -> [number of true elements, rank of a], the index vectors in order.
    Raises ValueError if the shapes differ (nothing is broadcast).
    """
    if x is None and y is None:
        with name_scope(name, 'Where', [condition]) as scope:
            condition = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name='condition')
            return Where.apply(condition, name=scope)
    if x is None or y is None:
        raise misuse(ValueError('x and y must both be non-None or both be None.'))
    return Select.apply(condition, x, y, name=name)


def boolean_mask(tensor, mask, name='boolean_mask', axis=None):
    """The elements of tensor at which the mask is True.

    Shapes: tensor [*a, *m, *b], mask [*m] -> [*a, number of true elements, *b], where `axis` is
    the rank of a. Raises ValueError if the shapes do not fit or the mask's rank is unknown.
    """
    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name='tensor')
        mask = convert_to_tensor(mask, name='mask')
        if mask.raw_shape == ():
            raise misuse(ValueError('mask cannot be scalar.'))
        if mask.raw_shape is None:
            raise misuse(ValueError(
                'Number of mask dimensions must be specified, even if some dimensions are None.  '
                'E.g. shape=[None] is ok, but shape=None is not.'))
        axis, rank = _mask_axis(axis), len(mask.raw_shape)
        _check_mask(tensor.raw_shape, mask.raw_shape, axis)
        count = nodes.Prod(constants.shape(tensor)[axis:axis + rank],
                           _reduction_axis(), keep_dims=False, name='Prod')
        folded = joining.concat([constants.shape(tensor)[:axis], [count],
                                 constants.shape(tensor)[axis + rank:]], 0)
        tensor = shaping.reshape(tensor, folded)
        _set_folded_shape(tensor, mask.raw_shape, axis)
        mask = shaping.reshape(mask, [-1])
        positions = shaping.squeeze(Where.apply(mask), axis=[1])
        return gathering.gather(tensor, positions, axis=axis)


def _reduction_axis():
    return np.array([0], np.int32)


def _mask_axis(axis):
    if axis is None or isinstance(axis, int):
        return axis or 0
    known = static_value(convert_to_tensor(axis))
    if known is None:
        raise misuse(ValueError('boolean_mask needs an axis that is known while the graph is '
                                'built.'))
    return shapes.integer(known)


def _check_mask(shape, mask, axis):
    if shape is None:
        return
    part = shape[axis:axis + len(mask)]
    if not shapes.compatible(part, mask):
        raise misuse(ValueError(f'Shapes {shapes.TensorShape(part)} and '
                                f'{shapes.TensorShape(mask)} are incompatible'))


def _set_folded_shape(tensor, mask, axis):
    """Sets the static size of the folded axis: that of the mask, if known."""
    if tensor.raw_shape is not None and shapes.known(mask):
        axis = shapes.axis(axis, len(tensor.raw_shape))
        shape = list(tensor.raw_shape)
        shape[axis] = shapes.size(mask)
        tensor.set_shape(shape)


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """on_value (1) at the index along a new axis of size `depth`, off_value (0) elsewhere.

    Shapes: indices [*a, *b] -> [*a, depth, *b], where `axis` is the rank of a (by default the new
    axis is the last). An index outside [0, depth) gives off_value everywhere. Raises TypeError if
    the dtypes of on_value, off_value and `dtype` differ.
    """
    with name_scope(name, 'one_hot', [indices, depth, on_value, off_value, axis, dtype]) as scope:
        on_dtype, off_dtype = _dtype_of(on_value), _dtype_of(off_value)
        if dtype is None:
            dtype = on_dtype or off_dtype or dtypes.float32
        dtype = dtypes.as_dtype(dtype).base_dtype
        for label, given in (('on_value', on_dtype), ('off_value', off_dtype)):
            if given not in (None, dtype):
                raise misuse(TypeError(f'dtype {given.name} of {label} does not match dtype '
                                       f'parameter {dtype.name}'))
        if on_value is None:
            on_value = convert_to_tensor(1, dtype, name='on_value')
        if off_value is None:
            off_value = convert_to_tensor(0, dtype, name='off_value')
        return OneHot.apply(indices, depth, on_value, off_value, axis=-1 if axis is None else axis,
                            name=scope)


def _dtype_of(value):
    return None if value is None else convert_to_tensor(value).dtype.base_dtype


def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None):
    """mask[..., j] = j < lengths[...].

    Shapes: lengths [*a], maxlen [] -> [*a, maxlen], where maxlen is max(lengths) by default.
    """
    with name_scope(name, 'SequenceMask', [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = nodes.Max(lengths, _all_axes(lengths), keep_dims=False)
            maxlen = nodes.Maximum(constants.constant(0, maxlen.dtype), maxlen)
        else:
            small = isinstance(maxlen, np.integer) and maxlen.itemsize < 4
            maxlen = convert_to_tensor(int(maxlen) if small else maxlen)
        if maxlen.raw_shape not in (None, ()):
            raise misuse(ValueError('maxlen must be scalar for sequence_mask'))
        positions = constants.range(constants.constant(0, maxlen.dtype), maxlen,
                                    constants.constant(1, maxlen.dtype), name='Range')
        limits = Cast.apply(shaping.expand_dims(lengths, -1), DstT=maxlen.dtype)
        result = positions < limits
        return constants.cast(result, dtype)


def _all_axes(x):
    """All axes as TF1 passes them to a reduction: a constant, or a Range for an unknown rank."""
    if x.raw_shape is not None:
        return constants.constant(np.arange(len(x.raw_shape), dtype=np.int32))
    return constants.range(0, constants.rank(x))


def repeat(input, repeats, axis=None, name=None):
    """Each element (or slice along `axis`) repeated `repeats` times, one copy after the other.

    Shapes: input [*a, n, *b], repeats [] or [n] -> [*a, sum(repeats), *b], where `axis` is the rank
    of a; without an axis the input is flattened.
    """
    if axis is None:
        input, axis = shaping.reshape(input, [-1]), 0
    with name_scope(name, 'Repeat', [input, repeats]):
        input = convert_to_tensor(input, name='input')
        repeats = convert_to_tensor(repeats, name='repeats')
        if input.raw_shape is None:
            raise misuse(ValueError('tf.repeat needs an input of known rank.'))
        rank = len(input.raw_shape)
        axis = shapes.axis(axis, rank)
        repeats = Cast.apply(repeats, DstT=repeats.dtype if repeats.dtype in INDEX
                             else dtypes.int32)
        shape = constants.shape(input)
        if repeats.raw_shape == ():
            spread = _repeated_once(input, repeats, axis, rank)
            parts = [shape[:axis], [-1], shape[axis + 1:]]
            return shaping.reshape(spread, joining.concat(parts, axis=0))
        return _repeated_unevenly(input, repeats, axis, rank, shape)


def _repeated_once(input, repeats, axis, rank):
    """The input with a new axis after `axis`, along which it is repeated."""
    expanded = shaping.expand_dims(input, axis + 1)
    return joining.tile(expanded, [*[1] * (axis + 1), repeats, *[1] * (rank - axis - 1)])


def _repeated_unevenly(input, repeats, axis, rank, shape):
    """All elements repeated max(repeats) times, then masked."""
    counts = repeats
    if axis != len(repeats.raw_shape) - 1:
        inner = constants.shape(repeats)
        outer = axis + 1 - constants.rank(repeats)
        counts = constants.broadcast_to(
            repeats, joining.concat([shape[:outer], inner], axis=0))
    most = nodes.Max(counts, _all_axes(counts), keep_dims=False)
    most = nodes.Maximum(0, most)
    mask = sequence_mask(counts, most)
    expanded = shaping.expand_dims(input, axis + 1)
    tiled = joining.tile(expanded, [*[1] * (axis + 1), most, *[1] * (rank - axis - 1)])
    masked = boolean_mask(tiled, mask)
    if axis == 0:
        return masked
    parts = [shape[:axis], [-1], shape[axis + 1:]]
    return shaping.reshape(masked, joining.concat(parts, axis=0))
