"""Which Variables a program reads, and which it reads before it writes them."""
from __future__ import annotations

from tinyflow.compiler.ir import Program, Value


def first_uses(program: Program) -> dict[Value, bool]:
    """The Variables that a program uses; True if it assigns to one before anything reads it."""
    first: dict[Value, bool] = {}
    found: dict[Value, bool] = {}                   # also those whose storage alone is looked at
    for instruction in program.instructions:
        not_read, writes = instruction.storage_inputs, instruction.writes
        variables = [(i, v) for i, v in enumerate(instruction.inputs) if v.variable is not None]
        for i, value in variables:
            found[value] = True
            if i not in not_read:
                first.setdefault(value, False)
        for i, value in variables:
            if i in not_read and i in writes:
                first.setdefault(value, True)
    for fetch in program.fetches:
        if fetch is not None and fetch.variable is not None:
            first.setdefault(fetch, False)
    return found | first


def variables_read(program: Program) -> set[Value]:
    """The Variables whose array some instruction or fetch reads."""
    read = {f for f in program.fetches if f is not None and f.variable is not None}
    for instruction in program.instructions:
        not_read = instruction.storage_inputs
        read |= {v for i, v in enumerate(instruction.inputs)
                 if v.variable is not None and i not in not_read}
    return read


__all__ = ['first_uses', 'variables_read']
