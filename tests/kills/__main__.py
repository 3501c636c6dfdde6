"""python -m tests.kills KILLS SEED [PROGRAM ...]: kills each program that many times."""
from __future__ import annotations

import sys
import tempfile
import time

from tests.kills.killing import Server, kill
from tests.kills.programs import PROGRAMS


def main(arguments):
    kills, seed = int(arguments[0]), int(arguments[1])
    print(f'{"program":12}{"kills":>8}{"runs":>8}{"seconds":>10}   result')
    failed = False
    with Server() as server:
        for program in arguments[2:] or PROGRAMS:
            start, result = time.monotonic(), 'the same bits, nothing lost, no stray files'
            counts = {'kills': kills, 'runs': 0}
            try:
                with tempfile.TemporaryDirectory() as folder:
                    counts = kill(server, program, kills, seed, folder)
            except AssertionError as error:
                failed, result = True, f'FAILED {error}'
            print(f'{program:12}{counts["kills"]:8}{counts["runs"]:8}'
                  f'{time.monotonic() - start:10.1f}   {result}', flush=True)
    return failed


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
