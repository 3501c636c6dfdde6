"""A program that another one follows after a fixed number of runs: faster, but slow to make.

It is made in the background, in turns with the last of those runs. The number does not depend on
time, so neither do the bits of the results.
"""
from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from tinyflow.compiler.ir import Program
from tinyflow.graph.support.background import TURN, Preparation, held_in_forks
from tinyflow.graph.support.processors import leaving_one
from tinyflow.session.executable import Executable
from tinyflow.session.runtime import Runtime

__all__ = ['FollowedExecutable']

_lock = held_in_forks(threading.Lock())     # one for all of them


class FollowedExecutable(Executable):
    """A program that begins to make another one after `begin` runs, and is replaced after `end`.

    All runs of its training count (training_runs.py). `replace` is called with the other one, so
    that later calls find it at once.
    """

    follower = 'a faster program'

    def __init__(self, program: Program, runtime: Runtime, begin: int, end: int,
                 replace: Callable[[Executable], None]) -> None:
        super().__init__(program, runtime)
        self._begin, self._end, self._replace = begin, end, replace
        self._count = runtime.trainings.runs_of(program)
        self._start = 0                 # the training's runs before this program took over
        self._fastest = float('inf')    # seconds of a run
        self._following: Executable | None = None
        self._preparation: Preparation | None = None
        self._done = False

    @property
    def will_move(self) -> bool:
        """Whether the program is still to be replaced."""
        return not self._done

    @property
    def replaced_after(self) -> int:
        """The number of the training's runs after which it is replaced."""
        return self._start + self._end

    @property
    def runs_left(self) -> int:
        """The number of runs before it is replaced."""
        return max(0, self.replaced_after - self._count.runs)

    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        if self._done:
            return super().__call__(feeds) if self._following is None else self._following(feeds)
        if self._is_due():
            self._move()
            return self(feeds)
        run = super().__call__
        begin = time.perf_counter()
        # Two threads of a matrix product would wait for each other next to one that works in the
        # background, for many times as long as the product takes. A processor is left to it until
        # the other program is due, even if that is done: the bits must not depend on time.
        results = leaving_one(run, feeds) if self._has_begun else run(feeds)
        self._fastest = min(self._fastest, time.perf_counter() - begin)
        self._count.runs += 1
        if self._has_begun:
            self._prepare().give_turn(TURN * self._fastest)
        return results

    def _is_due(self) -> bool:
        """Whether the other program replaces this one now."""
        return self._count.runs >= self.replaced_after

    @property
    def _has_begun(self) -> bool:
        """Whether the other program is being made; it may be done before it is due."""
        return self._count.runs >= self._start + self._begin

    def _prepare(self) -> Preparation:
        if self._preparation is None:
            with _lock:
                if self._preparation is None:
                    self._preparation = self._runtime.preparations.begin(self._make)
        return self._preparation

    def _make(self) -> None:
        self._following = self.following()

    def _move(self) -> None:
        self._prepare().finish()
        with _lock:
            if not self._done:
                self._done = True
                following = self._following
                if following is not None:
                    following.runs = self.runs
                    if isinstance(following, FollowedExecutable):
                        following._count, following._start = self._count, self.replaced_after
                    self._replace(following)

    def following(self) -> Executable | None:
        """Makes the program that follows; None if there is none, and this one goes on."""
        raise NotImplementedError
