"""The expression of an elementwise instruction, and how its inputs lie under the result."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.graph.support.background import may_end_here
from tinyflow.native.loops.functions import FUNCTIONS
from tinyflow.native.loops.trace import Node, NotTraceable, Traced, Tracer, steps_of
from tinyflow.native.loops.vectors import Vectors

__all__ = ['Reading', 'attributes', 'constant', 'elementwise', 'reading', 'traced']


# ---- how an input lies under the result --------------------------------------------------------

class Reading(NamedTuple):
    """'full', 'row', 'column' or 'scalar'; and the numbers of trailing axes for which it holds."""

    kind: str
    trailing: frozenset[int]


def reading(shape: Sequence[int], result: Sequence[int]) -> Reading | None:
    """How an array of `shape` is read for a result; None if neither of the four ways is right."""
    rank = len(result)
    everywhere = frozenset(range(1, rank + 1))
    if tuple(shape) == tuple(result):
        return Reading('full', everywhere)
    if prod(shape) == 1:
        return Reading('scalar', everywhere)
    padded = (1,) * (rank - len(shape)) + tuple(shape)
    rows, columns = [], []
    for k in range(1, rank):
        above, below = padded[:rank - k], padded[rank - k:]
        if prod(above) == 1 and below == tuple(result[rank - k:]):
            rows.append(k)
        elif prod(below) == 1 and above == tuple(result[:rank - k]):
            columns.append(k)
    if rows:
        return Reading('row', frozenset(rows))
    return Reading('column', frozenset(columns)) if columns else None


# ---- the expression ----------------------------------------------------------------------------

def elementwise(instruction: Instruction, exact: bool = False) -> bool:
    """Whether a loop can compute the instruction (and is not slowed down by an input's shape).

    With `exact` also whether its result has the bits of NumPy's.
    """
    definition, outputs = instruction.definition, instruction.outputs
    if len(outputs) != 1 or not (definition.elementwise or instruction.type in _OTHERS) \
            or instruction.copy or not definition.pure or definition.state is not None:
        return False
    if instruction.attrs.get('data_format') == 'NCHW' and len(outputs[0].raw_shape or ()) > 2:
        return False                    # a bias for the second axis
    shape = outputs[0].raw_shape
    if not shape or None in shape or not prod(shape) or not all(
            v.known_shape and reading(v.sizes, shape) for v in instruction.inputs):
        return False
    key = (instruction.type, attributes(instruction), outputs[0].dtype, len(shape),
           tuple((v.dtype, len(v.sizes), constant(v)) for v in instruction.inputs))
    found = _tried.get(key)
    if found is None:
        if len(_tried) >= _MOST_TRIED:
            _tried.clear()
        try:
            found = _Tried(True, _try(instruction))
        except NotTraceable:
            found = _Tried(False, False)
        _tried[key] = found
    return found.exact if exact else found.possible


class _Tried(NamedTuple):
    possible: bool
    exact: bool


_MOST_TRIED = 4096
_tried: dict[Any, _Tried] = {}


def attributes(instruction: Instruction) -> Any:
    """The attributes that the kernel gets, as part of a key."""
    return tuple(repr(instruction.attrs[k]) for k in instruction.definition.kernel_attrs)


def constant(value: Value) -> Any:
    """The number that becomes a part of the expression, as part of a key; None for an array."""
    array = value.array
    return None if array is None or array.size != 1 else (array.dtype.str, array.tobytes())


def _try(instruction: Instruction) -> bool:
    """Writes the instruction once; whether all steps of that are exact.

    Raises NotTraceable if it is impossible.
    """
    tracer, vectors = Tracer(), Vectors(8, functions=FUNCTIONS)
    values: dict[Value, Node] = {}
    for i, value in enumerate(instruction.inputs):
        if value.dtype.np.kind not in 'fib':
            raise NotTraceable(f'elements of {value.dtype.name}')
        values[value] = tracer.input(i, value.dtype.np)
        vectors.define(values[value], f'%x{i}')
    result = traced(tracer, instruction, values)
    vectors.value(result)
    return all(map(_is_exact, steps_of([result])))


def _is_exact(step: Node) -> bool:
    if step.name == 'power':            # a product
        return step.arguments[1].arguments[0] == 2
    return step.name not in FUNCTIONS and step.name not in ('fmax', 'fmin')     # zeros' signs


@may_end_here
def traced(tracer: Tracer, instruction: Instruction, values: dict[Value, Node]) -> Node:
    """The expression of the result, given those of the inputs; constants are in the expression."""
    output = instruction.outputs[0]
    rank = len(output.sizes)
    arguments = [_argument(tracer, v, values) for v in instruction.inputs]
    definition = instruction.definition
    attrs = {k: instruction.attrs[k] for k in definition.kernel_attrs}
    other = _OTHERS.get(instruction.type) or _OVERRIDES.get(instruction.type)
    result: Any
    try:
        if other is not None:
            result = other(*arguments)
        else:
            if definition.kernel_has_out and not isinstance(definition.kernel, np.ufunc):
                attrs['out'] = Traced(tracer, None, rank, output.dtype.np)
            result = definition.kernel(*arguments, **attrs)
    except (AttributeError, TypeError, ValueError) as error:
        raise NotTraceable(str(error)) from None
    if not isinstance(result, Traced):
        raise NotTraceable('the result is a constant')
    return tracer.cast(result.value(), output.dtype.np)


def _argument(tracer: Tracer, value: Value, values: dict[Value, Node]) -> Any:
    if value.array is not None and value.array.size == 1:
        return value.array.reshape(())
    return Traced(tracer, values[value], len(value.sizes))


def _select(condition: Any, x: Any, y: Any) -> Any:
    if condition.ndim and condition.ndim != max(x.ndim, y.ndim):
        raise NotTraceable('a condition for whole rows')
    return np.where(condition, x, y)


def _add_n(*terms: Any) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = np.add(total, term)
    return total


# Kernels that look at values or sizes to be fast; here they need not.
_OVERRIDES: dict[str, Callable[..., Any]] = {
    'Maximum': lambda x, y: np.where(np.less_equal(x, y), y, x),
    'Minimum': lambda x, y: np.where(np.greater_equal(x, y), y, x),
    'Sign': lambda x: np.where(np.equal(x, x), np.sign(x), np.zeros_like(x)),
    'SelectV2': np.where,
}
# The same for ops that are not declared elementwise, but are for the shapes that `reading` knows.
_OTHERS: dict[str, Callable[..., Any]] = {'AddN': _add_n, 'BiasAdd': np.add, 'Select': _select}
