"""`python -m tinyflow playground`: a page on which one watches small networks learn."""
from __future__ import annotations

import sys

__all__ = ['add_playground']


def add_playground(commands) -> None:
    """Adds the command to the parsers of cli.py."""
    sub = commands.add_parser(
        'playground', help='make a page on which one watches small networks learn',
        description='Trains about 400 small networks, which takes 10 to 20 seconds, and makes an '
                    'offline page on which one watches them learn.',
        usage='%(prog)s [-o FILE]', allow_abbrev=False)
    sub.set_defaults(command=_playground, script=None)
    sub.add_argument('-o', '--output', default='playground.html', metavar='FILE',
                     help='(default: %(default)s)')


def _playground(options) -> int:
    from tinyflow.inspect.playground import playground  # start-up time
    try:
        path = playground(options.output)
    except OSError as error:
        print(f'tinyflow: {error}', file=sys.stderr)
        return 1
    print(f'{path}: open it in a browser')
    return 0
