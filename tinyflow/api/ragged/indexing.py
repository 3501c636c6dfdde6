"""Parts of ragged tensors: rows, slices, and what is gathered."""
from __future__ import annotations

from tinyflow.api.ragged import rows
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, joining, shaping
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_onehot import where
from tinyflow.ops.math import arithmetic, division

# ---- gathering -----------------------------------------------------------------------------

def gather(params, indices, name=None):
    """The rows of `params` at some indices, either of which may be ragged."""
    with name_scope(name, 'RaggedGather'):
        if isinstance(indices, RaggedTensor):
            return indices.with_values(gather(params, indices.values))
        if not isinstance(params, RaggedTensor):
            return gathering.gather(params, indices)
        indices = convert_to_tensor(indices, name='indices')
        rank = indices.shape.ndims
        if rank == 0:
            return row(params, indices)
        if rank is None:
            raise misuse(ValueError('indices.shape.ndims must be known statically'))
        if rank > 1:
            return gather(params, RaggedTensor.from_tensor(indices, ragged_rank=rank - 1))
        starts = gathering.gather(params.row_splits[:-1], indices)
        ids, columns, splits = rows.places_of_lengths(
            gathering.gather(params.row_lengths(), indices))
        places = columns + gathering.gather(starts, ids)
        return RaggedTensor(gather(params.values, places), splits, internal=True)


def batch_gather(params, indices, name=None):
    """Row i of the result has the elements of row i of `params` at row i of `indices`."""
    with name_scope(name, 'RaggedBatchGather', [params, indices]):
        if not isinstance(indices, RaggedTensor):
            indices = convert_to_tensor(indices, name='indices')
            if indices.shape.ndims in (0, None):
                raise misuse(ValueError('batch_gather needs indices of a known rank, 1 or more'))
            if indices.shape.ndims == 1:
                return gather(params, indices)
            indices = RaggedTensor.from_tensor(indices, ragged_rank=indices.shape.ndims - 1)
        if not isinstance(params, RaggedTensor):
            params = RaggedTensor.from_tensor(convert_to_tensor(params, name='params'),
                                              ragged_rank=indices.ragged_rank)
        if isinstance(indices.values, RaggedTensor):
            return indices.with_values(batch_gather(params.values, indices.values))
        places = cast(indices.values, params.row_splits.dtype)
        starts = gathering.gather(params.row_starts(), indices.value_rowids())
        return indices.with_values(gather(params.values, places + starts))


def gather_nd(params, indices, name=None, batch_dims=0):
    """The parts of `params` at the vectors [i, j, ...] in `indices`, either of which may be ragged.
    """
    if batch_dims:
        raise misuse(NotImplementedError('batch_dims of a ragged gather_nd is not implemented'))
    with name_scope(name, 'RaggedGatherNd', [params, indices]):
        if isinstance(indices, RaggedTensor):
            if indices.flat_values.shape.ndims < 2:
                raise misuse(ValueError('The innermost dimension of indices may not be ragged'))
            return indices.with_flat_values(gather_nd(params, indices.flat_values))
        if not isinstance(params, RaggedTensor):
            return gathering.gather_nd(params, indices)
        indices = convert_to_tensor(indices, name='indices')
        size, rank = indices.shape[-1].value, indices.shape.ndims
        if size is None:
            raise misuse(ValueError('indices.shape[-1] must be statically known.'))
        if rank == 1:
            found = gather_nd(params, shaping.expand_dims(indices, 0))
            return row(found, 0) if isinstance(found, RaggedTensor) else found[0]
        if rank > 2:
            nested = RaggedTensor.from_tensor(indices, ragged_rank=rank - 2)
            found = gather_nd(params, nested)
            return found if isinstance(found.flat_values, RaggedTensor) or size < \
                params.shape.ndims else found.to_tensor()
        return _gather_places(params, cast(indices, params.row_splits.dtype))


def _gather_places(params, indices):
    first = indices[:, 0]
    if indices.shape[-1].value == 1:
        return gather(params, first)
    inner = gathering.gather(params.row_starts(), first) + indices[:, 1]
    rest = joining.concat([shaping.expand_dims(inner, 1), indices[:, 2:]], 1)
    if isinstance(params.values, RaggedTensor):
        return _gather_places(params.values, rest)
    return gathering.gather_nd(params.values, rest)


# ---- x[...] --------------------------------------------------------------------------------

def row(x, i):
    """Row i, a Tensor or, of a RaggedTensor of ragged rank 2 or more, a RaggedTensor."""
    start, end = x.row_splits[:-1][i], x.row_splits[1:][i]
    if isinstance(x.values, RaggedTensor):
        return gather(x.values, constants.range(start, end))
    return x.values[start:end]


def get_item(x, key):
    """x[rows, columns, ...]: numbers and slices of rows, then slices of columns; None, Ellipsis."""
    with name_scope(None, 'RaggedGetItem', [x.row_splits]):
        return _outer(x, _without_ellipsis(x, key if isinstance(key, tuple) else (key,)))


def _without_ellipsis(x, keys):
    for key in keys:
        if not (key is None or key is Ellipsis or isinstance(key, (int, slice, Tensor))
                or hasattr(key, '__index__')):
            raise misuse(TypeError(
                'Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar '
                f'tf.int32/tf.int64 tensors are valid indices, not {key!r}'))
    places = [i for i, key in enumerate(keys) if key is Ellipsis]
    if not places:
        return list(keys)
    if len(places) > 1:
        raise misuse(ValueError("only a single ellipsis ('...') is allowed"))
    taken = len([key for key in keys if key is not None and key is not Ellipsis])
    filled = [slice(None)] * (x.shape.ndims - taken)
    return [*keys[:places[0]], *filled, *keys[places[0] + 1:]]


def _outer(x, keys):
    """x[keys], the first of which is for the outermost axis."""
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return x[tuple(keys)]
    first, *rest = keys
    if first is None:
        inner = _outer(x, rest)
        if not isinstance(inner, RaggedTensor):
            return shaping.expand_dims(inner, 0)
        count = inner.nrows()
        return RaggedTensor(inner, joining.stack([constants.constant(0, count.dtype), count]),
                            internal=True)
    if not isinstance(first, slice):
        _check_bound(x, first)
        return _outer(row(x, first), rest)
    if first != slice(None):
        x = gather(x, constants.range(x.nrows())[first])
    return _inner(x, rest)


def _check_bound(x, i):
    """IndexError, which ends a loop over rows, where the number of rows is known."""
    if x.graph.runs_at_once and isinstance(i, int):
        count = int(x.nrows())
        if not -count <= i < count:
            raise misuse(IndexError(f'Row key {i} out of bounds'))


def _inner(x, keys):
    """x[:, *keys]"""
    if not keys:
        return x
    first, *rest = keys
    if first is None:
        inner = _inner(x, rest)
        return RaggedTensor(inner, constants.range(inner.nrows() + 1), internal=True)
    if not isinstance(first, slice):
        raise misuse(ValueError('Cannot index into an inner ragged dimension.\n  Hint: x[:, i:i+1] '
                                'has the element i of each row that is long enough.'))
    if first != slice(None):
        x = _columns(x, first)
    if not rest:
        return x
    inner = x.values
    return x.with_values(_inner(inner, rest) if isinstance(inner, RaggedTensor)
                         else inner[(slice(None), *rest)])


def _columns(x, part):
    lengths = x.row_lengths()
    step = 1 if part.step is None else part.step
    if isinstance(step, int) and step < 1:
        raise misuse(NotImplementedError(
            f'columns with the step {step} of a ragged tensor: it must be positive (TensorFlow '
            '1.15 gives empty rows).\n  Hint: tf.reverse_sequence(x.to_tensor(), x.row_lengths(), '
            'seq_axis=1) reverses rows.'))

    def place(number, default):
        if number is None:
            return default
        number = cast(convert_to_tensor(number), lengths.dtype)
        zeros = constants.zeros_like(lengths)
        number = where(number + zeros < 0, lengths + number, zeros + number)
        return arithmetic.maximum(arithmetic.minimum(number, lengths), zeros)
    starts = place(part.start, constants.zeros_like(lengths))
    sizes = arithmetic.maximum(place(part.stop, lengths) - starts,
                               constants.zeros_like(lengths))
    if step != 1:
        step = cast(convert_to_tensor(step), lengths.dtype)
        sizes = division.floordiv(sizes + step - 1, step)
    ids, columns, splits = rows.places_of_lengths(sizes)
    columns = columns if part.step is None else columns * step
    places = columns + gathering.gather(starts + x.row_splits[:-1], ids)
    return RaggedTensor(gather(x.values, places), splits, internal=True)


__all__ = ['batch_gather', 'gather', 'gather_nd', 'get_item', 'row']
