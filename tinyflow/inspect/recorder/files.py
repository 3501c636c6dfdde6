"""Recordings in files: records with checksums, as in TFRecord files; nothing in them is run.

    record 0        JSON: {"format": "tinyflow recording 1", "runs": 61, "steps": [...],
                    "values": [{"d": dtype, "s": shape}, ...]}
    record 1 + n    value n: its bytes, C-contiguous and little-endian; of strings JSON

A value that several steps share is there once. Of a value that was too big to be kept the file has
the statistics, and its record the heat map.
"""
from __future__ import annotations

import base64
import json
import os
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from tinyflow.formats.wire.files import explained, temporary_name
from tinyflow.formats.wire.records import RecordReader, RecordWriter
from tinyflow.graph import dtypes
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import DataLossError, misuse
from tinyflow.inspect.recorder.kept import Kept, Statistics
from tinyflow.inspect.recorder.names import named_operations
from tinyflow.inspect.recorder.step import Entry, Origin, Step

__all__ = ['read', 'save']

_FORMAT = 'tinyflow recording 1'
_WRONG = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def save(recorded: Sequence[Step], runs: int, path: Any) -> str:
    """Writes steps to a file, which has all of them or is not changed; returns its path."""
    try:
        path = os.fspath(path)
    except TypeError:
        raise misuse(TypeError(f'The path of a recording is a string such as "run.record", not '
                               f'{path!r}.')) from None
    known: dict[int, int] = {}
    values: list[Kept] = []

    def place(kept: Kept | None) -> int | None:
        if kept is None:
            return None
        if id(kept) not in known:
            known[id(kept)] = len(values)
            values.append(kept)
        return known[id(kept)]

    steps = [{'number': step.number, 'nth': step.nth, 'fetches': step.fetches,
              'feeds': {name: list(shape) for name, shape in step.feeds.items()},
              'seconds': step.seconds, 'error': step.error, 'origin': step.origin,
              'entries': [[e.name, list(e.iteration), [place(kept) for kept in e.kept]]
                          for e in step.entries]} for step in recorded]
    header = {'format': _FORMAT, 'runs': runs, 'steps': steps,
              'values': [_about(kept) for kept in values]}
    temporary = temporary_name(path)
    writer = RecordWriter(temporary)
    try:
        writer.write(json.dumps(header).encode())
        for kept in values:
            writer.write(_bytes(kept))
        writer.close()
        with explained(path):
            os.replace(temporary, path)
    except BaseException:
        writer.close()
        os.unlink(temporary)
        raise
    return path


def read(path: Any, graph: Graph) -> tuple[list[Step], int]:
    """The steps in a file, with the operations of a graph, and how many runs there were.

    Raises NotFoundError if there is no such file, DataLossError for damage.
    """
    path = os.fspath(path)
    try:
        with closing(RecordReader(path)) as records:
            header = json.loads(next(records, b''))
            if header['format'] != _FORMAT:
                raise ValueError(header['format'])
            values = [_value(about, next(records)) for about in header['values']]
        operations = dict(named_operations(graph))
        steps = [_step(made, values, operations) for made in header['steps']]
        return steps, int(header['runs'])
    except (*_WRONG, DataLossError, StopIteration) as error:
        about = str(error).partition('\n')[0].removeprefix(f'{path}: ')[:80]
        raise DataLossError(None, None, f'{path}: it is not a recording, or it is damaged '
                            f'({type(error).__name__}: {about})') from None


# ---- values ----------------------------------------------------------------------------------

def _about(kept: Kept) -> dict[str, Any]:
    about: dict[str, Any] = {'d': 'string' if kept.dtype.kind in 'OSU' else
                             dtypes.as_dtype(kept.dtype).name, 's': list(kept.shape)}
    if kept.array is None:
        about['statistics'] = kept.statistics
        about['heat'] = None if kept.heat is None else list(kept.heat.shape)
    return about


def _bytes(kept: Kept) -> bytes:
    if kept.array is None:
        return b'' if kept.heat is None else kept.heat.astype('<f8').tobytes()
    if kept.dtype.kind in 'OSU':
        return json.dumps([base64.b64encode(x if isinstance(x, bytes) else str(x).encode()).decode()
                           for x in kept.array.ravel().tolist()]).encode()
    return kept.array.astype(kept.dtype.newbyteorder('<'), copy=False).tobytes()


def _value(about: dict[str, Any], record: bytes) -> Kept:
    shape = _sizes(about['s'])
    dtype = dtypes.as_dtype(about['d'])
    if 'statistics' in about:
        return _reduced(about, record, shape, dtype.as_numpy_dtype)
    if dtype.name == 'string':
        texts = [base64.b64decode(text) for text in json.loads(record)]
        array = np.empty(len(texts), object)
        array[:] = texts
    else:
        array = np.frombuffer(record, np.dtype(dtype.as_numpy_dtype).newbyteorder('<'))
        array = array.astype(dtype.as_numpy_dtype)
    return Kept(array.reshape(shape))


def _reduced(about, record, shape, dtype) -> Kept:
    """A value of which only statistics and a heat map are known."""
    kept = Kept(np.empty(0, dtype))
    found, heat = about['statistics'], about['heat']
    statistics = None if found is None else Statistics(
        *[None if x is None else float(x) for x in found[:4]], *map(int, found[4:7]),
        tuple(map(int, found[7])), tuple(map(float, found[8])))
    vars(kept).update(
        statistics=statistics, shape=shape,
        heat=None if heat is None else np.frombuffer(record, '<f8').reshape(_sizes(heat)))
    return kept.reduce()


def _sizes(shape) -> tuple[int, ...]:
    sizes = tuple(shape)
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise ValueError(f'the shape {shape}')
    return sizes


# ---- steps -----------------------------------------------------------------------------------

class _SavedStep(Step):
    """A step whose operations may be unknown; where its NaN began was found before."""

    saved_origin: Origin | None = None

    @property
    def origin(self) -> Origin | None:
        return self.saved_origin


def _step(made: dict[str, Any], values: list[Kept], operations: dict[str, Operation]) -> Step:
    step = _SavedStep(int(made['number']), tuple(map(str, made['fetches'])),
                      {str(name): _sizes(shape) for name, shape in made['feeds'].items()},
                      int(made['nth']))
    step.error = None if made['error'] is None else str(made['error'])
    if made['origin'] is not None:
        name, output, found, iteration, site = made['origin']
        step.saved_origin = Origin(str(name), int(output), str(found), _sizes(iteration), str(site))
    for (name, iteration, kept), seconds in zip(made['entries'], made['seconds'], strict=True):
        found_values = tuple([None if n is None else values[_sizes([n])[0]] for n in kept])
        step.add(Entry(str(name), operations.get(name), _sizes(iteration), found_values),
                 float(seconds))
    return step
