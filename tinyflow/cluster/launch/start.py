"""The beginning of each process of a job: waits for the launcher's word, then runs the program.

The word comes when the guard knows of this process. If the launcher was killed before that, the
input ends without it, and so does this process.
"""
import os
import runpy
import sys


def main():
    if not os.read(0, 1):
        sys.exit(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    sys.argv[:1] = ['tinyflow', 'run']
    runpy.run_module('tinyflow', run_name='__main__', alter_sys=True)


if __name__ == '__main__':
    main()
