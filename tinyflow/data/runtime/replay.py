"""Calls a function of a dataset again with the random numbers that it drew the first time.

A pass inside flat_map, interleave or group_by_window is restored by calling the function that made
its dataset once more. A random op that runs in that call must draw what it drew before, and its
stream must then go on from where it was.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tinyflow.data.runtime.base import State
from tinyflow.data.runtime.mapping import Function


class Replayable:
    """A function that draws random numbers; `streams()` are the states of its random ops."""

    def __init__(self, function: Function, streams: Callable[[], dict[str, Any]]) -> None:
        self.function = function
        self._streams = streams

    def __call__(self, *arguments: Any) -> Sequence[Any]:
        return self.function(*arguments)

    def positions(self) -> State:
        """Where its random streams are now."""
        return {name: stream.get_state() for name, stream in self._streams().items()
                if hasattr(stream, 'get_state')}

    def again(self, positions: State, *arguments: Any) -> Sequence[Any]:
        """The result of a call before which the streams were at `positions`."""
        streams, now = self._streams(), self.positions()
        try:
            for name in now.keys() & positions.keys():
                streams[name].set_state(positions[name])
            return self.function(*arguments)
        finally:
            for name, position in now.items():
                streams[name].set_state(position)


def called(function: Function, arguments: Sequence[Any], drawn: State | None
           ) -> tuple[Sequence[Any], State]:
    """The result, and the positions of random streams to be saved for calling it again.

    `drawn` are those that an earlier call returned, which is repeated.
    """
    if not isinstance(function, Replayable):
        return function(*arguments), {}
    if drawn is not None:
        return function.again(drawn, *arguments), drawn
    before = function.positions()
    return function(*arguments), before


__all__ = ['Replayable', 'called']
