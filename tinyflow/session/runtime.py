"""Runtime: the memory and the state that all programs of a Session share."""
from __future__ import annotations

import contextvars
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyflow.compiler.functions.nested import FunctionMaker
from tinyflow.graph.support.background import Preparations
from tinyflow.session.malloc_trim import session_ended
from tinyflow.session.store import Store
from tinyflow.session.training_runs import Trainings

if TYPE_CHECKING:
    from tinyflow.session.executable import Executable


class Arena:
    """The memory for one run at a time; a Session has as many as there are concurrent runs.

    Programs that run one after the other share an arena. `context`, a contextvars.Context, has
    NumPy's floating point warnings off, as in TF1: entering it is ten times as fast as np.errstate.
    """

    __slots__ = ('memory', 'context', 'bound')

    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)
        self.bound: weakref.WeakSet[Executable] = weakref.WeakSet()
        self.context = contextvars.copy_context()
        self.context.run(np.seterr, all='ignore')

    def block(self, nbytes: int) -> np.ndarray:
        """A block of at least `nbytes`, aligned to a cache line.

        If it has to grow, programs bound to the smaller block are bound again at their next run.
        So an arena is as large as the largest program needs, not as all of them together.
        """
        if self.memory.size < nbytes:
            self.free()             # first: both blocks may not fit in memory together
            raw = np.empty(nbytes + 64, np.uint8)
            start = -raw.ctypes.data % 64
            self.memory = raw[start:start + nbytes]
        return self.memory

    def free(self) -> None:
        """Frees the block and unbinds the programs that use it."""
        for executable in self.bound:
            executable.unbind(self)
        self.bound.clear()
        self.memory = np.empty(0, np.uint8)


def _no_functions(*arguments: Any, **more: Any) -> Callable[..., list]:
    raise NotImplementedError('compiling functions needs a ProgramCache')


def _in_one(*arguments: Any) -> None:
    """Programs that take elements are compiled as a whole."""


class Runtime:
    """The Store, the free arenas, the compiler of functions (FuncGraphs) of a Session, and how
    often its programs have run (`trainings`).

    `variable_arenas` are for programs that use Variables, and at first have only `first_arena`: a
    run that finds it taken overlaps with another one. So a Session notices, at no cost, that its
    Variables need protection. `free_arenas` are for the other programs, and for runs inside runs.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.free_arenas: list[Arena] = []
        self.first_arena = Arena()
        self.variable_arenas = [self.first_arena]
        self.make_function: FunctionMaker = _no_functions   # set by the ProgramCache
        self.for_elements: Callable[..., Executable | None] = _in_one       # likewise
        self.trainings = Trainings()
        self.preparations = Preparations()      # of faster programs
        self.peak_bytes = 0         # the most memory that a program, or its nodes, has needed

    def another_arena(self, free: list[Arena]) -> tuple[Arena, list[Arena]]:
        """An arena for a run that finds the list `free` empty, and the list that it returns to."""
        if free is self.variable_arenas and not self.store.shared:
            from tinyflow.session.concurrent_runs import enter  # start-up time
            arena, free = enter(self)
            return arena or Arena(), free
        return Arena(), free

    def clear(self) -> None:
        """Ends work in the background, and frees the memory of all arenas that are not in use."""
        self.preparations.end()
        for free in (self.free_arenas, self.variable_arenas):
            while free:
                free.pop().free()
        session_ended(self.peak_bytes)

    def __del__(self) -> None:
        session_ended(self.peak_bytes)


__all__ = ['Arena', 'Runtime']
