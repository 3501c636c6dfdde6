"""serialize_sparse and deserialize_sparse: a SparseTensor as a vector of three strings or variants.

Datasets hold their sparse components as variants. The strings are serialized TensorProtos.
"""
from __future__ import annotations

import numpy as np

from tinyflow.formats.wire.tensors import make_ndarray
from tinyflow.graph import dtypes
from tinyflow.graph.object_scalars import BoxedArray
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.files.serialized_tensors import SerializeTensor

__all__ = ['deserialize_many_sparse', 'deserialize_sparse', 'serialize_many_sparse',
           'serialize_sparse']


class SerializeSparse(Op):
    """The indices, values and shape of a sparse tensor, each as one entry."""

    signature = ('sparse_indices: int64, sparse_values: T, sparse_shape: int64 '
                 '-> serialized_sparse: out_type')
    attrs = {'out_type': dtypes.string}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(sparse_indices, sparse_values, sparse_shape):
        return (3,)

    def kernel(sparse_indices, sparse_values, sparse_shape, *, out_type):
        return _packed((sparse_indices, sparse_values, sparse_shape), out_type)


class SerializeManySparse(Op):
    """The rows of a sparse tensor along its first dimension, each serialized."""

    signature = ('sparse_indices: int64, sparse_values: T, sparse_shape: int64 '
                 '-> serialized_sparse: out_type')
    attrs = {'out_type': dtypes.string}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(sparse_indices, sparse_values, sparse_shape):
        return None, 3

    def kernel(sparse_indices, sparse_values, sparse_shape, *, out_type):
        if len(sparse_shape) < 1:
            raise ValueError('a sparse tensor of rank 0 has no rows')
        serialized = np.empty((int(sparse_shape[0]), 3), object)
        rows = sparse_indices[:, 0]
        for i in range(len(serialized)):
            chosen = rows == i
            serialized[i] = _packed((sparse_indices[chosen, 1:], sparse_values[chosen],
                                     sparse_shape[1:]), out_type)
        return serialized


def _packed(parts, out_type):
    packed = np.empty(3, object)
    for i, part in enumerate(parts):
        packed[i] = SerializeTensor.kernel(part).item() if out_type is dtypes.string \
            else BoxedArray(part.copy())
    return packed


class _Deserialize(Op, abstract=True):
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(serialized_sparse):
        if serialized_sparse is not None and serialized_sparse[-1:] not in ((3,), (None,)):
            raise ValueError('Serialized sparse should have 3 as the last dimension')
        return [(None, None), (None,), (None,)]

    def kernel(serialized_sparse, *, dtype):
        return _stacked(serialized_sparse, dtype)


class DeserializeSparse(_Deserialize):
    """Deserializes a vector of three; with more dimensions, stacks the tensors of all vectors."""

    signature = ('serialized_sparse: Tserialized -> sparse_indices: int64, sparse_values: dtype, '
                 'sparse_shape: int64')
    types = {'Tserialized': frozenset((dtypes.string, dtypes.variant))}
    attrs = {'dtype': REQUIRED}


class DeserializeManySparse(_Deserialize):
    """The sparse tensors of the rows of a matrix, stacked."""

    signature = ('serialized_sparse: string -> sparse_indices: int64, sparse_values: dtype, '
                 'sparse_shape: int64')
    attrs = {'dtype': REQUIRED}


def _stacked(serialized, dtype):
    """(indices, values, shape) of all vectors of three, stacked along the outer dimensions."""
    outer = serialized.shape[:-1]
    parts = [[_array(item) for item in row] for row in serialized.reshape(-1, 3)]
    if not parts:
        raise ValueError('there is no sparse tensor to be deserialized: the batch is empty')
    for indices, values, shape in parts:
        if values.dtype != dtype.np:
            raise ValueError(f'Requested SparseTensor of type {dtype.name} but SparseTensor '
                             f'values are {values.dtype}')
        if indices.ndim != 2 or indices.shape != (len(values), len(shape)):
            raise ValueError('the serialized value is not a SparseTensor')
    if not outer:
        return tuple(part.copy() for part in parts[0])
    indices = []
    for number, (inner, _, _) in enumerate(parts):
        position = np.array(np.unravel_index(number, outer), np.int64)
        indices.append(np.concatenate([np.tile(position, (len(inner), 1)), inner], axis=1))
    largest = np.max([shape for _, _, shape in parts], axis=0)
    return (np.concatenate(indices), np.concatenate([values for _, values, _ in parts]),
            np.concatenate([np.array(outer, np.int64), largest.astype(np.int64)]))


def _array(item):
    if isinstance(item, BoxedArray):
        return item.array
    from google.protobuf.message import DecodeError  # start-up time

    from tinyflow.formats.protos.tensor_pb2 import TensorProto  # start-up time
    try:
        return make_ndarray(TensorProto.FromString(item))
    except (DecodeError, TypeError, ValueError):
        raise ValueError('Could not parse serialized_sparse as a TensorProto') from None


# ---- public functions --------------------------------------------------------------------

def _sparse(value):
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    raise misuse(TypeError(f'Input must be a SparseTensor, not {value!r}.'))


def serialize_sparse(sp_input, name=None, out_type=dtypes.string):
    """The indices, values and shape of a SparseTensor as three strings (or variants).

    Shapes: sp_input [*dims] -> [3].
    """
    sparse = _sparse(sp_input)
    return SerializeSparse.apply(sparse.indices, sparse.values, sparse.dense_shape, name=name,
                                 out_type=dtypes.as_dtype(out_type))


def serialize_many_sparse(sp_input, name=None, out_type=dtypes.string):
    """The rows of a SparseTensor, each as three strings (or variants).

    Shapes: sp_input [n, *dims] -> [n, 3].
    """
    sparse = _sparse(sp_input)
    return SerializeManySparse.apply(sparse.indices, sparse.values, sparse.dense_shape, name=name,
                                     out_type=dtypes.as_dtype(out_type))


def deserialize_sparse(serialized_sparse, dtype, rank=None, name=None):
    """The SparseTensor that was serialized; several are stacked.

    Shapes: serialized_sparse [*outer, 3] -> [*outer, *dims], `rank` being that of the result.
    """
    return _with_rank(DeserializeSparse.apply(serialized_sparse, dtype=dtypes.as_dtype(dtype),
                                              name=name), rank)


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """The SparseTensors of the rows of a matrix, stacked.

    Shapes: serialized_sparse [n, 3] -> [n, *dims], `rank` being that of the result.
    """
    return _with_rank(DeserializeManySparse.apply(
        serialized_sparse, dtype=dtypes.as_dtype(dtype), name=name), rank)


def _with_rank(parts, rank):
    indices, values, shape = parts
    if rank is not None:
        indices.set_shape([None, rank])
        shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
