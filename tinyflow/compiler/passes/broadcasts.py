"""Removes explicit broadcasts before elementwise operations: `x * tile(s)` becomes `x * s`.

Gradients of reductions broadcast one number to a whole array, which is then combined with
another array of that shape; the broadcast copy is never needed.
"""
from __future__ import annotations

import numpy as np

from tinyflow.compiler.infer import static_of
from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.passes.replacement import Replacement
from tinyflow.graph import shapes

_SPREADERS = frozenset(('BroadcastTo', 'Tile', 'Fill'))


def drop_broadcasts(program: Program) -> Program:
    """Removes broadcasts before elementwise instructions if another input has the full shape."""
    kept: list[Instruction] = []
    shrunk: dict[Value, Value] = {}
    count = 0
    for instruction in program.instructions:
        if instruction.definition.elementwise and len(instruction.outputs) == 1:
            small = _small_inputs(instruction, shrunk)
            if small != instruction.inputs:
                count += 1
                instruction = instruction.with_inputs(small)
        kept.append(instruction)
    return Replacement().finish(program, kept, 'broadcasts', count,
                                'explicit broadcasts are removed')


def _small_inputs(instruction: Instruction, shrunk: dict[Value, Value]) -> tuple[Value, ...]:
    """The inputs, with broadcast ones replaced as long as the result keeps its shape."""
    wanted = instruction.outputs[0].raw_shape
    inputs = list(instruction.inputs)
    if len(inputs) < 2 or not shapes.known(wanted):
        return instruction.inputs
    for i, value in enumerate(inputs):
        source = _before_spread(value, shrunk)
        if source is None:
            continue
        trial = inputs[:i] + [source] + inputs[i + 1:]
        shape: shapes.Shape = ()
        try:
            for v in trial:
                shape = shapes.broadcast(shape, v.raw_shape)
        except ValueError:
            continue
        if shape == wanted:
            inputs = trial
    return tuple(inputs)


def _before_spread(value: Value, shrunk: dict[Value, Value]) -> Value | None:
    """A smaller value that broadcasts to `value`, or None."""
    if value in shrunk:
        return shrunk[value]
    found = None
    if value.array is not None:
        found = _uniform(value, value.array)
    else:
        found = spread_from(value)
    if found is not None:
        shrunk[value] = found
    return found


def _uniform(value: Value, array: np.ndarray) -> Value | None:
    """The scalar that all elements of an array are equal to, or None."""
    if array.ndim == 0 or array.size < 2 or array.dtype.kind not in 'fiu':
        return None
    first, bits = array.reshape(-1)[:1], f'u{array.itemsize}'
    if not (array.view(bits) == first.view(bits)).all():
        return None
    scalar = Value(value.name, value.dtype, ())
    scalar.array = np.array(first[0], array.dtype)
    return scalar


def spread_from(value: Value) -> Value | None:
    """The smaller value that an instruction repeats to make `value`, or None."""
    producer = value.producer
    if producer is None or producer.type not in _SPREADERS or producer.copy:
        return None
    source = producer.inputs[1] if producer.type == 'Fill' else producer.inputs[0]
    if source.variable is not None or not source.known_shape:
        return None
    if producer.type == 'Tile':
        multiples = static_of(producer.inputs[1])
        if multiples is None or any(m != 1 and d != 1
                                    for m, d in zip(multiples, source.sizes)):
            return None
    return source
