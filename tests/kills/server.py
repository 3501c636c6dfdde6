"""Starts a program of programs.py in a child process for each line of its input.

A line is `PROGRAM STEPS FOLDER`. The number of the child is printed first, then what it prints,
then 'ended'. The imports take their time once: `python -m tests.kills.server`.
"""
from __future__ import annotations

import os
import sys

from tests.fork_server import forked
from tests.kills import programs


def main():
    for line in sys.stdin:
        child = forked(_run, *line.strip().split(' ', 2))
        print(child, flush=True)
        os.waitpid(child, 0)
        print('ended', flush=True)


def _run(program, steps, folder):
    os.makedirs(folder, exist_ok=True)
    programs.STEPS = int(steps)
    programs.PROGRAMS[program](folder)
    print('done', flush=True)


if __name__ == '__main__':
    main()
