"""The arguments of the debugger's commands."""
from __future__ import annotations

import argparse
import re
import shlex
from typing import Any

import numpy as np

from tinyflow.inspect.debugger import listings

__all__ = ['ALIASES', 'Mistake', 'joined_slice', 'name_and_slice', 'parsed', 'sliced']


class Mistake(Exception):
    """A command that cannot be carried out; its text is printed."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Mistake(f'{message}.\n{self.format_usage().strip()}')

    def exit(self, status=0, message=None):
        raise Mistake(message or '')


def _parser(name: str, *arguments: tuple[tuple[str, ...], dict]) -> _Parser:
    parser = _Parser(prog=name, add_help=False)
    for names, settings in arguments:
        parser.add_argument(*names, **settings)
    return parser


def _arg(*names: str, **settings: Any) -> tuple[tuple[str, ...], dict]:
    return names, settings


_FLAG = {'action': 'store_true'}
_PARSERS = {
    'run': _parser(
        'run', _arg('-t', '--times', type=int, default=1), _arg('-n', '--no_debug', **_FLAG),
        _arg('-f', '--till_filter_pass', metavar='FILTER'),
        _arg('-fenn', '--filter_exclude_node_names', metavar='REGEX')),
    'step': _parser('step', _arg('number', type=int, nargs='?', default=1)),
    'lt': _parser(
        'lt', _arg('-f', '--tensor_filter', metavar='FILTER'),
        _arg('-n', '--node_name_filter', metavar='REGEX'),
        _arg('-t', '--op_type_filter', metavar='REGEX'),
        _arg('-s', '--sort_by', choices=listings.SORT_KEYS, default='timestamp'),
        _arg('-r', '--reverse', **_FLAG)),
    'pt': _parser(
        'pt', _arg('tensor', nargs='?'), _arg('-a', '--all', **_FLAG),
        _arg('-s', '--numeric_summary', **_FLAG),
        _arg('-n', '--number', type=int, default=None), _arg('-r', '--ranges', default=''),
        _arg('-w', '--write_path', metavar='FILE')),
    'pf': _parser('pf', _arg('tensor'), _arg('-a', '--all', **_FLAG),
                  _arg('-s', '--numeric_summary', **_FLAG)),
    'ni': _parser('ni', _arg('node', nargs='?'), _arg('-a', '--attributes', **_FLAG),
                  _arg('-d', '--dumps', **_FLAG), _arg('-t', '--traceback', **_FLAG)),
    'li': _parser('li', _arg('node', nargs='?'), _arg('-c', '--control', **_FLAG),
                  _arg('-d', '--depth', type=int, default=20), _arg('-r', '--recursive', **_FLAG),
                  _arg('-t', '--op_type', **_FLAG)),
    'ls': _parser('ls', _arg('-p', '--path_filter', metavar='REGEX')),
    'ps': _parser('ps', _arg('file'), _arg('-l', '--line', type=int, default=1)),
}
_PARSERS['lo'] = _PARSERS['li']
ALIASES = {
    'r': 'run', 's': 'step', 'c': 'continue', 'cont': 'continue', 'b': 'break', 'd': 'delete',
    'w': 'where', 'q': 'exit', 'quit': 'exit', 'list_tensors': 'lt', 'print_tensor': 'pt',
    'p': 'pt', 'print_feed': 'pf', 'node_info': 'ni', 'list_inputs': 'li', 'list_outputs': 'lo',
    'list_source': 'ls', 'print_source': 'ps', 'run_info': 'ri', 'h': 'help', '?': 'help',
    'invoke_stepper': 'step', 'n': 'step', 'next': 'step', 'bt': 'where'}


def parsed(name: str, line: str) -> argparse.Namespace:
    """The arguments of a command."""
    try:
        return _PARSERS[name].parse_args(shlex.split(line))
    except ValueError as error:                     # a quotation that does not end
        raise Mistake(f'{error}.') from None


def joined_slice(line: str) -> str:
    """A line of arguments without the blanks inside of a slice."""
    return re.sub(r'\[[^]]*\]', lambda m: m[0].replace(' ', ''), line)


def name_and_slice(text: str) -> tuple[str, str]:
    name, bracket, rest = text.partition('[')
    return name, bracket + rest


def sliced(array: np.ndarray, part: str) -> np.ndarray:
    if not part:
        return array
    try:
        if not re.fullmatch(r'\[[-\d:,.]*\]', part):
            raise ValueError('a slice has numbers, colons and commas')
        return np.asarray(eval(f'array{part}', {'array': array}))
    except (IndexError, SyntaxError, ValueError) as error:
        raise Mistake(f'{part} cannot be taken of shape {array.shape}: {error}.') from None

