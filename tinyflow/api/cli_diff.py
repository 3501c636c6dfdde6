"""`python -m tinyflow diff A B`: compares graphs, checkpoints or SavedModels."""
from __future__ import annotations

import argparse
import os
import re
import sys
from typing import Any

from tinyflow.graph.support.errors import OpError
from tinyflow.inspect.graph_diff import graph_diff

__all__ = ['add_diff']

_EPILOG = '''
FIRST and SECOND, each one of:
  graph.pb, graph.pbtxt        a GraphDef, binary or text
  model.ckpt-100.meta          the graph of a checkpoint
  model.ckpt-100               a checkpoint: its Variables are compared, and their values with
                               those of another checkpoint
  a directory                  a SavedModel, or the latest checkpoint in it
The exit status is 0 if there are no differences, 1 if there are, 2 if an input cannot be read.
'''
_PART_OF_CHECKPOINT = re.compile(r'\.(index|data-\d+-of-\d+)\Z')


def add_diff(commands) -> None:
    """Adds the command to the parsers of cli.py."""
    sub = commands.add_parser(
        'diff', help='compare two graphs, checkpoints or SavedModels',
        description='Compares two graphs, checkpoints or SavedModels.', epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    sub.set_defaults(command=_diff, script=None)
    sub.add_argument('first', metavar='FIRST', help='the graph, checkpoint or SavedModel before')
    sub.add_argument('second', metavar='SECOND', help='the one after')
    sub.add_argument('-o', '--output', metavar='FILE',
                     help='a picture of both graphs: .svg, .png, .pdf, .dot or .html')


def _diff(options) -> int:
    try:
        if options.output is not None:
            from tinyflow.graph.support import render  # start-up time
            render.check_path(options.output)       # before the comparison, which may take long
        diff = graph_diff(_comparable(options.first), _comparable(options.second))
        if options.output is not None:
            diff.draw(options.output)
    except (OSError, ValueError, TypeError, RuntimeError, OpError) as error:
        print(f'tinyflow: {getattr(error, "message", None) or error}', file=sys.stderr)
        return 2
    # The paths as given on the command line.
    lines = [f'first   {options.first}', f'second  {options.second}', *str(diff).splitlines()[2:]]
    print('\n'.join(lines))
    return 1 if diff else 0


def _comparable(path: str) -> Any:
    """The argument of graph_diff for a path: the path, a checkpoint prefix, or a MetaGraphDef."""
    if os.path.isdir(path):
        return _of_directory(path)
    if _PART_OF_CHECKPOINT.search(path):
        return _PART_OF_CHECKPOINT.sub('', path)
    if not os.path.exists(path) and not os.path.exists(f'{path}.index'):
        raise FileNotFoundError(f'there is no file, directory or checkpoint {path!r}')
    return path


def _of_directory(path: str) -> Any:
    if any(os.path.exists(os.path.join(path, f'saved_model.{end}')) for end in ('pb', 'pbtxt')):
        from tinyflow.train.saved_model.loader import read_saved_model  # start-up time
        return read_saved_model(path).meta_graphs[0]
    from tinyflow.train.checkpoints.checkpoint_state import latest_checkpoint  # start-up time
    found = latest_checkpoint(path)
    if found is None:
        raise ValueError(f'{path!r} has neither a SavedModel (saved_model.pb) nor a checkpoint in '
                         'it')
    return found
