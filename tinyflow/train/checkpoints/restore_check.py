"""Compares a checkpoint with a Saver before restoring: all mismatches in one table.

The Saver's expectations are found in the graph: a RestoreV2 node names the tensors, and the nodes
behind it that assign are the Variables that get them. So it works for any Saver, including
imported ones.
"""
from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from tinyflow.formats.wire import slices
from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import InvalidArgumentError, NotFoundError, why

_ROWS = 20              # of each kind; the rest is counted
_RENAMED = 0.5          # similarity of two names above which one may be the other renamed


@dataclass(frozen=True)
class Wanted:
    """A tensor that a Saver will read from a checkpoint."""

    name: str
    dtype: object
    shape: tuple | None             # None: any
    tensor: Tensor                  # the output of RestoreV2
    variable: str | None = None
    part: str = ''                  # of the tensor in the checkpoint; '' for all of it

    def value(self, reader, key=None):
        """The value in a checkpoint, under another name if `key` is given."""
        key = self.name if key is None else key
        return reader.get_slice(key, *slices.parse(self.part)) if self.part else reader.get(key)


def wanted_by(restore_op):
    """The tensors that the Saver with this restore op reads; None if that is not known."""
    found, stack, seen = [], [restore_op], set()
    while stack:
        op = stack.pop()
        if op in seen:
            continue
        seen.add(op)
        if op.type == 'RestoreV2':
            names, parts = constant_value(op.inputs[1]), constant_value(op.inputs[2])
            if names is None or parts is None:
                return None
            found += [_wanted(name.decode(), part.decode(), tensor)
                      for name, part, tensor in zip(names, parts, op.outputs)]
        elif op.type in ('Restore', 'RestoreSlice'):        # of the first format
            texts = [constant_value(tensor) for tensor in op.inputs[1:]]
            if any(text is None for text in texts):
                return None
            name, part = [text.item().decode() for text in (*texts, np.array(b'', object))[:2]]
            found.append(_wanted(name, part, op.outputs[0]))
        stack += [t.op for t in op.inputs
                  if t.op.type not in ('VariableV2', 'Variable', 'VarHandleOp')]
        stack += op.control_inputs
    return found


def _wanted(name, part, tensor):
    shape, variable = None, None
    for consumer in _assigns(tensor):
        place = consumer.inputs[0]
        variable = place.op.name
        if consumer.type == 'AssignVariableOp':
            shape = _whole(place.op.attrs.get('shape'))
        elif consumer.attrs['validate_shape']:
            shape = place.raw_shape
    if part:
        shape = slices.parse(part)[0]
    return Wanted(name, tensor.dtype.base_dtype, shape, tensor, variable, part)


def _assigns(tensor):
    """The nodes that assign a restored tensor; for a resource variable, through an Identity."""
    for consumer in tensor.consumers():
        if consumer.type == 'Identity':
            yield from _assigns(consumer.outputs[0])
        elif consumer.type in ('Assign', 'AssignVariableOp'):
            yield consumer


def _whole(shape):
    """The shape if all of it is known, else None."""
    return None if shape is None or None in shape else tuple(shape)


class Differences:
    """Tensors of `wanted` that are missing in `reader`, or have another shape or dtype there."""

    def __init__(self, wanted, reader):
        self.reader, self.wanted = reader, wanted
        self.missing = [w for w in wanted if w.name not in reader]
        there = [w for w in wanted if w.name in reader]
        self.shapes = [w for w in there if w.shape is not None and w.shape != reader.shape(w.name)]
        self.dtypes = [w for w in there if w not in self.shapes and
                       w.dtype.as_datatype_enum != reader.dtype_number(w.name)]
        wanted_names = {w.name for w in wanted}
        self.unused = [n for n in reader.names() if n not in wanted_names and n[:1] != '_']

    def __bool__(self):
        return bool(self.missing or self.shapes or self.dtypes)

    def error(self):
        """The error to raise, with the table."""
        prefix = self.reader.prefix
        if self.missing:
            kind, text = NotFoundError, \
                f'Key {self.missing[0].name} not found in checkpoint {prefix}'
        elif self.shapes:
            first = self.shapes[0]
            kind, text = InvalidArgumentError, (
                'Restoring from checkpoint failed: there is a mismatch between the graph and the '
                'checkpoint. Assign requires shapes of both tensors to match. '
                f'lhs shape= {_text(first.shape)} rhs shape= '
                f"{_text(self.reader.shape(first.name))}: the variable '{first.name}' and the "
                f'checkpoint {prefix}')
        else:
            first = self.dtypes[0]
            kind, text = InvalidArgumentError, (
                f'tensor_name = {first.name}; expected dtype {first.dtype.name} does not equal '
                f'original dtype {_dtype_text(self.reader, first.name)} of checkpoint {prefix}')
        return kind(None, None, f'{text}\n{self.table()}\n  Hint: {self._hint()}'
                    + (why('checkpoint-key') if self.missing else ''))

    def table(self):
        """All differences as aligned text."""
        pairs = self._renamed()
        rows = [('missing', w.name, _kind(w.dtype.name, w.shape),
                 f'likely renamed: {pairs[w.name]}' if w.name in pairs else '')
                for w in self.missing[:_ROWS]]
        rows += _more('missing', self.missing)
        rows += [('shape differs', w.name, _kind(w.dtype.name, w.shape),
                  f'in the checkpoint {_text(self.reader.shape(w.name))}')
                 for w in self.shapes[:_ROWS]] + _more('shape differs', self.shapes)
        rows += [('dtype differs', w.name, _kind(w.dtype.name, w.shape),
                  f'in the checkpoint {_dtype_text(self.reader, w.name)}')
                 for w in self.dtypes[:_ROWS]] + _more('dtype differs', self.dtypes)
        rows += [('unused', n, _kind(_dtype_text(self.reader, n), self.reader.shape(n)), '')
                 for n in self.unused[:_ROWS]] + _more('unused', self.unused)
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        return '\n'.join('  ' + '  '.join([cell.ljust(width) for cell, width in zip(row, widths)]
                                          + [row[3]]).rstrip() for row in rows)

    def _renamed(self):
        """{missing name: the unused name that it most likely had}, each used once.

        A slot of an optimizer is never a renamed weight, nor the other way round.
        """
        own = {w.name for w in self.wanted}
        saved = set(self.reader.names())
        pairs = sorted(((_similarity(w.name, name), w.name, name)
                        for w in self.missing[:100] for name in self.unused[:500]
                        if w.shape in (None, self.reader.shape(name))
                        and w.dtype.as_datatype_enum == self.reader.dtype_number(name)
                        and _is_slot(w.name, own) == _is_slot(name, saved)),
                       reverse=True)
        found = {}
        for likeness, wanted, name in pairs:
            if likeness >= _RENAMED and wanted not in found and name not in found.values():
                found[wanted] = name
        return found

    def _hint(self):
        pairs = self._renamed()
        if pairs and len(pairs) == len(self.missing) and not self.shapes and not self.dtypes:
            wanted, old = next(iter(pairs.items()))
            return ("tf.train.Saver({'old name': variable, ...}) restores under other names, e.g. "
                    f"{{'{old}': <the Variable '{wanted}'>}}.")
        return ('build the graph that was saved. Or restore the matching Variables and initialise '
                'the others:\n'
                '    sess.run(tf.global_variables_initializer())\n'
                '    tf.train.Saver(tf.train.matching_variables(path)).restore(sess, path)')


def _is_slot(name, names):
    """True for a name below that of another variable, as in w/Adagrad or w/t_0/Adagrad."""
    parts = name.split('/')
    return any('/'.join(parts[:end]) in names for end in range(1, len(parts)))


def _similarity(a, b):
    if a.rpartition('/')[2] != b.rpartition('/')[2]:
        # 'kernel' is rarely renamed to 'bias', but counters change: kernel_1, Variable_2.
        if a.rpartition('/')[2].rstrip('_0123456789') != b.rpartition('/')[2].rstrip('_0123456789'):
            return SequenceMatcher(None, a, b).ratio() - 0.2
    return SequenceMatcher(None, a, b).ratio() + 0.2


def _more(kind, items):
    return [(kind, f'... {len(items) - _ROWS} more', '', '')] if len(items) > _ROWS else []


def _text(shape):
    return '[' + ','.join(map(str, shape)) + ']'


def _kind(dtype, shape):
    return dtype if shape is None else f'{dtype} {_text(shape)}'


def _dtype_text(reader, name):
    number = reader.dtype_number(name)
    try:
        return dtypes.as_dtype(number).name
    except TypeError:
        return f'dtype number {number}'
