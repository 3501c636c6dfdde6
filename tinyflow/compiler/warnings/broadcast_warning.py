"""Warning about silent broadcasting of [n] with [n, 1], when a program is compiled."""
from __future__ import annotations

from tinyflow.compiler.ir import Instruction, Program
from tinyflow.graph import shapes
from tinyflow.graph.operation import Operation
from tinyflow.graph.source_location import warn_at
from tinyflow.graph.support.errors import why

_FAR = 64                           # operations looked at for a scalar
_warned: set[tuple | None] = set()  # sites that have been reported


def warn_of_silent_broadcasting(program: Program) -> None:
    """[n] combined with [n, 1] gives [n, n], and a loss summed over it is wrong.

    Warns where an elementwise operation stretches both of its inputs, of different rank, and the
    graph computes a scalar from the result, whether this program does or only its gradient.
    """
    for instruction in program.instructions:
        if _stretches_both(instruction) and instruction.operation._site not in _warned \
                and _leads_to_a_scalar(instruction.operation):
            _warn(instruction)


def _leads_to_a_scalar(operation: Operation) -> bool:
    """True if one of the next operations after this one returns a scalar."""
    seen, ahead = {operation}, [operation]
    for current in ahead:
        for tensor in current.outputs:
            if tensor.raw_shape == ():
                return True
            fresh = [c for c in tensor.consumers() if c not in seen]
            seen.update(fresh)
            ahead += fresh
        if len(ahead) > _FAR:
            break
    return False


def _stretches_both(instruction: Instruction) -> bool:
    if not instruction.definition.elementwise or len(instruction.inputs) != 2:
        return False
    x, y = (v.raw_shape for v in instruction.inputs)
    result = instruction.outputs[0].raw_shape
    if x is None or y is None or result is None or len(x) == len(y) or not x or not y:
        return False
    return shapes.size(x) != shapes.size(result) != shapes.size(y) and _vector_and_column(x, y)


def _vector_and_column(x: tuple, y: tuple) -> bool:
    """True for [n] with [n, 1] and similar shapes: equal sizes except for trailing ones."""
    long, short = (x, y) if len(x) > len(y) else (y, x)
    return long[:len(short)] == short and all(size == 1 for size in long[len(short):])


def _warn(instruction: Instruction) -> None:
    operation = instruction.operation
    _warned.add(operation._site)
    x, y = instruction.inputs
    text = (f"[silent-broadcast] {instruction.type} '{operation.name}' combines "
            f'{shapes.text(x.raw_shape)} with {shapes.text(y.raw_shape)}, which broadcasts to '
            f'{shapes.text(instruction.outputs[0].raw_shape)}, and is then reduced to a scalar.\n'
            f'  {x.name} {shapes.text(x.raw_shape)}, {y.name} {shapes.text(y.raw_shape)}\n'
            f'  built at {operation.site}\n'
            '  Hint: give both the same shape: tf.squeeze(x, -1) or tf.expand_dims(y, -1).'
            + why('silent-broadcast'))
    warn_at(operation.site, text)       # point at the line that built the node
