"""Removes unused outputs of conds and loops, with everything that only they need.

So a loop whose gradient is not needed stores no values for it, and the gradient with respect to
a loop's data is not computed if it is unused. TF1 prunes its loops in the same way, including side
effects, since there each loop variable is a separate chain of nodes.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Tensor


def narrow_functions(program: Program) -> Program:
    """Removes the outputs of conds and loops that the program does not use."""
    if not any(i.definition.bind is not None for i in program.instructions):
        count = len(program.instructions)
        return program.with_instructions(program.instructions, Note(
            'functions', 'no conds and no loops', count, count, 0))
    used = {v for v in program.fetches if v is not None}
    kept: list[Instruction] = []
    dropped = 0
    for instruction in reversed(program.instructions):
        if instruction.definition.bind is not None and \
                instruction.operation not in program.targets:
            narrowed = _narrowed(instruction, used)
            dropped += len(instruction.outputs) - len(narrowed.outputs)
            instruction = narrowed
        used.update(instruction.inputs)
        kept.append(instruction)
    kept.reverse()
    return program.with_instructions(kept, Note(
        'functions', f'{dropped} unused results of conds and loops',
        len(program.instructions), len(kept), dropped))


def _narrowed(instruction: Instruction, used: Collection[Value]) -> Instruction:
    wanted = [i for i, v in enumerate(instruction.outputs) if v in used]
    if instruction.type == 'While':
        return _narrowed_loop(instruction, wanted)
    return _narrowed_choice(instruction, wanted)


def _narrowed_loop(instruction: Instruction, wanted: list[int]) -> Instruction:
    """The loop with only the variables that the condition and the `wanted` variables depend on."""
    condition, body = instruction.attrs['cond'], instruction.attrs['body']
    positions = list(instruction.attrs.get('_inputs') or range(len(instruction.inputs)))
    index = {t: i for i, t in enumerate(body.inputs)}
    needed = {positions[i] for i in wanted}
    condition_index = {t: i for i, t in enumerate(condition.inputs)}
    needed |= {condition_index[t] for t in parameters_of(condition, condition.outputs[:1])}
    new = set(needed)
    while new:
        found = {index[t] for t in parameters_of(body, [body.outputs[i] for i in new])}
        new = found - needed
        needed |= new
    keep = [position for position, i in enumerate(positions) if i in needed]
    if len(keep) == len(positions):
        return instruction
    kept = [positions[position] for position in keep]
    return _with(instruction, keep, keep, {'_inputs': kept})


def _narrowed_choice(instruction: Instruction, wanted: list[int]) -> Instruction:
    """The cond with its `wanted` outputs only, and what they need in each branch."""
    branches = [instruction.attrs['then_branch'], instruction.attrs['else_branch']]
    if len(wanted) == len(instruction.outputs) or not wanted:
        return instruction
    outputs = instruction.attrs.get('_outputs') or range(len(instruction.outputs))
    inputs = list(instruction.attrs.get('_inputs') or range(len(instruction.inputs) - 1))
    chosen = [outputs[i] for i in wanted]
    needed: set[int] = set()
    for branch in branches:
        index = {t: i for i, t in enumerate(branch.inputs)}
        needed |= {index[t] for t in parameters_of(branch, [branch.outputs[i] for i in chosen])}
    kept_positions = [position for position, i in enumerate(inputs) if i in needed]
    return _with(instruction, [0, *[position + 1 for position in kept_positions]], wanted,
                 {'_inputs': [inputs[position] for position in kept_positions], '_outputs': chosen})


def _with(instruction: Instruction, inputs: list[int], outputs: Iterable[int],
          attrs: dict) -> Instruction:
    """The instruction with only some of its inputs and outputs."""
    writes = tuple([new for new, old in enumerate(inputs) if old in instruction.writes])
    return Instruction(instruction.definition, instruction.operation,
                       tuple([instruction.inputs[i] for i in inputs]),
                       tuple([instruction.outputs[i] for i in outputs]),
                       {**instruction.attrs, **attrs, '_writes': writes}, instruction.copy)


def parameters_of(graph: FuncGraph, tensors: Iterable[Tensor]) -> set[Tensor]:
    """The parameters of a function that `tensors` of it depend on."""
    parameters = set(graph.inputs)
    seen = set()
    stack = [t.op for t in tensors]
    found = {t for t in tensors if t in parameters}
    while stack:
        operation = stack.pop()
        if operation in seen:
            continue
        seen.add(operation)
        for tensor in operation.inputs:
            if tensor in parameters:
                found.add(tensor)
            stack.append(tensor.op)
        stack += operation.control_inputs
    found |= {o for operation in seen for o in operation.outputs if o in parameters}
    return found
