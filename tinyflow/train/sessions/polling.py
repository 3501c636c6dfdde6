"""Waiting for what another task does: short pauses first, and a word about for whom."""
from __future__ import annotations

import time

from tinyflow.graph.support import logging

__all__ = ['Wait']

_SAID_AFTER = 10.0          # seconds; and again after each time as long as all before


class Wait:
    """Pauses of `first` seconds, then of twice as many each, up to `longest`, at most `in_all`.

    `in_all` None means for ever.
    """

    def __init__(self, in_all, longest, first=0.1):
        self._began = time.monotonic()
        self._end = self._began + (float('inf') if in_all is None else in_all)
        self._longest, self._pause = longest, first
        self._say_at = _SAID_AFTER

    def is_left(self):
        """False once there is no time for another pause."""
        return time.monotonic() + min(self._pause, self._longest) <= self._end

    def sleep(self, for_whom):
        """One pause; after 10 seconds the log says for whom, a text."""
        waited = time.monotonic() - self._began
        if waited >= self._say_at:
            logging.warning('Has waited %d seconds for %s', waited, for_whom)
            self._say_at = 2 * waited
        time.sleep(max(min(self._pause, self._longest), 0.001))
        self._pause *= 2
