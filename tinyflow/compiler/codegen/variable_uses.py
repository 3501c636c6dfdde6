"""Which Variables a program reads and writes, when, and the source of an update."""
from __future__ import annotations

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.memory.location import Location


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
    return read.union(*map(_read_by, program.instructions))


def _read_by(instruction: Instruction) -> list[Value]:
    return [v for i, v in enumerate(instruction.inputs)
            if v.variable is not None and i not in instruction.storage_inputs]


def reads_after_waiting(program: Program) -> dict[Instruction, list[Value]]:
    """The Variables that are read after an instruction in which other code may have changed them.

    A queue waits for other threads, a function of the user's may run the Session.
    """
    waiting = {i for i in program.instructions if may_wait(i)}
    if not waiting:
        return {}
    later = dict.fromkeys([f for f in program.fetches if f is not None and f.variable is not None])
    found: dict[Instruction, list[Value]] = {}
    for instruction in reversed(program.instructions):
        if instruction in waiting:
            found[instruction] = list(later)
        later.update(dict.fromkeys(_read_by(instruction)))
    return found


def may_wait(instruction: Instruction) -> bool:
    """Whether other code may change Variables while an instruction runs."""
    definition = instruction.definition
    return not definition.pure and (definition.state is None or definition.state_of_node) \
        and not definition.takes_storage


# ---- updates -----------------------------------------------------------------------------------

def variables_written(instruction: Instruction) -> list[Value]:
    """The Variables that an instruction itself updates."""
    if not instruction.writes or instruction.definition.functions:      # these lock themselves
        return []
    return list(dict.fromkeys([v for i in instruction.writes
                               if (v := instruction.inputs[i]).variable is not None]))


def as_update(line: str, instruction: Instruction, locations: dict[Value, Location]) -> str:
    """The source of an instruction that may be an update, which other threads see all of or none.

    An update in place gets the arrays to change from the storages; an assignment sets the storage.
    """
    numbers = [locations[v].name[1:] for v in variables_written(instruction)]
    if not numbers:
        return line
    if not instruction.definition.takes_storage:
        arrays = ', '.join([f'v{n}' for n in numbers])
        targets = ', '.join([f'p{n}.target' for n in numbers])
        values = ', '.join([f'p{n}.value' for n in numbers])
        none = ' = '.join([f'v{n}' for n in numbers])       # this run has no use for the old array
        line = f'{none} = None; {arrays} = {targets}; {line}; {values} = {arrays}'
    return f'with lock: {line}'


__all__ = ['as_update', 'first_uses', 'may_wait', 'reads_after_waiting', 'variables_read',
           'variables_written']
