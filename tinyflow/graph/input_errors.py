"""Errors for invalid inputs of an op: not convertible to a tensor, or of the wrong dtype.

Each function returns the exception to raise. `definition` is the op's declaration, `arg` the
argument of its signature that the input belongs to.
"""
from __future__ import annotations

from tinyflow.graph import dtype_hints, dtypes
from tinyflow.graph.convert import as_array, convert_to_tensor, why_none
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report


def not_a_list(definition, arg, value):
    return misuse(TypeError(f"Expected list for '{arg.name}' argument to '{definition.type}' Op, "
                            f'not {value!r}.'))


def not_a_variable(definition, arg, tensor):
    """A plain tensor where the op needs a Variable (a reference to its storage)."""
    return misuse(AttributeError(report(
        f"'{definition.type}' needs a Variable for its argument '{arg.name}', and "
        f"'{tensor.name}' is a plain value.", inputs=[(arg.name, tensor)])))


def not_a_handle(definition, arg, tensor):
    """A tensor where the op needs the handle of a resource variable."""
    return misuse(TypeError(report(
        f"Input '{arg.name}' of '{definition.type}' Op has type {tensor.dtype.name} that does not "
        'match expected type of resource.', inputs=[(arg.name, tensor)], site=user_site(),
        hint='tf.Variable(..., use_resource=True) has a handle.')))


def dtype_not_allowed(definition, arg, tensor, allowed):
    """A tensor whose dtype is not among those that the op accepts."""
    names = ', '.join(d.name for d in dtypes.ALL if d in allowed)
    return misuse(TypeError(report(
        f"Value passed to parameter '{arg.name}' of {definition.type} has DataType "
        f'{tensor.dtype.base_dtype.name} not in list of allowed values: {names}',
        inputs=[(arg.name, tensor)], site=user_site(),
        hint=dtype_hints.for_not_allowed(arg.name, tensor, allowed))))


def dtype_mismatch(definition, arg, tensor, wanted, earlier):
    """A tensor that is not of the `wanted` dtype, which one of the `earlier` inputs may have set.
    """
    label = f'{arg.name}[{len(earlier)}]' if arg.is_list else arg.name
    other = _first_of(definition, arg, wanted, [t for t in earlier if t is not tensor])
    if other is None:
        because = f'does not match expected type of {wanted.name}'
        hint = dtype_hints.for_not_allowed(label, tensor, {wanted})
    else:
        because = f"does not match type {wanted.name} of argument '{other[0]}'"
        hint = dtype_hints.for_mismatch(definition.type, other, (label, tensor))
    return misuse(TypeError(report(
        f"Input '{arg.name}' of '{definition.type}' Op has type {tensor.dtype.base_dtype.name} "
        f'that {because}.', inputs=[*([other] if other else []), (label, tensor)],
        site=user_site(), hint=hint)))


def _first_of(definition, arg, dtype, earlier):
    """(label, tensor) of the first input that has this dtype, or None."""
    for i, tensor in enumerate(earlier):
        if tensor.dtype.base_dtype is dtype:
            return (f'{arg.name}[{i}]' if arg.is_list else 'an earlier input'
                    if definition.has_lists else definition.inputs[i].name), tensor
    return None


def not_convertible(definition, arg, value, wanted, earlier, error):
    """A Python value or Variable that cannot be converted to a tensor of the `wanted` dtype."""
    if value is None:
        shown = zip([a.name for a in definition.inputs], earlier)
        return misuse(ValueError(report(
            f"Tried to convert '{arg.name}' of '{definition.type}' Op to a tensor and failed: "
            'None values not supported.', inputs=list(shown), site=user_site(),
            hint=why_none(arg.name))))
    if wanted is None:
        return error
    if hasattr(value, '_as_graph_element'):             # a Variable of another dtype
        return dtype_mismatch(definition, arg, convert_to_tensor(value), wanted, earlier)
    other = _first_of(definition, arg, wanted, earlier)
    try:
        dtype = as_array(value)[1]
    except (TypeError, ValueError):
        return error
    if other is None or dtype is wanted:
        return error
    reason, _, _ = str(error).partition('\n')
    return misuse(TypeError(report(
        f"Input '{arg.name}' of '{definition.type}' Op has type {dtype.name} that does not match "
        f"type {wanted.name} of argument '{other[0]}': {reason}", inputs=[other],
        site=user_site(), hint=dtype_hints.for_value(dtype, other))))
