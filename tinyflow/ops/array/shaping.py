"""reshape, transpose, expand_dims, squeeze."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import Op, nodes
from tinyflow.graph.support.errors import OpFailure, misuse, why
from tinyflow.ops.array import constants
from tinyflow.ops.array.identity_and_cast import is_shape_like
from tinyflow.ops.array.joining import concat, meshgrid, parallel_stack, split, stack, tile, unstack
from tinyflow.ops.array.padding import pad, reverse, reverse_sequence, reverse_v2, roll
from tinyflow.ops.conv.space_to_batch import (
    batch_to_space,
    batch_to_space_nd,
    depth_to_space,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
    space_to_depth,
)
from tinyflow.ops.support.arguments import renamed

__all__ = [
    'batch_to_space', 'batch_to_space_nd', 'concat', 'depth_to_space', 'expand_dims',
    'matrix_transpose', 'meshgrid', 'pad', 'parallel_stack', 'required_space_to_batch_paddings',
    'reshape', 'reverse', 'reverse_sequence', 'reverse_v2', 'roll', 'space_to_batch',
    'space_to_batch_nd', 'space_to_depth', 'split', 'squeeze', 'stack', 'tile', 'transpose',
    'unstack',
]


def _emit_reshape(call):
    """NumPy source of an op that reshapes its input; None if the new shape is unknown."""
    y = call.outputs[0]
    return f'{call.args[0]}.reshape({y.raw_shape})' if y.known_shape else None


class Reshape(Op):
    """The same elements in another shape."""

    signature = 'tensor: T, shape: Tshape -> output: T'
    types = {'Tshape': INDEX}
    attrs = {'Tshape': dtypes.int32}
    static = {'shape': 1}
    view = True
    partial_rank = True

    def shape(tensor, shape):
        if shape is None:
            return None
        return _reshaped(tensor, shape)

    def kernel(tensor, shape):
        try:
            return tensor.reshape(shape)
        except ValueError:              # a clearer message, and -1 of an empty tensor
            return tensor.reshape(_reshaped(tensor.shape, shape))

    emit = _emit_reshape

    def gradient(op, dy):
        return reshape(dy, constants.shape(op.inputs[0])), None

    def fold_partial(op, value):
        return _fold_reshaped(op, value)


def _fold_reshaped(op, value):
    """The partly known integers of input 0, as a vector or scalar like the output."""
    source, target = op.inputs[0], op.outputs[0].raw_shape
    if not is_shape_like(source) or target is None or len(target) > 1:
        return None
    known = value(source)
    if isinstance(known, tuple):
        return known if len(target) == 1 else known[0]
    if source.raw_shape:                        # a vector with no known element
        return None
    return (known,) if len(target) == 1 else known


def _reshaped(old, new):
    """`new` with -1 and unknown sizes computed from `old`, as far as that is known."""
    if sum(d == -1 for d in new) > 1:
        raise ValueError(f'only one dimension of the new shape {list(new)} may be -1')
    if any(d is not None and d < -1 for d in new):
        raise ValueError(f'the new shape {list(new)} has a negative dimension')
    total = shapes.size(old) if shapes.known(old) else None
    free = [i for i, d in enumerate(new) if d in (None, -1)]
    rest = shapes.size(tuple(d for d in new if d not in (None, -1)))
    result = tuple(None if d == -1 else d for d in new)
    if total is None:
        return result
    if not free:
        if rest != total:
            raise OpFailure(f'Cannot reshape a tensor with {total} elements to shape '
                            f'{shapes.text(new)} ({rest} elements)',
                            _suggest(new) + why('reshape-size'))
        return result
    if len(free) > 1:
        return result
    axis = free[0]
    if rest == 0:
        if total != 0:
            raise ValueError(f'Cannot reshape a tensor with {total} elements to a shape with a 0')
        return result if new[axis] is None else result[:axis] + (0,) + result[axis + 1:]
    if total % rest:
        raise OpFailure(f'Cannot reshape a tensor with {total} elements to shape '
                        f'{shapes.text(result)}: {total} is not divisible by {rest}',
                        _suggest(new) + why('reshape-size'))
    return result[:axis] + (total // rest,) + result[axis + 1:]


def _suggest(new):
    return ('-1 in place of one dimension lets it be computed; the first is usually the batch: '
            f'[-1, {", ".join(str(d) for d in new[1:])}]' if len(new) > 1 else
            '[-1] flattens the tensor.')


class Transpose(Op):
    """Axes in another order: output axis i is input axis perm[i]."""

    signature = 'x: T, perm: Tperm -> y: T'
    types = {'Tperm': INDEX}
    attrs = {'Tperm': dtypes.int32}
    static = {'perm': 1}
    view = True
    partial_rank = True

    def shape(x, perm):
        return _transposed(x, perm)

    def kernel(x, perm):
        _check_permutation(perm, x.ndim)
        return x.transpose(perm)

    def emit(call):
        known = call.outputs[0].known_shape and 1 in call.static
        return f'{call.args[0]}.transpose({call.args[1]})' if known else None

    def gradient(op, dy):
        return transpose(dy, _inverse(op.inputs[1])), None


class ConjugateTranspose(Op):
    """Axes in another order, and complex conjugates."""

    signature = 'x: T, perm: Tperm -> y: T'
    types = {'Tperm': INDEX}
    attrs = {'Tperm': dtypes.int32}
    static = {'perm': 1}
    partial_rank = True

    def shape(x, perm):
        return _transposed(x, perm)

    def kernel(x, perm, out=None):
        _check_permutation(perm, x.ndim)
        return np.conjugate(x.transpose(perm), out)

    def gradient(op, dy):
        return transpose(dy, _inverse(op.inputs[1]), conjugate=True), None


def _inverse(perm):
    return nodes.InvertPermutation(perm)


def _transposed(x, perm):
    if perm is None:
        return None if x is None else (None,) * len(x)
    if x is None:
        return (None,) * len(perm)
    _check_permutation(perm, len(x))
    return tuple(None if p is None else x[p] for p in perm)


def _check_permutation(perm, rank):
    if len(perm) != rank:
        raise ValueError(f'a permutation of {len(perm)} axes does not fit a tensor of rank {rank}')
    if None not in perm and sorted(p + rank if p < 0 else p for p in perm) != [*range(rank)]:
        raise ValueError(f'{list(perm)} is not a permutation of the axes 0 to {rank - 1}')


class ExpandDims(Op):
    """A new axis of size 1."""

    signature = 'input: T, dim: Tdim -> output: T'
    types = {'Tdim': INDEX}
    attrs = {'Tdim': dtypes.int32}
    static = {'dim': (0, 1)}
    view = True

    def shape(input, dim):
        dim = _scalar(dim)
        if dim is None:
            return None             # as in TF1
        dim = shapes.axis(dim, len(input) + 1)
        return input[:dim] + (1,) + input[dim:]

    def kernel(input, dim):
        axis = shapes.axis(_scalar(dim), input.ndim + 1)
        return input[(slice(None),) * axis + (None,)]   # np.expand_dims is five times slower

    emit = _emit_reshape

    def gradient(op, dy):
        return reshape(dy, constants.shape(op.inputs[0])), None

    def fold_partial(op, value):
        return _fold_reshaped(op, value)


def _scalar(value):
    """The axis as a number: TF accepts a vector of one element."""
    if not isinstance(value, tuple):
        return value
    if len(value) != 1:
        raise OpFailure(f'dim must be a single axis, not {list(value)}',
                        'tf.reshape adds several axes at once.')
    return value[0]


class Squeeze(Op):
    """Axes of size 1 removed."""

    signature = 'input: T -> output: T'
    attrs = {'squeeze_dims': ()}
    view = True

    def shape(input, *, squeeze_dims):
        if not squeeze_dims:
            return None if None in input else tuple(d for d in input if d != 1)
        removed = {shapes.axis(a, len(input)) for a in squeeze_dims}
        for a in sorted(removed):
            if input[a] not in (None, 1):
                raise ValueError(f'Can not squeeze axis {a}, expected a size of 1, got {input[a]}')
        return tuple(d for a, d in enumerate(input) if a not in removed)

    def kernel(input, *, squeeze_dims):
        return input.reshape(Squeeze.shape(input.shape, squeeze_dims=squeeze_dims))

    emit = _emit_reshape

    def gradient(op, dy):
        return reshape(dy, constants.shape(op.inputs[0]))

    def fold_partial(op, value):
        return _fold_reshaped(op, value)


def reshape(tensor, shape, name=None):
    """The same elements, in the same (row-major) order, in another shape.

    Shapes: tensor [*a] -> [*shape], where one entry of shape may be -1: it is then computed.
    Raises ValueError (running: InvalidArgumentError) if the number of elements differs.
    """
    return Reshape.apply(tensor, shape, name=name)


def transpose(a, perm=None, name='transpose', conjugate=False):
    """a with its axes in the order `perm`, or reversed; with `conjugate`, complex conjugates too.

    Shapes: a [*d] -> [d[perm[0]], d[perm[1]], ...].
    """
    with name_scope(name, 'transpose', [a]) as scope:
        kind = Transpose
        a = convert_to_tensor(a, name='a')
        if conjugate and a.dtype.is_complex:
            kind = ConjugateTranspose
        if perm is not None:
            return kind.apply(a, perm, name=scope)
        if a.raw_shape is not None:
            perm = np.arange(len(a.raw_shape), dtype=np.int32)[::-1]
        else:
            rank = constants.rank(a)
            perm = rank - 1 - constants.Range.apply(0, rank, 1)
        return kind.apply(a, perm, name=scope)


def matrix_transpose(a, name='matrix_transpose', conjugate=False):
    """The transpose of each matrix in a.

    Shapes: a [*batch, m, n] -> [*batch, n, m]. Raises ValueError if a has fewer than two axes.
    """
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name='a')
        if a.raw_shape is None:
            rank = constants.rank(a)
            kept, last_two = constants.Range.apply(0, rank - 2, 1), [rank - 1, rank - 2]
            perm = concat([kept, last_two], 0)
        else:
            rank = len(a.raw_shape)
            if rank < 2:
                raise misuse(ValueError("Argument 'a' should be a (batch) matrix, with rank >= 2. "
                                        f'Found: {a.shape}'))
            perm = [*range(rank - 2), rank - 1, rank - 2]
        return transpose(a, perm=perm, conjugate=conjugate)


def expand_dims(input, axis=None, name=None, dim=None):
    """input with a new axis of size 1 at position `axis`.

    Shapes: input [*a, *b] -> [*a, 1, *b], where `axis` is the rank of a, or negative.
    """
    axis = renamed('axis', axis, 'dim', dim)
    if axis is None:
        raise misuse(ValueError('Must specify an axis argument to tf.expand_dims()'))
    return ExpandDims.apply(input, axis, name=name)


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """input without its axes of size 1, or without the axes in `axis`.

    Shapes: input [*a] -> [*a without ones]. Raises ValueError if an axis in `axis` is not 1.
    """
    axis = renamed('axis', axis, 'squeeze_dims', squeeze_dims)
    axes = () if axis is None else (axis,) if np.isscalar(axis) else tuple(axis)
    return Squeeze.apply(input, squeeze_dims=tuple(shapes.integer(a) for a in axes), name=name)
