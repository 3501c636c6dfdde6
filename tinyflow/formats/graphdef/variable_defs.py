"""Variables as VariableDefs: a Variable by the names of its nodes."""
from __future__ import annotations

from tinyflow.formats.graphdef import scopes
from tinyflow.graph.defaults import get_default_graph
from tinyflow.ops.variables.synchronization import VariableAggregation, VariableSynchronization
from tinyflow.ops.variables.variable import (
    RefVariable,
    ResourceVariable,
    Variable,
    is_resource_variable,
)


def to_proto(self, export_scope=None):
    """The VariableDef of this Variable, with names as seen from inside `export_scope`.

    None if the Variable is outside of that scope.
    """
    from tinyflow.formats.protos.variable_pb2 import VariableDef  # start-up time
    if not scopes.inside(self.name, export_scope):
        return None
    proto = VariableDef(
        variable_name=scopes.strip(self._variable.name, export_scope),
        snapshot_name=scopes.strip(self._snapshot.name, export_scope),
        trainable=self.trainable, synchronization=_number(self.synchronization),
        aggregation=_number(self.aggregation), is_resource=is_resource_variable(self))
    if self.initializer is not None:
        proto.initializer_name = scopes.strip(self.initializer.name, export_scope)
    if self._initial_value is not None:
        proto.initial_value_name = scopes.strip(self._initial_value.name, export_scope)
    slice_info = self._get_save_slice_info()
    if slice_info is not None:
        _fill_slice(proto.save_slice_info_def, slice_info)
    return proto


def _number(member):
    return getattr(member, 'value', member)


def _fill_slice(proto, info):
    proto.full_name = info.full_name
    proto.full_shape.extend(info.full_shape)
    proto.var_offset.extend(info.var_offset)
    proto.var_shape.extend(info.var_shape)


def from_proto(variable_def, import_scope=None):
    """The Variable of a VariableDef, whose nodes are in the default graph already."""
    graph = get_default_graph()

    def element(name):
        return graph.as_graph_element(scopes.prepend(name, import_scope))

    storage = element(variable_def.variable_name)
    kind = ResourceVariable if storage.op.type == 'VarHandleOp' else RefVariable
    self = object.__new__(kind)
    self._variable = self._handle = storage
    # Loading a SavedModel skips initial values of unknown op types.
    initializer = variable_def.initializer_name
    self._initializer_op = element(initializer) if initializer else None
    self._snapshot = element(variable_def.snapshot_name)
    # TensorFlow before 1.5 did not write it.
    named = variable_def.initial_value_name if hasattr(variable_def, 'initial_value_name') else ''
    self._initial_value = element(named) if named else None
    self._safe_initial_value = self._initial_value
    self._trainable = variable_def.trainable
    self._constraint = None
    self._synchronization = VariableSynchronization(variable_def.synchronization)
    self._aggregation = VariableAggregation(variable_def.aggregation)
    self._save_slice_info = None
    if variable_def.HasField('save_slice_info_def'):
        self._save_slice_info = Variable.SaveSliceInfo(
            save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope)
    return self


class SaveSliceInfo:
    """The slice of a larger Variable that a Variable is; a Saver stores all under one name."""

    def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None,
                 save_slice_info_def=None, import_scope=None):
        if save_slice_info_def is not None:
            full_name = scopes.prepend(save_slice_info_def.full_name, import_scope)
            full_shape = list(save_slice_info_def.full_shape)
            var_offset = list(save_slice_info_def.var_offset)
            var_shape = list(save_slice_info_def.var_shape)
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self):
        """Full shape, and start and length along each axis, in the notation of checkpoints."""
        sizes = ' '.join(str(d) for d in self.full_shape) + ' '
        return sizes + ':'.join(f'{o},{s}' for o, s in zip(self.var_offset, self.var_shape))

    def to_proto(self, export_scope=None):
        """The SaveSliceInfoDef; None if the Variable is outside of `export_scope`."""
        from tinyflow.formats.protos.variable_pb2 import SaveSliceInfoDef  # start-up time
        if not scopes.inside(self.full_name, export_scope):
            return None
        proto = SaveSliceInfoDef()
        _fill_slice(proto, self)
        proto.full_name = scopes.strip(self.full_name, export_scope)
        return proto
