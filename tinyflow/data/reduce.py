"""Dataset.reduce, and functions that carry a state from element to element."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinyflow.data import element_tensors, structure
from tinyflow.data.errors import refused
from tinyflow.data.function_graphs import Function, as_values
from tinyflow.data.ops import function_ops
from tinyflow.graph.defaults import name_scope

_ROUNDS = 8             # passes in which shapes of the state are relaxed until they are invariant


def carried(step: Callable, caller: str, state_spec: Any, element_spec: Any,
            next_state: Callable[[Any], Any]) -> Function:
    """The Function of step(state, element), with the state's shapes relaxed until they are
    invariant. `next_state(spec)` selects the state from the spec of the result. TypeError if its
    structure or dtypes differ from those of the initial state.
    """
    for _ in range(_ROUNDS):
        function = Function(step, caller, state_spec, element_spec, unpack=False)
        found = next_state(function.spec)
        if not structure.same_structure(found, state_spec) or \
                structure.flat_types(found) != structure.flat_types(state_spec):
            raise refused(TypeError(
                f'{caller}: the function must return a state like the first one, '
                f'{structure.legacy_types(state_spec)}, but it returns '
                f'{structure.legacy_types(found)}.\n  Hint: tf.cast where a dtype differs; '
                'np.int64(0) is a state for int64 elements.'))
        if all(a.is_compatible_with(b) and (a.shape.raw == b.shape.raw or _wider(a, b))
               for a, b in zip(structure.flatten(state_spec), structure.flatten(found))):
            return function
        state_spec = structure.relaxed(state_spec, found)
    raise refused(ValueError(f'{caller}: the shape of the state keeps changing.'))


def _wider(spec: Any, other: Any) -> bool:
    """True if `spec` knows no more than `other`."""
    raw, known = spec.shape.raw, other.shape.raw
    return raw is None or known is not None and all(
        a is None or a == b for a, b in zip(raw, known))


def reduced(dataset: Any, initial_state: Any, reduce_func: Callable) -> Any:
    """The tensors of Dataset.reduce."""
    with name_scope('initial_state'):
        values, state_spec = element_tensors.components(initial_state)
    function = carried(reduce_func, 'Dataset.reduce()', state_spec, dataset.element_spec,
                       lambda spec: spec)
    outputs = function_ops.ReduceDataset.apply(
        dataset._variant_tensor, values, function.captured, f=function.graph,
        Tstate=structure.flat_types(state_spec), Targuments=types_of(function.captured),
        **structure.of_elements(_state_of(function, state_spec)))
    return as_values(function.spec, outputs)


def _state_of(function: Function, state_spec: Any) -> Any:
    """The spec of the last state, which is the initial one if there are no elements."""
    return structure.relaxed(state_spec, function.spec)


def types_of(tensors: Any) -> tuple:
    """The dtypes of tensors."""
    return tuple([t.dtype.base_dtype for t in tensors])
