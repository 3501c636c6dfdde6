"""Compiles the source of a program to code objects, function by function."""
from __future__ import annotations

from collections.abc import Sequence
from types import CodeType


def compile_functions(lines: Sequence[str], filename: str) -> dict[str, CodeType]:
    """The code of each top-level function in the source, by name.

    They are compiled one by one: the syntax tree of a long program would take more memory than
    everything else.
    """
    starts = [i for i, line in enumerate(lines) if line.startswith('def ')]
    functions = {}
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        module = compile('\n'.join(lines[start:end]) + '\n', filename, 'exec')
        code = next(c for c in module.co_consts if isinstance(c, CodeType))
        functions[code.co_name] = _shift_lines(code, start)
    return functions


def _shift_lines(code: CodeType, lines: int) -> CodeType:
    """The same code, and that of functions inside it, with line numbers larger by `lines`."""
    if not lines:
        return code
    return code.replace(
        co_firstlineno=code.co_firstlineno + lines,
        co_consts=tuple([_shift_lines(c, lines) if isinstance(c, CodeType) else c
                         for c in code.co_consts]))


__all__ = ['compile_functions']
