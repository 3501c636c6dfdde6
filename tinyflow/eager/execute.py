"""execute: runs an op at once. It is what `make_node` does while ops run as they are called.

The steps are those of a node: convert the inputs, determine the types, complete the attributes,
check the shapes; then the kernel runs, and open GradientTapes record the operation.
"""
from __future__ import annotations

import contextvars
import threading

import numpy as np

from tinyflow.compiler.functions.nested import callables_of
from tinyflow.compiler.ir import Instruction, Value
from tinyflow.eager.graph import EAGER_GRAPH
from tinyflow.eager.runtime import RUNTIME, storage_of
from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import as_python, check_rank
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.node_builder import complete_attrs, convert_inputs, output_dtypes
from tinyflow.graph.node_errors import in_function
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.signature import output_count
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.variable_refs import handle_variable, storage_shape

__all__ = ['EagerOperation', 'active_tapes', 'execute', 'run_in_context']


class _Tapes(threading.local):
    def __init__(self):
        self.open = []              # the GradientTapes that record, outermost first


active_tapes = _Tapes()


class EagerOperation(Operation):
    """An op that has run: its inputs and results, as gradient functions expect them."""

    __slots__ = ()
    has_run = True
    graph = EAGER_GRAPH
    control_inputs = ()
    device = ''
    colocated_with = ()
    id = 0
    _site = None

    def __init__(self, definition, inputs, attrs):
        self.definition = definition
        self.type = self.name = definition.type
        self.inputs = inputs
        self.attrs = attrs
        self.outputs = ()
        overrides = EAGER_GRAPH._gradient_overrides
        self._gradient_override = overrides.get(definition.type) if overrides else None


def execute(definition, inputs, attrs):
    """The operation `definition` after it has run on `inputs`; None while a graph is built.

    Raises InvalidArgumentError for dtypes, shapes and values that the op does not accept.
    """
    graph = get_default_graph()
    if graph is not EAGER_GRAPH:
        _refuse_in_graph(graph, inputs)
        return None
    special = _SPECIAL.get(definition.type)
    if special is not None:
        return special(definition, inputs, attrs)
    kinds = (definition, *attrs, *[t.dtype if type(t) is EagerTensor else None for t in inputs])
    if None in kinds:
        inputs = _with_numbers(definition, inputs)
        kinds = (definition, *attrs,
                 *[t.dtype if type(t) is EagerTensor else None for t in inputs])
    wanted = _result_dtypes.get(kinds)
    if wanted is not None:
        operation = EagerOperation(definition, inputs, {**_filled_attrs[kinds], **attrs})
    elif _of_a_model(inputs):
        return None
    else:
        operation, wanted = _prepared(definition, inputs, attrs, kinds)
    try:
        _check_shapes(definition, operation)
        results = _run(definition, operation)
    except Exception as error:                          # noqa: BLE001 - reported with the op
        raise _explained(operation, error) from error.__cause__
    operation.outputs = tuple([
        EagerTensor(array if type(array) is np.ndarray and array.dtype is dtype.np
                    else np.asarray(array, dtype.np), dtype)
        for array, dtype in zip(results, wanted)])
    for tape in active_tapes.open:
        tape.record(operation)
    return operation


def _of_a_model(inputs):
    """True if an input is a node of a Keras model: what is computed of it belongs to the model."""
    return any(type(t) is Tensor and t.op.graph.builds_models for i in inputs
               for t in (i if isinstance(i, (list, tuple)) else (i,)))


def _with_numbers(definition, inputs):
    """The inputs, with Python numbers and arrays as tensors where no rule is needed for it."""
    if definition.has_lists:
        return inputs
    known = {arg.type: value.dtype for arg, value in zip(definition.inputs, inputs)
             if type(value) is EagerTensor}
    converted = []
    for arg, value in zip(definition.inputs, inputs):
        kind = type(value)
        if kind in (float, int):
            dtype = arg.fixed or known.get(arg.type)
            if dtype in (dtypes.float32, dtypes.float64) or kind is int and dtype is dtypes.int64:
                value = EagerTensor(np.array(value, dtype.np), dtype)
        elif kind is np.ndarray and value.dtype == np.int32 \
                and (arg.fixed or known.get(arg.type)) in (None, dtypes.int32):
            value = EagerTensor(value.copy(), dtypes.int32)
        converted.append(value)
    return tuple(converted)


# By (definition, names of the given attributes, dtypes of the inputs), for calls on tensors only.
_result_dtypes: dict = {}
_filled_attrs: dict = {}                # the attributes that were not given


def _prepared(definition, inputs, attrs, kinds):
    """(the operation before it runs, the dtypes of its results), by the rules of nodes."""
    try:
        tensors, types = convert_inputs(definition, inputs, attrs)
    except (TypeError, ValueError) as error:
        raise _not_convertible(definition, inputs, error) from None
    operation = EagerOperation(definition, tensors, complete_attrs(definition, attrs, types))
    for tensor in tensors:
        if type(tensor) is not EagerTensor and tensor.op.graph is not EAGER_GRAPH:
            raise _tensor_of_a_graph(tensor)
    wanted = output_dtypes(definition, operation, types)
    if None not in kinds and not definition.has_lists and definition.type_names.isdisjoint(attrs):
        if definition.type_names or definition.attrs.keys().isdisjoint(
                arg.type for arg in definition.outputs):
            _result_dtypes[kinds] = wanted
            _filled_attrs[kinds] = {k: v for k, v in operation.attrs.items() if k not in attrs}
    return operation, wanted


# ---- running ---------------------------------------------------------------------------------

_contexts = []          # with NumPy's floating point warnings off, see session/runtime.py


def run_in_context(function, *arguments):
    """function(*arguments) without NumPy's warnings of overflow, division by zero and the like."""
    try:
        context = _contexts.pop()
    except IndexError:
        context = contextvars.copy_context()
        context.run(np.seterr, all='ignore')
    try:
        return context.run(function, *arguments)
    finally:
        _contexts.append(context)


def _run(definition, operation):
    """The arrays of the results."""
    arrays = [t.array if type(t) is EagerTensor else _of_variable(definition, i, t)
              for i, t in enumerate(operation.inputs)]
    plain = _is_plain.get(definition)
    if plain is None:
        plain = _is_plain[definition] = _takes_arrays_only(definition)
    if plain:
        return run_in_context(_call_plain, definition, operation.attrs, arrays)
    first = ()
    if definition.state is not None:
        first = (_state(definition, operation),)
    if definition.functions:
        functions = callables_of(_instruction(operation), _make_function)
        if definition.bind is not None:
            captured = definition.captures and definition.captures(operation.attrs, len(arrays))
            arrays = [a for i, a in enumerate(arrays)       # functions find Variables themselves
                      if i not in (captured or ()) or type(operation.inputs[i]) is EagerTensor]
            return functions(*arrays)
        first += tuple(functions)
    results = run_in_context(definition.call, operation.attrs, arrays, first)
    if definition.writes and not definition.takes_storage:
        for i in definition.writes:
            storage_of(operation.inputs[i]).value = arrays[i]
    return results


_is_plain: dict = {}                    # definition -> _takes_arrays_only(definition)


def _takes_arrays_only(definition):
    """True if the kernel takes arrays and attributes, and gives one array."""
    return definition.one_output and definition.pure and not (
        definition.has_lists or definition.static or definition.writes or definition.takes_storage
        or definition.functions or definition.state or definition.bind)


def _call_plain(definition, attrs, arrays):
    """As definition.call, for an op of arrays only."""
    return (definition.kernel(*arrays, **{k: attrs[k] for k in definition.kernel_attrs}),)


def _of_variable(definition, position, handle):
    """The array or storage of the variable behind a handle, as the kernel wants it."""
    storage = storage_of(handle)
    if position in definition.takes_storage:
        return storage
    if storage.value is None:
        raise errors.op_error(errors.FailedPreconditionError,
                              f'Error while reading resource variable {storage.operation.name}: '
                              'it has no value.')
    if position in definition.writes:
        return storage.target
    return storage.value


def _state(definition, operation):
    """The state of a stateful op: of a random op, one for all calls with equal seeds."""
    if definition.state_of_node:
        return definition.state(operation, RUNTIME.store._shared)
    attrs = operation.attrs
    key = definition.type, *[repr(attrs[k]) for k in sorted(attrs)]
    if not attrs.get('seed') and not attrs.get('seed2'):
        key = definition.type,
    states = EAGER_GRAPH.random_states
    state = states.get(key)
    if state is None:
        state = states[key] = definition.state(attrs)
    return state


def _make_function(graph, parameters=None, *more, **settings):
    """A compiled function that looks up captured Variables at each call, not once."""
    if parameters is not None:
        return RUNTIME.make_function(graph, parameters, *more, **settings)
    passed = [i for i, t in enumerate(graph.inputs) if handle_variable(t) is None]
    run = RUNTIME.make_function(graph, [graph.inputs[i] for i in passed], *more, **settings)
    if len(passed) == len(graph.inputs):
        return run

    def call(*arrays):
        return run(*[arrays[i] for i in passed])
    call.store = run.store
    return call


def _instruction(operation):
    """The Instruction of an operation that runs functions."""
    values = []
    for tensor in operation.inputs:
        value = Value('input', tensor.dtype, tensor.raw_shape, handle_variable(tensor))
        values.append(value)
    outputs = tuple([Value('output', operation.inputs[0].dtype, None)
                     for _ in range(output_count(operation))])
    return Instruction(operation.definition, operation, tuple(values), outputs, operation.attrs)


# ---- shapes ----------------------------------------------------------------------------------

def _check_shapes(definition, operation):
    """Calls the shape function: kernels rely on what it refuses."""
    inputs = operation.inputs
    if definition.elementwise and len(inputs) <= 2 \
            and inputs[0].array.shape == inputs[-1].array.shape:
        return
    arguments = [t.raw_shape for t in inputs]
    for i in definition.handle_positions:
        variable = handle_variable(inputs[i])
        arguments[i] = None if variable is None else storage_shape(variable)
    if definition.static_positions:
        for position, (name, ranks) in zip(definition.static_flat_positions(len(inputs)),
                                           definition.static_ranks):
            value = None if inputs[position].dtype in dtypes.HANDLES else \
                as_python(inputs[position].array)
            check_rank(name, ranks, arguments[position], value)
            arguments[position] = value
    definition.shapes_from(operation.attrs, arguments,
                           1 if definition.one_output else output_count(operation))


# ---- ops that are different here ---------------------------------------------------------------

def _constant(definition, inputs, attrs):
    operation = EagerOperation(definition, (), attrs)
    operation.outputs = (EagerTensor(attrs['value'], attrs['dtype']),)
    return operation


def _handle(definition, inputs, attrs):
    """The handle of a Variable: it stays a tensor of a node, which names the storage."""
    scope = EAGER_GRAPH.get_name_scope()
    operation = Operation(EAGER_GRAPH, definition, scope or 'Variable', (),
                          {**definition.attrs, **attrs}, (), None)
    EAGER_GRAPH.add(operation)
    operation.outputs = (Tensor(operation, 0, definition.outputs[0].fixed, ()),)
    return operation


def _read(definition, inputs, attrs):
    handle = getattr(inputs[0], 'handle', inputs[0])
    inputs = (handle,)
    storage = storage_of(handle)
    if storage.value is None:
        raise _explained(EagerOperation(definition, inputs, attrs), errors.op_error(
            errors.FailedPreconditionError, 'Error while reading resource variable '
            f'{storage.operation.name}: it has no value.'))
    operation = EagerOperation(definition, inputs, attrs)
    operation.outputs = (EagerTensor(storage.value, attrs['dtype']),)
    for tape in active_tapes.open:
        tape.record(operation)
    return operation


def _not_at_once(name, instead=''):
    def refuse(definition, inputs, attrs):
        raise misuse(RuntimeError(f'{name} is not compatible with eager execution.{instead}'))
    return refuse


_SPECIAL = {
    'Const': _constant,
    'VarHandleOp': _handle,
    'ReadVariableOp': _read,
    'Placeholder': _not_at_once('tf.placeholder()', '\n  Hint: a Python function of the value.'),
    'VariableV2': _not_at_once('A reference variable', '\n  Hint: tf.Variable(...).'),
}


# ---- errors ------------------------------------------------------------------------------------

def _explained(operation, error):
    """The error that the op raises: TensorFlow's class, with the op's type."""
    if isinstance(error, errors.OpError):
        if error.op is not None:
            return error
        kind, problem = type(error), error.message
    elif operation.definition.calls_user_code:
        return error
    elif isinstance(error, MemoryError):
        kind, problem = errors.ResourceExhaustedError, str(error)
    elif isinstance(error, (ValueError, TypeError, IndexError, np.linalg.LinAlgError)):
        kind = errors.InvalidArgumentError
        problem = error.problem if isinstance(error, errors.OpFailure) else str(error)
    else:
        return error
    labelled = operation.definition.labelled_inputs(operation)
    facts = [(label, f'{t.dtype.name} {shapes.text(t.raw_shape)}') for label, t in labelled[:5]
             if type(t) is EagerTensor]
    return misuse(kind(None, None, errors.report(
        f'{problem.strip()} [Op:{operation.type}]', facts=facts,
        hint=getattr(error, 'hint', None))))


def _not_convertible(definition, inputs, error):
    """InvalidArgumentError for tensors whose dtypes do not fit, as TensorFlow's; else `error`."""
    flat = [t for i in inputs for t in (i if isinstance(i, (list, tuple)) else (i,))]
    for tensor in flat:
        if type(tensor) is Tensor and tensor.op.graph is not EAGER_GRAPH:
            return _tensor_of_a_graph(tensor)
    if any(isinstance(t, Tensor) for t in flat) and definition.type_names:
        problem, _, hint = str(error).partition('\n  Hint: ')
        return misuse(errors.InvalidArgumentError(None, None, errors.report(
            f'cannot compute {definition.type}: {problem} [Op:{definition.type}]',
            hint=hint or None)))
    return error


def _tensor_of_a_graph(tensor):
    return misuse(TypeError(errors.report(
        'An op outside of the function building code is being passed a "Graph" tensor: '
        f"'{tensor.name}' of {tensor.op.graph}", inputs=[('tensor', tensor)],
        hint='a tf.function leaves nodes in lists and attributes, not values: return it.'
        if in_function(tensor) else
             'it has no value outside of that graph. Make it and what uses it inside one `with '
             'graph.as_default():`, and run it in a tf.Session(graph=graph); or leave out the '
             'graph.')))


def _short(tensor):
    """A value, or the Variable of a handle."""
    if type(tensor) is EagerTensor:
        return repr(tensor)
    return f"the Variable '{tensor.op.name}'"


def _refuse_in_graph(graph, inputs):
    """RuntimeError for a value in a graph that is no function of eager execution."""
    if graph.takes_from(EAGER_GRAPH):
        return
    for value in inputs:
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(tensor, Tensor) and tensor.op.graph is EAGER_GRAPH:
                raise misuse(RuntimeError(
                    'Attempting to capture an EagerTensor without building a function: '
                    f'{_short(tensor)} in {graph}.\n  Hint: x.numpy() makes a constant of it.'))


