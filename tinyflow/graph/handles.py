"""Handles of resource variables: which VarHandleOp a tensor of dtype resource stands for.

A handle is a scalar; dtype and shape of the value behind it are attributes of its VarHandleOp.
Queues, tables and iterators have handles too, which are ordinary values.
"""
from __future__ import annotations

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import DType, resource
from tinyflow.graph.operation import Operation, Tensor


def variable_of(handle: Tensor) -> Operation | None:
    """The VarHandleOp that `handle` comes from, through functions that capture it, or None."""
    tensor: Tensor | None = handle
    while tensor is not None and tensor.dtype is resource:
        operation = tensor.op
        if operation.type == 'VarHandleOp':
            return operation
        if operation.type == 'Identity':
            tensor = operation.inputs[0]
        elif operation.inputs or operation.graph.outer_graph is None:
            return None
        else:
            tensor = operation.graph.source_of(tensor)
    return None


def is_place(tensor: Tensor) -> bool:
    """True if a tensor stands for the storage of a Variable, of either kind."""
    dtype = tensor.dtype
    return dtype.is_ref or dtype is resource and variable_of(tensor) is not None


def place_dtype(place: Operation) -> DType:
    """The dtype of the value that a VariableV2 or VarHandleOp keeps."""
    if place.type == 'VarHandleOp':
        return place.attrs['dtype'].base_dtype
    return place.outputs[0].dtype.base_dtype


def place_shape(place: Operation) -> shapes.Shape:
    """The static shape of the value that a VariableV2 or VarHandleOp keeps."""
    if place.type == 'VarHandleOp':
        return shapes.raw(place.attrs['shape'])
    return place.outputs[0].raw_shape


def shape_behind(handle: Tensor) -> shapes.Shape:
    """The static shape of the value behind a handle, None if it is not known."""
    place = variable_of(handle)
    return None if place is None else place_shape(place)


def dtype_behind(handle: Tensor) -> DType | None:
    """The dtype of the value behind a handle, None if it is not known."""
    place = variable_of(handle)
    return None if place is None else place_dtype(place)
