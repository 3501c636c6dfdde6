"""A long program as several functions with shared names, which Python compiles faster."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tinyflow.compiler.ir import Instruction

_LONG = 2000                            # lines; a longer program is written in parts
_PART = 500                             # lines; other threads wait while Python compiles a part
Line = tuple[str, Instruction | None]   # of the source, and the instruction that it belongs to

_ASSIGNMENT = re.compile(r'(?:^    (?:with lock: )?|; )(\w+(?:, \w+)*),? = ')


def is_long(body: Sequence[list[Line]]) -> bool:
    """True if the lines are too many for one function."""
    return sum(map(len, body)) > _LONG


def in_parts(prologue: Sequence[str], body: Sequence[list[Line]],
             feeds: Sequence[str]) -> list[Line]:
    """The lines of functions part0, part1 ... and of a `run` that calls them.

    Each list of `body` stays in one part. The shared names are globals of one binding of the
    program, so two bindings do not share them.
    """
    text: list[Line] = []
    calls: list[Line] = []
    for part in _parts(body):
        calls.append((f'    part{len(calls)}()', None))
        text += [(f'def part{len(calls) - 1}():', None), *_declare_globals(part), *part]
    assigned: list[Line] = [(line, None) for line in prologue]
    text += [(f'def run({", ".join("_" + name for name in feeds)}):', None)]
    if feeds:
        text += [(f'    global {", ".join(feeds)}', None)]
        text += [(f'    {name} = _{name}', None) for name in feeds]
    return text + _declare_globals(assigned) + assigned + calls


def _parts(body: Sequence[list[Line]]) -> Iterator[list[Line]]:
    """The lines in parts of about _PART."""
    part: list[Line] = []
    for lines in body:
        if part and len(part) + len(lines) > _PART:
            yield part
            part = []
        part += lines
    yield part


def _declare_globals(lines: Sequence[Line]) -> list[Line]:
    """A `global` statement for the names that some lines assign."""
    names: dict[str, None] = {}
    for line, _ in lines:
        for assigned in _ASSIGNMENT.findall(line):
            names.update(dict.fromkeys(assigned.split(', ')))
        if line.startswith('    del '):
            names.update(dict.fromkeys(line[8:].split(', ')))
    return [(f'    global {", ".join(names)}', None)] if names else []


__all__ = ['Line', 'in_parts', 'is_long']
