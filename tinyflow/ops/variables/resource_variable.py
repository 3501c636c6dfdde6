"""ResourceVariable: the Variable of Keras, made by use_resource=True. It is known by a handle.

Its nodes are a VarHandleOp, a test of whether it has a value, the assignment of the initial value
and one reading. Every use in an expression makes a reading of its own, a ReadVariableOp, which sees
the assignments that it is ordered after and no others.
"""
from __future__ import annotations

from tinyflow.graph import dtype_hints as mends, dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import colocate_with, control_dependencies, device, name_scope
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import report, worded
from tinyflow.ops.array import identity_and_cast as identities
from tinyflow.ops.random import tf1_node_count as node_counts
from tinyflow.ops.updates import resource_apply_ops  # noqa: F401 - declares ops
from tinyflow.ops.variables import resource_variable_ops as ops
from tinyflow.ops.variables.variable import Variable, _with_initialized_variables, init_scope

__all__ = ['ResourceVariable', 'UnreadVariable', 'is_resource_variable']


def is_resource_variable(variable) -> bool:
    """True for a Variable that is known by a handle."""
    return isinstance(variable, ResourceVariable)


class ResourceVariable(Variable):
    """A Variable with a handle; see Variable for the arguments, and the module for the nodes."""

    def _make_nodes(self, initial_value, scope, dtype, validate_shape, shape):
        initial = self._initial_tensor(initial_value, dtype)
        self._initial_value = initial
        storage_shape = initial.raw_shape if shape is None else shapes.raw(shape)
        name = scope[:-1] if scope.endswith('/') else scope
        self._handle = self._variable = ops.VarHandleOp.apply(
            shape=storage_shape, dtype=initial.dtype.base_dtype,
            shared_name=name, name=scope)
        with name_scope('IsInitialized'):
            self._is_initialized_op = ops.VarIsInitializedOp.apply(self._handle)
        with name_scope('Assign') as inner:
            self._safe_initial_value = _with_initialized_variables(initial, scope)
            self._initializer_op = ops.AssignVariableOp.apply(
                self._handle, self._safe_initial_value, name=inner)
        with name_scope('Read'):
            self._snapshot = ops.read(self._handle)

    @staticmethod
    def _initial_tensor(initial_value, dtype):
        with name_scope('Initializer'), device(None):
            return convert_to_tensor(initial_value() if callable(initial_value) else initial_value,
                                     dtype, 'initial_value')

    # ---- what it is ----------------------------------------------------------------------

    @property
    def handle(self) -> Tensor:
        """The tensor of dtype resource that names the storage."""
        return self._handle

    @property
    def dtype(self) -> dtypes.DType:
        return self._handle.op.attrs['dtype']

    @property
    def shape(self) -> shapes.TensorShape:
        return shapes.as_shape(self._handle.op.attrs['shape'])

    @property
    def create(self) -> Operation:
        """Same as `.initializer`."""
        return self._initializer_op

    def set_shape(self, shape) -> None:
        """Raises NotImplementedError: the shape of a resource variable is settled when made."""
        raise worded(NotImplementedError('ResourceVariable does not implement set_shape()'))

    def is_initialized(self, name=None):
        """True once the variable has a value in the Session that runs this."""
        return ops.VarIsInitializedOp.apply(self._handle, name=name)

    def numpy(self):
        """Raises NotImplementedError: values exist only in a Session."""
        raise worded(NotImplementedError(
            'numpy() is only available when eager execution is enabled.\n  Mend: sess.run(v).'))

    @property
    def values_for_control(self) -> Operation:
        """What control_dependencies waits for: waiting for a variable reads nothing."""
        return self.op

    # ---- reading -------------------------------------------------------------------------

    def value(self) -> Tensor:
        """A new node that reads the variable."""
        with colocate_with(None, ignore_existing=True):
            return self._read()

    def _read(self):
        return ops.read(self._handle)

    def read_value(self) -> Tensor:
        """A new reading, in a name scope Read, and an Identity of it."""
        with name_scope('Read'):
            value = self._read()
        return identities.identity(value)

    def initialized_value(self) -> Tensor:
        with init_scope(), node_counts.standing_for(10):    # of the cond that TF makes
            return ops.ResourceInitializedValue.apply(self._handle, self._safe_initial_value)

    def eval(self, session=None):
        return self._snapshot.eval(session=session)

    def sparse_read(self, indices, name=None):
        with name_scope('Gather' if name is None else name) as scope:
            rows = ops.ResourceGather.apply(self._handle, indices, name=scope)
        return identities.identity(rows)

    def gather_nd(self, indices, name=None):
        with name_scope('GatherNd' if name is None else name) as scope:
            found = ops.ResourceGatherNd.apply(self._handle, indices, name=scope)
        return identities.identity(found)

    def _ref(self):
        return self._handle

    def _as_graph_element(self):
        return self._snapshot

    # ---- writing -------------------------------------------------------------------------

    def _after(self, operation, read_value=True):
        """What stands for the variable after `operation`; the operation, if not read_value."""
        return UnreadVariable(self, operation) if read_value else operation

    def _tensor(self, value):
        return convert_to_tensor(value, self.dtype)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        """self = value; a variable that is read after the assignment (or the Operation)."""
        value = self._tensor(value)
        if not shapes.compatible(self.shape.raw, value.raw_shape):
            raise worded(ValueError(report(
                f'Shapes {self.shape} and {value.shape} are incompatible',
                inputs=[('value', value)], mend='a value of the shape of the Variable.')))
        return self._after(ops.AssignVariableOp.apply(self._handle, value, name=name), read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        """self += delta; a variable that is read after the update (or the Operation)."""
        return self._after(ops.AssignAddVariableOp.apply(
            self._handle, self._tensor(delta), name=name), read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        """self -= delta; a variable that is read after the update (or the Operation)."""
        return self._after(ops.AssignSubVariableOp.apply(
            self._handle, self._tensor(delta), name=name), read_value)

    def count_up_to(self, limit):
        return ops.ResourceCountUpTo.apply(self._handle, limit=limit, T=self.dtype)

    def scatter_rows(self, kind, indices, updates, name=None):
        """The Operation ResourceScatter<kind> on this variable."""
        updates = self._tensor(updates)
        return getattr(nodes, f'ResourceScatter{kind}')(
            self._handle, indices, updates, name=name)

    def _scatter(self, kind, indices, updates, name=None):
        return self._after(self.scatter_rows(kind, indices, updates, name))

    def scatter_nd_update(self, indices, updates, name=None):
        return self._scatter('NdUpdate', indices, updates, name)

    def scatter_nd_add(self, indices, updates, name=None):
        return self._scatter('NdAdd', indices, updates, name)

    def scatter_nd_sub(self, indices, updates, name=None):
        return self._scatter('NdSub', indices, updates, name)


def _scatter_method(kind):
    def method(self, sparse_delta, use_locking=False, name=None):
        if not isinstance(sparse_delta, IndexedSlices):
            raise worded(TypeError(f'sparse_delta is not IndexedSlices: {sparse_delta!r}'))
        return self._scatter(kind, sparse_delta.indices, sparse_delta.values, name)
    method.__name__ = f'scatter_{kind.lower()}'
    method.__doc__ = f'`tf.scatter_{kind.lower()}` of this Variable, with IndexedSlices.'
    return method


for _kind in 'Update Add Sub Mul Div Max Min'.split():
    setattr(ResourceVariable, f'scatter_{_kind.lower()}', _scatter_method(_kind))


class UnreadVariable(ResourceVariable):
    """A resource variable as it is after an operation: what its assignments return.

    Whatever reads it waits for that operation.
    """

    def __init__(self, variable, parent_op):
        self.__dict__.update(variable.__dict__)
        self._parent_op = parent_op
        with control_dependencies([parent_op]):
            self._snapshot = ops.read(self._handle)

    @property
    def name(self) -> str:
        return self._parent_op.name

    @property
    def op(self) -> Operation:
        """The operation that changed the variable."""
        return self._parent_op

    def _read(self):
        with control_dependencies([self._parent_op]):
            return ops.read(self._handle)

    def value(self) -> Tensor:
        return self._read()

    def read_value(self) -> Tensor:
        return self._read()


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
    if dtype is not None and not dtype.is_compatible_with(variable.dtype):
        raise worded(ValueError(report(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{variable.dtype.name}'", inputs=[('variable', variable._snapshot)],
            mend=mends.for_wanted('variable', variable._snapshot, {dtype.base_dtype}))))
    return variable.handle if as_ref else variable.value()


register_tensor_conversion_function(ResourceVariable, _to_tensor, priority=99)
Variable._resource_kind = ResourceVariable
