"""Programs that look at the clock before each node, for runs with a timeout.

Once a Variable is written they do not look any more, so that a step's writes happen together. Waits
and loops look at the deadline by themselves (graph/support/waits.py).
"""
from __future__ import annotations

import weakref
from collections.abc import Iterator

from tinyflow.compiler.codegen.program import ProgramSource
from tinyflow.compiler.memory.plan import MemoryPlan
from tinyflow.graph.support.waits import check_deadline
from tinyflow.session.executable import Executable

__all__ = ['with_deadline_checks']


class _CheckedSource(ProgramSource):
    """A program that calls check_deadline() before each node up to the first that writes."""

    def __init__(self, plan: MemoryPlan, clock: bool = False) -> None:
        super().__init__(plan, clock)
        self._names['check_deadline'] = check_deadline

    def _body(self) -> Iterator[list]:
        written = False
        for lines in super()._body():
            written = written or any(i is not None and i.writes for _, i in lines)
            if lines and not written:
                instruction = lines[0][1]
                lines = [('    check_deadline()', instruction), *lines]
            yield lines


class _CheckedExecutable(Executable):
    """The program of an Executable, with checks."""

    def __init__(self, plain: Executable) -> None:
        self.program, self.plan = plain.program, plain.plan
        self.source = _CheckedSource(plain.plan)
        self.runs = 0
        self.timed_source = None
        self._runtime, self._free = plain._runtime, plain._free
        self._functions = {}


_checked: weakref.WeakKeyDictionary[Executable, Executable] = weakref.WeakKeyDictionary()


def with_deadline_checks(executable: Executable, traced: bool = False) -> Executable:
    """The same program, with checks; it is made once. An interpreted one looks by itself, but a
    traced run is compiled.
    """
    executable.runs += 1                        # a CallCache keeps what runs often
    if getattr(executable, 'checks_deadline', False) and not traced:
        return executable
    found = _checked.get(executable)
    if found is None:
        found = _checked[executable] = _CheckedExecutable(executable)
    return found
