"""TensorList ops: lists of tensors as graph values, used by TensorArray and loop gradients.

A list is a scalar of dtype variant. Every op leaves its input list unchanged and returns a new one;
see persistent_list.py for why that is cheap. The op types are those of TF's list_ops.
"""
from __future__ import annotations

import functools

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op, nodes
from tinyflow.graph.support.errors import InvalidArgumentError, OpFailure
from tinyflow.ops.control_flow.persistent_list import ElementList

_SHAPE = {'element_shape': (0, 1)}
# Where elements are read, the list arrives as what is known of their shape (see Value.static).
_READS = {'input_handle': None, **_SHAPE}


def wrapped(value) -> np.ndarray:
    """A Python object as a scalar array, which is how values of dtype variant travel."""
    array = np.empty((), np.object_)
    array[()] = value
    return array


def elements(handle) -> ElementList:
    """The list in an array of dtype variant."""
    found = handle[()] if isinstance(handle, np.ndarray) else handle
    if not isinstance(found, ElementList):
        raise ValueError(f'expected a list of tensors, not {type(found).__name__}')
    return found


def shape_input(shape):
    """A partial shape as the input `element_shape`: -1 where a size, or all, is unknown.

    The shape of scalars is made a tensor here, a separate node as in TF.
    """
    raw = shapes.raw(shape)
    return convert_to_tensor(_shape_array(raw)) if raw == () else _shape_array(raw)


def _shape_array(raw) -> np.ndarray:
    if raw is None:
        return np.array(-1, np.int32)
    return np.array([-1 if s is None else s for s in raw], np.int32)


def _raw(element_shape):
    """The input `element_shape` (int or tuple) as a shape."""
    if element_shape is None or isinstance(element_shape, int):
        return None
    return tuple([None if s is None or s < 0 else s for s in element_shape])


def _merged(one, other):
    try:
        return shapes.merge(one, other)
    except ValueError:
        raise ValueError(f'the list has elements of shape {shapes.text(one)}, not '
                         f'{shapes.text(other)}') from None


def check_element(items: ElementList, shape) -> None:
    if items.shape is not None and not shapes.compatible(items.shape, shape):
        raise ValueError(
            f'Tried to set a tensor with incompatible shape at a list index. Item element shape: '
            f'{shapes.text(shape)} list shape: {shapes.text(items.shape)}')


def unset_element(items: ElementList, shape):
    """The zeros read for an element that was never set."""
    shape = _merged(items.shape, shape)
    if not shapes.known(shape):
        known = next((e.shape for e in items.items().values() if hasattr(e, 'shape')), None)
        if known is None:
            raise OpFailure('Trying to read an element that was never written, and its shape is '
                            f'not known ({shapes.text(shape)})',
                            'write every element before, or give element_shape.')
        shape = _merged(shape, known)
    if items.dtype.np is None or items.dtype.kind == 'O':
        if items.dtype is dtypes.string:
            return np.full(shape, b'', np.object_)
        return wrapped(ElementList(0, dtypes.float32, None))
    return np.zeros(shape, items.dtype.np)


def _element(items: ElementList, index: int, shape=None):
    if not 0 <= index < items.length:
        raise InvalidArgumentError(None, None, f'Trying to access element {index} in a list with '
                                               f'{items.length} elements.')
    found = items.get(index)
    return unset_element(items, shape) if found is None else found


def _piece(items: ElementList, index: int, shape, lengths):
    """An element to be joined; one never written is zeros of its length in `lengths`."""
    present = items.get(index)
    if present is None and index < len(lengths):
        others = next(iter(items.items().values()), None)
        rest = shape[1:] if shape else () if others is None else others.shape[1:]
        shape = (int(lengths[index]), *rest)
    return _element(items, index, shape)


def _stacked(items: ElementList, indices, shape):
    """All elements at `indices` as one array."""
    shape = _merged(items.shape, shape)
    found = [_element(items, i, shape) for i in indices]
    if not found:
        if not shapes.known(shape):
            raise ValueError('Tried to stack elements of an empty list with non-fully-defined '
                             f'element_shape: {shapes.text(shape)}')
        return np.empty((0, *shape), items.dtype.np)
    first = found[0].shape
    for e in found:
        if e.shape != first:
            raise ValueError('Tried to stack elements of a list with elements of unequal shapes: '
                             f'{list(first)} and {list(e.shape)}')
    return np.stack(found)


class _ListOp(Op, abstract=True):
    """Base: lists are not merged or folded, since versions are cheap only while few are kept."""

    def shape(*inputs):
        return ()


class EmptyTensorList(_ListOp):
    """A list without elements."""

    signature = 'element_shape: shape_type, max_num_elements: int32 -> handle: variant'
    types = {'shape_type': dtypes.INDEX}
    attrs = {'element_dtype': REQUIRED, 'shape_type': None}
    static = _SHAPE
    gradient = NOT_DIFFERENTIABLE

    def kernel(element_shape, max_num_elements, *, element_dtype):
        return wrapped(ElementList(0, element_dtype, _raw(element_shape)))


class TensorListReserve(_ListOp):
    """A list of elements that are not set yet."""

    signature = 'element_shape: shape_type, num_elements: int32 -> handle: variant'
    types = {'shape_type': dtypes.INDEX}
    attrs = {'element_dtype': REQUIRED, 'shape_type': None}
    static = _SHAPE
    gradient = NOT_DIFFERENTIABLE

    def kernel(element_shape, num_elements, *, element_dtype):
        size = int(num_elements)
        if size < 0:
            raise ValueError(f'The num_elements to reserve must be a non negative number, but got '
                             f'{size}')
        return wrapped(ElementList(size, element_dtype, _raw(element_shape)))


class TensorListPushBack(_ListOp):
    """The list with one more element at its end."""

    signature = 'input_handle: variant, tensor: element_dtype -> output_handle: variant'
    attrs = {'element_dtype': None}
    keeps = (1,)

    def kernel(input_handle, tensor):
        items = elements(input_handle)
        check_element(items, tensor.shape)
        return wrapped(items.set(items.length, tensor))

    def gradient(op, grad):
        return nodes.TensorListPopBack(grad, shape_input(op.inputs[1].shape),
                                       element_dtype=op.attrs['element_dtype'])


class TensorListPopBack(Op):
    """The list without its last element, and that element."""

    signature = ('input_handle: variant, element_shape: int32 '
                 '-> output_handle: variant, tensor: element_dtype')
    attrs = {'element_dtype': REQUIRED}
    static = _READS
    partial_rank = True

    def shape(input_handle, element_shape):
        return [(), _merged(_raw(element_shape), input_handle)]

    def kernel(input_handle, element_shape):
        items = elements(input_handle)
        if not items.length:
            raise InvalidArgumentError(None, None, 'Trying to pop from an empty list')
        rest, last = items.pop()
        return wrapped(rest), unset_element(items, _raw(element_shape)) if last is None else last

    def gradient(op, list_grad, grad):
        if list_grad is None:
            list_grad = nodes.EmptyTensorList(shape_input(op.outputs[1].shape), -1,
                                              element_dtype=op.attrs['element_dtype'])
        if grad is None:
            grad = nodes.ZerosLike(op.outputs[1])
        return nodes.TensorListPushBack(list_grad, grad), None


class TensorListLength(Op):
    """How many elements a list has."""

    signature = 'input_handle: variant -> length: int32'
    gradient = NOT_DIFFERENTIABLE

    def shape(input_handle):
        return ()

    def kernel(input_handle):
        return np.array(elements(input_handle).length, np.int32)


class TensorListElementShape(Op):
    """What is known of the elements' shape: -1 where a size is unknown."""

    signature = 'input_handle: variant -> element_shape: shape_type'
    attrs = {'shape_type': REQUIRED}
    gradient = NOT_DIFFERENTIABLE

    def kernel(input_handle, *, shape_type):
        return _shape_array(elements(input_handle).shape).astype(shape_type.np)


class TensorListResize(_ListOp):
    """The list with another length."""

    signature = 'input_handle: variant, size: int32 -> output_handle: variant'

    def kernel(input_handle, size):
        items, size = elements(input_handle), int(size)
        return wrapped(items if size == items.length else items.resized(size))

    def gradient(op, grad):
        return nodes.TensorListResize(grad, nodes.TensorListLength(op.inputs[0])), None


class TensorListGetItem(Op):
    """One element."""

    signature = 'input_handle: variant, index: int32, element_shape: int32 -> item: element_dtype'
    attrs = {'element_dtype': REQUIRED}
    static = _READS
    partial_rank = True

    def shape(input_handle, index, element_shape):
        return _merged(_raw(element_shape), input_handle)

    def kernel(input_handle, index, element_shape):
        items = elements(input_handle)
        found = _element(items, int(index), _raw(element_shape))
        _merged(_raw(element_shape), found.shape)
        return found

    def gradient(op, grad):
        size = nodes.TensorListLength(op.inputs[0])
        empty = nodes.TensorListReserve(shape_input(op.outputs[0].shape), size,
                                        element_dtype=op.attrs['element_dtype'])
        return nodes.TensorListSetItem(empty, op.inputs[1], grad), None, None


class TensorListSetItem(_ListOp):
    """The list with another element at an index."""

    signature = ('input_handle: variant, index: int32, item: element_dtype '
                 '-> output_handle: variant')
    attrs = {'element_dtype': None}
    keeps = (2,)

    def kernel(input_handle, index, item):
        items, index = elements(input_handle), int(index)
        if not 0 <= index < items.length:
            raise OpFailure(f'Trying to modify element {index} in a list with {items.length} '
                            'elements.',
                            'size=... is how many a TensorArray holds; with dynamic_size=True it '
                            'grows.')
        check_element(items, item.shape)
        return wrapped(items.set(index, item))

    def gradient(op, grad):
        _, index, item = op.inputs
        without = nodes.TensorListSetItem(grad, index, nodes.ZerosLike(item))
        element = nodes.TensorListGetItem(grad, index, shape_input(item.shape),
                                          element_dtype=op.attrs['element_dtype'])
        return without, None, element


class TensorListStack(Op):
    """All elements as one tensor [length, *element]."""

    signature = 'input_handle: variant, element_shape: int32 -> tensor: element_dtype'
    attrs = {'element_dtype': REQUIRED, 'num_elements': -1}
    static = _READS
    partial_rank = True

    def shape(input_handle, element_shape, *, num_elements):
        raw = _merged(_raw(element_shape), input_handle)
        return None if raw is None else (None if num_elements < 0 else num_elements, *raw)

    def kernel(input_handle, element_shape):
        items = elements(input_handle)
        return _stacked(items, range(items.length), _raw(element_shape))

    def gradient(op, grad):
        return nodes.TensorListFromTensor(grad, _inner(grad)), None


class TensorListFromTensor(_ListOp):
    """The list of a tensor's rows."""

    signature = ('tensor: element_dtype, element_shape: shape_type -> output_handle: variant')
    types = {'shape_type': dtypes.INDEX}
    attrs = {'element_dtype': None, 'shape_type': None}
    static = _SHAPE
    keeps = (0,)

    def kernel(tensor, element_shape, *, element_dtype):
        if not tensor.ndim:
            raise ValueError('Tensor must be at least a vector, but saw shape: []')
        return wrapped(ElementList.of([tensor[i, ...] for i in range(len(tensor))], element_dtype,
                                      tensor.shape[1:]))

    def gradient(op, grad):
        tensor = op.inputs[0]
        raw = tensor.raw_shape
        return nodes.TensorListStack(
            grad, np.array(-1, np.int32) if raw is None else shape_input(raw[1:]),
            element_dtype=op.attrs['element_dtype'],
            num_elements=-1 if not raw or raw[0] is None else raw[0]), None


class TensorListGather(Op):
    """The elements at some indices as one tensor [number of indices, *element]."""

    signature = ('input_handle: variant, indices: int32, element_shape: int32 '
                 '-> values: element_dtype')
    attrs = {'element_dtype': REQUIRED}
    static = _READS
    partial_rank = True

    def shape(input_handle, indices, element_shape):
        raw = _merged(_raw(element_shape), input_handle)
        return None if raw is None else (None if indices is None else indices[0], *raw)

    def kernel(input_handle, indices, element_shape):
        return _stacked(elements(input_handle), indices.tolist(), _raw(element_shape))

    def gradient(op, grad):
        size = nodes.TensorListLength(op.inputs[0])
        return nodes.TensorListScatterV2(grad, op.inputs[1], _inner(grad), size), None, None


def _scattered(items: ElementList, tensor, indices) -> ElementList:
    rows = np.array(tensor)
    if len(indices) > len(rows):
        raise ValueError(f'{len(indices)} indices for {len(rows)} rows')
    for i, index in enumerate(indices.tolist()):
        if index < 0:
            raise ValueError('Indices in TensorListScatter must all be non-negative.')
        items = items.set(index, rows[i, ...])
    return items


class TensorListScatterV2(_ListOp):
    """A list with a tensor's rows at some indices."""

    signature = ('tensor: element_dtype, indices: int32, element_shape: shape_type, '
                 'num_elements: int32 -> output_handle: variant')
    types = {'shape_type': dtypes.INDEX}
    attrs = {'element_dtype': None, 'shape_type': None}
    static = _SHAPE

    def kernel(tensor, indices, element_shape, num_elements, *, element_dtype):
        size = max(int(num_elements), 0)
        return wrapped(_scattered(ElementList(size, element_dtype, _raw(element_shape)),
                                  tensor, indices))

    def gradient(op, grad):
        return _rows_at(op, grad), None, None, None


class TensorListScatterIntoExistingList(_ListOp):
    """The list with a tensor's rows put at some indices."""

    signature = ('input_handle: variant, tensor: element_dtype, indices: int32 '
                 '-> output_handle: variant')
    attrs = {'element_dtype': None}

    def kernel(input_handle, tensor, indices):
        return wrapped(_scattered(elements(input_handle), tensor, indices))

    def gradient(op, grad):
        _, tensor, indices = op.inputs
        rows = nodes.TensorListGather(grad, indices, _row_shape(tensor),
                                      element_dtype=op.attrs['element_dtype'])
        without = nodes.TensorListScatterIntoExistingList(grad, nodes.ZerosLike(tensor), indices)
        return without, rows, None


class TensorListConcatV2(Op):
    """All elements joined along their first axis, and the lengths they had."""

    signature = ('input_handle: variant, element_shape: shape_type, leading_dims: int64 '
                 '-> tensor: element_dtype, lengths: int64')
    types = {'shape_type': dtypes.INDEX}
    attrs = {'element_dtype': REQUIRED, 'shape_type': None}
    static = _SHAPE
    partial_rank = True

    def shape(input_handle, element_shape, leading_dims):
        raw = _raw(element_shape)
        return [None if raw is None else (None, *raw[1:]), (None,)]

    def kernel(input_handle, element_shape, leading_dims, *, element_dtype):
        items = elements(input_handle)
        found = [_piece(items, i, _raw(element_shape), leading_dims)
                 for i in range(items.length)]
        if any(not e.ndim for e in found):
            raise OpFailure('Concat saw a scalar shape', 'stack() joins scalars.')
        lengths = np.array([len(e) for e in found], np.int64)
        if found:
            return np.concatenate(found), lengths
        raw = _raw(element_shape)
        if raw is None or not shapes.known(raw[1:]):
            raise ValueError('All except the first dimension must be fully defined when concating '
                             'an empty tensor list.')
        return np.empty((0, *raw[1:]), element_dtype.np), lengths

    def gradient(op, grad, lengths_grad):
        shape = op.outputs[0].raw_shape
        return nodes.TensorListSplit(
            grad, np.array(-1, np.int32) if shape is None else shape_input((None, *shape[1:])),
            op.outputs[1]), None, None


class TensorListSplit(_ListOp):
    """The list of a tensor's pieces along its first axis, of the given lengths."""

    signature = ('tensor: element_dtype, element_shape: shape_type, lengths: int64 '
                 '-> output_handle: variant')
    types = {'shape_type': dtypes.INDEX}
    attrs = {'element_dtype': None, 'shape_type': None}
    static = _SHAPE

    def kernel(tensor, element_shape, lengths, *, element_dtype):
        if lengths.sum() != len(tensor):
            raise ValueError(f'Values have {len(tensor)} rows, the lengths add up to '
                             f'{int(lengths.sum())}')
        pieces = np.split(np.array(tensor), np.cumsum(lengths)[:-1])
        return wrapped(ElementList.of(pieces[:len(lengths)], element_dtype, _raw(element_shape)))

    def gradient(op, grad):
        shape = op.inputs[0].raw_shape
        joined = nodes.TensorListConcatV2(
            grad, np.array(-1, np.int32) if shape is None else shape_input((None, *shape[1:])),
            op.inputs[2], element_dtype=op.attrs['element_dtype'])
        return joined[0], None, None


def _row_shape(tensor):
    raw = tensor.raw_shape
    return np.array(-1, np.int32) if raw is None else shape_input(raw[1:])


def _inner(tensor):
    """The shape of a tensor's rows, as a constant where it is known, else computed."""
    raw = tensor.raw_shape
    if raw is not None and shapes.known(raw[1:]):
        return shape_input(raw[1:])
    return nodes.StridedSlice(nodes.Shape(tensor), [1], [0], [1], end_mask=1)


def _rows_at(op, grad):
    tensor, indices = op.inputs[0], op.inputs[1]
    return nodes.TensorListGather(grad, indices, _row_shape(tensor),
                                  element_dtype=op.attrs['element_dtype'])


# ---- sums and zeros, for AddN and ZerosLike --------------------------------------------------

class OptionalTensor:
    """The value of an Optional: a tuple of arrays, None if it has no value."""

    __slots__ = ('components',)

    def __init__(self, components: tuple | None = None) -> None:
        self.components = components


def is_list(array) -> bool:
    """True for an array of dtype variant that holds a list or an Optional."""
    return array.ndim == 0 and isinstance(array[()], (ElementList, OptionalTensor))


def total(handles) -> np.ndarray:
    """The sum of several lists, element by element, or of several Optionals."""
    if isinstance(handles[0][()], OptionalTensor):
        return wrapped(OptionalTensor(_total_optional([handle[()] for handle in handles])))
    first, *others = map(elements, handles)
    for other in others:
        first = _added(first, other)
    return wrapped(first)


def _total_optional(optionals):
    """The sum of the components of several Optionals; all or none must have a value."""
    values = [o.components if isinstance(o, OptionalTensor) else o for o in optionals]
    if all(value is None for value in values):
        return None
    if not all(isinstance(value, tuple) for value in values):
        raise ValueError('an Optional with a value can be added only to others with a value')
    return tuple([functools.reduce(_sum, parts) for parts in zip(*values)])


def _added(one: ElementList, other: ElementList) -> ElementList:
    """Element-wise sum; an element that is not set counts as zero."""
    if one.count < other.count:
        one, other = other, one
    if other.length > one.length:
        one = one.resized(other.length)
    for i, element in other.items().items():
        present = one.get(i)
        one = one.set(i, element if present is None else _sum(present, element))
    return one


def _sum(a, b):
    return total([a, b]) if a.dtype == np.object_ else np.asarray(a + b)


def zeros_like(handle) -> np.ndarray:
    """A list of the same length whose elements are zero, or such an Optional."""
    if isinstance(handle[()], OptionalTensor):
        components = handle[()].components
        return wrapped(OptionalTensor(components and tuple([_zeros_of(c) for c in components])))
    items = elements(handle)
    return wrapped(ElementList(items.length, items.dtype, items.shape,
                               {i: _zeros_of(e) for i, e in items.items().items()}))


def _zeros_of(element):
    return zeros_like(element) if element.dtype == np.object_ else np.zeros_like(element)
