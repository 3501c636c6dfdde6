"""Variables of a graph by scope and name, and assigning values to them."""
from __future__ import annotations

import re
import warnings

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.defaults import get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import TinyflowWarning, misuse
from tinyflow.ops.array import placeholders
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.variables.variable import Variable
from tinyflow.ops.variables.variable_scope import VariableScope
from tinyflow.train.checkpoints.inspection import NewCheckpointReader


def get_variables(scope=None, suffix=None, collection=GraphKeys.GLOBAL_VARIABLES):
    """The Variables of a collection whose names begin with `scope` and end with `suffix`."""
    scope = scope.name if isinstance(scope, VariableScope) else scope
    if suffix is not None:
        suffix = suffix if ':' in suffix else suffix + ':0'
        scope = f'{scope or ""}.*{suffix}'
    return get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
    """The Variables that belong to a model; see get_variables."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
    """The local Variables; see get_variables."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None):
    """The Variables that are trained; see get_variables."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix, scope=None):
    """The Variables whose names end with `suffix`."""
    return get_variables(scope, suffix)


def get_variables_by_name(given_name, scope=None):
    """The Variables of that name, in any scope."""
    return get_variables(scope, f'/{given_name}:|^{given_name}:')


def get_unique_variable(var_op_name):
    """The one Variable of that full name. ValueError if there is none, or more than one."""
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise misuse(ValueError(f'Couldn\'t find variable {var_op_name}'))
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise misuse(ValueError(f'Variable {var_op_name} does not uniquely identify a variable'))


def get_variable_full_name(var):
    """The name of a Variable in a checkpoint."""
    info = getattr(var, '_save_slice_info', None)
    return info.full_name if info is not None else var.op.name


def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """The Variables that match one of the first patterns (all if None), and none of the second.

    The patterns are regexes, for any part of a name, or for its beginning if not `reg_search`.
    """
    found = re.search if reg_search else re.match

    def matches(var, patterns):
        return any(found(pattern, var.name) for pattern in patterns)
    return [v for v in var_list if (include_patterns is None or matches(v, include_patterns))
            and not (exclude_patterns is not None and matches(v, exclude_patterns))]


def get_variables_to_restore(include=None, exclude=None):
    """The Variables in the scopes `include` (all if None) that are not in those of `exclude`."""
    for what, scopes in (('include', include), ('exclude', exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise misuse(TypeError(f'{what} is provided but is not a list or a tuple.'))
    wanted = get_variables() if include is None else \
        [v for scope in include for v in get_variables(scope)]
    left_out = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in wanted if id(v) not in left_out]


def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A Variable that is saved, but not trained."""
    return Variable(initial_value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES],
                    validate_shape=validate_shape, name=name, use_resource=use_resource)


# ---- assigning values --------------------------------------------------------------------


def _assignments(pairs):
    """(an Operation, a feed_dict) that assign each value to its Variable."""
    operations, feed_dict = [], {}
    for var, value in pairs:
        fed = placeholders.placeholder(var.dtype.base_dtype, var.get_shape(),
                                       f'placeholder/{var.op.name}')
        operations.append(var.assign(fed))
        feed_dict[fed] = value
    return grouping.group(*operations), feed_dict


def assign_from_values(var_names_to_values):
    """(an Operation, its feed_dict) that assign the arrays to the Variables of these names.

    ValueError for an unknown or ambiguous name.
    """
    pairs = []
    for name, value in var_names_to_values.items():
        found = get_collection(GraphKeys.GLOBAL_VARIABLES, name)
        if not found:
            raise misuse(ValueError(f"Variable {name} wasn't found"))
        exact = found if len(found) == 1 else [v for v in found if v.op.name == name]
        if not exact:
            raise misuse(ValueError(f"Variable {name} doesn't uniquely identify a variable"))
        pairs.append((exact[0], np.reshape(value, exact[0].get_shape().as_list())))
    return _assignments(pairs)


def assign_from_values_fn(var_names_to_values):
    """A function of a Session that assigns the arrays to the Variables of these names."""
    operation, feed_dict = assign_from_values(var_names_to_values)
    return lambda session: session.run(operation, feed_dict)


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """(an Operation, its feed_dict) that assign a checkpoint's values to Variables.

    `var_list` is a list of Variables, or a dict from names in the checkpoint to Variables (or lists
    of them). ValueError for values missing in the checkpoint (a warning with
    `ignore_missing_vars`), or of another shape.
    """
    return _assignments(_from_checkpoint(model_path, var_list, ignore_missing_vars, False))


def _from_checkpoint(model_path, var_list, ignore_missing_vars, reshape):
    if isinstance(var_list, (list, tuple)):
        wanted = [(get_variable_full_name(var), [var]) for var in var_list]
    else:
        wanted = [(name, list(value) if isinstance(value, (list, tuple)) else [value])
                  for name, value in var_list.items()]
    reader = NewCheckpointReader(model_path)
    for name, group in wanted:
        if not reader.has_tensor(name):
            text = f'Checkpoint is missing variable [{name}]: {model_path}'
            if not ignore_missing_vars:
                raise misuse(ValueError(text))
            warnings.warn(f'[checkpoint] {text}', TinyflowWarning, stacklevel=4)
            continue
        value = reader.get_tensor(name)
        for var in group:
            if reshape and np.size(value) == shapes.size(var.get_shape().raw):
                value = np.reshape(value, var.get_shape().as_list())
            elif np.shape(value) != tuple(var.get_shape().as_list()):
                raise misuse(ValueError(
                    f'Total size of new array must be unchanged for {name} lh_shape: '
                    f'[{np.shape(value)}], rh_shape: [{var.get_shape()}]'))
            yield var, value


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False,
                              reshape_variables=False):
    """A function of a Session that assigns a checkpoint's values to Variables.

    ValueError for an empty `var_list`; see assign_from_checkpoint.
    """
    if not var_list:
        raise misuse(ValueError('var_list cannot be empty'))
    pairs = list(_from_checkpoint(model_path, var_list, ignore_missing_vars, reshape_variables))

    def assign(session):
        for var, value in pairs:
            var.load(value, session)
    return assign if pairs else None


__all__ = ['assign_from_checkpoint', 'assign_from_checkpoint_fn', 'assign_from_values',
           'assign_from_values_fn', 'filter_variables', 'get_local_variables',
           'get_model_variables', 'get_trainable_variables', 'get_unique_variable',
           'get_variable_full_name', 'get_variables', 'get_variables_by_name',
           'get_variables_by_suffix', 'get_variables_to_restore', 'global_variable']
