"""Tensors as byte strings (TensorProto protocol buffers) and back."""
from __future__ import annotations

import numpy as np

from tinyflow.formats.wire.tensors import array_from, fill_tensor, shape_proto
from tinyflow.graph import dtypes
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure

__all__ = ['parse_tensor', 'serialize_tensor']


class SerializeTensor(Op):
    """The bytes of a TensorProto that holds `tensor`."""

    signature = 'tensor: T -> serialized: string'

    def shape(tensor):
        return ()

    partial_rank = True

    def kernel(tensor):
        from tinyflow.formats.protos.tensor_pb2 import TensorProto  # start-up time
        array, proto = np.asarray(tensor), TensorProto()
        if array.dtype == object:
            fill_tensor(proto, array, dtypes.string)
        else:                           # the bytes as they are, however few
            proto.dtype = dtypes.as_dtype(array.dtype).as_datatype_enum
            proto.tensor_shape.CopyFrom(shape_proto(array.shape))
            proto.tensor_content = array.astype(array.dtype.newbyteorder('<')).tobytes()
        return np.array(proto.SerializeToString(deterministic=True), object)


class ParseTensor(Op):
    """The tensor of dtype `out_type` that a serialized TensorProto holds."""

    signature = 'serialized: string -> output: out_type'
    attrs = {'out_type': REQUIRED}

    def shape(serialized):
        return None

    def kernel(serialized, *, out_type):
        from google.protobuf.message import DecodeError  # start-up time

        from tinyflow.formats.protos import tensor_pb2  # start-up time
        if serialized.ndim:
            raise OpFailure('Expected `serialized` to be a scalar, got shape: '
                            f'{list(serialized.shape)}',
                            'tf.map_fn, or tf.data, for several.')
        try:
            proto = tensor_pb2.TensorProto.FromString(serialized[()])
        except DecodeError:
            raise OpFailure('Could not parse `serialized` as TensorProto: it is not one, or '
                            'damaged.',
                            'what tf.io.serialize_tensor gives; for raw bytes: '
                            'tf.decode_raw.') from None
        if proto.dtype != out_type.as_datatype_enum:
            raise OpFailure(f'Type mismatch between parsed tensor ({_name(proto.dtype)}) and '
                            f'dtype ({out_type.name})',
                            'out_type is the dtype that was serialized.')
        return array_from(proto)


def _name(number):
    try:
        return dtypes.as_dtype(number).name
    except TypeError:
        return f'number {number}'


def serialize_tensor(tensor, name=None):
    """The bytes of a TensorProto that holds `tensor`. Shapes: tensor [*a] -> [] string."""
    return SerializeTensor.apply(tensor, name=name)


def parse_tensor(serialized, out_type, name=None):
    """The tensor in the bytes of `serialize_tensor`.

    Shapes: serialized [] string -> [*a] of dtype `out_type`. Raises InvalidArgumentError for other
    bytes and for another dtype.
    """
    return ParseTensor.apply(serialized, out_type=dtypes.as_dtype(out_type), name=name)
