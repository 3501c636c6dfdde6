"""Lists of Variables, and the nodes that initialise them or test whether they are.

TF1 keeps Variables in collections of the graph; the functions here start from one.
"""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.const import Pack
from tinyflow.graph.convert import constant
from tinyflow.graph.defaults import (
    device,
    get_collection,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import indexing, shape_ops
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.math import logic
from tinyflow.ops.variables import resource_variable_ops, variable_ops
from tinyflow.ops.variables.variable import init_scope

__all__ = [
    'all_variables', 'assert_variables_initialized', 'global_variables',
    'global_variables_initializer', 'initialize_all_variables', 'initialize_local_variables',
    'initialize_missing_variables', 'initialize_variables', 'is_variable_initialized',
    'local_variables', 'local_variables_initializer', 'model_variables',
    'moving_average_variables', 'report_uninitialized_variables', 'trainable_variables',
    'variables_initializer',
]


def global_variables(scope=None):
    """All Variables that belong to the model as a whole; `scope` is a regex on their names."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables():
    """Same as `global_variables()` (deprecated in TF1)."""
    return global_variables()


def local_variables(scope=None):
    """Variables of the LOCAL_VARIABLES collection: counters and the like, never saved."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope=None):
    """Variables that optimizers change by default."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def model_variables(scope=None):
    """Variables of the MODEL_VARIABLES collection."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope=None):
    """Variables of which moving averages are kept."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


# ---- initialising ----------------------------------------------------------------------------


def variables_initializer(var_list, name='init'):
    """One Operation that initialises the Variables of `var_list`."""
    if var_list:
        return grouping.group(*_initializers(var_list), name=name)
    return grouping.no_op(name=name)


def _initializers(var_list):
    """The initializers of Variables. ValueError where some were loaded without one."""
    without = [v.name for v in var_list if v.initializer is None]
    if without:
        raise misuse(ValueError(
            f'{", ".join(without[:5])}{" ..." if without[5:] else ""}: no initial value came with '
            'the file that these variables were loaded from; they have the values that are saved '
            'there.\n  Hint: tf.variables_initializer([...]) of your own new variables.'))
    return [v.initializer for v in var_list]


def global_variables_initializer():
    """One Operation that initialises all global Variables made so far."""
    return variables_initializer(global_variables())


def local_variables_initializer():
    """One Operation that initialises all local Variables made so far."""
    return variables_initializer(local_variables())


def initialize_all_variables():
    """Same as `global_variables_initializer()` (deprecated in TF1)."""
    return global_variables_initializer()


def initialize_variables(var_list, name='init'):
    """Same as `variables_initializer` (deprecated in TF1)."""
    return variables_initializer(var_list, name)


def initialize_local_variables():
    """Same as `local_variables_initializer()` (deprecated in TF1)."""
    return local_variables_initializer()


def is_variable_initialized(variable):
    """True once `variable` has a value in the Session that runs this.

    Shapes: variable [*a] -> [].
    """
    if hasattr(variable, 'is_initialized'):             # a resource variable
        return variable.is_initialized()
    if isinstance(variable, Tensor) and variable.dtype is dtypes.resource:
        return resource_variable_ops.VarIsInitializedOp.apply(variable)
    return variable_ops.IsVariableInitialized.apply(variable)


def assert_variables_initialized(var_list=None):
    """Reads every Variable of `var_list`, so that a run fails if one has no value (deprecated).

    Returns the ranks of the Variables; None without Variables.
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        return None
    ranks = [shape_ops.Rank.apply(variable) for variable in var_list]
    return ranks[0] if len(ranks) == 1 else Pack.apply(ranks, name='stack')


def report_uninitialized_variables(var_list=None, name='report_uninitialized_variables'):
    """The names of the Variables that have no value yet in the Session that runs this.

    `var_list` defaults to all global and local Variables. Shapes: -> [number without a value].
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
        var_list = var_list or [op.outputs[0] for op in get_default_graph().get_operations()
                                if op.type in ('VariableV2', 'VarHandleOp')]
    with name_scope(name):
        initialized = [is_variable_initialized(v) for v in var_list]
        with device('/cpu:0'):
            if not var_list:
                return constant([], dtypes.string, 'Const')
            mask = logic.LogicalNot.apply(Pack.apply(initialized, name='stack'))
            names = constant([v.op.name for v in var_list], dtypes.string, 'Const')
            return indexing.boolean_mask(names, mask)


def initialize_missing_variables(session=None, var_list=None):
    """Initialises only those Variables that have no value in `session` yet.

    tinyflow's own call, for a model that was extended. `var_list` defaults to all global
    and local Variables. Returns the list of Variables that it initialised. Adds one node to the
    graph for each Variable, at the first call only.
    """
    if session is None:
        session = session_for(None, get_default_graph(), 'initialize_missing_variables()')
    with session.graph.as_default(), init_scope(), name_scope(None):
        if var_list is None:
            var_list = global_variables() + local_variables()
        var_list = list(dict.fromkeys(var_list))
        for variable in var_list:
            if variable._is_initialized is None:
                variable._is_initialized = variable_ops.IsVariableInitialized.apply(
                    variable, name=f'{variable.op.name}/IsInitialized') \
                    if not hasattr(variable, 'handle') else variable.is_initialized()
    known = session.run([v._is_initialized for v in var_list])
    missing = [v for v, initialized in zip(var_list, known) if not initialized]
    session.run(_initializers(missing))
    return missing
