"""TensorArray: a list of tensors to be written and read by index, mostly inside loops.

Each write returns a new TensorArray; its value is a list in the graph (tensor_lists.py).
TF 1.15 makes the same nodes after enable_control_flow_v2().
"""
from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.v1_v2_switches import ControlFlow
from tinyflow.ops.array import constants, identity_and_cast
from tinyflow.ops.control_flow import grouping, tensor_lists
from tinyflow.ops.math import arithmetic
from tinyflow.ops.random import tf1_node_count

__all__ = ['TensorArray']

# What the nodes and scopes of functional control flow are called in TensorFlow 1's older form.
_V1_NAMES = {
    'TensorArrayV2': 'TensorArray', 'TensorArrayV2Read': None,
    'TensorArrayV2Stack': 'TensorArrayStack', 'TensorArrayV2Write': 'TensorArrayWrite',
    'TensorListConcatV2': 'TensorArrayConcatV3', 'TensorListFromTensor': 'TensorArrayScatterV3',
    'TensorListGather': 'TensorArrayGatherV3', 'TensorListGetItem': 'TensorArrayReadV3',
    'TensorListLength': 'TensorArraySizeV3',
    'TensorListScatterIntoExistingList': 'TensorArrayScatterV3',
    'TensorListSetItem': 'TensorArrayWriteV3', 'TensorListSplit': 'TensorArraySplitV3',
    'TensorListStack': 'TensorArrayGatherV3'}


def _called(name, kind):
    return name or (kind if ControlFlow.v2_names else _V1_NAMES[kind])


def _scope(name, kind):
    called = kind if ControlFlow.v2_names else _V1_NAMES[kind]
    return name_scope(name, called) if called else nullcontext()


class TensorArray:
    """A list of `size` tensors of one dtype, each of which is written before it is read.

    ``array = array.write(i, x)``: a write returns a new TensorArray, and only that one has the
    element. With `dynamic_size` a write past the end makes it longer. `infer_shape` requires
    elements of equal shape, `element_shape` is the (partial) static shape. The other arguments are
    accepted for TF1 programs and need not be set.

    Raises ValueError without `size` (unless `flow`, the value of another TensorArray, is given).
    """

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None,
                 tensor_array_name=None, handle=None, flow=None, infer_shape=True,
                 element_shape=None, colocate_with_first_write_call=True, name=None):
        if handle is not None:
            raise misuse(ValueError('TensorArray(handle=...): a TensorArray of tinyflow has no '
                                    'handle, only a flow.'))
        if (flow is None) == (size is None):
            raise misuse(ValueError('Size must be provided if flow is not provided'
                                    if flow is None else
                                    'Cannot provide both a flow and size at the same time'))
        if flow is not None and (not isinstance(flow, Tensor)
                                 or flow.dtype is not dtypes.variant):
            raise misuse(TypeError('flow must be a variant tensor'))
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        # In a list, because all TensorArrays derived from one another share it.
        self._shape = [shapes.raw(element_shape)]
        # TF1's nodes for the handle in loops; see tf1_node_count.py.
        self._handle, self._home = object(), get_default_graph()
        tf1_node_count.add(0 if size is None else -1)
        with _scope(name, 'TensorArrayV2') as scope:
            self._flow = flow if flow is not None else tensor_lists.TensorListReserve.apply(
                tensor_lists.shape_input(element_shape), size, element_dtype=self._dtype,
                name=scope)

    # ---- properties ----------------------------------------------------------------------

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._dtype

    @property
    def flow(self):
        """The tensor (dtype variant) that holds the list."""
        return self._flow

    @property
    def handle(self):
        """None: there is only the flow."""
        return None

    @property
    def element_shape(self):
        """What is known of the elements' shape."""
        return shapes.TensorShape(self._shape[0])

    def _nest_parts(self):
        return [self._flow], self._with_flow

    def _with_flow(self, flow):
        """The same TensorArray with another value."""
        other = object.__new__(TensorArray)
        other.__dict__.update(self.__dict__, _flow=flow)
        return other

    def __repr__(self):
        return (f'<tf.TensorArray of {self._dtype.name} {shapes.text(self._shape[0])}, flow '
                f'{self._flow.name!r}>')

    def _learn_shape(self, shape, value):
        if not shapes.compatible(self._shape[0], shape):
            raise misuse(ValueError(report(
                f'Inconsistent shapes: saw {shapes.text(shape)} but expected '
                f'{shapes.text(self._shape[0])} for the elements of a TensorArray.',
                inputs=[('value', value)],
                hint='TensorArray(..., infer_shape=False) takes elements of several shapes.')))
        if self._infer_shape:
            self._shape[0] = shapes.merge(self._shape[0], shape)

    def _value(self, value):
        value = convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
        if value.dtype.base_dtype is not self._dtype:
            raise misuse(ValueError(report(
                f'TensorArray dtype is {self._dtype.name} but value has dtype '
                f'{value.dtype.base_dtype.name}', inputs=[('value', value)],
                hint=f'tf.cast(value, tf.{self._dtype.name}).')))
        return value

    def _count(self, more):
        """Counts `more` nodes of TF1, and those that bring the handle into a loop or branch."""
        tf1_node_count.enter_here(self._handle, self._home)
        tf1_node_count.enter_here(self._flow, self._flow.op.graph)
        tf1_node_count.add(more)

    # ---- elements ------------------------------------------------------------------------

    def read(self, index, name=None):
        """The element at `index`."""
        self._count(-1)
        with _scope(name, 'TensorArrayV2Read'):
            return tensor_lists.TensorListGetItem.apply(
                self._flow, index, tensor_lists.shape_input(self._shape[0]),
                element_dtype=self._dtype, name=_called(name, 'TensorListGetItem'))

    def write(self, index, value, name=None):
        """A TensorArray with `value` at `index`."""
        self._count(0)
        with _scope(name, 'TensorArrayV2Write'):
            value = self._value(value)
            self._learn_shape(value.raw_shape, value)
            flow = self._flow
            if self._dynamic_size:
                with tf1_node_count.counted_as(0):
                    flow = self._grown(index)
            return self._with_flow(
                tensor_lists.TensorListSetItem.apply(
                flow, index, value, name=_called(name, 'TensorListSetItem')))

    def _grown(self, index):
        """The list, made longer if `index` is beyond its end."""
        size = tensor_lists.TensorListLength.apply(self._flow)
        return tensor_lists.TensorListResize.apply(
            self._flow, arithmetic.maximum(size, arithmetic.add(index, 1)))

    def stack(self, name=None):
        """All elements as one tensor.

        Shapes: elements [*element] -> [size, *element].
        """
        self._count(3)
        with _scope(name, 'TensorArrayV2Stack'):
            return tensor_lists.TensorListStack.apply(
                self._flow, tensor_lists.shape_input(self._shape[0]), element_dtype=self._dtype,
                name=_called(None if ControlFlow.v2_names else name, 'TensorListStack'))

    def gather(self, indices, name=None):
        """The elements at `indices` as one tensor [number of indices, *element]."""
        self._count(-1)
        return tensor_lists.TensorListGather.apply(
            self._flow, indices, tensor_lists.shape_input(self._shape[0]),
            element_dtype=self._dtype, name=_called(name, 'TensorListGather'))

    def concat(self, name=None):
        """All elements joined along their first axis."""
        self._count(-2)
        raw = self._shape[0]
        lengths = constants.constant(np.zeros(0, np.int64))
        return tensor_lists.TensorListConcatV2.apply(
            self._flow, tensor_lists.shape_input(None if raw is None else (None, *raw[1:])),
            lengths, element_dtype=self._dtype, name=_called(name, 'TensorListConcatV2'))[0]

    def unstack(self, value, name=None):
        """A TensorArray of the rows of `value`."""
        # TF1 converts the value again to get the number of rows.
        self._count(7 if hasattr(value, 'dtype') and not isinstance(value, np.ndarray) else 8)
        with name_scope(name, 'TensorArrayUnstack', [self._flow, value]):
            value = self._value(value)
            rows = None if value.raw_shape is None else value.raw_shape[1:]
            self._learn_shape(rows, value)
            with nullcontext() if ControlFlow.v2_names else name_scope(name, 'TensorArrayScatter'):
                return self._with_flow(tensor_lists.TensorListFromTensor.apply(
                    value, tensor_lists.shape_input(rows),
                    name=_called(None if ControlFlow.v2_names else name, 'TensorListFromTensor')))

    def scatter(self, indices, value, name=None):
        """A TensorArray with the rows of `value` at `indices`."""
        self._count(0)
        with name_scope(name, 'TensorArrayScatter', [self._flow, value, indices]):
            value = self._value(value)
            self._learn_shape(None if value.raw_shape is None else value.raw_shape[1:], value)
            indices = convert_to_tensor(indices, dtypes.int32,
                                        'TensorListScatterIntoExistingList/indices')
            return self._with_flow(tensor_lists.TensorListScatterIntoExistingList.apply(
                self._flow, value, indices,
                name=_called(None if ControlFlow.v2_names else name,
                             'TensorListScatterIntoExistingList')))

    def split(self, value, lengths, name=None):
        """A TensorArray of the pieces of `value` along its first axis, of the given lengths."""
        self._count(-1)
        with name_scope(name, 'TensorArraySplit', [self._flow, value, lengths]):
            value = self._value(value)
            lengths = constants.cast(lengths, dtypes.int64)
            known = constant_value(lengths)
            if known is not None and value.raw_shape and known.size and known.min() == known.max():
                self._learn_shape((int(known.flat[0]), *value.raw_shape[1:]), value)
            return self._with_flow(tensor_lists.TensorListSplit.apply(
                value, tensor_lists.shape_input(self._shape[0]), lengths,
                name=_called(name, 'TensorListSplit')))

    def size(self, name=None):
        """The number of elements, an int32 scalar."""
        self._count(0)
        return tensor_lists.TensorListLength.apply(
            self._flow, name=_called(name, 'TensorListLength'))

    def identity(self):
        """A TensorArray of the same elements, as a separate node."""
        return self._with_flow(identity_and_cast.identity(self._flow))

    def grad(self, source, flow=None, name=None):
        """Not implemented: tf.gradients differentiates TensorArrays itself."""
        raise NotImplementedError('TensorArray.grad: tf.gradients goes through TensorArrays by '
                                  'itself.')

    def close(self, name=None):
        """Does nothing: memory goes with the value."""
        return grouping.no_op(name=name)
