"""gather, gather_nd, batch_gather, and their inverses scatter_nd and tensor_scatter_*."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with, name_scope
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import Op, nodes
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, shaping
from tinyflow.ops.array.identity_and_cast import Cast
from tinyflow.ops.support.index_vectors import at_index_vectors, check_indices
from tinyflow.ops.support.row_updates import at_slices

__all__ = ['batch_gather', 'gather', 'gather_nd', 'scatter_nd', 'tensor_scatter_add',
           'tensor_scatter_nd_add', 'tensor_scatter_nd_sub', 'tensor_scatter_nd_update',
           'tensor_scatter_sub', 'tensor_scatter_update']


class GatherV2(Op):
    """The slices of params at `indices` along an axis."""

    signature = 'params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams'
    types = {'Tindices': INDEX, 'Taxis': INDEX}
    attrs = {'batch_dims': 0}
    static = {'axis': 0}

    def shape(params, indices, axis, *, batch_dims):
        if not params:
            raise ValueError('params must have at least one axis')
        if axis is None:
            return (None,) * (len(params) + len(indices) - 1 - batch_dims)
        axis = shapes.axis(axis, len(params))
        batch = shapes.merge(params[:batch_dims], indices[:batch_dims])
        return batch + params[batch_dims:axis] + indices[batch_dims:] + params[axis + 1:]

    def kernel(params, indices, axis, out=None, *, batch_dims):
        axis = shapes.axis(axis, params.ndim)
        check_indices(indices, params.shape[axis])
        if not batch_dims and indices.ndim == 0 and params.dtype.kind == 'O':
            # np.take of a single string gives bytes, not an array.
            return np.take(params, indices[None], axis, mode='clip').squeeze(axis)
        if not batch_dims:
            return np.take(params, indices, axis, out, mode='clip')
        split = _gather_sizes(params.shape, indices.shape, axis, batch_dims)
        batch, middle, size, inner, count = split
        rows = np.arange(batch)[:, None]
        parts = params.reshape(batch, middle, size, inner)[rows, :, indices.reshape(batch, count)]
        result = parts.swapaxes(1, 2).reshape(
            params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:])
        if out is None:
            return result
        np.copyto(out, result)
        return out

    def gradient(op, dy):
        params, indices, axis = op.inputs
        axis, batch_dims = static_value(axis), op.attrs['batch_dims']
        if axis is None:
            raise misuse(NotImplementedError(
                f"The gradient of '{op.name}' needs an axis that is known while the graph is "
                'built.'))
        if axis == 0 and not batch_dims:
            return _rows_gradient(params, indices, dy), None, None
        return _gather_gradient(params, indices, axis, batch_dims, dy), None, None


def _gather_sizes(params, indices, axis, batch_dims):
    """(batch, middle, size, inner, count) of params [batch, middle, size, inner] and indices."""
    sizes = (params[:batch_dims], params[batch_dims:axis], params[axis:axis + 1],
             params[axis + 1:], indices[batch_dims:])
    return tuple(shapes.size(s) for s in sizes)


def _rows_gradient(params, indices, dy):
    """The gradient of a gather along axis 0, as IndexedSlices of the gathered rows."""
    inner = params.raw_shape and params.raw_shape[1:]
    with colocate_with(params):         # which may be large
        shape = constants.shape(params)
    if indices.raw_shape is None or len(indices.raw_shape) != 1:
        indices = shaping.reshape(indices, [-1])
        tail = inner if shapes.known(inner) else None
        dy = shaping.reshape(dy, [-1, *tail] if tail is not None and 0 not in tail else
                             joining.concat([constants.shape(indices), shape[1:]], 0))
    return IndexedSlices(dy, indices, shape)


def _gather_gradient(params, indices, axis, batch_dims, dy):
    """The dense gradient: dy added up at the gathered positions."""
    shape, indices_shape = constants.shape(params), constants.shape(indices)
    if params.raw_shape is None:
        raise misuse(NotImplementedError('The gradient of tf.gather along this axis needs params '
                                         'of known rank.'))
    axis = shapes.axis(axis, len(params.raw_shape))
    batch, middle, inner = (product(shape, params.raw_shape, part) for part in (
        slice(0, batch_dims), slice(batch_dims, axis), slice(axis + 1, None)))
    size = product(shape, params.raw_shape, slice(axis, axis + 1))
    count = product(indices_shape, indices.raw_shape, slice(batch_dims, None))
    offsets = constants.cast(constants.range(batch), indices.dtype) * constants.cast(
        size, indices.dtype)
    flat = shaping.reshape(indices, [batch, count]) + shaping.expand_dims(offsets, 1)
    parts = shaping.transpose(shaping.reshape(dy, [batch, middle, count, inner]), [0, 2, 1, 3])
    parts = shaping.reshape(parts, [-1, middle, inner] if 0 not in (middle, inner) else
                            [batch * count, middle, inner])
    total = constants.cast(joining.stack([batch * size, middle, inner]), indices.dtype)
    summed = scatter_nd(shaping.reshape(flat, [-1, 1]), parts, total)
    summed = shaping.reshape(summed, [batch, size, middle, inner])
    return shaping.reshape(shaping.transpose(summed, [0, 2, 1, 3]), shape)


def product(shape, static_shape, part):
    """Number of elements of a part of a shape: an int if it is known, else a tensor."""
    known = shapes.size(static_shape[part])
    return nodes.Prod(shape[part], [0], keep_dims=False) if known is None else known


class GatherNd(Op):
    """params[index] for each index vector along the last axis of indices."""

    signature = 'params: Tparams, indices: Tindices -> output: Tparams'
    types = {'Tindices': INDEX}

    def shape(params, indices):
        if not indices:
            raise ValueError('indices must have at least one axis')
        depth = indices[-1]
        if depth is None:
            return None
        if depth > len(params):
            raise ValueError(f'index vectors of length {depth} do not fit params of rank '
                             f'{len(params)}')
        return indices[:-1] + params[depth:]

    def kernel(params, indices, out=None):
        view, index = at_index_vectors(params, indices)
        result = view[(*index, ...)]
        if out is None:
            return result.copy() if result.base is not None else result
        np.copyto(out, result)
        return out

    def gradient(op, dy):
        params, indices = op.inputs
        known = indices.raw_shape
        if known is not None and len(known) == 2 and known[1] == 1:
            rows = shaping.squeeze(indices, [-1])
            return IndexedSlices(dy, rows, constants.shape(params)), None
        shape = constants.shape(params, out_type=indices.dtype)
        return scatter_nd(indices, dy, shape), None


class ScatterNd(Op):
    """Zeros of `shape`, to which each update is added at its index."""

    signature = 'indices: Tindices, updates: T, shape: Tindices -> output: T'
    types = {'Tindices': INDEX}
    static = {'shape': 1}
    partial_rank = True

    def shape(indices, updates, shape):
        _check_updates(indices, updates, shape)
        return shape

    def kernel(indices, updates, shape, out=None):
        _check_updates(indices.shape, updates.shape, shape)
        if out is None:
            out = np.zeros(shape, updates.dtype)
        else:
            out.fill(0)
        at_slices(np.add, *at_index_vectors(out, indices), updates)
        return out

    def gradient(op, dy):
        return None, gather_nd(dy, op.inputs[0]), None


def _check_updates(indices, updates, shape):
    if None in (indices, updates, shape) or not indices or indices[-1] is None:
        return
    depth = indices[-1]
    if depth > len(shape):
        raise ValueError(f'index vectors of length {depth} do not fit the rank {len(shape)}')
    if not shapes.compatible(updates, indices[:-1] + shape[depth:]):
        raise ValueError(f'updates of shape {shapes.text(updates)} do not fit indices of shape '
                         f'{shapes.text(indices)} and the shape {shapes.text(shape)}')


class _TensorScatter(Op, abstract=True):
    """A copy of a tensor, updated at index vectors."""

    signature = 'tensor: T, indices: Tindices, updates: T -> output: T'
    types = {'Tindices': INDEX}
    overwrites = (0,)
    partial_rank = True

    def shape(tensor, indices, updates):
        _check_updates(indices, updates, tensor)
        return tensor


def _copied(tensor, out):
    if out is None:
        return tensor.copy()
    if out is not tensor:
        np.copyto(out, tensor)
    return out


class TensorScatterUpdate(_TensorScatter):
    """The updates replace the old values."""

    def kernel(tensor, indices, updates, out=None):
        _check_updates(indices.shape, updates.shape, tensor.shape)
        out = _copied(tensor, out)
        view, index = at_index_vectors(out, indices)
        view[index] = updates
        return out

    def gradient(op, dy):
        _, indices, updates = op.inputs
        kept = TensorScatterUpdate.apply(dy, indices, constants.zeros_like(updates))
        return kept, None, gather_nd(dy, indices)


class TensorScatterAdd(_TensorScatter):
    """The updates are added to the old values."""

    def kernel(tensor, indices, updates, out=None):
        _check_updates(indices.shape, updates.shape, tensor.shape)
        out = _copied(tensor, out)
        at_slices(np.add, *at_index_vectors(out, indices), updates)
        return out

    def gradient(op, dy):
        return dy, None, gather_nd(dy, op.inputs[1])


class TensorScatterSub(_TensorScatter):
    """The updates are subtracted from the old values."""

    def kernel(tensor, indices, updates, out=None):
        _check_updates(indices.shape, updates.shape, tensor.shape)
        out = _copied(tensor, out)
        at_slices(np.subtract, *at_index_vectors(out, indices), updates)
        return out

    def gradient(op, dy):
        return dy, None, -gather_nd(dy, op.inputs[1])


def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """The slices of params at `indices` along an axis: params[..., indices, ...].

    Shapes: params [*a, n, *b], indices [*i] -> [*a, *i, *b], where `axis` is the rank of a; with
    batch_dims, params [*batch, *a, n, *b], indices [*batch, *i] -> [*batch, *a, *i, *b].
    An index outside [0, n) is an InvalidArgumentError. The gradient along axis 0 is IndexedSlices.
    """
    along_first = axis is None or \
        (static_value(axis) if hasattr(axis, 'graph') else axis) == 0
    if hasattr(params, 'sparse_read') and hasattr(params, 'handle') and along_first \
            and not batch_dims:
        return params.sparse_read(indices, name=name)
    return GatherV2.apply(params, indices, batch_dims if axis is None else axis,
                          batch_dims=_batch_dims(batch_dims, indices), name=name)


def _batch_dims(batch_dims, indices):
    batch_dims = shapes.integer(batch_dims, 'batch_dims')
    if batch_dims >= 0:
        return batch_dims
    rank = convert_to_tensor(indices).raw_shape
    if rank is None:
        raise misuse(ValueError('A negative batch_dims needs indices of known rank.'))
    return batch_dims + len(rank)


def batch_gather(params, indices, name=None):
    """gather along the last axis of indices, for each element of the axes before it.

    Shapes: params [*batch, n, *b], indices [*batch, k] -> [*batch, k, *b].
    """
    with name_scope(name, 'BatchGather', [params, indices]):
        indices = convert_to_tensor(indices, name='indices')
        params = convert_to_tensor(params, name='params')
        if indices.raw_shape is None:
            raise misuse(ValueError('batch_gather does not allow indices with unknown shape.'))
        return _batch_gather(params, indices, len(indices.raw_shape) - 1)


def _batch_gather(params, indices, batch_dims):
    """Gather from params with its batch axes folded into the gathered one, as TF1 builds it."""
    reduce_prod = nodes.Prod
    indices_shape, sizes = constants.shape(indices), constants.shape(params)
    step = constants.ones([], indices.dtype.base_dtype)
    widths = Cast.apply(sizes, DstT=indices.dtype.base_dtype)
    flat = indices
    for axis in range(batch_dims - 1, -1, -1):
        width = widths[axis]
        step = step * widths[axis + 1]
        starts = constants.Range.apply(constants.zeros([], step.dtype), width,
                                       constants.ones([], step.dtype)) * step
        ones = [1] * (len(indices.raw_shape) - axis - 1)
        flat = flat + shaping.reshape(starts, joining.stack([*[1] * axis, width, *ones]))
    flat = shaping.reshape(flat, [-1])
    rest = sizes[batch_dims + 1:]
    total = reduce_prod(sizes[:batch_dims + 1], np.array([0], np.int32), keep_dims=False)
    rows = shaping.reshape(params, joining.concat([[total], rest], axis=0))
    result = gather(rows, flat)
    return shaping.reshape(result, joining.concat([indices_shape, rest], axis=0))


def gather_nd(params, indices, name=None, batch_dims=0):
    """params[i_0, i_1, ...] for each index vector (i_0, i_1, ...) in indices.

    Shapes: params [*n, *b], indices [*i, rank of n] -> [*i, *b]; with batch_dims, both have the
    same leading batch axes.
    """
    if batch_dims:
        return _batch_gather_nd(params, indices, batch_dims, name)
    if hasattr(params, 'handle') and hasattr(params, 'gather_nd'):
        return params.gather_nd(indices, name=name)
    return GatherNd.apply(params, indices, name=name)


def _batch_gather_nd(params, indices, batch_dims, name):
    """gather_nd with the position in the batch prepended to each index vector."""
    with name_scope(name, 'BatchGatherND', [params, indices]):
        params = convert_to_tensor(params, name='params')
        indices = convert_to_tensor(indices, name='indices')
        if indices.raw_shape is None:
            raise misuse(ValueError('batch_dims needs indices of known rank.'))
        indices_shape = constants.shape(indices)
        inner = len(indices.raw_shape) - batch_dims - 1
        grid = joining.meshgrid(*[constants.cast(constants.range(indices_shape[i]), indices.dtype)
                                  for i in range(batch_dims)], indexing='ij')
        position = joining.stack(grid, axis=-1)
        for _ in range(inner):
            position = shaping.expand_dims(position, -2)
        position = constants.broadcast_to(
            position, joining.concat([indices_shape[:-1], [batch_dims]], axis=0))
        return GatherNd.apply(params, joining.concat([position, indices], axis=-1))


def scatter_nd(indices, updates, shape, name=None):
    """Zeros of `shape`, to which updates[i] is added at the index vector indices[i].

    Shapes: indices [*i, rank of n], updates [*i, *b], shape [*n, *b] -> [*n, *b].
    """
    return ScatterNd.apply(indices, updates, shape, name=name)


def tensor_scatter_update(tensor, indices, updates, name=None):
    """A copy of tensor, with updates[i] at the index vector indices[i].

    Shapes: tensor [*n, *b], indices [*i, rank of n], updates [*i, *b] -> [*n, *b].
    """
    return TensorScatterUpdate.apply(tensor, indices, updates, name=name)


def tensor_scatter_add(tensor, indices, updates, name=None):
    """A copy of tensor, to which updates[i] is added at the index vector indices[i].

    Shapes: tensor [*n, *b], indices [*i, rank of n], updates [*i, *b] -> [*n, *b].
    """
    return TensorScatterAdd.apply(tensor, indices, updates, name=name)


def tensor_scatter_sub(tensor, indices, updates, name=None):
    """A copy of tensor, from which updates[i] is subtracted at the index vector indices[i].

    Shapes: tensor [*n, *b], indices [*i, rank of n], updates [*i, *b] -> [*n, *b].
    """
    return TensorScatterSub.apply(tensor, indices, updates, name=name)


tensor_scatter_nd_update = tensor_scatter_update
tensor_scatter_nd_add = tensor_scatter_add
tensor_scatter_nd_sub = tensor_scatter_sub
