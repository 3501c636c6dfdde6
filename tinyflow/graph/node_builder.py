"""make_node: turns a call such as `MatMul.apply(a, b)` into a node of the graph.

The steps are those of every TensorFlow op: find the graph, choose the node's name, convert the
inputs to tensors and determine the type attributes (`T`), fill in the other attributes, infer
dtypes and shapes of the outputs, add the node to the graph, and register it as a consumer of its
inputs.
"""
from __future__ import annotations

from tinyflow.graph import dtypes, eager_mode, input_errors
from tinyflow.graph.constant_value import check_rank, static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import common_graph
from tinyflow.graph.devices import ANYWHERE, place
from tinyflow.graph.graph import check_is_string
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.signature import REQUIRED, output_length
from tinyflow.graph.source_location import here
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.variable_refs import dtype_behind, shape_behind

_VALID_NAMES: set[str] = set()          # names that passed the check before


def make_node(definition, inputs, attrs, name=None) -> Operation:
    """Adds a node of the op `definition` to the graph of the inputs (or the default graph).

    Raises TypeError for dtypes, ValueError for shapes that the op does not accept.
    """
    if eager_mode.execute and (executed := eager_mode.execute(definition, inputs, attrs)):
        return executed
    graph = common_graph(_tensors_in(definition, inputs))
    with graph._lock:
        full_name = _full_name(definition, graph, name)
        outer = graph._name_stack
        try:                # entering is inside the try: Ctrl-C may arrive at any line
            graph._name_stack = full_name           # converted inputs are named inside this scope
            tensors, types = convert_inputs(definition, inputs, attrs)
            if graph.outer_graph is not None:
                tensors = graph.captured_tensors(tensors)
        finally:
            graph._name_stack = outer
        operation = Operation(
            graph, definition, full_name, tensors, complete_attrs(definition, attrs, types),
            graph.control_inputs_for(tensors) if graph._controllers else (),
            here(2))
        _infer_outputs(definition, operation, types)
        if graph._device_scopes is not None or definition.ref_positions:
            place(operation, graph._device_scopes or ANYWHERE)
        if graph._gradient_overrides:
            operation._gradient_override = graph._gradient_overrides.get(definition.type)
        graph.add(operation)
        for tensor in tensors:
            if tensor._consumers is None:
                tensor._consumers = [operation]
            else:
                tensor._consumers.append(operation)
    return operation


def _tensors_in(definition, inputs):
    """The inputs that are already tensors: they determine the graph of the node."""
    if definition.has_lists:
        inputs = [t for i in inputs for t in (i if isinstance(i, (list, tuple)) else (i,))]
    return [t for t in inputs if isinstance(t, Tensor)]


def _full_name(definition, graph, name):
    """The node's unique name in the open scopes; a name that ends in '/' is used unchanged."""
    if type(name) is not str and name:
        check_is_string(name)
    if not name:
        return graph.unique_name(definition.type)
    if name[-1] == '/':
        return name[:-1]
    if name not in _VALID_NAMES:
        graph._check_name(name)
        _VALID_NAMES.add(name)
    return graph.unique_name(name)


def complete_attrs(definition, attrs, types):
    """The attributes of a node: the given ones, and defaults for the others."""
    if not definition.attrs:
        if attrs:
            raise TypeError(f'{definition.type} has no attributes {sorted(attrs)}')
        return attrs
    complete = {**definition.attrs, **attrs}
    if len(complete) != len(definition.attrs):
        raise TypeError(f'{definition.type} has no attributes '
                        f'{sorted(complete.keys() - definition.attrs)}')
    for key in types.keys() & complete.keys():
        complete[key] = types[key]
    for key, value in complete.items():
        if value is REQUIRED:
            raise TypeError(f'{definition.type} needs the attribute {key}')
    return complete


# ---- inputs ----------------------------------------------------------------------------------

def convert_inputs(definition, inputs, attrs):
    """Converts the inputs to a flat tuple of Tensors; also returns the type attributes."""
    types = {k: attrs[k] for k in definition.type_names if k in attrs} if attrs else {}
    if len(inputs) != len(definition.inputs):
        raise TypeError(f'{definition.type} takes {len(definition.inputs)} inputs, '
                        f'not {len(inputs)}')
    tensors = []
    for arg, value in zip(definition.inputs, inputs):
        if arg.is_list:
            tensors += _convert_list(definition, arg, value, types)
            continue
        if type(value) is not Tensor:
            dtype = arg.fixed if arg.handle else types.get(arg.type) or arg.fixed
            try:
                value = _convert(definition, arg, value, dtype)
            except (TypeError, ValueError) as error:
                raise input_errors.not_convertible(
                    definition, arg, value, dtype, tensors, error) from None
        tensors.append(value)
        dtype = _value_dtype(definition, arg, value, types)
        if dtype is None:
            continue
        wanted = types.get(arg.type) if arg.fixed is None or arg.handle else arg.fixed
        if wanted is None:
            allowed = definition.types.get(arg.type)
            if allowed is not None and dtype not in allowed:
                raise input_errors.dtype_not_allowed(definition, arg, value, allowed)
            types[arg.type] = dtype
        elif dtype is not wanted:
            raise input_errors.dtype_mismatch(definition, arg, value, wanted, tensors)
    return tuple(tensors), types


def _value_dtype(definition, arg, tensor, types):
    """The dtype of an input's value, behind a reference or handle; None if that is unknown."""
    dtype = tensor.dtype
    if arg.handle:
        if dtype is not dtypes.resource:
            raise input_errors.not_a_handle(definition, arg, tensor)
        return dtype_behind(tensor) or types.get(arg.type)
    if arg.ref and not dtype.is_ref:
        raise input_errors.not_a_variable(definition, arg, tensor)
    return dtype.base_dtype if dtype.is_ref else dtype


def _convert(definition, arg, value, dtype):
    """Converts `value` to a tensor, a node named after the argument."""
    if arg.handle and hasattr(value, 'handle'):
        return value.handle
    preferred = None if dtype else definition.attrs.get(arg.type)
    preferred = preferred if isinstance(preferred, dtypes.DType) else None
    return convert_to_tensor(value, dtype, arg.name, preferred, as_ref=arg.ref)


def _convert_list(definition, arg, values, types):
    """Converts a list argument to tensors; records their dtype, or dtypes, in `types`."""
    if not isinstance(values, (list, tuple)):
        raise input_errors.not_a_list(definition, arg, values)
    dtype = arg.fixed or types.get(arg.type)
    if dtype is None and arg.number:
        dtype = next((v.dtype.base_dtype for v in values if isinstance(v, Tensor)), None)
    tensors = []
    for i, value in enumerate(values):
        if type(value) is not Tensor:
            value = convert_to_tensor(value, None if arg.any_types else dtype, f'{arg.name}_{i}')
        if not arg.any_types:
            dtype = dtype or value.dtype.base_dtype
            if value.dtype.base_dtype is not dtype:
                raise input_errors.dtype_mismatch(definition, arg, value, dtype, tensors)
        tensors.append(value)
    if arg.any_types:
        types[arg.type] = tuple(t.dtype.base_dtype for t in tensors)
    elif dtype is not None and arg.fixed is None:
        allowed = definition.types.get(arg.type)
        if allowed is not None and dtype not in allowed:
            raise input_errors.dtype_not_allowed(definition, arg, tensors[0], allowed)
        types[arg.type] = dtype
    return tensors


# ---- outputs ---------------------------------------------------------------------------------

def _infer_outputs(definition, operation, types):
    """Creates the output tensors: dtypes from the signature, shapes from the shape function."""
    shapes = definition.infer_shapes(operation, _shape_arguments(definition, operation))
    if definition.one_output:
        arg = definition.outputs[0]
        dtype = arg.fixed or types.get(arg.type) or operation.attrs[arg.type]
        operation.outputs = (Tensor(operation, 0, dtype._as_ref if arg.ref else dtype,
                                    shapes[0]),)
        return
    operation.outputs = tuple([
        Tensor(operation, i, dtype, shape)
        for i, (dtype, shape) in enumerate(zip(output_dtypes(definition, operation, types),
                                               shapes))])


def _shape_arguments(definition, operation):
    """The arguments of the shape function: shapes of the inputs, values of the static ones."""
    inputs = operation.inputs
    arguments = [t.raw_shape for t in inputs]
    for i in definition.handle_positions:
        arguments[i] = shape_behind(inputs[i])
    if definition.static_positions:
        try:
            for position, (name, ranks) in zip(definition.static_flat_positions(len(inputs)),
                                               definition.static_ranks):
                shape, value = arguments[position], static_value(inputs[position])
                check_rank(name, ranks, shape, value)
                arguments[position] = value
        except ValueError as error:
            raise misuse(ValueError(definition.explain_shapes(operation, error))) from None
    return arguments


def output_dtypes(definition, operation, types):
    output_dtypes = []
    for arg in definition.outputs:
        dtype = arg.fixed or types.get(arg.type) or operation.attrs.get(arg.type)
        if arg.any_types:
            output_dtypes += list(dtype)
            continue
        if arg.ref:
            dtype = dtype._as_ref
        output_dtypes += [dtype] * output_length(arg, operation)
    return output_dtypes
