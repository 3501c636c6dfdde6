"""What the debugger prints of tensors, nodes and source lines."""
from __future__ import annotations

import linecache
import re
from collections.abc import Iterable, Iterator

import numpy as np

from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation
from tinyflow.inspect.debugger.breakpoints import Datum
from tinyflow.inspect.debugger.run import Run
from tinyflow.inspect.recorder.kept import Kept, Statistics

__all__ = ['ancestors', 'brief', 'node', 'source_around', 'source_files', 'table', 'tensor',
           'tensors', 'tree']

_AROUND = 4             # lines of source before and after the one in question
_FEW = 1000             # elements: larger arrays are abbreviated
SORT_KEYS = ('timestamp', 'dump_size', 'op_type', 'tensor_name')


def table(rows: Iterable[tuple]) -> list[str]:
    """Rows as lines with aligned columns."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts)]
    return ['  '.join(t.ljust(w) for t, w in zip(row, widths)).rstrip() for row in texts]


def brief(kept: Kept) -> str:
    """An array in one line: the value if it is short, else its statistics."""
    shape = list(kept.shape)
    kind = f'{kept.dtype} {shape if shape else "scalar"}'
    if kept.array is not None and kept.array.size <= 6:
        text = np.array2string(kept.array, separator=', ', max_line_width=1000)
        return f'{kind} {" ".join(text.split())}'
    return f'{kind}  {kept.statistics}' if kept.statistics else kind


def tensors(run: Run, data: list[Datum], sort: str, reverse: bool) -> list[str]:
    """The table of `lt`."""
    ops = {e.name: e.operation.type for e in run.step.entries}
    keys = {'timestamp': lambda d: d.timestamp, 'dump_size': lambda d: d.dump_size_bytes,
            'op_type': lambda d: ops[d.node_name], 'tensor_name': lambda d: d.tensor_name}
    data = sorted(data, key=keys[sort], reverse=reverse)
    rows = [('order', 'size (B)', 'op type', 'tensor name', 'value')]
    rows += [(d.timestamp, d.dump_size_bytes, ops[d.node_name], _named(d), brief(Kept(d.array)))
             for d in data]
    return [line[:160] for line in table(rows)]


def _named(datum):
    turn = f' (iteration {datum.iteration[-1]})' if datum.iteration else ''
    return datum.tensor_name + turn


def tensor(name: str, array: np.ndarray, everything: bool, summary: bool,
           ranges: list[tuple[float, float]]) -> Iterator[str]:
    """The lines of `pt`."""
    yield f'Tensor "{name}":'
    yield f'  dtype: {array.dtype}'
    yield f'  shape: {tuple(array.shape)}'
    if summary:
        found = Statistics.of(array)
        yield f'  {found}' if found else '  no numbers'
    yield ''
    with np.printoptions(threshold=array.size + 1 if everything else _FEW):
        yield repr(array)
    for low, high in ranges:
        inside = np.argwhere((array >= low) & (array <= high))
        yield f'{len(inside)} of {array.size} elements are in [{low:g}, {high:g}]' + \
            (f', the first at {_index(inside[0])}' if len(inside) else '')


def _index(position):
    return '[' + ', '.join(map(str, position)) + ']'


def node(graph: Graph, run: Run | None, operation: Operation, attributes: bool,
         dumps: bool) -> Iterator[str]:
    """The lines of `ni`."""
    yield f'Node {operation.name}'
    yield ''
    yield f'  Op: {operation.type}'
    yield f'  Device: {operation.device or "none"}'
    consumers = [c for t in operation.outputs for c in t.consumers()]
    after = [o for o in graph.get_operations() if operation in o.control_inputs]
    for what, inputs, controls in (
            ('input', [t.op for t in operation.inputs], list(operation.control_inputs)),
            ('recipient', list(dict.fromkeys(consumers)), after)):
        yield ''
        yield f'  {len(inputs)} {what}(s) + {len(controls)} control {what}(s):'
        yield from (f'    [{o.type}] {o.name}' for o in inputs)
        yield from (f'    (control) [{o.type}] {o.name}' for o in controls)
    if attributes:
        yield ''
        yield '  Attributes:'
        yield from (f'    {name}: {value!r}'[:120] for name, value in operation.attrs.items())
    if dumps and run is not None:
        yield ''
        yield '  Values in this run:'
        for entry in run.step.entries:
            if entry.operation is operation:
                yield from (f'    {entry.name}:{i}  {brief(k)}'
                            for i, k in enumerate(entry.kept) if k is not None)


def ancestors(operation: Operation, down: bool, control: bool) -> list[tuple[str, Operation]]:
    """The inputs of an operation, or (`down`) what uses it, each with its mark."""
    if down:
        users = [('', c) for t in operation.outputs for c in t.consumers()]
        if control:
            users += [('(control) ', o) for o in operation.graph.get_operations()
                      if operation in o.control_inputs]
    else:
        users = [('', t.op) for t in operation.inputs]
        if control:
            users += [('(control) ', o) for o in operation.control_inputs]
    return list(dict.fromkeys(users))


def tree(operation: Operation, depth: int, down: bool, control: bool, types: bool) -> Iterator[str]:
    """The lines of `li` and `lo`: what the node depends on, or what depends on it."""
    noun = 'Recipients of' if down else 'Inputs to'
    yield f'{noun} node "{operation.name}" (depth limit {depth}):'
    seen: set[Operation] = {operation}
    stack = [(1, mark, o) for mark, o in reversed(ancestors(operation, down, control))]
    if not stack:
        yield '  none'
    while stack:
        level, mark, o = stack.pop()
        kind = f'[{o.type}] ' if types else ''
        again = ' (shown above)' if o in seen else ''
        yield f'{"|  " * (level - 1)}|- ({level}) {mark}{kind}{o.name}{again}'
        if o in seen:
            continue
        seen.add(o)
        inner = [(level + 1, m, i) for m, i in reversed(ancestors(o, down, control))]
        if inner and level >= depth:
            yield f'{"|  " * level}|- ...'
        else:
            stack += inner


def source_around(operation: Operation) -> Iterator[str]:
    """The user's line that made an operation, with the lines around it."""
    site = operation.site
    if site is None:
        yield f'It is not known which line made {operation.name}.'
        return
    yield f'{operation.name} was made in {site.file}, line {site.line}, in {site.code.co_name}:'
    for line in range(max(1, site.line - _AROUND), site.line + _AROUND + 1):
        text = linecache.getline(site.file, line)
        if text:
            yield f'{"->" if line == site.line else "  "} {line:4d}  {text.rstrip()}'


def source_files(graph: Graph, run: Run, pattern: str | None) -> Iterator[str]:
    """The table of `ls`: files of the program, and how many nodes each made."""
    computed = {e.operation for e in run.step.entries}
    counts: dict[str, list[int]] = {}
    for operation in graph.get_operations():
        site = operation.site
        if site and (pattern is None or re.match(pattern, site.file)):
            count = counts.setdefault(site.file, [0, 0])
            count[0] += 1
            count[1] += operation in computed
    rows = [('source file', 'nodes', 'computed in this run')]
    yield from table(rows + [(file, *count) for file, count in sorted(counts.items())])


def annotated(graph: Graph, file: str, first: int) -> Iterator[str]:
    """The lines of `ps`: a source file with the nodes that each line made."""
    made: dict[int, list[str]] = {}
    for operation in graph.get_operations():
        site = operation.site
        if site and site.file == file:
            made.setdefault(site.line, []).append(operation.name)
    for number, line in enumerate(linecache.getlines(file), 1):
        if number >= first:
            yield f'L{number:<4d} {line.rstrip()}'
            names = made.get(number, [])
            yield from (f'        {name}' for name in names[:5])
            if len(names) > 5:
                yield f'        ... and {len(names) - 5} more'
