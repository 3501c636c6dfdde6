"""Forked children that cannot go on as a second run of the tests."""
from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

__all__ = ['needs_fork', 'statuses_of_children']


def needs_fork(test):
    """Marks a test that forks."""
    test = pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')(test)
    return pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')(test)


def statuses_of_children(status: Callable[[], int], count: int = 1) -> list[int]:
    """Forks `count` children one after the other, each of which ends with the status that the
    function returns there; 1 after an error, -14 after a minute.
    """
    children = []
    for _ in range(count):
        child = os.fork()
        if not child:
            signal.alarm(60)
            try:
                os._exit(status())
            finally:
                os._exit(1)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
