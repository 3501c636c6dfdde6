"""get_variable and variable_scope: Variables named and shared by scope.

Two stacks run side by side, as in TF1. The name scope names nodes, and is made unique each time it
is opened; the variable scope names the Variables of get_variable, and is not: that is what lets a
second visit find the same Variables.
"""
from __future__ import annotations

import enum
import functools
from contextlib import contextmanager

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import common_graph, get_collection, get_default_graph, name_scope
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.scope_store import get_scope_store
from tinyflow.ops.variables.synchronization import VariableAggregation, VariableSynchronization
from tinyflow.ops.variables.variable_store import get_store

__all__ = ['AUTO_REUSE', 'VariableScope', 'get_local_variable', 'get_variable',
           'get_variable_scope', 'no_regularizer', 'variable_op_scope', 'variable_scope']


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1

    def __repr__(self):
        return 'tf.AUTO_REUSE'


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def no_regularizer(_):
    """A scope's regularizer that disables that of an outer scope."""
    return None


def _get_scope_store():
    """The ScopeStore of the default graph, in which a scope is open."""
    store = get_scope_store()
    if store.current is None:
        store.current = VariableScope(False)
    return store


class VariableScope:
    """The settings of a variable scope for get_variable: name, reuse and defaults."""

    def __init__(self, reuse, name='', initializer=None, regularizer=None, caching_device=None,
                 partitioner=None, custom_getter=None, name_scope='', dtype=dtypes.float32,
                 use_resource=None, constraint=None):
        self._reuse = reuse
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self):
        return self._name

    @property
    def original_name_scope(self):
        """The name scope in which this variable scope was opened first, with a final '/'."""
        return self._name_scope

    @property
    def reuse(self):
        """False: new Variables only; True: existing ones only; tf.AUTO_REUSE: whichever."""
        return self._reuse

    def reuse_variables(self):
        """From here on this scope returns existing Variables only."""
        self._reuse = True

    def get_collection(self, name):
        """The items of a collection of the graph whose names are in this scope."""
        return get_collection(name, self._name + '/' if self._name else '')

    def trainable_variables(self):
        """The trainable Variables in this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self):
        """The global Variables in this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self):
        """The local Variables in this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(self, var_store, name, shape=None, dtype=None, initializer=None,
                     regularizer=None, reuse=None, trainable=None, collections=None,
                     caching_device=None, partitioner=None, validate_shape=True,
                     use_resource=None, custom_getter=None, constraint=None,
                     synchronization=VariableSynchronization.AUTO,
                     aggregation=VariableAggregation.NONE):
        """`tf.get_variable` in this scope; `var_store` None is that of the default graph."""
        full_name = f'{self._name}/{name}' if self._name else name
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        # A Variable's name depends on variable scopes only.
        with name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                _check_initializer_dtype(initializer, dtype)
            store = get_store() if var_store is None else var_store
            return store.get(
                full_name, _or(custom_getter, self._custom_getter), shape=shape,
                dtype=_or(dtype, self._dtype), initializer=_or(initializer, self._initializer),
                regularizer=_or(regularizer, self._regularizer), reuse=_or(reuse, self._reuse),
                trainable=trainable, collections=collections,
                caching_device=_or(caching_device, self._caching_device),
                partitioner=_or(partitioner, self._partitioner), validate_shape=validate_shape,
                use_resource=_or(use_resource, self._use_resource),
                constraint=_or(constraint, self._constraint), synchronization=synchronization,
                aggregation=aggregation)

    def _copy(self, **changes):
        """The same scope with some settings replaced; None leaves a setting as it is."""
        settings = {key[1:]: value for key, value in vars(self).items()}
        settings.update({key: value for key, value in changes.items() if value is not None})
        return VariableScope(**settings)


def cache_reads(scope):
    """Variables of a scope are read once for all steps, where its other nodes are.

    Unless the program has chosen a caching_device, or the steps are in a loop, which may train.
    """
    if scope.caching_device is None and not isinstance(get_default_graph(), FuncGraph):
        scope.set_caching_device(_device_of)


@contextmanager
def cached_reads():
    """A block in which the Variables of the open scope are read as in `cache_reads`."""
    scope = get_variable_scope()
    outer = scope.caching_device
    cache_reads(scope)
    try:
        yield
    finally:
        scope.set_caching_device(outer)


def _device_of(operation):
    return operation.device


_SETTINGS = ('initializer', 'regularizer', 'caching_device', 'partitioner', 'custom_getter',
             'dtype', 'use_resource', 'constraint')


def _setting(name):
    def setter(self, value):
        setattr(self, '_' + name, value)
    setter.__name__ = 'set_' + name
    setter.__doc__ = f'Sets the default {name} of this scope.'
    return property(lambda self: getattr(self, '_' + name)), setter


for _name in _SETTINGS:
    _property, _setter = _setting(_name)
    setattr(VariableScope, _name, _property)
    if _name != 'constraint':
        setattr(VariableScope, 'set_' + _name, _setter)


def _or(value, default):
    return default if value is None else value


def _check_initializer_dtype(initializer, dtype):
    dtype = dtypes.as_dtype(dtype)
    found = convert_to_tensor(initializer).dtype.base_dtype
    if found is not dtype.base_dtype:
        raise misuse(ValueError(f"Initializer type '{found}' and explicit dtype '{dtype}' don't "
                                'match.'))


def _chained(custom_getter, outer):
    """Chains custom getters: the inner one calls the outer one."""
    if custom_getter is None or outer is None:
        return custom_getter

    def both(getter, *args, **kwargs):
        return custom_getter(functools.partial(outer, getter), *args, **kwargs)
    return both


class variable_scope:                   # noqa: N801 (TF's name)
    """``with tf.variable_scope('layer1'):`` prefixes Variables and nodes made inside.

    `name_or_scope` is a name, which is put after that of the scope around it, or a VariableScope,
    to which this returns. Without it, `default_name` is used, made unique. `reuse` is inherited by
    scopes inside. The other settings are defaults for get_variable.
    """

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None,
                 regularizer=None, caching_device=None, partitioner=None, custom_getter=None,
                 reuse=None, dtype=None, use_resource=None, constraint=None,
                 auxiliary_name_scope=True):
        if default_name is None and name_or_scope is None:
            raise misuse(TypeError('If default_name is None then name_or_scope is required'))
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise misuse(TypeError('VariableScope: name_or_scope must be a string or '
                                   f'VariableScope, not {name_or_scope!r}.'))
        if reuse not in (None, False, True, AUTO_REUSE):
            raise misuse(ValueError('The reuse parameter must be True or False or None.'))
        if name_or_scope is None and reuse:
            raise misuse(ValueError('reuse=True cannot be used without a name_or_scope'))
        if not isinstance(auxiliary_name_scope, bool):
            raise misuse(TypeError('The auxiliary_name_scope must be `True` or `False`, while get '
                                   f'{auxiliary_name_scope!r}'))
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._graph = common_graph([v for v in values or () if isinstance(v, Tensor)])
        self._reuse = reuse or None         # False is inherited like None
        self._settings = {
            'initializer': initializer, 'regularizer': regularizer,
            'caching_device': caching_device, 'partitioner': partitioner, 'dtype': dtype,
            'use_resource': use_resource, 'constraint': constraint}
        self._custom_getter = custom_getter
        self._auxiliary_name_scope = auxiliary_name_scope
        self._entered: list = []            # one scope object may be entered again and again
        self._unique_name = self._first_name_scope = None

    def _graph_to_enter(self):
        """The scope's graph; but a function that is being built stays the default graph."""
        current = get_default_graph()
        in_function = isinstance(current, FuncGraph) or isinstance(self._graph, FuncGraph)
        return current if in_function else self._graph

    def __enter__(self):
        opened = [self._graph_to_enter().as_default()]
        opened[0].__enter__()
        try:
            name = self._open_name_scope(opened)
            store = _get_scope_store()
            outer, counts = store.current, dict(store.counts)
            scope = store.current = self._make_scope(store, name)
        except BaseException:
            for context in reversed(opened):
                context.__exit__(None, None, None)
            raise
        self._entered.append((store, outer, counts, scope, opened))
        return scope

    def _open_name_scope(self, opened):
        """Enters the name scope; its full name, or None where there is none to enter."""
        if not self._auxiliary_name_scope:
            current = self._graph.get_name_scope()
            context = name_scope(current + '/' if current else '')
        else:
            name = self._default_name if self._name_or_scope is None else self._name_or_scope
            if isinstance(name, VariableScope):
                name = name.name.split('/')[-1]
            if not name:
                return None
            context = name_scope(name)
        full_name = context.__enter__()
        opened.append(context)
        return full_name

    def _make_scope(self, store, full_name_scope):
        base = store.current
        if isinstance(self._name_or_scope, VariableScope):
            base = self._name_or_scope
            name, scope_name = base.name, base.original_name_scope
        else:
            name = self._name_or_scope
            if name is None:
                name = self._unique_name = \
                    self._unique_name or store.unique(self._default_name, base.name)
            if self._first_name_scope is None:
                self._first_name_scope = name if full_name_scope is None else full_name_scope
            scope_name = self._first_name_scope
            name = f'{base.name}/{name}' if base.name else name
        store.open(name)
        return base._copy(
            name=name, name_scope=scope_name, reuse=self._reuse or base.reuse,
            custom_getter=_chained(self._custom_getter, base.custom_getter), **self._settings)

    def __exit__(self, *error):
        store, outer, counts, scope, opened = self._entered.pop()
        if store.current is not scope:
            raise misuse(RuntimeError('Improper nesting of variable_scope.'))
        if isinstance(self._name_or_scope, VariableScope):
            counts[scope.name] = counts.get(scope.name, 0) + 1
            store.counts = counts
        else:
            store.forget_inside(scope.name)
        store.current = outer
        for context in reversed(opened):
            context.__exit__(*error)


def variable_op_scope(values, name_or_scope, default_name=None, initializer=None,
                      regularizer=None, caching_device=None, partitioner=None,
                      custom_getter=None, reuse=None, dtype=None, use_resource=None,
                      constraint=None):
    """`variable_scope` with another order of arguments (deprecated in TF1)."""
    return variable_scope(name_or_scope, default_name, values, initializer, regularizer,
                          caching_device, partitioner, custom_getter, reuse, dtype, use_resource,
                          constraint)


def get_variable_scope():
    """The innermost open VariableScope."""
    return _get_scope_store().current


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                 collections=None, caching_device=None, partitioner=None, validate_shape=True,
                 use_resource=None, custom_getter=None, constraint=None,
                 synchronization=VariableSynchronization.AUTO,
                 aggregation=VariableAggregation.NONE):
    """The Variable of that name in the open variable scope: a new one, or with reuse the existing.

    `initializer` is a function of shape and dtype (default: glorot_uniform for floats, zeros for
    integers), or the initial value itself. Raises ValueError if the Variable exists and the scope
    does not share, or the other way round.
    """
    return get_variable_scope().get_variable(
        None, name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
        trainable=trainable, collections=collections, caching_device=caching_device,
        partitioner=partitioner, validate_shape=validate_shape, use_resource=use_resource,
        custom_getter=custom_getter, constraint=constraint, synchronization=synchronization,
        aggregation=aggregation)


def get_local_variable(name, shape=None, dtype=None, initializer=None, regularizer=None,
                       trainable=False, collections=None, caching_device=None, partitioner=None,
                       validate_shape=True, use_resource=None, custom_getter=None,
                       constraint=None, synchronization=VariableSynchronization.AUTO,
                       aggregation=VariableAggregation.NONE):
    """`get_variable` for a local Variable: not trained, not saved, in LOCAL_VARIABLES."""
    return get_variable(
        name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
        trainable=False, collections=[*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape,
        use_resource=use_resource, custom_getter=custom_getter, constraint=constraint,
        synchronization=synchronization, aggregation=aggregation)
