"""Dead code elimination: drops instructions whose results are unused."""
from __future__ import annotations

from tinyflow.compiler.ir import Note, Program


def drop_unused(program: Program) -> Program:
    """Keeps fetched Operations and instructions with side effects, and what these need."""
    used = {v for v in program.fetches if v is not None}
    kept = []
    for instruction in reversed(program.instructions):
        if instruction.type == 'NoOp':          # the order is determined already
            continue
        if not used.isdisjoint(instruction.outputs) or not instruction.removable \
                or instruction.operation in program.targets:
            kept.append(instruction)
            used.update(instruction.inputs)
    kept.reverse()
    dropped = len(program.instructions) - len(kept)
    return program.with_instructions(kept, Note(
        'dead', f'{dropped} unused results', len(program.instructions), len(kept),
        dropped))
