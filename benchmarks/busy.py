"""Processes that do nothing but keep processors busy, next to what is measured."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager

SETTLE_SECONDS = 0.3  # until they have started, and are seen


@contextmanager
def busy_processes(count):
    """Keep `count` processes busy inside the block."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        if processes:
            time.sleep(SETTLE_SECONDS)
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
