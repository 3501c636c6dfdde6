"""RaggedTensor: rows of different lengths, as one tensor of values and where each row ends."""
from __future__ import annotations

from tinyflow.api.ragged import rows
from tinyflow.api.ragged.value import RaggedTensorValue
from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value as static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_onehot import boolean_mask, sequence_mask, where
from tinyflow.ops.checks.value_checks import (
    assert_equal,
    assert_less_equal,
    assert_non_negative,
)
from tinyflow.ops.math import arithmetic, logic, reduction


class RaggedTensor:
    """Row i is values[row_splits[i]:row_splits[i + 1]]; values may be ragged, too.

    It is made by the class methods `from_...` and by tf.ragged.constant. The operators, and the
    functions of tf that tinyflow/api/ragged/dispatch.py lists, take it as they take Tensors.
    """

    _when_made = None                   # dispatch.install, after which functions of tf take it

    def __init__(self, values, row_splits, internal=False):
        if not internal:
            raise misuse(ValueError('RaggedTensor constructor is private; please use one of the '
                                    'factory methods instead (e.g., '
                                    'RaggedTensor.from_row_lengths())'))
        self._values, self._row_splits = values, row_splits
        if self._when_made is not None:
            self._when_made()
        if row_splits.raw_shape is not None and len(row_splits.raw_shape) != 1:
            raise misuse(ValueError(f'Shape {row_splits.shape} must have rank 1'))

    # ---- factories -------------------------------------------------------------------------

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Row i is values[row_splits[i]:row_splits[i + 1]].

        InvalidArgumentError, when run, for splits that do not begin with 0, ascend, and end with
        the number of values.
        """
        with name_scope(name, 'RaggedFromRowSplits', [values, row_splits]):
            values, splits = _values(values), rows.index(row_splits, 'row_splits')
            if splits.raw_shape == (0,):
                raise misuse(ValueError('row_splits tensor may not be empty.'))
            if validate:
                splits = rows.checked('from_row_splits', splits, [
                    (assert_equal, splits[:1], rows.zero(splits)),
                    (assert_non_negative, rows.steps(splits)),
                    (assert_equal, splits[-1:], _count(values, splits.dtype))])
            return cls(values, splits, internal=True)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Row i has row_lengths[i] values; InvalidArgumentError if that is not their number."""
        with name_scope(name, 'RaggedFromRowLengths', [values, row_lengths]):
            values, lengths = _values(values), rows.index(row_lengths, 'row_lengths')
            if validate:
                lengths = rows.checked('from_row_lengths', lengths, [
                    (assert_non_negative, lengths),
                    (assert_equal, reduction.reduce_sum(lengths), _count(values, lengths.dtype))])
            return cls(values, rows.splits_of_lengths(lengths), internal=True)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Row i begins at values[row_starts[i]]; the first one at 0."""
        with name_scope(name, 'RaggedFromRowStarts', [values, row_starts]):
            values, starts = _values(values), rows.index(row_starts, 'row_starts')
            count = _count(values, starts.dtype)
            if validate:
                starts = rows.checked('from_row_starts', starts, [
                    (assert_equal, starts[:1], rows.zero(starts)),
                    (assert_non_negative, rows.steps(starts)),
                    (assert_less_equal, starts[-1:], count)])
            return cls(values, joining.concat([starts, [count]], 0), internal=True)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Row i ends before values[row_limits[i]]; the last one with the last value."""
        with name_scope(name, 'RaggedFromRowLimits', [values, row_limits]):
            values, limits = _values(values), rows.index(row_limits, 'row_limits')
            if validate:
                limits = rows.checked('from_row_limits', limits, [
                    (assert_non_negative, limits[:1]), (assert_non_negative, rows.steps(limits)),
                    (assert_equal, limits[-1:], _count(values, limits.dtype))])
            zero = constants.zeros([1], limits.dtype)
            return cls(values, joining.concat([zero, limits], 0), internal=True)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """values[j] belongs to row value_rowids[j]; the rows are in ascending order."""
        with name_scope(name, 'RaggedFromValueRowIds', [values, value_rowids, nrows]):
            values, ids = _values(values), rows.index(value_rowids, 'value_rowids')
            if isinstance(nrows, int) and nrows < 0:
                raise misuse(ValueError(f'Expected nrows >= 0; got {nrows}'))
            if isinstance(values, Tensor):
                values.shape[:1].assert_is_compatible_with(ids.shape)
            last = static_value(ids)
            if isinstance(nrows, int) and last is not None and len(last) and nrows <= last[-1]:
                raise misuse(ValueError('Expected nrows >= value_rowids[-1] + 1; got '
                                        f'nrows={nrows}, value_rowids[-1]={last[-1]}'))
            if validate:
                ids = rows.checked('from_value_rowids', ids, [
                    (assert_equal, rows.length(ids), _count(values, ids.dtype)),
                    (assert_non_negative, ids[:1]), (assert_non_negative, rows.steps(ids))])
            return cls(values, rows.splits_of_ids(ids, nrows), internal=True)

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """With several axes of different lengths; the outermost splits come first."""
        return _nested(cls.from_row_splits, flat_values, nested_row_splits, name, 'RowSplits')

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """With several axes of different lengths; the outermost lengths come first."""
        return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, name, 'RowLengths')

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None,
                                 name=None, validate=True):
        """With several axes of different lengths; the outermost row ids come first."""
        counts = nested_nrows or [None] * len(nested_value_rowids)
        with name_scope(name, 'RaggedFromNestedValueRowIds', [flat_values]):
            result = flat_values
            for ids, count in reversed(list(zip(nested_value_rowids, counts))):
                result = cls.from_value_rowids(result, ids, count)
            return result

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None,
                    row_splits_dtype=dtypes.int64):
        """The rows of a tensor: whole, of some `lengths`, or without `padding` at their ends."""
        if lengths is not None and padding is not None:
            raise misuse(ValueError('Specify lengths or padding, but not both'))
        with name_scope(name, 'RaggedFromTensor', [tensor, lengths, padding]):
            tensor = convert_to_tensor(tensor, name='tensor')
            kind = dtypes.as_dtype(row_splits_dtype)
            sizes = shape_ops.shape(tensor, out_type=kind)
            if ragged_rank > 1:
                merged = shaping.reshape(tensor, joining.concat([[sizes[0] * sizes[1]],
                                                                 sizes[2:]], 0))
                inner = cls.from_tensor(merged, lengths, padding, ragged_rank - 1,
                                        row_splits_dtype=kind)
                return cls(inner, constants.range(sizes[0] + 1) * sizes[1], internal=True)
            if padding is not None:
                padding = convert_to_tensor(padding, tensor.dtype, name='padding')
                kept = logic.not_equal(tensor, padding)
                ends = constants.range(1, sizes[1] + 1)
                lengths = reduction.reduce_max(cast(kept, kind) * ends, axis=1)
                lengths = arithmetic.maximum(lengths, constants.constant(0, kind))
            if lengths is not None:
                lengths = arithmetic.minimum(rows.index(lengths, 'lengths', kind), sizes[1])
                values = boolean_mask(tensor, sequence_mask(lengths, sizes[1]))
                return cls(values, rows.splits_of_lengths(lengths), internal=True)
            values = shaping.reshape(tensor, joining.concat([[sizes[0] * sizes[1]], sizes[2:]],
                                                            0))
            known = tensor.raw_shape
            if known is not None and None not in known[:2]:
                values.set_shape([known[0] * known[1], *known[2:]])
            return cls(values, constants.range(sizes[0] + 1) * sizes[1], internal=True)

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
        """The rows of a SparseTensor of rank 2, whose values stand at the beginning of each row."""
        if not isinstance(st_input, SparseTensor):
            raise misuse(TypeError(f'Expected SparseTensor, got {type(st_input).__name__}'))
        with name_scope(name, 'RaggedFromSparse'):
            kind = dtypes.as_dtype(row_splits_dtype)
            return cls.from_value_rowids(st_input.values, cast(st_input.indices[:, 0], kind),
                                         cast(st_input.dense_shape[0], kind))

    # ---- parts -----------------------------------------------------------------------------

    @property
    def values(self):
        """All rows, one after the other: a Tensor, or a RaggedTensor."""
        return self._values

    @property
    def row_splits(self):
        """Where rows begin and, at last, where the last one ends: [nrows + 1]."""
        return self._row_splits

    @property
    def flat_values(self):
        """The innermost values, a Tensor."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def nested_row_splits(self):
        """The row splits, outermost first."""
        inner = self._values
        return (self._row_splits, *(inner.nested_row_splits
                                    if isinstance(inner, RaggedTensor) else ()))

    @property
    def ragged_rank(self):
        """The number of axes of different lengths."""
        return len(self.nested_row_splits)

    @property
    def dtype(self):
        """The dtype of the values."""
        return self._values.dtype

    @property
    def shape(self):
        """The static shape; axes of different lengths are unknown."""
        splits = self._row_splits.raw_shape
        count = None if splits is None or splits[0] is None else splits[0] - 1
        if self._values.shape.ndims is None:
            return TensorShape(None)
        return TensorShape([count, None]).concatenate(self._values.shape[1:])

    def get_shape(self):
        """The static shape."""
        return self.shape

    @property
    def graph(self):
        """The graph of the tensors."""
        return self.flat_values.graph

    def nrows(self, out_type=None, name=None):
        """The number of rows."""
        with name_scope(name, 'RaggedNRows', [self._row_splits]):
            kind = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
            return shape_ops.shape(self._row_splits, out_type=kind)[0] - 1

    def value_rowids(self, name=None):
        """The row of each value."""
        with name_scope(name, 'RaggedValueRowIds', [self._row_splits]):
            return rows.ids_of_splits(self._row_splits)

    def row_starts(self, name=None):
        """Where each row begins."""
        with name_scope(name, 'RaggedRowStarts', [self._row_splits]):
            return self._row_splits[:-1]

    def row_limits(self, name=None):
        """Where each row ends."""
        with name_scope(name, 'RaggedRowLimits', [self._row_splits]):
            return self._row_splits[1:]

    def row_lengths(self, axis=1, name=None):
        """The length of each row; for a larger `axis`, those of the rows inside rows."""
        with name_scope(name, 'RaggedRowLengths', [self._row_splits]):
            if axis == 0:
                return self.nrows()
            if axis == 1:
                return self._row_splits[1:] - self._row_splits[:-1]
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            raise misuse(ValueError(f'row_lengths(axis={axis}): there are {self.ragged_rank} '
                                    'axes of different lengths.'))

    def nested_row_lengths(self, name=None):
        """The row lengths of all axes, outermost first."""
        return tuple(RaggedTensor(self.flat_values, s, internal=True).row_lengths()
                     for s in self.nested_row_splits)

    def nested_value_rowids(self, name=None):
        """The row ids of all axes, outermost first."""
        return tuple(rows.ids_of_splits(s) for s in self.nested_row_splits)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The shape of the smallest tensor that has room for all rows, or one size of it."""
        with name_scope(name, 'RaggedBoundingBox', [self._row_splits]):
            kind = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
            sizes = [self.nrows(kind)]
            for splits in self.nested_row_splits:
                longest = reduction.reduce_max(splits[1:] - splits[:-1])
                sizes.append(cast(arithmetic.maximum(longest, constants.constant(
                    0, splits.dtype)), kind))
            inner = shape_ops.shape(self.flat_values, out_type=kind)[1:]
            shape = joining.concat([joining.stack(sizes), inner], 0)
            return shape if axis is None else gathering.gather(shape, axis)

    def with_values(self, new_values):
        """The same rows, of other values."""
        new = _values(new_values)
        return RaggedTensor(new, self._row_splits, internal=True)

    def with_flat_values(self, new_values):
        """The same rows, of other innermost values."""
        inner = self._values
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype):
        """The same with row splits of int32 or int64."""
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(dtype)
        return RaggedTensor(inner, cast(self._row_splits, dtype), internal=True)

    # ---- as other kinds of tensors ---------------------------------------------------------

    def to_tensor(self, default_value=None, name=None):
        """A Tensor in which short rows are filled up with `default_value` (0)."""
        with name_scope(name, 'RaggedToTensor', [self._row_splits]):
            values = self._values
            if isinstance(values, RaggedTensor):
                values = values.to_tensor(default_value)
            if default_value is None:
                fill = b'' if self.dtype is dtypes.string else 0
                default_value = constants.constant(fill, self.dtype) \
                    if self.dtype is not dtypes.bool else constants.constant(False)
            filler = convert_to_tensor(default_value, self.dtype, name='default_value')
            lengths = self.row_lengths()
            longest = self.bounding_shape(axis=1)
            columns = constants.range(longest)
            inside = sequence_mask(lengths, longest)
            places = shaping.expand_dims(self._row_splits[:-1], 1) + columns
            last = _count(values, places.dtype)
            places = where(inside, places, constants.zeros_like(places) + last)
            extra = shape_ops.broadcast_to(filler, joining.concat(
                [[1], shape_ops.shape(values)[1:]], 0))
            result = gathering.gather(joining.concat([values, extra], 0), places)
            if values.shape.ndims is not None:
                result.set_shape([self.shape[0], None, *values.shape[1:]])
            return result

    def to_sparse(self, name=None):
        """A SparseTensor with the same values at the beginning of each row."""
        with name_scope(name, 'RaggedToSparse', [self._row_splits]):
            flat = self.flat_values
            if flat.shape.ndims != 1:
                nested = RaggedTensor.from_tensor(flat, ragged_rank=flat.shape.ndims - 1)
                return self.with_flat_values(nested).to_sparse()
            columns, place = [], None
            for splits in reversed(self.nested_row_splits):
                ids = rows.ids_of_splits(splits)
                place = constants.range(cast(shape_ops.shape(ids)[0], splits.dtype)) \
                    if place is None else place
                row = gathering.gather(ids, place)
                columns.insert(0, place - gathering.gather(splits, row))
                place = row
            indices = joining.stack([place, *columns], axis=1)
            return SparseTensor(cast(indices, dtypes.int64), flat,
                                self.bounding_shape(out_type=dtypes.int64))

    def to_list(self):
        """Nested lists, where ops run at once."""
        if not self.graph.runs_at_once:
            raise misuse(ValueError('RaggedTensor.to_list() is only supported in eager mode; in '
                                    'graph mode, evaluate the RaggedTensor first and then use '
                                    'RaggedTensorValue.to_list().'))
        flat = self.flat_values.numpy()
        value = flat
        for splits in reversed(self.nested_row_splits):
            value = RaggedTensorValue(value, splits.numpy())
        return value.to_list()

    def eval(self, feed_dict=None, session=None):
        """The value, a RaggedTensorValue."""
        return session_for(session, self.graph, 'a RaggedTensor').run(self, feed_dict)

    def consumers(self):
        """The operations that use the tensors."""
        return [op for t in (self.flat_values, *self.nested_row_splits) for op in t.consumers()]

    def _fetch_parts(self):
        """The tensors that Session.run fetches or feeds, and a function that combines values."""
        return [self._values, self._row_splits], RaggedTensorValue

    def __str__(self):
        if self.graph.runs_at_once:
            return f'<tf.RaggedTensor {self.to_list()}>'
        return f'tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})'

    __repr__ = __str__

    def __len__(self):
        raise misuse(TypeError("object of type 'RaggedTensor' has no len()\n  Hint: nrows() is the "
                               'number of rows.'))

    def __bool__(self):
        raise misuse(TypeError('RaggedTensor may not be used as a boolean.'))


def _values(values):
    return values if isinstance(values, RaggedTensor) else convert_to_tensor(values,
                                                                             name='values')


def _count(values, dtype):
    """The number of rows of a Tensor or RaggedTensor."""
    if isinstance(values, RaggedTensor):
        return values.nrows(dtype)
    return shape_ops.shape(values, out_type=dtype)[0]


def _nested(make, flat_values, parts, name, what):
    if not isinstance(parts, (list, tuple)):
        raise misuse(TypeError(f'nested_{what} must be a list of Tensors.'))
    with name_scope(name, f'RaggedFromNested{what}', [flat_values]):
        result = flat_values
        for part in reversed(parts):
            result = make(result, part)
        return result


__all__ = ['RaggedTensor']
