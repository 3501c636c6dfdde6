"""`python -m tinyflow explore SCRIPT`: runs a program, with the explorer's page of its training."""
from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Callable

__all__ = ['add_explore']


def add_explore(command: Callable, run_script: Callable[[str, list[str]], int]) -> None:
    """Adds the command; `command` and `run_script` are those of cli.py."""
    sub = command('explore', lambda options: _explore(options, run_script),
                  'run a program, and follow its training on a page in the browser')
    sub.add_argument('--port', type=int, default=0, metavar='N',
                     help='of this machine, at which the page is (default: any free one)')
    sub.add_argument('--every', type=int, default=20, metavar='N',
                     help='look at each Nth training step (default: %(default)s)')
    sub.add_argument('--no-browser', action='store_true', help='open no browser')
    sub.add_argument('--no-wait', action='store_true',
                     help='end with the program, and do not keep the page until Ctrl-C')


def _explore(options, run_script) -> int:
    from tinyflow.inspect.live import Follower, LiveServer  # start-up time
    if options.every < 1:
        print(f'tinyflow: --every is a positive number of steps, not {options.every}.',
              file=sys.stderr)
        return 2
    follower = Follower(os.path.basename(options.script), options.every)
    try:
        server = LiveServer(follower.page, follower.state, options.port)
    except (OSError, OverflowError) as error:
        print(f'tinyflow: {error}', file=sys.stderr)
        return 2
    print(f'tinyflow: the training is shown at {server.url}', file=sys.stderr, flush=True)
    if not options.no_browser:
        webbrowser.open(server.url)
    with follower:
        status = run_script(options.script, options.args)
    if not options.no_wait and status != 130:           # 130: it was interrupted
        _wait()
    server.close()
    return status


def _wait() -> None:
    print('tinyflow: the program has ended; the page stays until Ctrl-C.', file=sys.stderr)
    try:
        while True:
            time.sleep(1)
    except KeyboardInterrupt:
        pass
