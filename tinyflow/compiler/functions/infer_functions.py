"""Shape inference for conds and loops: output shapes for given input shapes.

The graph knows a loop variable's shape only as far as it is the same for all feeds. For given feeds
more is known: if the body maps variables of these shapes to variables of the same shapes, these are
the output shapes of the loop, and the memory of what follows can be planned.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

from tinyflow.compiler.functions.nested import function_to_program
from tinyflow.compiler.ir import Instruction, Program
from tinyflow.graph import shapes
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.shapes import Shape

Infer = Callable[[Program, Sequence[Shape]], Program]
_MOST_ROUNDS = 4


def infer_functions(instruction: Instruction, infer: Infer) -> None:
    """Refines the output shapes of a cond or a loop, given the shapes of its inputs."""
    if not any(v.raw_shape is None or None in v.raw_shape for v in instruction.outputs):
        return
    found = _loop(instruction, infer) if instruction.type == 'While' else \
        _choice(instruction, infer)
    for value, shape in zip(instruction.outputs, found):
        if shapes.compatible(value.raw_shape, shape):
            value.raw_shape = shapes.merge(value.raw_shape, shape)


def _outputs(graph: FuncGraph, indices: list[int], input_shapes: Sequence[Shape], count: int,
             infer: Infer) -> list[Shape]:
    """The shapes of a function's first `count` outputs."""
    program = function_to_program(graph, [graph.inputs[i] for i in indices], graph.outputs[:count])
    program = infer(program, [input_shapes[i] for i in indices])
    return [None if v is None else v.raw_shape for v in program.fetches]


def _loop(instruction: Instruction, infer: Infer) -> list[Shape]:
    body = instruction.attrs['body']
    now = [v.raw_shape for v in instruction.inputs]
    indices = [i for i in range(len(now)) if i not in instruction.storage_inputs]
    for _ in range(_MOST_ROUNDS):
        after = _outputs(body, indices, now, len(now), infer)
        wider = [shape if i not in indices or shapes.covers(shape, other)
                 else shapes.common(shape, other)
                 for i, (shape, other) in enumerate(zip(now, after))]
        if wider == now:
            return now[:len(instruction.outputs)]
        now = wider
    return [None] * len(instruction.outputs)


def _choice(instruction: Instruction, infer: Infer) -> list[Shape]:
    indices = [i - 1 for i in range(1, len(instruction.inputs))
               if i not in instruction.storage_inputs]
    now = [v.raw_shape for v in instruction.inputs[1:]]
    then, other = [_outputs(instruction.attrs[name], indices, now, len(instruction.outputs), infer)
                   for name in ('then_branch', 'else_branch')]
    return [shapes.common(a, b) for a, b in zip(then, other)]
