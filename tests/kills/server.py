"""Starts a program of programs.py in a child process for each line of its input.

A line is `PROGRAM STEPS FOLDER`. The number of the child is printed first, then what it prints,
then 'ended'. The imports take their time once: `python -m tests.kills.server`.
"""
from __future__ import annotations

import os
import sys
import traceback

from tests.kills import programs


def main():
    for line in sys.stdin:
        program, steps, folder = line.strip().split(' ', 2)
        child = os.fork()
        if not child:
            status = 1
            try:
                os.makedirs(folder, exist_ok=True)
                programs.STEPS = int(steps)
                programs.PROGRAMS[program](folder)
                print('done', flush=True)
                status = 0
            except BaseException:       # noqa: BLE001 - this process ends here
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        print(child, flush=True)
        os.waitpid(child, 0)
        print('ended', flush=True)


if __name__ == '__main__':
    main()
