"""Timers of hooks: every N steps, or every N seconds."""
from __future__ import annotations

import time

import numpy as np

from tinyflow.graph.support.errors import abstract, misuse

__all__ = ['NeverTriggerTimer', 'SecondOrStepTimer']


class _HookTimer:
    """Base of timers."""

    def reset(self):
        """Clears the state."""

    def should_trigger_for_step(self, step):
        """True if it is time to act at this step."""
        raise abstract(self)

    def update_last_triggered_step(self, step):
        """Records that the hook acted at this step.

        Returns the seconds and the steps since the last time, (None, None) the first time.
        """
        raise abstract(self)

    def last_triggered_step(self):
        """The last step at which the hook acted, None before that."""
        raise abstract(self)


class SecondOrStepTimer(_HookTimer):
    """Triggers at the first step, and then once every `every_steps` steps or `every_secs` seconds.

    Never twice for one step. ValueError unless exactly one of the two is given.
    """

    def __init__(self, every_secs=None, every_steps=None):
        if every_secs is None and every_steps is None:
            raise misuse(ValueError('Either every_secs or every_steps should be provided.\n  Hint: '
                                    'how often, e.g. every 100 steps (in a hook: save_steps=100).'))
        if every_secs is not None and every_steps is not None:
            raise misuse(ValueError('Can not provide both every_secs and every_steps.'))
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self):
        self._last_triggered_step = None
        self._last_triggered_time = None

    def should_trigger_for_step(self, step):
        last = self._last_triggered_step
        if last is None:
            return True
        if last == step:
            return False
        if self._every_steps is not None:
            return step >= last + self._every_steps
        return time.time() >= self._last_triggered_time + self._every_secs

    def update_last_triggered_step(self, step):
        now, elapsed = time.time(), (None, None)
        if self._last_triggered_time is not None:
            elapsed = now - self._last_triggered_time, step - self._last_triggered_step
        self._last_triggered_time = now
        # Steps from a Session are NumPy scalars, whose comparison takes several times as long.
        self._last_triggered_step = step.item() if isinstance(step, np.generic) else step
        return elapsed

    def last_triggered_step(self):
        return self._last_triggered_step


class NeverTriggerTimer(_HookTimer):
    """For hooks that act at the end only."""

    def should_trigger_for_step(self, step):
        return False

    def update_last_triggered_step(self, step):
        return None, None

    def last_triggered_step(self):
        return None
