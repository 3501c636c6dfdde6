"""Ends the processes of a job if its launcher is killed. Run by path, without tinyflow.

The launcher writes `+ GROUP` before a process may begin and `- GROUP` when it has ended. The end of
this input means that the launcher has gone, by whatever signal.
"""
import os
import signal
import sys


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups = set()
    for line in sys.stdin:
        sign, _, group = line.partition(' ')
        (groups.add if sign == '+' else groups.discard)(int(group))
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass


if __name__ == '__main__':
    main()
