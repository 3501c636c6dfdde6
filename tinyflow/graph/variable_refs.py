"""Which Variable a tensor refers to, for reference Variables and resource Variables.

A tensor of a ref dtype refers to the storage of a VariableV2. A handle (a scalar of dtype resource)
refers to the storage of a VarHandleOp, whose attributes hold dtype and shape of the value. Queues,
tables and iterators have handles too, which are ordinary values. A placeholder of a FuncGraph may
stand for a captured Variable: `variable_of` and `variable_read_by` follow it outwards.
"""
from __future__ import annotations

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import DType, resource
from tinyflow.graph.operation import Operation, Tensor


def handle_variable(handle: Tensor) -> Operation | None:
    """The VarHandleOp that `handle` comes from, also if functions captured it, or None."""
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


def is_variable_ref(tensor: Tensor) -> bool:
    """True if a tensor is a reference to the storage of a Variable, of either kind."""
    dtype = tensor.dtype
    return dtype.is_ref or dtype is resource and handle_variable(tensor) is not None


def storage_dtype(variable: Operation) -> DType:
    """The dtype of the value of a VariableV2 or VarHandleOp."""
    if variable.type == 'VarHandleOp':
        return variable.attrs['dtype'].base_dtype
    return variable.outputs[0].dtype.base_dtype


def storage_shape(variable: Operation) -> shapes.Shape:
    """The static shape of the value of a VariableV2 or VarHandleOp."""
    if variable.type == 'VarHandleOp':
        return shapes.raw(variable.attrs['shape'])
    return variable.outputs[0].raw_shape


def shape_behind(handle: Tensor) -> shapes.Shape:
    """The static shape of the value that a handle refers to, None if unknown."""
    variable = handle_variable(handle)
    return None if variable is None else storage_shape(variable)


def dtype_behind(handle: Tensor) -> DType | None:
    """The dtype of the value that a handle refers to, None if unknown."""
    variable = handle_variable(handle)
    return None if variable is None else storage_dtype(variable)


# Every Variable creates a node that reads it: its op type, and the suffix of its name.
_DEFAULT_READS = {'Identity': '/read', 'ReadVariableOp': '/Read/ReadVariableOp'}


def variable_of(tensor: Tensor) -> Operation | None:
    """The VariableV2 or VarHandleOp that `tensor` is a reference to; None for a plain value."""
    while is_variable_ref(tensor):
        operation = tensor.op
        writes = operation.writes
        if tensor.dtype is resource:
            return handle_variable(tensor)
        if not operation.inputs:
            source = _captured(tensor)
            if source is None:
                return operation
            tensor = source
            continue
        tensor = operation.inputs[writes[0] if writes else 0]
    return None


def _captured(tensor: Tensor) -> Tensor | None:
    """The tensor of an enclosing graph that a function's placeholder represents, or None."""
    graph = tensor.op.graph
    return None if graph.outer_graph is None else graph.source_of(tensor)


def variable_read_by(tensor: Tensor) -> Operation | None:
    """The Variable whose default read (`v/read`) `tensor` is, or None.

    That read is created with the Variable. Reads that the program adds do not count.
    """
    operation = tensor.op
    if operation.type == 'Placeholder':
        source = _captured(tensor)
        return None if source is None else variable_read_by(source)
    ending = _DEFAULT_READS.get(operation.type)
    if ending is None or operation.control_inputs or not is_variable_ref(operation.inputs[0]):
        return None
    variable = variable_of(operation.inputs[0])
    return variable if variable is not None and operation.name == variable.name + ending else None
