"""Kills a program again and again at random moments, and compares with one that was not killed."""
from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from tests.kills import programs

# Steps that a program makes before it is killed, at most, and seconds after the last of them.
USUALLY = 25, 0.03
LONGEST = {'export': (2, 0.2)}


class Server:
    """Runs programs in child processes of one process; see server.py."""

    def __init__(self, steps=programs.STEPS):
        self._steps = steps
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'tests.kills.server'], cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def run(self, program, folder, steps=None, delay=0.):
        """(whether it completed, its lines); it is killed `delay` seconds after that many steps."""
        self._process.stdin.write(f'{program} {self._steps} {folder}\n')
        self._process.stdin.flush()
        child = int(self._process.stdout.readline())
        lines, made = [], 0
        if steps == 0:
            _kill(child, delay)
        for line in self._process.stdout:
            if line.endswith('ended\n'):         # a kill may leave half a line before it
                break
            lines.append(line.strip())
            made += line == 'step\n'
            if line == 'step\n' and made == steps:
                _kill(child, delay)
        return 'done' in lines, lines


def _kill(process, delay):
    time.sleep(delay)
    with suppress(ProcessLookupError):      # it ended meanwhile
        os.kill(process, signal.SIGKILL)


def kill(server, program, kills, seed, folder):
    """Kills `program` that many times in subfolders of `folder`; returns a dict of counts.

    AssertionError if anything is lost, half there, left over, or has other bits.
    """
    moments = random.Random(f'{program} {seed}')
    whole = os.path.join(folder, 'whole')
    counts = {'kills': 0, 'runs': 0}
    assert server.run(program, whole)[0], f'{program} fails without a kill'
    expected, there = programs.result(program, whole), programs.files(whole)
    while counts['kills'] < kills:
        counts['runs'] += 1
        killed = os.path.join(folder, f'killed-{counts["runs"]}')
        _kill_until_done(server, program, killed, moments, counts, kills)
        _compare(program, expected, programs.result(program, killed))
        assert programs.files(killed) == there, set(programs.files(killed)) ^ set(there)
    return counts


def _kill_until_done(server, program, folder, moments, counts, kills):
    completed = False
    while not completed:
        last = counts['kills'] >= kills
        longest, delay = LONGEST.get(program, USUALLY)
        steps, delay = moments.randrange(longest + 1), moments.random() * delay
        completed, lines = server.run(program, folder, None if last else steps, delay)
        assert completed or not last, f'{program} fails after kills'
        if not completed:
            counts['kills'] += 1
            programs.check(program, folder, lines)


def _compare(program, expected, found):
    assert expected.keys() == found.keys(), f'{program}: {expected.keys() ^ found.keys()}'
    for name, value in expected.items():
        np.testing.assert_array_equal(value, found[name], err_msg=f'{program}: {name}')
