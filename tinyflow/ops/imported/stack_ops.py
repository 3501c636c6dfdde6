"""Stacks and TensorArrays of TensorFlow 1's while loops (v1 control flow); only in imported graphs.

A handle is a scalar of dtype resource that holds the object, created in every run. The float
scalar "flow" of a TensorArray carries nothing: it orders its reads after its writes.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import InvalidArgumentError
from tinyflow.ops.control_flow.tensor_lists import wrapped

_NO_FLOW = np.zeros((), np.float32)
_NO_FLOW.flags.writeable = False


class _Stateful(Op, abstract=True):
    pure = False
    partial_rank = True


# ---- stacks -------------------------------------------------------------------------------


class StackV2(_Stateful):
    """A new, empty stack: the values of an old loop's iterations, for its gradient."""

    signature = 'max_size: int32 -> handle: resource'
    attrs = {'elem_type': REQUIRED, 'stack_name': ''}

    def shape(max_size):
        return ()

    def kernel(max_size):
        return wrapped([])


class StackPushV2(_Stateful):
    """Pushes a value on a stack, and returns it."""

    signature = 'handle: resource, elem: T -> output: T'
    attrs = {'swap_memory': False}

    def shape(handle, elem):
        return elem

    def kernel(handle, elem):
        handle[()].append(elem.copy())
        return elem.copy()                  # consumers may overwrite it


class StackPopV2(_Stateful):
    """Pops the value pushed last."""

    signature = 'handle: resource -> elem: elem_type'
    attrs = {'elem_type': REQUIRED}

    def shape(handle):
        return None

    def kernel(handle):
        if not handle[()]:
            raise InvalidArgumentError(None, None, 'A stack of a loop is empty when its gradient '
                                       'requests one more value.')
        return handle[()].pop()


class StackCloseV2(_Stateful):
    """Empties a stack."""

    signature = 'handle: resource ->'

    def shape(handle):
        return None

    def kernel(handle):
        handle[()].clear()


# ---- TensorArrays -------------------------------------------------------------------------


class _Array:
    """The elements of a TensorArray; that of gradients sums what is written."""

    def __init__(self, dtype, size, element_shape, dynamic, adds=False):
        self.dtype = dtype
        self.elements = [None] * size
        self.shape = element_shape
        self.dynamic = dynamic
        self.adds = adds
        self.gradients = {}

    def gradient(self, source):
        """The TensorArray of the gradients of this one's elements, called `source`."""
        value = self.gradients.get(source)
        if value is None:
            value = self.gradients[source] = _Array(self.dtype, len(self.elements), self.shape,
                                                    self.dynamic, adds=True)
            value.shapes = [None if e is None else e.shape for e in self.elements]
        return value

    def write(self, index, value):
        index = int(index)
        if value.dtype != self.dtype.np:
            raise ValueError(f'the TensorArray holds {self.dtype.name}, not {value.dtype}')
        if not shapes.compatible(self.shape, value.shape):
            raise ValueError(f'an element has the shape {shapes.text(self.shape)}, not '
                             f'{shapes.text(value.shape)}')
        if index >= len(self.elements) and self.dynamic:
            self.elements += [None] * (index + 1 - len(self.elements))
        self._check(index)
        old = self.elements[index]
        if old is not None and not self.adds:
            if not np.array_equal(old, value):
                raise ValueError(f'element {index} was written already, with another value; each '
                                 'can be written once')
            return
        self.elements[index] = value.copy() if old is None else old + value

    def read(self, index):
        index = int(index)
        self._check(index)
        value = self.elements[index]
        if value is None:
            return np.zeros(self._shape_of(index), self.dtype.np)
        return value

    def _check(self, index):
        if not 0 <= index < len(self.elements):
            raise InvalidArgumentError(None, None, f'Tried to use element {index} of a TensorArray '
                                       f'of size {len(self.elements)}.')

    shapes = ()

    def _shape_of(self, index):
        """The shape of an element that was never written: that of other elements."""
        known = self.shapes[index] if index < len(self.shapes) else None
        if known is None:
            known = next((e.shape for e in self.elements if e is not None), self.shape)
        if not shapes.known(known):
            raise ValueError(f'element {index} was never written, and its shape is not known')
        return known

    def stack(self, indices, element_shape):
        if len(indices):
            return np.stack([self.read(i) for i in indices])
        known = self.shape if shapes.known(self.shape) else element_shape.raw
        if not shapes.known(known):
            raise ValueError('no elements are requested, and their shape is unknown')
        return np.zeros((0, *known), self.dtype.np)


class TensorArrayV3(_Stateful):
    """A new TensorArray of `size` elements."""

    signature = 'size: int32 -> handle: resource, flow: float32'
    attrs = {'dtype': REQUIRED, 'element_shape': shapes.TensorShape(None), 'dynamic_size': False,
             'clear_after_read': True, 'identical_element_shapes': False, 'tensor_array_name': ''}

    def shape(size):
        return [(2,), ()]

    def kernel(size, *, dtype, element_shape, dynamic_size):
        return wrapped(_Array(dtype, int(size), element_shape.raw, dynamic_size)), _NO_FLOW


class TensorArrayGradV3(_Stateful):
    """The TensorArray of the gradients of another's elements, one for each `source`."""

    signature = 'handle: resource, flow_in: float32 -> grad_handle: resource, flow_out: float32'
    attrs = {'source': REQUIRED}

    def shape(handle, flow_in):
        return [(2,), ()]

    def kernel(handle, flow_in, *, source):
        return wrapped(handle[()].gradient(source)), _NO_FLOW


class TensorArrayWriteV3(_Stateful):
    """Sets one element."""

    signature = 'handle: resource, index: int32, value: T, flow_in: float32 -> flow_out: float32'

    def shape(handle, index, value, flow_in):
        return ()

    def kernel(handle, index, value, flow_in):
        handle[()].write(index, value)
        return _NO_FLOW


class TensorArrayReadV3(_Stateful):
    """One element."""

    signature = 'handle: resource, index: int32, flow_in: float32 -> value: dtype'
    attrs = {'dtype': REQUIRED}

    def shape(handle, index, flow_in):
        return None

    def kernel(handle, index, flow_in):
        return handle[()].read(index)


class TensorArrayGatherV3(_Stateful):
    """The elements at `indices`, as one array."""

    signature = 'handle: resource, indices: int32, flow_in: float32 -> value: dtype'
    attrs = {'dtype': REQUIRED, 'element_shape': shapes.TensorShape(None)}

    def shape(handle, indices, flow_in, *, element_shape):
        rows = indices[0] if indices else None
        return None if element_shape.raw is None else (rows, *element_shape.raw)

    def kernel(handle, indices, flow_in, *, element_shape):
        return handle[()].stack(indices.tolist(), element_shape)


class TensorArrayScatterV3(_Stateful):
    """Sets the elements at `indices` to the rows of an array."""

    signature = 'handle: resource, indices: int32, value: T, flow_in: float32 -> flow_out: float32'

    def shape(handle, indices, value, flow_in):
        return ()

    def kernel(handle, indices, value, flow_in):
        if len(indices) != len(value):
            raise ValueError(f'{len(indices)} indices for {len(value)} rows')
        for index, row in zip(indices.tolist(), value):
            handle[()].write(index, row)
        return _NO_FLOW


class TensorArrayConcatV3(_Stateful):
    """All elements one after the other along their first axis, and their lengths."""

    signature = 'handle: resource, flow_in: float32 -> value: dtype, lengths: int64'
    attrs = {'dtype': REQUIRED, 'element_shape_except0': shapes.TensorShape(None)}

    def shape(handle, flow_in, *, element_shape_except0):
        rest = element_shape_except0.raw
        return [None if rest is None else (None, *rest), (None,)]

    def kernel(handle, flow_in):
        array = handle[()]
        parts = [array.read(i) for i in range(len(array.elements))]
        if not parts:
            raise ValueError('the TensorArray has no elements to concatenate')
        return np.concatenate(parts), np.array([len(p) for p in parts], np.int64)


class TensorArraySplitV3(_Stateful):
    """Sets the elements to pieces of an array, of the given lengths."""

    signature = 'handle: resource, value: T, lengths: int64, flow_in: float32 -> flow_out: float32'

    def shape(handle, value, lengths, flow_in):
        return ()

    def kernel(handle, value, lengths, flow_in):
        if lengths.sum() != len(value):
            raise ValueError(f'the lengths add up to {lengths.sum()}, and there are {len(value)} '
                             'rows')
        for index, part in enumerate(np.split(value, np.cumsum(lengths)[:-1])):
            handle[()].write(index, part)
        return _NO_FLOW


class TensorArraySizeV3(_Stateful):
    """The number of elements."""

    signature = 'handle: resource, flow_in: float32 -> size: int32'

    def shape(handle, flow_in):
        return ()

    def kernel(handle, flow_in):
        return np.array(len(handle[()].elements), np.int32)


class TensorArrayCloseV3(_Stateful):
    """Drops the elements."""

    signature = 'handle: resource ->'

    def shape(handle):
        return None

    def kernel(handle):
        handle[()].elements.clear()
