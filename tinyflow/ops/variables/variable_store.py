"""VariableStore: the Variables that get_variable made, by name."""
from __future__ import annotations

import functools
import inspect
from types import FunctionType

from tinyflow.graph import dtypes, eager_mode, shapes
from tinyflow.graph.defaults import (
    add_to_collection,
    colocate_with,
    name_scope,
)
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.source_location import Site, here
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse, why
from tinyflow.graph.support.keywords import close_matches
from tinyflow.ops.variables.initializers import glorot_uniform_initializer, zeros_initializer
from tinyflow.ops.variables.partitioned_variable import (
    PartitionedVariable,
    get_partitioned,
    parts_of,
)
from tinyflow.ops.variables.replica_context import get_strategy, has_strategy
from tinyflow.ops.variables.scope_store import one_per_graph
from tinyflow.ops.variables.variable import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    init_scope,
)

STORE = ('__variable_store',)           # the key of the collection that holds it


def get_store():
    return one_per_graph(STORE, VariableStore)


class VariableStore:
    """The Variables that get_variable made in one graph."""

    keeps = False       # Variables that are made while ops run at once; see EagerVariableStore

    def __init__(self):
        self.variables: dict[str, Variable] = {}
        self.partitioned: dict[str, PartitionedVariable] = {}

    def get(self, name, custom_getter, **settings):
        """The Variable of that full name, through the custom getter if there is one."""
        if custom_getter is None:
            return self._get(name, **settings)
        if not callable(custom_getter):
            raise misuse(ValueError('Passed a custom_getter which is not callable: '
                                    f'{custom_getter!r}'))
        if not _accepts(custom_getter, 'constraint'):
            constraint = settings.pop('constraint')
            return custom_getter(getter=functools.partial(self._get, constraint=constraint),
                                 name=name, **settings)
        return custom_getter(getter=self._get, name=name, **settings)

    def _get(self, name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None,
             reuse=None, trainable=None, collections=None, caching_device=None, partitioner=None,
             validate_shape=True, use_resource=None, constraint=None,
             synchronization=VariableSynchronization.AUTO,
             aggregation=VariableAggregation.NONE):
        if partitioner is not None and not _is_scalar(shape) and _may_have_parts():
            return self._get_partitioned(
                name, partitioner, shape=shape, dtype=dtype, initializer=initializer,
                regularizer=regularizer, reuse=reuse, trainable=trainable,
                collections=collections, caching_device=caching_device,
                validate_shape=validate_shape, use_resource=use_resource, constraint=constraint,
                synchronization=synchronization, aggregation=aggregation)
        if reuse is True and name in self.partitioned:      # the partitioner need not be repeated
            return self._get_partitioned(name, None, reuse, shape=shape, dtype=dtype)
        if f'{name}/part_0' in self.variables:
            raise misuse(ValueError(
                'No partitioner was provided, but a partitioned version of the variable was '
                f'found: {name}/part_0.\n  Hint: the same partitioner, to share it.'))
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise misuse(ValueError('If initializer is a constant, do not specify shape.'))
        dtype = dtypes.as_dtype(dtype).base_dtype
        shape = shapes.as_shape(shape)
        kept = self.keeps or not eager_mode.variables_have_values()
        existing = self.variables.get(name) if kept else None
        if existing is not None:
            return _shared(existing, name, shape, dtype, reuse)
        if reuse is True and kept:
            raise misuse(ValueError(self._nothing_to_reuse(name)))
        variable = Variable(
            trainable=trainable, collections=collections, validate_shape=validate_shape,
            caching_device=caching_device, name=name, constraint=constraint,
            use_resource=use_resource, synchronization=synchronization, aggregation=aggregation,
            **_initial_value(name, initializer, from_value, shape, dtype))
        if kept:                    # else it lives as long as the program uses it
            self.variables[name] = variable
        if regularizer:             # as in TensorFlow, {} and False are none
            _add_regularization(regularizer, variable, name)
        return variable

    def _get_partitioned(self, name, partitioner, reuse=None, **settings):
        existing = self.partitioned.get(name)
        if existing is not None:
            if reuse is False:
                raise misuse(ValueError(
                    f'Partitioned variable with name {name} already exists. Did you mean to set '
                    'reuse=True or reuse=tf.AUTO_REUSE in VarScope?'))
            dtype = dtypes.as_dtype(settings['dtype']).base_dtype
            return _shared(existing, name, shapes.as_shape(settings['shape']), dtype, reuse)
        if name in self.variables:
            raise misuse(ValueError(
                f'A partitioner was provided, but an unpartitioned version of the variable was '
                f'found: {name}.\n  Hint: leave out the partitioner, to share it.'))
        if reuse is True:
            raise misuse(ValueError(self._nothing_to_reuse(name)))
        self.partitioned[name] = get_partitioned(self._get, name, partitioner, reuse=reuse,
                                                 **settings)
        return self.partitioned[name]

    def _nothing_to_reuse(self, name):
        nearest = ', '.join(map(repr, close_matches(name, self.variables, n=3)))
        return (f'Variable {name} does not exist, or was not created with tf.get_variable(). Did '
                'you mean to set reuse=tf.AUTO_REUSE in VarScope?'
                + (f'\n  nearest names: {nearest}' if nearest else '')
                + '\n  Hint: reuse=tf.AUTO_REUSE makes the Variable at the first visit and shares '
                  'it at the next.' + why('variable-missing'))


def _may_have_parts():
    """A Variable has parts for servers or components for replicas, not both, as in TensorFlow."""
    if not has_strategy() or get_strategy().extended._allows_parts:
        return True
    logging.log_first_n(logging.WARN, 'Partitioned variables are disabled when using current '
                                      'tf.distribute.Strategy.', 1)
    return False


def _is_scalar(shape):
    return shape is not None and shapes.as_shape(shape).ndims == 0


def _accepts(function, name):
    """True if a function takes an argument of that name, or any."""
    parameters = inspect.signature(function).parameters
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _parameters(initializer):
    """The parameters of a callable; those of an object's class are looked up once."""
    call = type(initializer).__call__ if callable(initializer) else None
    return _parameters_of_method(call) if type(call) is FunctionType \
        else inspect.signature(initializer).parameters


@functools.lru_cache(maxsize=256)
def _parameters_of_method(function):
    parameters = dict(inspect.signature(function).parameters)
    del parameters[next(iter(parameters))]      # self
    return parameters


def _initial_value(name, initializer, from_value, shape, dtype):
    """The arguments `initial_value` and `dtype` for Variable."""
    if from_value:
        return {'initial_value': initializer, 'dtype': None}
    if initializer is None:
        initializer = _default_initializer(name, dtype)
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape.is_fully_defined():
        settings = {'dtype': dtype}
        if 'partition_info' in _parameters(initializer):
            settings['partition_info'] = None
        return {'initial_value': lambda: initializer(shape.as_list(), **settings), 'dtype': dtype}
    parameters = _parameters(initializer).values()
    if any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
           for p in parameters):
        raise misuse(ValueError(
            'The initializer passed is not valid. It should be a callable with no arguments and '
            'the shape should not be provided or an instance of `tf.keras.initializers.*\' and '
            f"`shape` should be fully defined.\n  the Variable: '{name}', shape {shape}\n  Hint: "
            f"give the shape: get_variable('{name}', shape=[...]), or initializer=a value."
            + why('variable-shape')))
    return {'initial_value': initializer, 'dtype': None}


def _default_initializer(name, dtype):
    if dtype.is_floating:
        return glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype is dtypes.string:
        return zeros_initializer()
    raise misuse(ValueError(f'An initializer for variable {name} of {dtype} is required'))


def _add_regularization(regularizer, variable, name):
    with colocate_with(variable.op), name_scope(name + '/Regularizer/'), init_scope():
        loss = regularizer(variable)
    if loss is not None:
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def _shared(variable, name, shape, dtype, reuse):
    """`variable`, if it may be shared; ValueError otherwise."""
    if reuse is False:
        raise misuse(ValueError(_clash(variable, name)))
    made = parts_of(variable)[0].op.site
    if not shape.is_compatible_with(variable.shape):
        raise misuse(ValueError(
            f'Trying to share variable {name}, but specified shape {shape} and found shape '
            f'{variable.shape}.\n  made at {made}\n  Hint: a variable_scope of another '
            'name, if this is to be another Variable; the same shape, if it is to be shared.'))
    if not dtype.is_compatible_with(variable.dtype):
        raise misuse(ValueError(
            f'Trying to share variable {name}, but specified dtype {dtype.name} and found dtype '
            f'{variable.dtype.name}.\n  made at {made}'))
    return variable


def _clash(variable, name):
    """The message for a name that exists; its hint depends on which of two causes it has."""
    first, second = variable.op.site, here(2) and Site(*here(2))
    lines = [f'Variable {name} already exists, disallowed. Did you mean to set reuse=True or '
             f'reuse=tf.AUTO_REUSE in VarScope?\n  made at {first}']
    if first is None or second is None or not _same_line(first, second):
        lines += [f'  requested again at {second}',
                  '  Hint: to share it, tf.variable_scope(..., reuse=tf.AUTO_REUSE) around both; '
                  'for a second Variable, another name or another variable_scope.']
    elif second.code.co_name == '<module>':
        lines += ['  the same line made it before: a notebook cell run again, a loop, or two calls '
                  'in one line.',
                  '  Hint: tf.reset_default_graph() before the graph is built again; in a loop, a '
                  'separate name or variable_scope for each pass.']
    else:
        lines += [f'  the same line made it before: {second.code.co_name}() was called again, or '
                  'loops, or the line has two calls.',
                  '  Hint: if the whole model is built again, tf.reset_default_graph() first; '
                  'to share the Variables, tf.variable_scope(..., reuse=tf.AUTO_REUSE) around '
                  'the calls; for new ones, a variable_scope of another name around each call.']
    return '\n'.join(lines) + why('variable-exists')


def _same_line(first, second):
    """A notebook may compile a cell to another file each time: then the text decides."""
    if first.code.co_name != second.code.co_name or first.line != second.line:
        return False
    return first.file == second.file or bool(first.source) and first.source == second.source
