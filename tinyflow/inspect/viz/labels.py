"""Labels and tooltips."""
from __future__ import annotations

import re

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.signature import flat_length, flat_positions

_LONGEST_NAME = 26
_SMALL = 6                  # elements of a constant that are written out
# Op types that compute shapes and dtypes: a summary names them last.
_BOOKKEEPING = ('Shape', 'Size', 'Cast', 'StridedSlice', 'Pack', 'BroadcastGradientArgs')
_COUNTER = re.compile(r'_\d+\Z')
# The nodes have kept the names that arguments had before TensorFlow 1.0.
_PUBLIC_NAMES = dict.fromkeys(('reduction_indices', 'reduction_axes', 'split_dim', 'dim',
                               'dimension', 'concat_dim'), 'axis')


def shape(raw_shape) -> str:
    """A static shape: ``[?, 784]``, ``scalar``, or ``?`` if the rank is unknown."""
    if raw_shape is None:
        return '?'
    if raw_shape == ():
        return 'scalar'
    return shapes.text(raw_shape)


def tensor(t, raw_shape=None) -> str:
    """dtype and shape; float32, the usual dtype, is left out (the legend says so)."""
    dtype = t.dtype.base_dtype.name
    if t.op.type == 'VarHandleOp':          # of the Variable, not of the handle to it
        dtype, raw_shape = t.op.attrs['dtype'].name, shapes.raw(t.op.attrs['shape'])
    text = shape(t.raw_shape if raw_shape is None else raw_shape)
    if dtype == 'float32':
        return text
    return f'{dtype} {text}'


def shortened(name, longest=_LONGEST_NAME) -> str:
    """A long name with its middle left out, so that boxes stay narrow."""
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f'{name[:half]}…{name[-half:]}'


def between(first, last) -> str:
    """The names of several nodes: those of the first and of the last."""
    return first if first == last else f'{first} … {last}'


def says_type(name, op_type) -> bool:
    """True if the name contains the op type already, as 'add_1' does for AddV2."""
    plain = _COUNTER.sub('', name).lower().replace('_', '')
    kind = re.sub(r'v\d\Z', '', op_type.lower())
    return plain in (kind, kind.replace('real', 'true')) or (len(plain) > 2 and kind in plain)


def constant(op) -> str:
    """A constant's value if it is small, else its dtype and shape."""
    array = np.asarray(op.attrs['value'])
    if array.size > _SMALL or array.size == 0 and array.ndim > 1:
        return tensor(op.outputs[0])
    return _value(array.tolist())


def _value(value) -> str:
    if isinstance(value, list):
        return '[' + ', '.join(map(_value, value)) + ']'
    if isinstance(value, bytes):
        value = value.decode('utf-8', 'replace')
    if isinstance(value, float):
        return f'{value:g}'
    text = str(value)
    return text if len(text) <= 16 else text[:15] + '…'


def argument(op, index) -> str:
    """The signature's name of a node's input: 'axis' for the last one of ConcatV2, 'values[1]' for
    its second."""
    arguments, start = op.definition.inputs, 0
    for arg in arguments:
        length = flat_length(arguments, arg, len(op.inputs))
        if index < start + length:
            name = _PUBLIC_NAMES.get(arg.name, arg.name)
            return f'{name}[{index - start}]' if arg.is_list and length > 1 else name
        start += length
    return arguments[-1].name if arguments else ''


def is_static(op, index) -> bool:
    """True for an input such as an axis or a shape, which is nearly always written as a number."""
    definition = op.definition
    return index in flat_positions(definition.inputs, definition.static_positions, len(op.inputs))


def kinds_of(ops, most=3) -> str:
    """The contents of a closed scope: its most common op types."""
    counts: dict[str, int] = {}
    for op in ops:
        if op.type not in ('Const', 'Identity', 'NoOp', 'VariableV2', 'Placeholder',
                           'VarHandleOp', 'ReadVariableOp', 'FakeParam'):
            counts[op.type] = counts.get(op.type, 0) + 1
    common = sorted(counts, key=lambda kind: (kind in _BOOKKEEPING, -counts[kind]))
    text = ', '.join(f'{k} ×{counts[k]}' if counts[k] > 1 else k for k in common[:most])
    return text + (' …' if len(common) > most else '')


def operation(op) -> str:
    """The tooltip of one node."""
    lines = [f"{op.type} '{op.name}'"]
    for index, t in enumerate(op.inputs):
        lines.append(f'in  {argument(op, index)}: {t.name} {t.dtype.base_dtype.name} '
                     f'{t.shape_text}')
    for waited in op.control_inputs:
        lines.append(f'waits for {waited.name}')
    for t in op.outputs:
        lines.append(f'out {t.name} {t.dtype.name} {t.shape_text}')
    for key, value in op.attrs.items():
        if key not in ('value', 'dtype', 'T'):
            text = repr(value)
            lines.append(f'{key} = {text if len(text) <= 60 else text[:57] + "..."}')
    if op.type == 'Const':
        lines.append(f'value {constant(op)}')
    if op.device:
        lines.append(f'device {op.device}')
    if op.site:
        lines.append(f'made at {op.site}')
    return '\n'.join(lines)


def group(name, ops) -> str:
    """The tooltip of several nodes drawn as one."""
    first = [op.name for op in ops[:12]]
    more = [f'… and {len(ops) - 12} more'] if len(ops) > 12 else []
    return '\n'.join([f'{name}: {len(ops)} nodes', kinds_of(ops, 12), *first, *more])
