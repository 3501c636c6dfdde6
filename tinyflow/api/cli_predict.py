"""`python -m tinyflow predict EXPORT_DIR --inputs ...`: runs a SavedModel from the command line."""
from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from typing import Any

import numpy as np

from tinyflow.graph.support.errors import OpError

__all__ = ['add_predict']

_SHOWN = 20         # rows of the result that are printed without --all

_EPILOG = '''
inputs, each NAME=VALUE:
  x='[[5.1, 3.5, 1.4, 0.2]]'   numbers or text as JSON
  x=rows.npy                    an array that NumPy saved
  rows.csv                      a table with the inputs' names in its first line
A signature that takes serialized tf.train.Examples, as tf.estimator's parsing receivers create
it, takes --examples '[{"age": 22, "sex": "male"}]', or --examples rows.csv.
Without inputs the signatures are shown.
'''


def add_predict(commands) -> None:
    """Adds the command to the parsers of cli.py."""
    sub = commands.add_parser(
        'predict', help='ask a SavedModel', description='Asks a SavedModel.', epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    sub.set_defaults(command=_predict, script=None)
    sub.add_argument('export_dir', metavar='EXPORT_DIR',
                     help='the directory that export_saved_model returned, or the one above')
    sub.add_argument('--inputs', nargs='+', default=[], metavar='NAME=VALUE',
                     help='what to feed; see below')
    sub.add_argument('--examples', metavar='ROWS', help='rows of features by name; see below')
    sub.add_argument('--signature', metavar='NAME',
                     help='default: serving_default, or the only one')
    sub.add_argument('--all', action='store_true', help='print all rows')


def _predict(options) -> int:
    from tinyflow.api import saved_model  # start-up time
    try:
        directory = _newest(options.export_dir)
        with saved_model.load(directory) as model:
            if not options.inputs and options.examples is None:
                print(model)
                return 0
            signature = _signature(model, options.signature)
            feeds = _examples(signature, options.examples) if options.examples is not None \
                else _inputs(signature, options.inputs)
            _print(signature(**feeds), None if options.all else _SHOWN)
    except (OSError, ValueError, TypeError, OpError) as error:
        print(f'tinyflow: {getattr(error, "message", None) or error}', file=sys.stderr)
        return 2
    return 0


def _newest(directory: str) -> str:
    """The directory itself, or the latest export in it; exports have timestamps as names."""
    if not os.path.isdir(directory):
        raise ValueError(f'there is no directory {directory!r}')
    if any(os.path.exists(os.path.join(directory, f'saved_model.{end}'))
           for end in ('pb', 'pbtxt')):
        return directory
    exports = [name for name in os.listdir(directory) if name.isdigit()]
    if not exports:
        raise ValueError(f'{directory!r} is not a SavedModel and contains none: there is no '
                         'saved_model.pb')
    return os.path.join(directory, max(exports, key=int))


def _signature(model, name):
    found = model.signatures
    if name is None:
        name = 'serving_default' if 'serving_default' in found or len(found) != 1 else \
            next(iter(found))
    if name not in found:
        raise ValueError(f'there is no signature {name!r}; there are:\n' +
                         '\n'.join(f'  {one}' for one in found.values()))
    return found[name]


def _inputs(signature, given: list[str]) -> dict[str, Any]:
    """{name of an input: array}."""
    feeds: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition('=')
        if not equals and text.endswith('.csv'):
            feeds.update(_columns(_table(text)))
        elif not equals and text.lstrip().startswith('{'):
            feeds.update(_json(text))
        elif not equals and len(signature.inputs) == 1:
            feeds[next(iter(signature.inputs))] = _value(text)
        elif not equals:
            raise ValueError(f'{text!r} is not of the form NAME=VALUE, for {signature}')
        else:
            feeds[name] = _value(value)
    return {name: _fitting(signature, name, value) for name, value in feeds.items()}


def _value(text: str) -> Any:
    if text.endswith('.npy'):
        return np.load(text, allow_pickle=False)
    if text.endswith('.json') and os.path.exists(text):
        with open(text, encoding='utf-8') as file:
            return _json(file.read())
    return _json(text)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(f'{text!r} is neither JSON nor a file: [[1.0, 2.0]], ["text"], '
                         'rows.npy') from None


def _fitting(signature, name: str, value: Any) -> Any:
    """The value with the input's dtype, with a batch dimension added if it is missing."""
    tensor = signature.inputs.get(name)
    if tensor is None:
        raise ValueError(f'there is no input {name!r}: {signature}')
    dtype = tensor.dtype.as_numpy_dtype
    array = np.array(value, object if dtype is object else None)
    if dtype is object:
        array = np.vectorize(lambda one: one if isinstance(one, bytes) else str(one).encode(),
                             otypes=[object])(array)
    elif array.dtype.kind in 'USO':
        array = array.astype(dtype)         # the cells of a table
    rank = tensor.shape.ndims
    if rank is not None and array.ndim == rank - 1:
        # Numbers of a column for a [batch, 1] input, or one row for a batch.
        array = array[:, None] if tensor.shape.as_list()[-1] == 1 and array.ndim else array[None]
    return array if dtype is object else array.astype(dtype)


def _table(path: str) -> list[dict[str, str]]:
    with open(path, newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def _columns(rows: list[dict[str, str]]) -> dict[str, list[str]]:
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def _examples(signature, text: str) -> dict[str, Any]:
    """The serialized Examples of rows, for the only input of the signature."""
    rows = [{name: _number(cell) for name, cell in row.items()} for row in _table(text)] \
        if text.endswith('.csv') else _value(text)
    rows = rows if isinstance(rows, list) else [rows]
    if len(signature.inputs) != 1 or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f'--examples takes rows of features, [{{"age": 22}}], for a signature '
                         f'with one input: {signature}')
    serialized = [_example(row).SerializeToString() for row in rows]
    return {next(iter(signature.inputs)): np.array(serialized, object)}


def _number(cell: str) -> Any:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def _example(row: dict[str, Any]):
    from tinyflow.formats.protos.example_pb2 import Example  # start-up time
    example = Example()
    for name, value in row.items():
        values = value if isinstance(value, list) else [value]
        feature = example.features.feature[name]
        if all(isinstance(one, str) for one in values):
            feature.bytes_list.value.extend(one.encode() for one in values)
        elif all(isinstance(one, int) for one in values):
            feature.int64_list.value.extend(values)
        else:
            feature.float_list.value.extend(float(one) for one in values)
    return example


def _print(results: dict[str, np.ndarray], most: int | None) -> None:
    """Prints a line per row, with aligned columns; values without rows unchanged."""
    count = {len(array) for array in results.values() if np.ndim(array)}
    if len(count) != 1:
        for name, array in results.items():
            print(f'{name}: {array}')
        return
    names = sorted(results)
    rows = [[_text(results[name][row]) for name in names] for row in range(count.pop())]
    shown = rows if most is None else rows[:most]
    widths = [max(len(cell) for cell in column) for column in zip(names, *shown)]
    for line in [names, *shown]:
        print('  '.join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    if len(shown) < len(rows):
        print(f'... {len(rows) - len(shown)} more rows: --all')


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors='replace')
    if isinstance(value, np.ndarray) and value.dtype == object:
        return '[' + ' '.join(map(_text, value)) + ']'
    return np.array2string(np.asarray(value), precision=5, suppress_small=True,
                           max_line_width=200, threshold=8)
