"""Variable: a named value that outlives a run.

A Variable is four nodes, as in TF1: its initial value, the place (VariableV2), the Assign of one to
the other, and an Identity that reads it. The value itself belongs to the Session.
"""
from __future__ import annotations

import enum
import inspect
from contextlib import contextmanager
from functools import cache, partial

from tinyflow.graph import dtype_hints as mends, dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import (
    colocate_with,
    device,
    get_collection,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.numpy_misuse import refuse_numpy
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.errors import report, worded
from tinyflow.graph.support.v1_v2_switches import wants_resource
from tinyflow.graph.tensor_operators import TensorOperators
from tinyflow.graph.variable_creation import creators_of
from tinyflow.ops.array import gathering, identity_and_cast as identities, slicing
from tinyflow.ops.random import tf1_node_count as node_counts
from tinyflow.ops.variables import variable_ops as state

__all__ = ['Variable', 'VariableAggregation', 'VariableSynchronization', 'init_scope']


class VariableSynchronization(enum.Enum):
    """When copies of a Variable on several workers are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How copies of a Variable on several workers become one value."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


@contextmanager
def init_scope():
    """Nodes made inside wait for nothing outside: what initial values need.

    Inside the function of a cond or a loop they go to the graph around it all, where Variables
    belong.
    """
    inner = outer = get_default_graph()
    while outer.outer_graph is not None:
        outer = outer.outer_graph
    if outer is inner:
        with outer.control_dependencies(None):
            yield
        return
    scope = inner.get_name_scope()
    with outer.as_default(), outer.control_dependencies(None), \
            outer.name_scope(scope + '/' if scope else None):
        yield


@cache
def _arguments():
    """The names of Variable's arguments, in order."""
    return list(inspect.signature(Variable.__init__).parameters)[1:]


class _VariableKind(type):
    """Lets the creators of open variable_creator_scopes make Variables."""

    def __call__(cls, *args, **settings):
        if cls is not Variable:
            return super().__call__(*args, **settings)
        make = super().__call__
        creators = creators_of(get_default_graph())
        if not creators:
            return make(*args, **settings)
        for creator in creators:
            make = partial(creator, make)
        return make(**dict(zip(_arguments(), args)), **settings)


@refuse_numpy
class Variable(TensorOperators, metaclass=_VariableKind):
    """A value that a Session keeps from run to run, and that assignments change.

    ``w = tf.Variable(tf.zeros([784, 10]), name='w')``. `initial_value` is anything that becomes a
    tensor, or a function that makes one. In an expression a Variable stands for its value.

    Raises ValueError if `initial_value` is missing or its shape is not known (unless
    `validate_shape` is False, which makes a Variable of unknown shape).
    """

    __array_priority__ = 100            # NumPy arrays on the left hand the operator over to us

    _resource_kind = None               # the class that use_resource=True makes, once imported

    def __new__(cls, *args, use_resource=None, **settings):
        if cls is Variable and wants_resource(args[11] if len(args) > 11 else use_resource):
            cls = Variable._resource_kind
        return object.__new__(cls)

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True,
                 caching_device=None, name=None, variable_def=None, dtype=None,
                 expected_shape=None, import_scope=None, constraint=None, use_resource=None,
                 synchronization=VariableSynchronization.AUTO,
                 aggregation=VariableAggregation.NONE, shape=None):
        if variable_def is not None:
            raise NotImplementedError('tf.Variable(variable_def=...): Variables from protocol '
                                      'buffers are made by tf.Variable.from_proto.')
        if initial_value is None:
            raise worded(ValueError('initial_value must be specified.'))
        if constraint is not None and not callable(constraint):
            raise worded(ValueError('The `constraint` argument must be a callable.'))
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._trainable = trainable
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._save_slice_info = None
        self._is_initialized = None
        collections = collections_of(collections, trainable)
        dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        tensors = [initial_value] if isinstance(initial_value, Tensor) else []
        with name_scope(name, 'Variable', tensors) as scope, init_scope():
            self._make_nodes(initial_value, scope, dtype, validate_shape, shape)
            self.graph.add_to_collections(collections, self)

    def _make_nodes(self, initial_value, scope, dtype, validate_shape, shape):
        initial = self._initial_tensor(initial_value, dtype)
        self._initial_value = initial
        storage_shape = (shapes.raw(shape) if shape is not None else
                       initial.raw_shape if validate_shape else None)
        if validate_shape and not shapes.known(initial.raw_shape):
            raise worded(ValueError(report(
                f'initial_value must have a shape specified: {initial}',
                inputs=[('initial_value', initial)],
                mend='a fully known shape, such as [784, 10]: weights do not depend on the size of '
                     'a batch; or validate_shape=False for a Variable of unknown shape.')))
        self._variable = state.VariableV2.apply(
            shape=storage_shape, dtype=initial.dtype.base_dtype, name=scope)
        self._safe_initial_value = _with_initialized_variables(initial, scope)
        self._initializer_op = state.Assign.apply(
            self._variable, self._safe_initial_value, validate_shape=validate_shape,
            name='Assign').op
        with colocate_with(self._variable.op):
            self._snapshot = identities.Identity.apply(self._variable, name='read')

    @staticmethod
    def _initial_tensor(initial_value, dtype):
        if not callable(initial_value):
            return convert_to_tensor(initial_value, dtype, 'initial_value')
        with name_scope('Initializer'), device(None):
            return convert_to_tensor(initial_value(), dtype, 'initial_value')

    # ---- what it is ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._variable.name

    @property
    def op(self) -> Operation:
        """The VariableV2 operation."""
        return self._variable.op

    @property
    def graph(self):
        return self._variable.graph

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the place, such as ``float32_ref``."""
        return self._variable.dtype

    @property
    def shape(self) -> shapes.TensorShape:
        return self._variable.shape

    def get_shape(self) -> shapes.TensorShape:
        """Same as `.shape`."""
        return self.shape

    def set_shape(self, shape) -> None:
        """Adds what you know of the shape, as `Tensor.set_shape` does."""
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    @property
    def device(self) -> str:
        return self._variable.device

    @property
    def initializer(self) -> Operation:
        """The operation that assigns the initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor:
        return self._initial_value

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def constraint(self):
        """The function that an optimizer applies to the value after each update, or None."""
        return self._constraint

    @property
    def synchronization(self):
        return self._synchronization

    @property
    def aggregation(self):
        return self._aggregation

    def _get_save_slice_info(self):
        return self._save_slice_info

    def _set_save_slice_info(self, save_slice_info):
        self._save_slice_info = save_slice_info

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __iter__(self):
        raise worded(TypeError(f"'Variable' object is not iterable: '{self.name}'.\n  Mend: "
                               'tf.unstack(v), or sess.run(v), which is an array.'))

    # ---- reading -------------------------------------------------------------------------

    def value(self) -> Tensor:
        """The tensor `<name>/read`; what the Variable stands for in an expression."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """A new node that reads the Variable: inside control_dependencies, at that moment."""
        return identities.Identity.apply(self._variable, name='read')

    def initialized_value(self) -> Tensor:
        """The value if there is one already, else `initial_value`: for other initial values.

        TF1 makes a `cond` of nodes here, tinyflow one node; and where the initial value depends on
        Variables in turn, they need not be initialised either.
        """
        with init_scope(), node_counts.standing_for(_NODES_OF_INITIALIZED_VALUE):
            return state.InitializedValue.apply(self._variable, self._safe_initial_value)

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

    def load(self, value, session=None) -> None:
        """Sets the value in `session` or the default Session, at once and without a new node."""
        session = session_for(session, self.graph, f"'{self.name}'.load()")
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """self = value; the place after the assignment (or the Operation, if not read_value)."""
        return _place_or_op(state.assign(self, value, use_locking=use_locking, name=name),
                            read_value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """self += delta; the place after the update (or the Operation, if not read_value)."""
        return _place_or_op(state.assign_add(self, delta, use_locking, name), read_value)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """self -= delta; the place after the update (or the Operation, if not read_value)."""
        return _place_or_op(state.assign_sub(self, delta, use_locking, name), read_value)

    def count_up_to(self, limit):
        """`tf.count_up_to` of this Variable."""
        return state.count_up_to(self, limit)

    def scatter_nd_update(self, indices, updates, name=None):
        """`tf.scatter_nd_update` of this Variable."""
        return state.scatter_nd_update(self, indices, updates, name=name)

    def scatter_nd_add(self, indices, updates, name=None):
        """`tf.scatter_nd_add` of this Variable."""
        return state.scatter_nd_add(self, indices, updates, name=name)

    def scatter_nd_sub(self, indices, updates, name=None):
        """`tf.scatter_nd_sub` of this Variable."""
        return state.scatter_nd_sub(self, indices, updates, name=name)


def _place_or_op(place, read_value):
    return place if read_value else place.op


def _scatter_method(name):
    function = getattr(state, name)

    def method(self, sparse_delta, use_locking=False, name=None):
        if not isinstance(sparse_delta, IndexedSlices):
            raise worded(TypeError(f'sparse_delta is not IndexedSlices: {sparse_delta!r}'))
        return function(self, sparse_delta.indices, sparse_delta.values, use_locking, name)
    method.__name__ = name
    method.__doc__ = f'`tf.{name}` of this Variable, with IndexedSlices.'
    return method


def _operator(name):
    def method(self, *args):
        return getattr(self.value(), name)(*args)
    method.__name__ = name
    method.__doc__ = f'`Tensor.{name}` of the value.'
    return method


_OPERATORS = ('add radd sub rsub mul rmul div rdiv truediv rtruediv floordiv rfloordiv mod rmod '
              'pow rpow matmul rmatmul lt le gt ge and rand or ror xor rxor neg abs invert')
for _name in _OPERATORS.split():
    setattr(Variable, f'__{_name}__', _operator(f'__{_name}__'))
Variable.__getitem__ = lambda self, key: slicing.get_item(self.value(), key, var=self)
for _name in 'update add sub mul div max min'.split():
    setattr(Variable, f'scatter_{_name}', _scatter_method(f'scatter_{_name}'))


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
    if dtype is not None and not dtype.is_compatible_with(variable.dtype):
        raise worded(ValueError(report(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{variable.dtype.name}'", inputs=[('variable', variable.value())],
            mend=mends.for_wanted('variable', variable.value(), {dtype.base_dtype}))))
    return variable._variable if as_ref else variable._snapshot


register_tensor_conversion_function(Variable, _to_tensor)


def collections_of(collections, trainable):
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    if not isinstance(collections, (list, tuple, set)):
        raise worded(ValueError(
            'collections argument to Variable constructor must be a list, tuple, or set. Got '
            f'{collections!r} of type {type(collections).__name__}'))
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
        return [*collections, GraphKeys.TRAINABLE_VARIABLES]
    return list(collections)


_NODES_OF_INITIALIZED_VALUE = 9         # of the cond that TF1 makes of it
_PLACES = {'VariableV2', 'VarHandleOp'}
_INITIALIZED_VALUES = {'InitializedValue', 'ResourceInitializedValue'}
_LEFT_ALONE = {'ReadVariableOp', 'IsVariableInitialized', 'VarIsInitializedOp'}


def _with_initialized_variables(initial, scope):
    """`initial` with every Variable that it reads replaced by that Variable's initialized_value.

    So `b = tf.Variable(a + 1)` can be initialised in the same run as `a`. The nodes between are
    made a second time, named after the new Variable as in TF1.
    """
    ancestors = _reachable(initial.op, lambda op: () if _is_leaf(op) else _sources(op))
    if not any(op.type in _PLACES or op.type in _INITIALIZED_VALUES for op in ancestors):
        return initial
    variables = {v.op: v for v in get_collection(GraphKeys.GLOBAL_VARIABLES)
                 + get_collection(GraphKeys.LOCAL_VARIABLES) if isinstance(v, Variable)}
    with node_counts.standing_for(_nodes_of_guard(initial.op, variables)):
        return _replaced(initial, {op for op in ancestors if not _is_leaf(op)}, variables, scope)


def _replaced(initial, ancestors, variables, scope):
    replaced: dict[Tensor, Tensor] = {}
    for op in sorted(ancestors, key=lambda op: op.id):
        if op in variables:
            # Of a resource variable it is its readings that are replaced.
            readings = [op.outputs[0]] if op.type == 'VariableV2' else [
                t.outputs[0] for t in op.outputs[0].consumers()
                if t in ancestors and t.type == 'ReadVariableOp']
            if readings:
                value = variables[op].initialized_value()
                replaced.update(dict.fromkeys(readings, value))
        elif op.outputs and op.outputs[0] in replaced:
            continue
        elif any(t in replaced for t in op.inputs):
            again = _made_again(op, [replaced.get(t, t) for t in op.inputs], scope)
            replaced.update(zip(op.outputs, again.outputs))
    return replaced.get(initial, initial)


def _nodes_of_guard(initial, variables):
    """How many nodes TF1 makes of an initial value for `_with_initialized_variables`.

    There an initialized_value is a cond, whose nodes are made again, too: a Switch of the Variable,
    a reading and a Merge, and a Switch of its initial value if that has changed. Readings of
    resource variables are left alone.
    """
    def sources(op):
        if op.type in _LEFT_ALONE:
            return []
        if op.type in _INITIALIZED_VALUES and op.inputs[0].op in variables:
            place = op.inputs[0].op
            value = variables[place].initial_value      # before it was guarded itself
            return [place, (op.inputs[1] if value is None else value).op]
        return _sources(op)
    nodes, changed = 0, set()
    ancestors = _reachable(initial, sources)
    if any(op.type == 'While' for op in ancestors):     # what has a cycle, TF1 leaves alone
        return 0
    for op in sorted(ancestors, key=lambda op: op.id):
        which = [source in changed for source in sources(op)]
        if op.type == 'VariableV2':
            again = _NODES_OF_INITIALIZED_VALUE if op in variables else 0
        elif op.type in _INITIALIZED_VALUES and any(which):
            again = 2 * which[0] + which[1] + 1
        else:
            again = int(any(which))
        if again:
            nodes += again
            changed.add(op)
    return nodes


def _is_leaf(op):
    """True of assignments and questions, behind which nothing is replaced."""
    return op.writes or op.definition.takes_storage


def _sources(op):
    return [t.op for t in op.inputs]


def _reachable(op, sources):
    """The operation, its `sources`, theirs and so on."""
    found, stack = set(), [op]
    while stack:
        op = stack.pop()
        if op not in found:
            found.add(op)
            stack += sources(op)
    return found


def _made_again(op, inputs, scope):
    definition = op.definition
    if definition.has_lists:
        inputs = definition.nest(inputs)
    return definition.make(inputs, dict(op.attrs), f'{op.name}_{scope}')
