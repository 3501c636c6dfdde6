"""Which Variables a program reads, and which it reads before it writes them."""
from __future__ import annotations

from tinyflow.compiler.ir import Program, Value


def first_uses(program: Program) -> dict[Value, bool]:
    """The places that a program uses; True if it assigns to one before anything reads it."""
    first: dict[Value, bool] = {}
    cells: dict[Value, bool] = {}                   # also those whose Cell alone is looked at
    for instruction in program.instructions:
        takes_cell, writes = instruction.cells, instruction.writes
        places = [(i, v) for i, v in enumerate(instruction.inputs) if v.place is not None]
        for i, value in places:
            cells[value] = True
            if i not in takes_cell:
                first.setdefault(value, False)
        for i, value in places:
            if i in takes_cell and i in writes:
                first.setdefault(value, True)
    for fetch in program.fetches:
        if fetch is not None and fetch.place is not None:
            first.setdefault(fetch, False)
    return cells | first


def read_places(program: Program) -> set[Value]:
    """The places whose array some instruction or fetch reads."""
    read = {f for f in program.fetches if f is not None and f.place is not None}
    for instruction in program.instructions:
        cells = instruction.cells
        read |= {v for i, v in enumerate(instruction.inputs)
                 if v.place is not None and i not in cells}
    return read


__all__ = ['first_uses', 'read_places']
