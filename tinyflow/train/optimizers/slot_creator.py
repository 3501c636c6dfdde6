"""Slots: Variables that an optimizer keeps for a Variable, such as `w/Momentum` for `w`.

They are where the Variable is, unless `colocate_with_primary` is False.
"""
from __future__ import annotations

from contextlib import nullcontext

from tinyflow.graph.defaults import colocate_with, get_default_graph
from tinyflow.ops.array import constants
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.partitioned_variable import SaveSliceInfo
from tinyflow.ops.variables.variable import Variable, is_resource_variable
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope


def create_slot(primary, val, name, colocate_with_primary=True):
    """A Variable `<primary>/<name>` initialised with the tensor `val`."""
    return _slot(primary, name, colocate_with_primary, initializer=val,
                 validate_shape=val.get_shape().is_fully_defined())


def create_slot_with_initializer(primary, initializer, shape, dtype, name,
                                 colocate_with_primary=True):
    """A Variable `<primary>/<name>` initialised with initializer(shape, dtype).

    `initializer` may also be the initial tensor itself; shape and dtype are then those of the
    tensor.
    """
    if not callable(initializer):
        return create_slot(primary, initializer, name, colocate_with_primary)
    return _slot(primary, name, colocate_with_primary, initializer=initializer, shape=shape,
                 dtype=dtype, validate_shape=shape.is_fully_defined())


def create_zeros_slot(primary, name, dtype=None, colocate_with_primary=True):
    """A Variable `<primary>/<name>` of zeros, shaped as `primary`."""
    dtype = (dtype or primary.dtype).base_dtype
    if primary.get_shape().is_fully_defined():
        return create_slot_with_initializer(primary, zeros_initializer(), primary.get_shape(),
                                            dtype, name, colocate_with_primary)
    like = primary.initialized_value() if isinstance(primary, Variable) else primary
    return create_slot(primary, constants.zeros(constants.shape(like), dtype), name,
                       colocate_with_primary)


def _slot(primary, name, colocated, **settings):
    graph = get_default_graph()
    if primary.graph is not graph:
        with primary.graph.as_default():
            return _slot(primary, name, colocated, **settings)
    with variable_scope(None, f'{primary.op.name}/{name}'), \
            colocate_with(primary) if colocated else nullcontext():
        scope = get_variable_scope()
        partitioner = scope.partitioner
        scope.set_partitioner(None)
        try:
            slot = get_variable('', trainable=False,
                                use_resource=is_resource_variable(primary), **settings)
            _mark_part(primary, slot)
            return slot
        finally:
            scope.set_partitioner(partitioner)


def _mark_part(primary, slot):
    """Marks the slot of one part of a partitioned Variable as a part in checkpoints."""
    info = isinstance(primary, Variable) and primary._get_save_slice_info()
    if info and slot.shape.as_list() == info.var_shape:
        # As TF1 shortens the name: inside a variable_scope it keeps the end of 'part_0'.
        name = slot.op.name[len(primary.op.name) + 1:]
        slot._set_save_slice_info(SaveSliceInfo(f'{info.full_name}/{name}', info.full_shape,
                                                info.var_offset, info.var_shape))


__all__ = ['create_slot', 'create_slot_with_initializer', 'create_zeros_slot']
