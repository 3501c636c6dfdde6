"""What a Session keeps between runs, read and set without one: Variables, positions, run counts.

Only in tinyflow, for higher layers and to resume trainings.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tinyflow.graph.support.errors import misuse, why
from tinyflow.session import interrupts
from tinyflow.session.program_cache import ProgramCache
from tinyflow.session.store import Store

__all__ = ['SessionState', 'closed_error']


class SessionState:
    """Base class of Sessions: their methods that read and set what they keep."""

    _closed: bool
    _store: Store
    _programs: ProgramCache

    def variable_values(self, variables: Iterable[Any]) -> list[np.ndarray | None]:
        """Copies of the Variables' current values, without a run; None if uninitialized.

        Only in tinyflow, for higher layers that manage many Variables.
        """
        if self._closed:
            raise closed_error()
        return self._store.values(variables)

    def set_variable_values(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Sets the values of Variables, from (variable, array) pairs, without a run or a node.

        Raises ValueError if a shape does not match; then nothing is changed.
        """
        if self._closed:
            raise closed_error()
        self._store.set_values(pairs)

    def positions(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The positions of this Session's random number streams and of its iterators.

        Only in tinyflow, to resume training exactly where it was interrupted. Returns plain data by
        operation name, and by name the states that cannot be restored, with the reason.
        """
        if self._closed:
            raise closed_error()
        return self._store.positions()

    def set_positions(self, positions: Any) -> None:
        """Restores `positions()`, in this or another process that built the same graph."""
        if self._closed:
            raise closed_error()
        interrupts.whole(self._store.set_positions, positions)

    def program_runs(self) -> dict[str, Any]:
        """How often the trainings of this Session have run, as plain data.

        Only in tinyflow: a training that goes on elsewhere has the same last bits if it restores
        this, too, because unrolled loops and native code take over after fixed numbers of runs.
        """
        if self._closed:
            raise closed_error()
        runtime = getattr(self._programs, 'runtime', None)      # None: on a cluster
        return {} if runtime is None else runtime.trainings.state()

    def set_program_runs(self, state: dict[str, Any]) -> None:
        """Restores `program_runs()`, in a Session of the same graph that has not trained yet."""
        if self._closed:
            raise closed_error()
        runtime = getattr(self._programs, 'runtime', None)
        if runtime is not None:
            runtime.trainings.set_state(state)


def closed_error() -> Exception:
    """The error of what a closed Session cannot do."""
    return misuse(RuntimeError(
        'Attempted to use a closed Session.\n  Hint: `with tf.Session() as sess:` closes it where '
        'the block ends, and the values of Variables are lost; indent this line into the '
        'block, or call sess.close() later.' + why('closed-session')))
