"""Slicing: x[1:, ..., None], tf.slice, tf.strided_slice, assignment to slices."""
from __future__ import annotations

import functools

import numpy as np

from tinyflow.graph import dtypes, eager_mode, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import Op, nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.array import constants, joining, where_onehot
from tinyflow.ops.array.identity_and_cast import is_shape_like

__all__ = ['slice', 'strided_slice']

_slice = slice          # Python's own; this module's `slice` is TF's
_MASKS = ('begin_mask', 'end_mask', 'ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask')


class Slice(Op):
    """`size` elements from `begin` on, along each axis; -1 means all the rest."""

    signature = 'input: T, begin: Index, size: Index -> output: T'
    types = {'Index': INDEX}
    attrs = {'Index': dtypes.int32}
    static = {'begin': 1, 'size': 1}
    view = True
    partial_rank = True

    def shape(input, begin, size):
        if begin is None and size is None:
            return None if input is None else (None,) * len(input)
        rank = len(begin if size is None else size)
        begin = (None,) * rank if begin is None else begin
        size = (None,) * rank if size is None else size
        if None in size:            # as TF, which reads a partly known size as a shape
            size = tuple(None if s == -1 else s for s in size)
        input = (None,) * rank if input is None else input
        if not len(input) == len(begin) == len(size):
            raise ValueError(f'begin and size must have one entry for each of the {len(input)} '
                             'axes')
        return tuple(_slice_length(axis, *sizes)
                     for axis, sizes in enumerate(zip(input, begin, size)))

    def kernel(input, begin, size):
        result = Slice.shape(input.shape, begin, size)
        return input[tuple(_slice(b, b + s) for b, s in zip(begin, result))]

    def emit(call):
        x, begin, size = call.inputs[0], call.static.get(1), call.static.get(2)
        if begin is None or size is None or not x.known_shape:
            return None
        lengths = _none_on_error(Slice.shape, x.sizes, begin, size)
        if lengths is None:
            return None
        return _index_source(call, [_slice(b, b + s) for b, s in zip(begin, lengths)])

    def gradient(op, dy):
        x, begin = op.inputs[:2]
        dtype = begin.dtype
        after = constants.shape(x, out_type=dtype) - begin - constants.shape(dy, out_type=dtype)
        return nodes.Pad(dy, joining.stack([begin, after], axis=1)), None, None

    def fold_partial(op, value):
        begin, size = value(op.inputs[1]), value(op.inputs[2])
        if begin is None or size is None or None in begin or None in size:
            return None
        return _fold(op, value, lambda known: Slice.kernel(known, begin, size))


def _none_on_error(function, *args):
    """The result, or None for wrong arguments, which the run reports with the user's line."""
    try:
        return function(*args)
    except (ValueError, IndexError):
        return None


def _index_source(call, index):
    """NumPy source of basic indexing; None if the result goes to a given buffer."""
    if call.out != 'None':
        return None
    entries = []
    for entry in index:
        if isinstance(entry, _slice):
            limits = [entry.start, entry.stop] + [entry.step] * (entry.step not in (None, 1))
            entry = ':'.join('' if limit is None else str(limit) for limit in limits)
        entries.append(str(entry))
    if not (entries and call.outputs[0].raw_shape):
        entries.append('...')           # without it, NumPy gives a scalar, not an array
    return f'{call.args[0]}[{", ".join(entries)}]'


def _slice_length(axis, dimension, begin, size):
    """Number of elements that [begin, begin + size) takes of an axis, or None if not known."""
    if size is not None and size < -1:
        raise ValueError(f'size must be >= -1, got {size} for axis {axis}')
    if begin is None or dimension is None:
        return None if size == -1 else size
    if not 0 <= begin <= dimension:
        raise ValueError(f'begin is {begin} for axis {axis}, which has size {dimension}')
    if size == -1:
        return dimension - begin
    if size is not None and begin + size > dimension:
        raise OpFailure(f'elements {begin} to {begin + size} are out of range of axis {axis}, '
                        f'which has size {dimension}',
                        'a size of -1 takes all the rest.')
    return size


def _fold(op, value, part):
    """The known elements of a part of a partly known integer vector."""
    if not is_shape_like(op.inputs[0]):
        return None
    known = value(op.inputs[0])
    if not isinstance(known, tuple):
        return None
    try:
        result = part(np.array(known, object)).tolist()
    except (ValueError, IndexError):
        return None
    return tuple(result) if isinstance(result, list) else result


def _masks(op):
    return {key: op.attrs[key] for key in _MASKS}


class StridedSlice(Op):
    """NumPy's basic indexing, x[begin:end:stride, ...]; bit i of a mask is for entry i."""

    signature = 'input: T, begin: Index, end: Index, strides: Index -> output: T'
    types = {'Index': INDEX}
    attrs = {'Index': dtypes.int32, **dict.fromkeys(_MASKS, 0)}
    static = {'begin': 1, 'end': 1, 'strides': 1}
    view = True

    def shape(input, begin, end, strides, *, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
              shrink_axis_mask):
        if strides is None or None in strides:
            return None
        begin = (None,) * len(strides) if begin is None else begin
        end = (None,) * len(strides) if end is None else end
        index = basic_index(len(input), begin, end, strides, begin_mask, end_mask, ellipsis_mask,
                            new_axis_mask, shrink_axis_mask)
        return _indexed_shape(input, index)

    def kernel(input, begin, end, strides, *, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
               shrink_axis_mask):
        index = basic_index(input.ndim, begin, end, strides, begin_mask, end_mask, ellipsis_mask,
                            new_axis_mask, shrink_axis_mask)
        _indexed_shape(input.shape, index)
        return input[(*map(_numpy_entry, index), ...)]

    def emit(call):
        x, limits = call.inputs[0], [call.static.get(i) for i in (1, 2, 3)]
        if None in limits or not x.known_shape:
            return None
        index = _none_on_error(basic_index, len(x.sizes), *limits, *map(call.attrs.get, _MASKS))
        if index is None or _none_on_error(_indexed_shape, x.sizes, index) is None:
            return None
        return _index_source(call, map(_numpy_entry, index))

    def gradient(op, dy):
        x, begin, end, strides = op.inputs
        shape = constants.shape(x, out_type=begin.dtype)
        to_x = StridedSliceGrad.apply(shape, begin, end, strides, dy, **_masks(op))
        return to_x, None, None, None

    def fold_partial(op, value):
        limits = [value(t) for t in op.inputs[1:]]
        if any(v is None or None in v for v in limits):
            return None
        return _fold(op, value, lambda known: np.asarray(
            StridedSlice.kernel(known, *limits, **_masks(op))))


class StridedSliceGrad(Op):
    """Zeros of `shape`, with dy at the elements that StridedSlice reads."""

    signature = 'shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T'
    types = {'Index': INDEX}
    attrs = {'Index': dtypes.int32, **dict.fromkeys(_MASKS, 0)}
    static = {'shape': 1, 'begin': 1, 'end': 1, 'strides': 1}

    def shape(shape, begin, end, strides, dy):
        return shape

    def kernel(shape, begin, end, strides, dy, out=None, *, begin_mask, end_mask, ellipsis_mask,
               new_axis_mask, shrink_axis_mask):
        index = basic_index(len(shape), begin, end, strides, begin_mask, end_mask, ellipsis_mask,
                            new_axis_mask, shrink_axis_mask)
        if out is None:
            out = np.zeros(shape, dy.dtype)
        else:
            out.fill(0)
        out[(*map(_numpy_entry, index), ...)] = dy
        return out

    def gradient(op, dy):
        begin, end, strides = op.inputs[1:4]
        return None, None, None, None, StridedSlice.apply(dy, begin, end, strides, **_masks(op))


class StridedSliceAssign(Op):
    """Assigns `value` to the elements of a Variable that StridedSlice reads."""

    signature = ('ref: Ref(T), begin: Index, end: Index, strides: Index, value: T '
                 '-> output_ref: Ref(T)')
    types = {'Index': INDEX}
    attrs = {'Index': dtypes.int32, **dict.fromkeys(_MASKS, 0)}
    static = {'begin': 1, 'end': 1, 'strides': 1}
    writes = (0,)
    partial_rank = True

    def shape(ref, begin, end, strides, value):
        return ref

    def kernel(ref, begin, end, strides, value, *, begin_mask, end_mask, ellipsis_mask,
               new_axis_mask, shrink_axis_mask):
        index = basic_index(ref.ndim, begin, end, strides, begin_mask, end_mask, ellipsis_mask,
                            new_axis_mask, shrink_axis_mask)
        wanted = _indexed_shape(ref.shape, index)
        if value.shape != wanted:
            raise ValueError(f'the part of the variable has shape {shapes.text(wanted)}, the value '
                             f'{shapes.text(value.shape)}')
        ref[(*map(_numpy_entry, index), ...)] = value
        return ref


class _Element:
    """An index of one element (None if unknown), which removes the axis."""

    def __init__(self, value):
        self.value = value


class _Range:
    """begin:end:stride; a masked limit is None, an unknown one is _UNKNOWN."""

    def __init__(self, begin, end, stride):
        self.begin, self.end, self.stride = begin, end, stride


_UNKNOWN = object()
_ALL = _Range(None, None, 1)


def _numpy_entry(item):
    if isinstance(item, _Element):
        return item.value
    return item if item is None else _slice(item.begin, item.end, item.stride)


def basic_index(rank, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                shrink_axis_mask):
    """The masks and limits as a list of _Element, _Range and None (a new axis), one per axis."""
    if not len(begin) == len(end) == len(strides):
        raise ValueError('begin, end and strides must be vectors of one length')
    if ellipsis_mask & (ellipsis_mask - 1):
        raise ValueError('Multiple ellipses in slice spec not allowed')
    index, taken = [], 0
    count = len(begin)
    for i in range(count):
        bit = 1 << i
        if ellipsis_mask & bit:
            later = sum(not new_axis_mask & 1 << j for j in range(i + 1, count))
            length = max(0, rank - taken - later)
            index += [_ALL] * length
            taken += length
        elif new_axis_mask & bit:
            index.append(None)
        else:
            if taken >= rank:
                raise ValueError(f'Index out of range using input dim {taken}; input has only '
                                 f'{rank} dims')
            index.append(_entry(i, begin[i], end[i], strides[i], begin_mask & bit, end_mask & bit,
                                shrink_axis_mask & bit))
            taken += 1
    return index


def _entry(i, begin, end, stride, begin_masked, end_masked, shrink):
    if stride == 0:
        raise ValueError(f'strides[{i}] must be non-zero')
    if shrink:
        if stride < 0:
            raise ValueError(f'only stride 1 is allowed where one element is taken (entry {i})')
        return _Element(begin)               # TF ignores begin_mask here
    return _Range(None if begin_masked else _UNKNOWN if begin is None else begin,
                  None if end_masked else _UNKNOWN if end is None else end, stride)


def slices_read(rank, begin, end, strides, attrs):
    """The slices x[...] that a StridedSlice reads, one for each axis; None if it changes the rank.

    `attrs` has its masks.
    """
    index = basic_index(rank, begin, end, strides, *map(attrs.get, _MASKS))
    if not all(isinstance(item, _Range) for item in index):
        return None
    return tuple([_numpy_entry(item) for item in index])


def _indexed_shape(shape, index):
    """The shape of x[index]. ValueError for an index out of bounds."""
    result, axis = [], 0
    for item in index:
        if item is None:
            result.append(1)
            continue
        dimension = shape[axis]
        if isinstance(item, _Range):
            result.append(_range_length(item, dimension))
        elif None not in (item.value, dimension) and not -dimension <= item.value < dimension:
            raise ValueError(f'slice index {item.value} of dimension {axis} out of bounds: it has '
                             f'size {dimension}')
        axis += 1
    return tuple(result) + shape[axis:]


def _range_length(item, dimension):
    if dimension is None:
        return None
    if _UNKNOWN in (item.begin, item.end):
        return None
    return len(range(*_slice(item.begin, item.end, item.stride).indices(dimension)))


def slice(input_, begin, size, name=None):
    """The elements begin[i] to begin[i] + size[i] along each axis i.

    Shapes: input_ [*a], begin [rank], size [rank] -> [*size], where -1 means all the rest.
    Raises ValueError (running: InvalidArgumentError) if the slice is out of bounds.
    """
    return Slice.apply(input_, begin, size, name=name)


def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0,
                  new_axis_mask=0, shrink_axis_mask=0, var=None, name=None):
    """input_[begin[0]:end[0]:strides[0], ...]; bit i of a mask changes the meaning of entry i.

    Shapes: input_ [*a], begin [n], end [n], strides [n] -> as NumPy's basic indexing. begin_mask
    and end_mask: that limit is omitted; ellipsis_mask: entry i is `...`; new_axis_mask: it is
    None; shrink_axis_mask: it is the index begin[i]. With `var`, the result can be assigned to.
    """
    if strides is None:
        strides = constants.ones_like(begin)
    masks = dict(zip(_MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                              shrink_axis_mask)))
    result = StridedSlice.apply(input_, begin, end, strides, name=name, **masks)
    if var is None:
        return result
    assign = functools.partial(_assign, var, (begin, end, strides), masks, name)
    if type(result) is Tensor:
        return _AssignableSlice(result, assign)
    result.assign = assign              # an EagerTensor
    return result


class _AssignableSlice(Tensor):
    """A slice of a Variable: a Tensor with a method `assign`."""

    __slots__ = ('_assign',)

    def __init__(self, tensor, assign):
        super().__init__(tensor.op, 0, tensor.dtype, tensor.raw_shape)
        tensor.op.outputs = (self,)
        self._assign = assign

    def assign(self, value, name=None):
        """Assigns `value` to this slice; returns the Variable's ref, or the Variable as read
        afterwards.
        """
        return self._assign(value, name)


def _assign(var, limits, masks, slice_name, value, name=None):
    name = name or f'{slice_name or "StridedSlice"}_assign'
    if not hasattr(var, 'handle'):
        return StridedSliceAssign.apply(var, *limits, value, **masks, name=name)
    value = convert_to_tensor(value, var.dtype)
    return var._after(nodes.ResourceStridedSliceAssign(
        var.handle, *limits, value, **masks, name=name))


def get_item(tensor, key, var=None):
    """tensor[key] by NumPy's rules of basic indexing, or by a boolean mask.

    Entries may be ints, scalar integer tensors, slices of them, `...` and tf.newaxis.
    """
    if _is_mask(key):
        return where_onehot.boolean_mask(tensor, key)
    entries = key if isinstance(key, (list, tuple)) else (key,)
    begin, end, strides = [], [], []
    masks = dict.fromkeys(_MASKS, 0)
    for i, entry in enumerate(entries):
        for limits, limit in zip((begin, end, strides), _limits(entry, masks, 1 << i)):
            limits.append(limit)
    with name_scope(None, 'strided_slice', [tensor, *begin, *end, *strides]) as scope:
        if begin:
            packed = [np.array(limits, np.int32) for limits in (begin, end, strides)] \
                if _plain_and_at_once(entries) else \
                [joining.stack(limits) for limits in (begin, end, strides)]
            if any(t.dtype is dtypes.int64 for t in packed):
                packed = [constants.cast(t, dtypes.int64) for t in packed]
        else:
            packed = [constants.constant([], dtypes.int32)] * 3
        return strided_slice(tensor, *packed, **masks, var=var, name=scope)


def _plain_and_at_once(entries):
    """True if a key of numbers and `:` is used while ops run at once: no nodes are needed."""
    return eager_mode.executing_eagerly() and all(
        type(e) is int and abs(e) < 2 ** 31 - 1 or type(e) is _slice and {
            type(e.start), type(e.stop), type(e.step)} <= {int, type(None)} for e in entries)


def _limits(entry, masks, bit):
    """(begin, end, stride) of one entry of a key; sets its bit in the masks."""
    if isinstance(entry, _slice):
        for limit in (entry.start, entry.stop, entry.step):
            if limit is not None:
                _check_index(limit)
        masks['begin_mask'] |= bit * (entry.start is None)
        masks['end_mask'] |= bit * (entry.stop is None)
        return (0 if entry.start is None else entry.start, 0 if entry.stop is None else entry.stop,
                1 if entry.step is None else entry.step)
    if entry is Ellipsis or entry is None:
        masks['new_axis_mask' if entry is None else 'ellipsis_mask'] |= bit
        return 0, 0, 1
    _check_index(entry)
    masks['shrink_axis_mask'] |= bit
    return entry, entry + 1, 1


def _is_mask(key):
    return isinstance(key, bool) or (isinstance(key, (Tensor, np.ndarray)) and key.dtype == bool)


def _check_index(index):
    if isinstance(index, Tensor):
        if index.dtype.base_dtype in INDEX and index.raw_shape in ((), None):
            return
    elif isinstance(index, (int, np.integer, shapes.Dimension)) or _is_index_like(index):
        return
    raise misuse(TypeError(
        'Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/'
        f'tf.int64 tensors are valid indices, got {index!r}\n  Hint: tf.gather(x, indices) takes a '
        'list of positions, tf.boolean_mask(x, mask) a mask.'))


def _is_index_like(index):
    """True for a Variable or similar object that converts to an integer scalar."""
    if isinstance(index, np.ndarray):
        return index.ndim == 0 and index.dtype.kind in 'iu'
    dtype = getattr(index, 'dtype', None)
    return isinstance(dtype, dtypes.DType) and dtype.base_dtype in INDEX


Tensor.__getitem__ = get_item
