"""The ops of resource variables: the handle (VarHandleOp), reads, assignments, scatters.

To the compiler a VarHandleOp is storage, as a VariableV2 is: the array belongs to the Session, and
a ReadVariableOp is a view of it, copied only where a later write would be seen. The kernels are
those of variable_ops.py.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.graph.variable_refs import dtype_behind, shape_behind, storage_shape
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    slicing,
)
from tinyflow.ops.variables import variable_ops

__all__: list[str] = []


class VarHandleOp(Op):
    """The handle of a resource variable: it names the storage, and has no value to compute with."""

    signature = '-> resource: resource'
    attrs = {'container': '', 'shared_name': '', 'dtype': REQUIRED, 'shape': REQUIRED}
    pure = False                    # two handles are never merged, even with equal attributes

    def shape():
        return ()


class VarIsInitializedOp(Op):
    """True if the variable has a value in this Session."""

    signature = 'resource: Handle(dtype) -> is_initialized: bool'
    takes_storage = (0,)
    pure = False                    # depends on state that other nodes change
    partial_rank = True

    def shape(resource):
        return ()

    def kernel(resource):
        return np.array(resource.value is not None)


class ReadVariableOp(Op):
    """The value of the variable at this moment of the run."""

    signature = 'resource: Handle(dtype) -> value: dtype'
    attrs = {'dtype': REQUIRED}
    view = True
    partial_rank = True

    def shape(resource):
        return resource

    def kernel(resource):
        return resource

    def emit(call):
        return call.args[0]

    def gradient(op, dy):
        return dy


class VariableShape(Op):
    """The shape of the variable's value, as an integer vector."""

    signature = 'input: Handle(dtype) -> output: out_type'
    types = {'out_type': dtypes.INDEX}
    attrs = {'out_type': dtypes.int32}
    partial_rank = True

    def shape(input):
        return (None if input is None else len(input),)

    def kernel(input, *, out_type):
        return np.array(input.shape, out_type.np)


class DestroyResourceOp(Op):
    """Deletes the value of the variable."""

    signature = 'resource: Handle(dtype) ->'
    attrs = {'ignore_lookup_error': True}
    takes_storage = (0,)
    writes = (0,)
    partial_rank = True

    def shape(resource):
        return []

    def kernel(resource):
        resource.value = None


class ResourceInitializedValue(Op):
    """The value of a variable if it has one, else `initial_value` (tinyflow's own op)."""

    signature = 'resource: Handle(T), initial_value: T -> value: T'
    takes_storage = (0,)
    pure = False

    def shape(resource, initial_value):
        return shapes.merge(resource, initial_value)

    def kernel(resource, initial_value):
        return np.array(initial_value if resource.value is None else resource.value)


# ---- writing ---------------------------------------------------------------------------------


class AssignVariableOp(Op):
    """Stores a copy of `value` in the variable."""

    signature = 'resource: Handle(dtype), value: dtype ->'
    attrs = {'dtype': REQUIRED}
    takes_storage = (0,)
    writes = (0,)
    partial_rank = True

    def shape(resource, value):
        shapes.merge(resource, value)
        return []

    def kernel(resource, value):
        old = resource.value
        if old is not None and old.shape == value.shape:
            resource.overwrite(value)
            return
        shape = storage_shape(resource.operation)
        if not shapes.compatible(shape, value.shape):
            raise OpFailure(f'the variable has shape {shapes.text(shape)}, the new value '
                            f'{shapes.text(value.shape)}',
                            'tf.Variable(..., shape=tf.TensorShape(None)) makes a Variable of any '
                            'shape.')
        resource.value = np.array(value, order='C')


class AssignAddVariableOp(Op):
    """variable += value."""

    signature = 'resource: Handle(dtype), value: dtype ->'
    types = {'dtype': dtypes.NUMBERS}
    attrs = {'dtype': REQUIRED}
    writes = (0,)
    partial_rank = True
    kernel = variable_ops.AssignAdd.kernel

    def shape(resource, value):
        shapes.merge(resource, value)
        return []


class AssignSubVariableOp(AssignAddVariableOp):
    """variable -= value."""

    kernel = variable_ops.AssignSub.kernel


class ResourceCountUpTo(variable_ops.CountUpTo):
    """Adds one to an integer scalar and returns the previous value; OutOfRange at `limit`."""

    signature = 'resource: Handle(T) -> output: T'
    attrs = {'limit': REQUIRED, 'T': REQUIRED}


def on_handle(op, signature, **settings):
    """Declares Resource<op> for an op on refs: the same kernel, with a handle as input."""
    shape = op.shape

    def checked(resource, *others):
        shape(resource, *others)
        return []
    return type(f'Resource{op.type}', (op,), {
        'signature': signature, '__doc__': op.__doc__, '__module__': __name__, 'shape': checked,
        **settings})


_ROWS = 'resource: Handle(dtype), indices: Tindices, updates: dtype ->'
for _op in (variable_ops.ScatterUpdate, variable_ops.ScatterAdd, variable_ops.ScatterSub,
            variable_ops.ScatterMul, variable_ops.ScatterDiv, variable_ops.ScatterMin,
            variable_ops.ScatterMax):
    on_handle(_op, _ROWS, attrs={'dtype': REQUIRED},
              types={'dtype': _op.types['T'], 'Tindices': dtypes.INDEX})
_ELEMENTS = 'ref: Handle(T), indices: Tindices, updates: T ->'
for _op in (variable_ops.ScatterNdUpdate, variable_ops.ScatterNdAdd, variable_ops.ScatterNdSub):
    on_handle(_op, _ELEMENTS, attrs={'use_locking': True})

on_handle(slicing.StridedSliceAssign,
          'ref: Handle(T), begin: Index, end: Index, strides: Index, value: T ->')


# ---- reading some rows -----------------------------------------------------------------------


class ResourceGather(Op):
    """The rows of a variable at `indices`."""

    signature = 'resource: Handle(dtype), indices: Tindices -> output: dtype'
    types = {'Tindices': dtypes.INDEX}
    attrs = {'dtype': REQUIRED, 'batch_dims': 0, 'validate_indices': True}

    def shape(resource, indices, *, batch_dims):
        return gathering.GatherV2.shape(resource, indices, batch_dims, batch_dims=batch_dims)

    def kernel(resource, indices, out=None, *, batch_dims):
        return gathering.GatherV2.kernel(resource, indices, batch_dims, out,
                                         batch_dims=batch_dims)

    def gradient(op, dy):
        handle, indices = op.inputs
        shape = variable_shape(handle)
        size = shaping.expand_dims(shape_ops.size(indices), 0)
        values = shaping.reshape(dy, joining.concat([size, shape[1:]], 0))
        return IndexedSlices(values, shaping.reshape(indices, size), shape), None


class ResourceGatherNd(Op):
    """The elements or slices of a variable at index vectors."""

    signature = 'resource: Handle(dtype), indices: Tindices -> output: dtype'
    types = {'Tindices': dtypes.INDEX}
    attrs = {'dtype': REQUIRED}
    shape = gathering.GatherNd.shape
    kernel = gathering.GatherNd.kernel

    def gradient(op, dy):
        handle, indices = op.inputs
        shape = variable_shape(handle, indices.dtype)
        known = indices.raw_shape
        if known is not None and len(known) == 2 and known[1] == 1:
            return IndexedSlices(dy, shaping.squeeze(indices, [-1]), shape), None
        return gathering.scatter_nd(indices, dy, shape), None


def variable_shape(handle, out_type=dtypes.int32):
    """The shape of the value behind a handle: a constant where it is known beforehand."""
    known = shape_behind(handle)
    if shapes.known(known):
        return constants.constant(np.array(known, out_type.np))
    return VariableShape.apply(handle, out_type=out_type)


def read(handle, name=None):
    """A node that reads the variable behind a handle."""
    return ReadVariableOp.apply(handle, dtype=dtype_behind(handle), name=name)


def gather_rows(handle, indices, scope):
    """(rows of the variable, made inside the open name scope `scope`); TF returns a copy."""
    return identity_and_cast.Identity.apply(
        ResourceGather.apply(handle, indices, dtype=dtype_behind(handle), name=scope))
