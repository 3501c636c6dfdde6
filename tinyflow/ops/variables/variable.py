"""Variable: a named value that outlives a run.

`tf.Variable(...)` calls `make_variable`, which calls the open variable creators and then makes one
of two kinds:

    RefVariable         TF1's default: the nodes are its initial value, the storage (VariableV2),
                        the Assign of one to the other, and an Identity that reads it.
    ResourceVariable    made by use_resource=True and by Keras: a handle (VarHandleOp), a test of
                        whether it has a value, the assignment of the initial value, and a read.
                        Every use in an expression is another read, a ReadVariableOp, which sees
                        the assignments that it is ordered after and no others.

The value itself belongs to the Session. Both kinds are here because each of the classes below
needs another one: Variable the two kinds, and these Variable, of which they are subclasses.
"""
from __future__ import annotations

import functools
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

from tinyflow.graph import dtype_hints, dtypes, eager_mode, shapes
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import (
    colocate_with,
    control_dependencies,
    device,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.v1_v2_switches import resource_variables_enabled
from tinyflow.graph.variable_creation import creators_of
from tinyflow.ops.array import gathering, identity_and_cast
from tinyflow.ops.random import tf1_node_count
from tinyflow.ops.variables import resource_variable_ops, variable_ops
from tinyflow.ops.variables.init_scope import init_scope
from tinyflow.ops.variables.initial_values import (
    NODES_OF_INITIALIZED_VALUE,
    with_initialized_variables,
)
from tinyflow.ops.variables.scope_store import use_resource_of_scope
from tinyflow.ops.variables.synchronization import VariableAggregation, VariableSynchronization
from tinyflow.ops.variables.variable_base import VariableBase

__all__ = ['RefVariable', 'ResourceVariable', 'UnreadVariable', 'Variable', 'VariableAggregation',
           'VariableSynchronization', 'init_scope', 'is_resource_variable', 'make_variable']


def make_variable(initial_value=None, trainable=None, collections=None, validate_shape=True,
                  caching_device=None, name=None, variable_def=None, dtype=None,
                  expected_shape=None, import_scope=None, constraint=None, use_resource=None,
                  synchronization=VariableSynchronization.AUTO,
                  aggregation=VariableAggregation.NONE, shape=None):
    """What `tf.Variable(...)` returns: made by the creators of open variable_creator_scopes.

    The innermost creator is called first, with all arguments by name; `make_of_kind` is the last.
    """
    make = make_of_kind
    for creator in creators_of(get_default_graph()):
        make = partial(creator, make)
    return make(
        initial_value=initial_value, trainable=trainable, collections=collections,
        validate_shape=validate_shape, caching_device=caching_device, name=name,
        variable_def=variable_def, dtype=dtype, expected_shape=expected_shape,
        import_scope=import_scope, constraint=constraint, use_resource=use_resource,
        synchronization=synchronization, aggregation=aggregation, shape=shape)


# Python's errors about wrong arguments show this name: the class that the program called.
make_variable.__qualname__ = 'Variable.__init__'


def make_of_kind(**settings) -> Variable:
    """A ResourceVariable or a RefVariable: by use_resource, the variable scope, or the default."""
    if eager_mode.variables_have_values():
        return eager_mode.variable_type(**settings)
    use_resource = settings.get('use_resource')
    if use_resource is None:
        use_resource = use_resource_of_scope()
    if use_resource is None:
        use_resource = resource_variables_enabled()
    return ResourceVariable(**settings) if use_resource else RefVariable(**settings)


class Variable(VariableBase):
    """A value that a Session keeps from run to run, and that assignments change.

    ``w = tf.Variable(tf.zeros([784, 10]), name='w')``. `initial_value` is anything that becomes a
    tensor, or a function that makes one. In an expression a Variable is converted to its value.

    Subclasses that define no other nodes keep their value as a RefVariable does.

    Raises ValueError if `initial_value` is missing or its shape is not known (unless
    `validate_shape` is False, which makes a Variable of unknown shape).
    """

    _is_complete = False        # True of what `tf.Variable(...)` returned
    _is_initialized = None      # the node that tests it, once there is one

    def __new__(cls, *args, **settings) -> Any:
        """Makes `tf.Variable(...)` call `make_variable`; subclasses are created as usual.

        Python calls `__init__` on what `__new__` returns, if it is a Variable. This one has been
        initialized already, perhaps by a creator and with other arguments, so it is marked here
        and every `__init__` skips it (see `__init_subclass__`).
        """
        if cls is not Variable:
            return object.__new__(cls)
        variable = make_variable(*args, **settings)
        if isinstance(variable, Variable):
            variable._is_complete = True
        return variable

    def __init_subclass__(cls, **settings):
        """Makes `__init__` of each subclass skip a Variable that is complete."""
        super().__init_subclass__(**settings)
        initialize = cls.__init__

        @functools.wraps(initialize)
        def __init__(self, *args, **settings):
            if not self._is_complete:
                initialize(self, *args, **settings)
        cls.__init__ = __init__

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True,
                 caching_device=None, name=None, variable_def=None, dtype=None,
                 expected_shape=None, import_scope=None, constraint=None, use_resource=None,
                 synchronization=VariableSynchronization.AUTO,
                 aggregation=VariableAggregation.NONE, shape=None):
        if variable_def is not None:
            raise NotImplementedError('tf.Variable(variable_def=...): Variables from protocol '
                                      'buffers are made by tf.Variable.from_proto.')
        if initial_value is None:
            raise misuse(ValueError('initial_value must be specified.'))
        if constraint is not None and not callable(constraint):
            raise misuse(ValueError('The `constraint` argument must be a callable.'))
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._trainable = trainable
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        collections = collections_of(collections, trainable)
        dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        tensors = [initial_value] if isinstance(initial_value, Tensor) else []
        with name_scope(name, 'Variable', tensors) as scope, init_scope():
            self._make_nodes(initial_value, scope, dtype, validate_shape, shape, caching_device)
            self.graph.add_to_collections(collections, self)

    def _make_nodes(self, initial_value, scope, dtype, validate_shape, shape, caching_device):
        # Values that are given have been placed already; those of a function are with the Variable.
        with _initial_value_of(scope) if callable(initial_value) else nullcontext():
            self._make_storage(initial_value, scope, dtype, validate_shape, shape)
        self._safe_initial_value = with_initialized_variables(self._initial_value, scope)
        self._initializer_op = variable_ops.Assign.apply(
            self._variable, self._safe_initial_value, validate_shape=validate_shape,
            name='Assign').op
        with device(caching_device) if caching_device is not None \
                else colocate_with(self._variable.op):
            self._snapshot = identity_and_cast.Identity.apply(self._variable, name='read')

    def _make_storage(self, initial_value, scope, dtype, validate_shape, shape):
        initial = self._initial_tensor(initial_value, dtype)
        self._initial_value = initial
        storage_shape = (shapes.raw(shape) if shape is not None else
                         initial.raw_shape if validate_shape else None)
        if validate_shape and not shapes.known(initial.raw_shape):
            raise misuse(ValueError(report(
                f'initial_value must have a shape specified: {initial}',
                inputs=[('initial_value', initial)],
                hint='a fully known shape, such as [784, 10]: weights do not depend on the size of '
                     'a batch; or validate_shape=False for a Variable of unknown shape.')))
        self._variable = variable_ops.VariableV2.apply(
            shape=storage_shape, dtype=initial.dtype.base_dtype, name=scope)

    @staticmethod
    def _initial_tensor(initial_value, dtype):
        if not callable(initial_value):
            return convert_to_tensor(initial_value, dtype, 'initial_value')
        with name_scope('Initializer'), device(None):
            return convert_to_tensor(initial_value(), dtype, 'initial_value')

    def set_shape(self, shape) -> None:
        """Adds what you know of the shape, as `Tensor.set_shape` does."""
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    # ---- reading -------------------------------------------------------------------------

    def value(self) -> Tensor:
        """The tensor `<name>/read`; the value of the Variable in expressions."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """A new node that reads the Variable: inside control_dependencies, at that moment."""
        return identity_and_cast.Identity.apply(self._variable, name='read')

    def initialized_value(self) -> Tensor:
        """The value if there is one already, else `initial_value`: for other initial values.

        TF1 makes a `cond` of nodes here, tinyflow one node; and where the initial value depends on
        Variables in turn, they need not be initialised either.
        """
        with init_scope(), tf1_node_count.counted_as(NODES_OF_INITIALIZED_VALUE):
            return variable_ops.InitializedValue.apply(self._variable, self._safe_initial_value)

    def eval(self, session=None):
        """The value in `session` or the default Session."""
        return self._variable.eval(session=session)

    def sparse_read(self, indices, name=None):
        """The rows at `indices`."""
        return gathering.gather(self, indices, name=name)

    def gather_nd(self, indices, name=None):
        """The elements or slices at index vectors."""
        return gathering.gather_nd(self, indices, name=name)

    def _ref(self):
        return self._variable

    def _as_graph_element(self):
        return self._variable

    # ---- writing -------------------------------------------------------------------------

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """self = value; the ref after the assignment (or the Operation, if not read_value)."""
        ref = variable_ops.assign(self, value, use_locking=use_locking, name=name)
        return ref if read_value else ref.op

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """self += delta; the ref after the update (or the Operation, if not read_value)."""
        ref = variable_ops.assign_add(self, delta, use_locking, name)
        return ref if read_value else ref.op

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """self -= delta; the ref after the update (or the Operation, if not read_value)."""
        ref = variable_ops.assign_sub(self, delta, use_locking, name)
        return ref if read_value else ref.op

    def count_up_to(self, limit):
        """`tf.count_up_to` of this Variable."""
        return variable_ops.count_up_to(self, limit)

    def scatter_nd_update(self, indices, updates, name=None):
        """`tf.scatter_nd_update` of this Variable."""
        return variable_ops.scatter_nd_update(self, indices, updates, name=name)

    def scatter_nd_add(self, indices, updates, name=None):
        """`tf.scatter_nd_add` of this Variable."""
        return variable_ops.scatter_nd_add(self, indices, updates, name=name)

    def scatter_nd_sub(self, indices, updates, name=None):
        """`tf.scatter_nd_sub` of this Variable."""
        return variable_ops.scatter_nd_sub(self, indices, updates, name=name)

    def _scatter_slices(self, kind, indices, updates, use_locking, name):
        scatter = getattr(variable_ops, f'scatter_{kind}')
        return scatter(self, indices, updates, use_locking, name)


class RefVariable(Variable):
    """TF1's default kind: the storage is a tensor of a ref dtype, such as float32_ref.

    All of it is in Variable, so that programs' own subclasses of tf.Variable are of this kind too.
    """


def _initial_value_of(scope):
    return get_default_graph().initial_value_of(scope[:-1] if scope.endswith('/') else scope)


class ResourceVariable(Variable):
    """A Variable with a handle; see Variable for the arguments."""

    _cached_value = None        # on its caching_device

    def _make_nodes(self, initial_value, scope, dtype, validate_shape, shape, caching_device):
        with _initial_value_of(scope):
            initial = self._initial_tensor(initial_value, dtype)
            self._initial_value = initial
            storage_shape = initial.raw_shape if shape is None else shapes.raw(shape)
            name = scope[:-1] if scope.endswith('/') else scope
            self._handle = self._variable = resource_variable_ops.VarHandleOp.apply(
                shape=storage_shape, dtype=initial.dtype.base_dtype,
                shared_name=name, name=scope)
        with name_scope('IsInitialized'):
            self._is_initialized_op = resource_variable_ops.VarIsInitializedOp.apply(self._handle)
        with name_scope('Assign') as inner, self._with_handle():
            self._safe_initial_value = with_initialized_variables(initial, scope)
            self._initializer_op = resource_variable_ops.AssignVariableOp.apply(
                self._handle, self._safe_initial_value, name=inner)
        with name_scope('Read'):
            with device(self._handle.device):
                self._snapshot = resource_variable_ops.read(self._handle)
            if caching_device is not None:
                with colocate_with(None, ignore_existing=True), device(caching_device):
                    self._cached_value = identity_and_cast.identity(self._snapshot)

    @contextmanager
    def _with_handle(self):
        """The device of the handle, whatever the scopes around say."""
        with colocate_with(None, ignore_existing=True), device(self._handle.device):
            yield

    @staticmethod
    def _initial_tensor(initial_value, dtype):
        with name_scope('Initializer'), device(None):
            return convert_to_tensor(initial_value() if callable(initial_value) else initial_value,
                                     dtype, 'initial_value')

    # ---- properties ----------------------------------------------------------------------

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
        """Raises NotImplementedError: the shape of a resource variable is fixed at creation."""
        raise misuse(NotImplementedError('ResourceVariable does not implement set_shape()'))

    def is_initialized(self, name=None):
        """A bool tensor: true if the variable has a value in the Session that runs it."""
        return resource_variable_ops.VarIsInitializedOp.apply(self._handle, name=name)

    def numpy(self):
        """Raises NotImplementedError: values exist only in a Session."""
        raise misuse(NotImplementedError(
            'numpy() is only available when eager execution is enabled.\n  Hint: sess.run(v).'))

    @property
    def values_for_control(self) -> Operation:
        """The operation that control_dependencies waits for; it does not read the variable."""
        return self.op

    # ---- reading -------------------------------------------------------------------------

    def value(self) -> Tensor:
        """A new node that reads the variable, or the copy on its `caching_device`."""
        if self._cached_value is not None:
            return self._cached_value
        with self._with_handle():
            return self._read()

    def _read(self):
        return resource_variable_ops.read(self._handle)

    def read_value(self) -> Tensor:
        """A new read, in a name scope Read, and an Identity of it."""
        with name_scope('Read'), device(self._handle.device):
            value = self._read()
        return identity_and_cast.identity(value)

    def initialized_value(self) -> Tensor:
        with init_scope(), tf1_node_count.counted_as(10):    # of the cond that TF makes
            return resource_variable_ops.ResourceInitializedValue.apply(
                self._handle, self._safe_initial_value)

    def eval(self, session=None):
        return self._snapshot.eval(session=session)

    def sparse_read(self, indices, name=None):
        with name_scope('Gather' if name is None else name) as scope:
            rows = resource_variable_ops.ResourceGather.apply(self._handle, indices, name=scope)
        return identity_and_cast.identity(rows)

    def gather_nd(self, indices, name=None):
        with name_scope('GatherNd' if name is None else name) as scope:
            found = resource_variable_ops.ResourceGatherNd.apply(self._handle, indices, name=scope)
        return identity_and_cast.identity(found)

    def _ref(self):
        return self._handle

    def _as_graph_element(self):
        return self._snapshot

    # ---- writing -------------------------------------------------------------------------

    def _after(self, operation, read_value=True):
        """The variable as read after `operation`; the operation, if not read_value."""
        return UnreadVariable(self, operation) if read_value else operation

    def _tensor(self, value):
        return convert_to_tensor(value, self.dtype)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        """self = value; a variable that is read after the assignment (or the Operation)."""
        value = self._tensor(value)
        if not shapes.compatible(self.shape.raw, value.raw_shape):
            raise misuse(ValueError(report(
                f'Shapes {self.shape} and {value.shape} are incompatible',
                inputs=[('value', value)], hint='a value of the shape of the Variable.')))
        return self._after(resource_variable_ops.AssignVariableOp.apply(
            self._handle, value, name=name), read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        """self += delta; a variable that is read after the update (or the Operation)."""
        return self._after(resource_variable_ops.AssignAddVariableOp.apply(
            self._handle, self._tensor(delta), name=name), read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        """self -= delta; a variable that is read after the update (or the Operation)."""
        return self._after(resource_variable_ops.AssignSubVariableOp.apply(
            self._handle, self._tensor(delta), name=name), read_value)

    def count_up_to(self, limit):
        return resource_variable_ops.ResourceCountUpTo.apply(
            self._handle, limit=limit, T=self.dtype)

    def scatter_rows(self, kind, indices, updates, name=None):
        """The Operation ResourceScatter<kind> on this variable."""
        updates = self._tensor(updates)
        return Op.registry[f'ResourceScatter{kind}'].apply(
            self._handle, indices, updates, name=name)

    def _scatter(self, kind, indices, updates, name=None):
        return self._after(self.scatter_rows(kind, indices, updates, name))

    def _scatter_slices(self, kind, indices, updates, use_locking, name):
        return self._scatter(kind.capitalize(), indices, updates, name)

    def scatter_nd_update(self, indices, updates, name=None):
        return self._scatter('NdUpdate', indices, updates, name)

    def scatter_nd_add(self, indices, updates, name=None):
        return self._scatter('NdAdd', indices, updates, name)

    def scatter_nd_sub(self, indices, updates, name=None):
        return self._scatter('NdSub', indices, updates, name)


class UnreadVariable(ResourceVariable):
    """A resource variable as it is after an operation: what its assignments return.

    Whatever reads it waits for that operation.
    """

    def __init__(self, variable, parent_op):
        self.__dict__.update(variable.__dict__)
        self._parent_op = parent_op
        with control_dependencies([parent_op]):
            self._snapshot = resource_variable_ops.read(self._handle)

    @property
    def name(self) -> str:
        return self._parent_op.name

    @property
    def op(self) -> Operation:
        """The operation that changed the variable."""
        return self._parent_op

    def _read(self):
        with control_dependencies([self._parent_op]):
            return resource_variable_ops.read(self._handle)

    def value(self) -> Tensor:
        return self._read()

    def read_value(self) -> Tensor:
        return self._read()


def is_resource_variable(variable) -> bool:
    """True for a Variable with a handle."""
    return isinstance(variable, ResourceVariable)


def collections_of(collections, trainable):
    """The names of the collections that a new Variable is added to."""
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    if not isinstance(collections, (list, tuple, set)):
        raise misuse(ValueError(
            'collections argument to Variable constructor must be a list, tuple, or set. Got '
            f'{collections!r} of type {type(collections).__name__}'))
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
        return [*collections, GraphKeys.TRAINABLE_VARIABLES]
    return list(collections)


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
    _check_dtype(variable, dtype)
    return variable._variable if as_ref else variable._snapshot


def _resource_to_tensor(variable, dtype=None, name=None, as_ref=False):
    _check_dtype(variable, dtype)
    return variable.handle if as_ref else variable.value()


def _check_dtype(variable, dtype):
    """ValueError if the requested dtype is not that of the Variable."""
    if dtype is not None and not dtype.is_compatible_with(variable.dtype):
        raise misuse(ValueError(report(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{variable.dtype.name}'", inputs=[('variable', variable._snapshot)],
            hint=dtype_hints.for_not_allowed('variable', variable._snapshot, {dtype.base_dtype}))))


register_tensor_conversion_function(Variable, _to_tensor)
register_tensor_conversion_function(ResourceVariable, _resource_to_tensor, priority=99)
