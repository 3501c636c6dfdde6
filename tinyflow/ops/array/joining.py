"""concat, stack, unstack, split, tile, meshgrid."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.const import Pack
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import REQUIRED, Op, nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import OpFailure, misuse, report, why
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.ops.array import constants
from tinyflow.ops.array.identity_and_cast import is_shape_like

__all__ = ['concat', 'meshgrid', 'parallel_stack', 'split', 'stack', 'tile', 'unstack']


class ConcatV2(Op):
    """N tensors concatenated along an axis."""

    signature = 'values: N*T, axis: Tidx -> output: T'
    types = {'Tidx': INDEX}
    attrs = {'Tidx': dtypes.int32}
    static = {'axis': 0}
    partial_rank = True
    takes_gaps = True

    def shape(values, axis):
        known = [v for v in values if v is not None]
        if not known:
            return None
        if axis is None:
            return (None,) * len(known[0])
        axis = shapes.axis(axis, len(known[0]))
        rest, along = None, 0
        for value in values:
            if value is None:
                along = None
                continue
            if len(value) != len(known[0]):
                raise OpFailure('all tensors must have the same rank',
                                'tf.expand_dims adds an axis of size 1; tf.stack makes a new axis.')
            along = None if along is None or value[axis] is None else along + value[axis]
            try:
                rest = shapes.merge(rest, value[:axis] + (None,) + value[axis + 1:])
            except ValueError:
                raise OpFailure(f'all sizes but that of axis {axis} must be equal, got '
                                f'{", ".join(map(shapes.text, values))}',
                                'tf.concat along the axis whose sizes differ.'
                                + why('concat-shapes')) from None
        return rest[:axis] + (along,) + rest[axis + 1:]

    def kernel(values, axis, out=None):
        ConcatV2.shape([v.shape for v in values], axis)
        return np.concatenate(values, axis, out)

    def gradient(op, dy):
        *values, axis = op.inputs
        known_axis = static_value(axis)
        if known_axis is not None and all(v.raw_shape and v.raw_shape[known_axis] is not None
                                          for v in values):
            sizes = [v.raw_shape[known_axis] for v in values]
        else:
            sizes = stack([constants.shape(v)[axis] for v in values])
        return [*SplitV.apply(dy, sizes, axis, num_split=len(values)), None]

    def fold_partial(op, value):
        parts = [value(t) if is_shape_like(t) else None for t in op.inputs[:-1]]
        if any(not isinstance(p, tuple) for p in parts):
            return None
        return tuple(d for part in parts for d in part)


class ParallelConcat(Op):
    """N tensors with a first axis of size 1, concatenated along it."""

    signature = 'values: N*T -> output: T'
    attrs = {'shape': REQUIRED}

    def shape(values, *, shape):
        return shape.raw

    def kernel(values, out=None):
        return np.concatenate(values, 0, out)


class Unpack(Op):
    """The parts of a tensor along an axis, without that axis."""

    signature = 'value: T -> output: num*T'
    attrs = {'num': REQUIRED, 'axis': 0}

    def shape(value, *, num, axis):
        axis = shapes.axis(axis, len(value))
        if value[axis] not in (None, num):
            raise ValueError(f'axis {axis} has size {value[axis]}, not {num}')
        return [value[:axis] + value[axis + 1:]] * num

    def kernel(value, *, num, axis):
        if value.shape[axis] != num:
            raise ValueError(f'axis {axis} has size {value.shape[axis]}, not {num}')
        parts = np.moveaxis(value, axis, 0)
        return tuple([parts[i, ...].copy() for i in range(num)])    # 0-d arrays, also of strings

    def gradient(op, *dys):
        dys = [constants.zeros_like(y) if dy is None else dy for y, dy in zip(op.outputs, dys)]
        return Pack.apply(dys, axis=op.attrs['axis'])


class Split(Op):
    """`num_split` parts of equal size along an axis."""

    signature = 'split_dim: int32, value: T -> output: num_split*T'
    attrs = {'num_split': REQUIRED}
    static = {'split_dim': 0}

    def shape(split_dim, value, *, num_split):
        if split_dim is None:
            return [(None,) * len(value)] * num_split
        axis = shapes.axis(split_dim, len(value))
        size = value[axis]
        if size is not None and size % num_split:
            raise OpFailure(f'axis {axis} has size {size}, which is not divisible by {num_split}',
                            'a list of sizes, such as tf.split(x, [2, -1]).')
        size = None if size is None else size // num_split
        return [value[:axis] + (size,) + value[axis + 1:]] * num_split

    def kernel(split_dim, value, *, num_split):
        Split.shape(split_dim, value.shape, num_split=num_split)
        return tuple(part.copy() for part in np.split(value, num_split, split_dim))

    def gradient(op, *dys):
        return None, _concat_gradients(op, dys, op.inputs[0])


class SplitV(Op):
    """Parts of given sizes along an axis."""

    signature = 'value: T, size_splits: Tlen, split_dim: int32 -> output: num_split*T'
    types = {'Tlen': INDEX}
    attrs = {'num_split': REQUIRED, 'Tlen': dtypes.int64}
    static = {'size_splits': 1, 'split_dim': 0}

    def shape(value, size_splits, split_dim, *, num_split):
        if split_dim is None or size_splits is None:
            return [(None,) * len(value)] * num_split
        axis = shapes.axis(split_dim, len(value))
        return [value[:axis] + (size,) + value[axis + 1:]
                for size in _sizes(size_splits, value[axis], axis)]

    def kernel(value, size_splits, split_dim):
        sizes = _sizes(size_splits, value.shape[split_dim], split_dim)
        before = (slice(None),) * (split_dim % value.ndim)
        parts, start = [], 0
        for size in sizes:                              # np.split is slow
            parts.append(value[(*before, slice(start, start + size))].copy())
            start += size
        return tuple(parts)

    def gradient(op, *dys):
        return _concat_gradients(op, dys, op.inputs[2]), None, None


def _sizes(size_splits, total, axis):
    """The sizes, with a -1 computed; None where it is unknown."""
    if None in size_splits:
        return tuple(None if s == -1 else s for s in size_splits)
    given = sum(s for s in size_splits if s != -1)
    if size_splits.count(-1) > 1 or min(size_splits, default=0) < -1:
        raise ValueError(f'sizes must not be negative, except for one -1; got {list(size_splits)}')
    if -1 in size_splits:
        if total is not None and total < given:
            raise ValueError(f'axis {axis} of size {total} is too small for parts of '
                             f'{list(size_splits)}')
        rest = None if total is None else total - given
        return tuple(rest if s == -1 else s for s in size_splits)
    if total not in (None, given):
        raise ValueError(f"can't split axis {axis} of size {total} into pieces of size "
                         f'{list(size_splits)}')
    return size_splits


def _concat_gradients(op, dys, axis):
    dys = [constants.zeros_like(y) if dy is None else dy for y, dy in zip(op.outputs, dys)]
    return dys[0] if len(dys) == 1 else ConcatV2.apply(dys, axis)


class Tile(Op):
    """The tensor repeated `multiples[i]` times along each axis i."""

    signature = 'input: T, multiples: Tmultiples -> output: T'
    types = {'Tmultiples': INDEX}
    attrs = {'Tmultiples': dtypes.int32}
    static = {'multiples': 1}
    partial_rank = True

    def shape(input, multiples):
        if multiples is None:
            return None if input is None else (None,) * len(input)
        if input is None:
            return (None,) * len(multiples)
        if len(multiples) != len(input):
            raise ValueError(f'multiples must have one entry for each of the {len(input)} axes, '
                             f'got {len(multiples)}')
        if any(m is not None and m < 0 for m in multiples):
            raise ValueError(f'multiples must not be negative, got {list(multiples)}')
        return tuple(None if d is None or m is None else d * m for d, m in zip(input, multiples))

    def kernel(input, multiples, out=None):
        shape = Tile.shape(input.shape, multiples)
        if out is None:
            out = np.empty(shape, input.dtype)
        pairs = [d for pair in zip(multiples, input.shape) for d in pair]
        singles = [d for dimension in input.shape for d in (1, dimension)]
        out.reshape(pairs)[...] = input.reshape(singles)
        return out

    def gradient(op, dy):
        x, multiples = op.inputs
        times = static_value(multiples)
        reduce_sum, reshape = nodes.Sum, nodes.Reshape
        if times is not None and None not in times and shapes.known(x.raw_shape):
            pairs = [d for pair in zip(times, x.raw_shape) for d in pair]
            axes = np.arange(0, len(pairs), 2, dtype=np.int32)
        else:
            sizes = constants.shape(x, out_type=multiples.dtype)
            pairs = reshape(stack([multiples, sizes], axis=1), [-1])
            axes = constants.range(0, constants.size(pairs), 2)
        return reduce_sum(reshape(dy, pairs), axes, keep_dims=False), None


def concat(values, axis, name='concat'):
    """The tensors of a list, concatenated along an axis.

    Shapes: values, a list of [*a, n_i, *b] -> [*a, sum(n_i), *b], where `axis` is the rank of a.
    Raises ValueError if the other sizes or the ranks differ.
    """
    if isinstance(values, int) and not isinstance(axis, int):
        raise misuse(ValueError(_swapped_arguments(
            'concat', 'tf.concat(values, axis)', values, axis)))
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) > 1:
        return ConcatV2.apply(values, axis, name=name)
    with name_scope(name):
        axis_tensor = convert_to_tensor(axis, dtypes.int32, 'concat_dim')
        if axis_tensor.raw_shape:
            raise misuse(ValueError(f'axis must be a scalar, not {axis!r}'))
        return constants.identity(values[0], name=name)


def _swapped_arguments(function, call, number, given):
    """The message for a call with the axis first, as before TF 1.0."""
    tensors = given if isinstance(given, (list, tuple)) else [given]
    inputs = [(f'tensor {i}', t) for i, t in enumerate(tensors[:4]) if isinstance(t, Tensor)]
    return report(f'tf.{function}: the number {number!r} is given in place of the tensors, and the '
                  'tensors in place of the axis: the order of TensorFlow before 1.0.',
                  inputs=inputs, site=user_site(),
                  hint=f'the axis is the {"second" if function == "concat" else "last"} argument: '
                       f'{call}.')


def stack(values, axis=0, name='stack'):
    """Tensors of one shape, stacked along a new axis.

    Shapes: values, a list of n tensors [*a, *b] -> [*a, n, *b], where `axis` is the rank of a.
    Raises ValueError if the shapes differ.
    """
    axis = shapes.integer(axis)
    if axis == 0:
        try:
            if not _has_dimension(values):
                return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass                # Pack below has the clearer message
    first = convert_to_tensor(values[0], name=name).raw_shape
    if first is not None:
        limit = len(first) + 1
        if not -limit <= axis < limit:
            raise misuse(ValueError(f'axis = {axis} not in [{-limit}, {limit})'))
    return Pack.apply(values, axis=axis, name=name)


def _has_dimension(values):
    return isinstance(values, (list, tuple)) and any(
        isinstance(v, shapes.Dimension) for v in values)


def parallel_stack(values, name='parallel_stack'):
    """As stack(values) along axis 0, of tensors whose shape is fully known.

    Shapes: values, a list of n tensors [*a] -> [n, *a].
    """
    with name_scope(name):
        first = convert_to_tensor(values[0])
        shape = shapes.TensorShape((len(values), *first.shape.as_list()))
        expanded = [nodes.ExpandDims(v, 0) for v in values]
        return ParallelConcat.apply(expanded, shape=shape)


def unstack(value, num=None, axis=0, name='unstack'):
    """The parts of a tensor along an axis, as a list.

    Shapes: value [*a, n, *b] -> a list of n tensors [*a, *b], where `axis` is the rank of a.
    Raises ValueError if n is neither given as `num` nor known.
    """
    axis = shapes.integer(axis)
    if num is None:
        value = convert_to_tensor(value)
        rank = None if value.raw_shape is None else len(value.raw_shape)
        if rank is not None and not -rank <= axis < rank:
            raise misuse(ValueError(f'axis = {axis} not in [{-rank}, {rank})'))
        num = None if rank is None else value.raw_shape[axis]
        if num is None:
            raise misuse(ValueError(f'Cannot infer num from shape {value.shape}\n  Hint: '
                                    'tf.unstack(x, num=...) if you know it.'))
    return Unpack.apply(value, num=shapes.integer(num, 'num'), axis=axis, name=name)


def split(value, num_or_size_splits, axis=0, num=None, name='split'):
    """Parts of a tensor along an axis: a number of equal parts, or parts of the given sizes.

    Shapes: value [*a, n, *b] -> a list of [*a, n_i, *b], where `axis` is the rank of a. One of the
    sizes may be -1: it takes the rest. Raises ValueError if the sizes do not add up to n.
    """
    if isinstance(value, int) and not isinstance(axis, int):
        raise misuse(TypeError(_swapped_arguments(
            'split', 'tf.split(value, num_or_size_splits, axis)', value, axis)))
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.raw_shape == () and sizes.dtype.is_integer:
        count = static_value(sizes)
        if count is None:
            raise misuse(TypeError('The number of parts must be a Python int, not a tensor.'))
        return Split.apply(axis, value, num_split=count, name=name)
    if num is None:
        num = sizes.raw_shape[0] if sizes.raw_shape else None
        if num is None:
            raise misuse(ValueError(f'Cannot infer num from shape {num_or_size_splits}\n  Hint: '
                                    'tf.split(x, sizes, num=...) if you know it.'))
    return SplitV.apply(value, sizes, axis, num_split=num, name=name)


def tile(input, multiples, name=None):
    """input repeated multiples[i] times along each axis i.

    Shapes: input [d_0, d_1, ...], multiples [rank] -> [d_0 * multiples[0], ...].
    """
    return Tile.apply(input, multiples, name=name)


def meshgrid(*args, **kwargs):
    """Coordinate tensors of a grid, from its values along each axis, as numpy.meshgrid.

    Shapes: n vectors [d_i] -> n tensors [d_0, d_1, ...] for indexing='ij', and [d_1, d_0, ...] for
    indexing='xy', the default.
    """
    indexing = kwargs.pop('indexing', 'xy')
    name = kwargs.pop('name', 'meshgrid')
    for key in kwargs:
        raise misuse(TypeError(f"'{key}' is an invalid keyword argument for this function"
                               + nearest_keyword(key, ('indexing', 'name'))))
    if indexing not in ('xy', 'ij'):
        raise misuse(ValueError("indexing parameter must be either 'xy' or 'ij'"))
    reshape = nodes.Reshape
    with name_scope(name, 'meshgrid', args):
        rank = len(args)
        grid = [reshape(stack(x), [-1 if j == i else 1 for j in range(rank)])
                for i, x in enumerate(args)]
        sizes = [constants.size(x) for x in args]
        dtype = convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == 'xy' and rank > 1:
            grid[0] = reshape(grid[0], [1, -1] + [1] * (rank - 2))
            grid[1] = reshape(grid[1], [-1, 1] + [1] * (rank - 2))
            sizes[:2] = sizes[1], sizes[0]
        ones = constants.ones(sizes, dtype)
        return [x * ones for x in grid]
