"""The nodes of a document: what each operation of a graph is, as plain data."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import DType
from tinyflow.graph.op import REQUIRED
from tinyflow.graph.operation import Operation
from tinyflow.inspect.explorer.document.files import Files
from tinyflow.inspect.viz import labels, select
from tinyflow.inspect.viz.nested_graphs import NestedGraphs

_LONGEST = 200              # characters of an attribute's text
_ELEMENTS = 32              # elements of a constant that are written out
_SAVER = ('Save', 'Restore', 'MergeV2Checkpoints', 'ShardedFile')
_PARTS = {select.GRADIENT: 'gradient', select.OPTIMIZER: 'optimizer', select.INIT: 'init'}


class Nodes:
    """The operations of a graph, those in functions included, in the order of the document.

    `documents` are the nodes as data, `index` the position of each operation, `inside` knows what
    belongs to which function.
    """

    def __init__(self, operations: Iterable[Operation], files: Files) -> None:
        given = list(operations)
        part = select.parts(given[0].graph) if given else {}
        self.inside = NestedGraphs(given, part, dissolve=False)
        self.operations: Sequence[Operation] = self.inside.ops
        self.part: dict[Operation, str] = self.inside.part
        self.index = {op: n for n, op in enumerate(self.operations)}
        self._types: dict[tuple, list] = {}
        self._savers = tuple({op.name.rpartition('/')[0] + '/' for op in self.operations
                              if op.type.startswith(_SAVER) and '/' in op.name})
        self._nested = bool(self.inside.regions)
        self.names = [self.inside.name(op) if op in self.inside.prefix else op.name
                      for op in self.operations]
        self.documents = [self._document(op, name)
                          for op, name in zip(self.operations, self.names)]
        for node, op in zip(self.documents, self.operations):
            files.add(node, op._site)

    def _document(self, op: Operation, name: str) -> dict[str, Any]:
        node: dict[str, Any] = {'n': name, 'o': op.type}
        index = self.index
        tensors = [link.tensor for link in self.inside.links(op)] if self._nested else op.inputs
        if tensors:
            node['i'] = [[index[t.op], t.value_index] for t in tensors if t.op in index]
        waits = self.inside.waits(op) if self._nested else op.control_inputs
        if waits:
            node['c'] = [index[w] for w in waits if w in index]
        if op.outputs:
            node['t'] = [self._tensor(t) for t in op.outputs]
        attributes = _attributes(op)
        if attributes:
            node['a'] = attributes
        if op.device:
            node['d'] = op.device
        kind = _kind(op)
        if kind != 'op':
            node['k'] = kind
        part = kind if kind in ('save', 'summary') else \
            'save' if self._saves(op) else _PARTS.get(self.part[op])
        if part:
            node['p'] = part
        return node

    def _saves(self, op):
        return self.part[op] == select.INIT and op.name.startswith(self._savers)

    def _tensor(self, tensor) -> list:
        """dtype and shape; equal ones share a list."""
        key = tensor.dtype, tensor.raw_shape
        if tensor.op.type == 'VarHandleOp':     # of the Variable, not of the handle to it
            key = tensor.op.attrs['dtype'], shapes.raw(tensor.op.attrs['shape'])
        if key not in self._types:
            self._types[key] = [key[0].base_dtype.name, shape_of(key[1])]
        return self._types[key]


def shape_of(raw_shape: shapes.Shape) -> list | None:
    """A static shape as data: None for an unknown rank or size."""
    return None if raw_shape is None else [None if n is None else int(n) for n in raw_shape]


def _kind(op):
    if select.is_variable_ref(op):
        return 'variable'
    if op.type == 'Const':
        return 'constant'
    if op.type.startswith('Placeholder'):
        return 'placeholder'
    if op.type.endswith('Summary') or op.type.endswith('SummaryV2'):
        return 'summary'
    return 'save' if op.type.startswith(_SAVER) else 'op'


def _attributes(op) -> list[list[str]]:
    """(name, short text) of the attributes that differ from their defaults."""
    found = []
    defaults = op.definition.attrs
    for name, value in op.attrs.items():
        if name.startswith('_') or value is None:
            continue
        default = defaults.get(name, REQUIRED)
        if name == 'use_locking' or default is not REQUIRED and _same(value, default):
            continue
        if name == 'value' and op.type == 'Const':
            found.append([name, _value(op)])
        elif name not in ('dtype', 'T', 'shape') or op.type.startswith('Pars'):
            found.append([name, short(_text(value))])
    return found


def _same(value, default):
    try:
        return bool(value == default)
    except (TypeError, ValueError):         # arrays
        return False


def _value(op):
    array = np.asarray(op.attrs['value'])
    if array.size > _ELEMENTS:
        return labels.tensor(op.outputs[0])
    return short(_text(array.tolist()))


def _text(value):
    if isinstance(value, np.ndarray):
        return labels.shape(value.shape) if value.size > _ELEMENTS else _text(value.tolist())
    if isinstance(value, bytes):
        return value[:_LONGEST + 1].decode('utf-8', 'replace')
    if isinstance(value, (list, tuple)):
        return '[' + ', '.join(_text(v) for v in value[:_LONGEST]) + ']'
    if hasattr(value, 'get_operations'):
        return f'a function of {len(value.get_operations())} nodes'
    if isinstance(value, DType):
        return value.name
    return value if isinstance(value, str) else str(value)


def short(text: str, longest: int = _LONGEST) -> str:
    """A text of at most `longest` characters; '…' says that there is more."""
    return text if len(text) <= longest else text[:longest - 1] + '…'


__all__ = ['Nodes', 'shape_of', 'short']
