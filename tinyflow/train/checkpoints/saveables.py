"""SaveableObjects of a Saver: of Variables, parts of Variables, and other objects."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import device, get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import identity_and_cast, shape_ops, shaping
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.partitioned_variable import PartitionedVariable
from tinyflow.ops.variables.resource_variable_ops import AssignVariableOp
from tinyflow.ops.variables.variable import Variable
from tinyflow.ops.variables.variable_lists import global_variables

_STORAGE_TYPES = ('Variable', 'VariableV2', 'AutoReloadVariable', 'ReadVariableOp')


class VariableSaveable(SaveableObject):
    """A Variable (or its storage), or a part of a partitioned one."""

    def __init__(self, var, slice_spec, name):
        tensor = var._snapshot if isinstance(var, Variable) else var
        self.storage = var._variable if isinstance(var, Variable) else _behind(var)
        super().__init__(self.storage, [SaveSpec(tensor, slice_spec, name, var.dtype)], name)

    def restore(self, restored_tensors, restored_shapes):
        value, = restored_tensors
        if restored_shapes is not None:
            value = shaping.reshape(value, restored_shapes[0])
        if self.storage.dtype is dtypes.resource:
            with device(self.storage.device):
                return AssignVariableOp.apply(self.storage, identity_and_cast.identity(value))
        fixed = restored_shapes is None and self.storage.shape.is_fully_defined()
        return variable_ops.assign(self.storage, value, validate_shape=fixed)


def all_saveables(scope=None):
    """The global Variables of the default graph and the members of SAVEABLE_OBJECTS."""
    return global_variables(scope) + get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


def by_name(var_list):
    """{name: item to save} of a Saver's `var_list`: a list, or a dict with the names."""
    if isinstance(var_list, dict):
        return dict(var_list)
    if not isinstance(var_list, (list, tuple, set)):
        raise misuse(TypeError('Variables to save should be passed in a dict or a list: '
                               f'{var_list!r}'))
    found = {}
    items = [part for item in var_list for part in
             (item if isinstance(item, PartitionedVariable) else [item])]
    for item in sorted(items, key=_sort_key):
        info = isinstance(item, Variable) and item._get_save_slice_info()
        if info:
            parts = found.setdefault(info.full_name, [])
            if not isinstance(parts, list):
                raise misuse(ValueError('Mixing slices and non-slices with the same name: '
                                        f'{info.full_name}'))
            parts.append(item)
            continue
        item = replicated(item) or (
            item if isinstance(item, SaveableObject) else storage_of(item))
        name = item.name if isinstance(item, SaveableObject) else _behind(item).op.name
        if name in found:
            raise misuse(ValueError(f'At least two variables have the same name: {name}'))
        found[name] = item
    return found


class _ReplicatedSaveable(SaveableObject):
    """A Variable with a component for each replica: one value on disk, restored to all of them."""

    def __init__(self, variable, name=None):
        name = variable._primary_op.name if name is None else name
        super().__init__(variable._primary_op.outputs[0],
                         [SaveSpec(variable._saved_in(), '', name, variable.dtype,
                                   variable.device)], name)
        self._variable = variable

    def restore(self, restored_tensors, restored_shapes):
        value, = restored_tensors
        if restored_shapes is not None:
            value = shaping.reshape(value, restored_shapes[0])
        return self._variable._restored(value)


def replicated(item, name=None):
    """The SaveableObject of a Variable with replicas; None for anything else."""
    return _ReplicatedSaveable(item, name) if hasattr(item, '_primary_op') else None


def _sort_key(item):
    name = getattr(item, 'name', None)
    if not isinstance(name, str):
        raise misuse(TypeError(f'Variable to save is not a Variable: {item!r}'))
    return name


def storage_of(item):
    """The storage (output of VariableV2) of `item`; for a resource variable, its default read.

    TypeError if there is none.
    """
    storage = item._as_graph_element() if isinstance(item, Variable) else item
    if not isinstance(storage, Tensor) or storage.op.type not in _STORAGE_TYPES:
        hint = None
        if isinstance(storage, Tensor) and storage.op.inputs and storage.op.inputs[0].dtype.is_ref:
            hint = f"the Variable itself, '{storage.op.inputs[0].op.name}'."
        inputs = [('given', storage)] if isinstance(storage, Tensor) else []
        raise misuse(TypeError(report(f'Variable to save is not a Variable: {item!r}',
                                      inputs=inputs, hint=hint)))
    return storage


def _behind(storage):
    """The handle, for the read of a resource variable."""
    return storage.op.inputs[0] if storage.op.type == 'ReadVariableOp' else storage


def saveables_for(names_to_items):
    """The SaveableObjects of {name: item to save}, sorted by name."""
    found, seen = [], {}
    for name, item in sorted(names_to_items.items(), key=lambda pair: str(pair[0])):
        if not isinstance(name, str):
            raise misuse(TypeError('names_to_saveables must be a dict mapping string names to '
                                   f'trackable operations. Name is not a string: {name!r}'))
        for saveable in _saveables(name, item):
            if saveable.op in seen:
                raise misuse(ValueError('The same saveable will be restored with two names: '
                                        f"'{seen[saveable.op]}' and '{name}'"))
            seen[saveable.op] = name
            found.append(saveable)
    return found


def _saveables(name, item):
    item = replicated(item) or item
    if isinstance(item, PartitionedVariable):
        item = list(item)
    if isinstance(item, SaveableObject):
        return [item]
    if isinstance(item, (list, tuple)):
        return _parts(name, item)
    if isinstance(item, Variable) and item._get_save_slice_info():
        return _parts(name, [item])
    try:
        return [VariableSaveable(storage_of(item), '', name)]
    except TypeError as error:
        raise misuse(TypeError(
            'names_to_saveables must be a dict mapping string names to Tensors/Variables. '
            f'{error}')) from None


def _parts(name, variables):
    """The parts of one Variable, which is saved as `name`."""
    found, whole = [], None
    for variable in variables:
        info = _slice_info(variable)
        whole = whole or info.full_name
        if info.full_name != whole:
            raise misuse(ValueError(f'Slices must all be from the same tensor: {whole} != '
                                    f'{info.full_name}'))
        found.append(VariableSaveable(variable, info.spec, name))
    return found


def _slice_info(variable):
    info = isinstance(variable, Variable) and variable._get_save_slice_info()
    if not info:
        raise misuse(ValueError(f'Slices must all be Variables with slice information: '
                                f'{variable!r}'))
    return info


def restore_group(saveables, tensors, reshape, name):
    """One Operation that restores every saveable from its tensors, which are in the same order."""
    storage, assigns = 0, []
    for saveable in saveables:
        shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
        count = len(saveable.specs)
        assigns.append(saveable.restore(tensors[storage:storage + count], shapes))
        storage += count
    return grouping.group(*assigns, name=name)


def _shape_of(tensor):
    if tensor.shape.is_fully_defined():
        return tensor.shape.as_list()
    return shape_ops.Shape.apply(tensor)
