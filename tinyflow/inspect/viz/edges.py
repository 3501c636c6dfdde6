"""The connections of a picture: which drawn thing feeds which, whatever is folded or hidden."""
from __future__ import annotations

from dataclasses import dataclass, field

from tinyflow.inspect.viz import labels
from tinyflow.inspect.viz.model import Edge

_MOST_SOURCES = 40          # a hidden node with more visible sources than this is not bridged


@dataclass
class Wire:
    """All that goes from one drawn thing to another."""

    tensors: dict = field(default_factory=dict)     # tensor -> its texts 'argument of consumer'
    control: bool = False
    loops: bool = False
    updates: bool = False
    bridged: bool = False
    highlighted: bool = False


def links(inside, shown, bridges, owner, highlighted):
    """The connections between shown operations: tuples (tail op, head op, tensor,
    index, kind, whether both are highlighted).

    Of the operations in `inside` those in `shown` are drawn or folded into `owner[op]`; through
    those in `bridges` connections are followed, as if they were wires. `index` is None for control
    edges and for what functions compute.
    """
    sources = {}                    # hidden op -> the shown ones behind it
    found = []
    for op in inside.ops:
        if op in bridges:
            behind = {}
            for t, _, _ in inside.links(op):
                behind.update(sources.get(t.op, {}) if t.op in bridges else
                              {t.op: t} if t.op in shown else {})
            sources[op] = behind if len(behind) <= _MOST_SOURCES else {}
            continue
        if op not in shown:
            continue
        for t, index, kind in inside.links(op):
            if t.op in shown:
                if kind == 'data' and _changes(op, index):
                    kind = 'update'
                found.append((t.op, op, t, index, kind))
            elif t.op in bridges:
                found += [(tail, op, tensor, index, 'bridge')
                          for tail, tensor in sources.get(t.op, {}).items()]
        found += [(c, op, None, None, 'control') for c in inside.waits(op) if c in shown]
    return [(owner.get(tail, tail), owner.get(head, head), t, index, kind,
             tail in highlighted and head in highlighted)
            for tail, head, t, index, kind in found]


def _changes(op, index):
    return index < len(op.inputs) and op.inputs[index].dtype.is_ref and index in op.writes \
        and (not op.definition.has_lists or bool(op.definition.functions))


def wires(connections, unit_of) -> dict[tuple[str, str], Wire]:
    """The connections, merged where they join the same two drawn things."""
    merged: dict[tuple[str, str], Wire] = {}
    for tail, head, t, index, kind, highlighted in connections:
        ends = unit_of.get(tail), unit_of.get(head)
        if None in ends or ends[0] == ends[1]:
            continue
        wire = merged.setdefault(ends, Wire())
        wire.highlighted |= highlighted
        if kind == 'control':
            wire.control = True
            continue
        wire.loops |= kind == 'next'
        wire.updates |= kind == 'update'
        wire.bridged |= kind == 'bridge'
        wire.tensors.setdefault(t, []).append(_use(head, index, kind))
    return merged


def _use(head, index, kind):
    if kind == 'next':
        return 'its value in the next iteration'
    if index is None or not head.inputs:
        return 'what the function gives' if index is None else 'what the function takes'
    return f'{labels.argument(head, index)} of {head.name}'


def edge(ends, wire, shapes, tail_tells, fed_shape=None) -> Edge:
    """The drawn edge of a wire. `tail_tells`: the tail node shows dtype and shape itself."""
    style = ('next' if wire.loops else 'update' if wire.updates else
             'control' if not wire.tensors else 'bridge' if wire.bridged else 'data')
    label = ''
    if wire.loops:
        label = 'next iteration'
    elif wire.tensors and shapes != 'none':
        label = _label(wire, silent=shapes == 'auto' and tail_tells, fed_shape=fed_shape)
    lines = [f'{t.name} {t.dtype.base_dtype.name} {t.shape_text}\n  as ' + ', '.join(uses[:4])
             for t, uses in list(wire.tensors.items())[:8]]
    if wire.control:
        lines.append('control: the head waits for the tail')
    return Edge(ends[0], ends[1], style, label, '\n'.join(lines), wire.highlighted)


def _label(wire, silent, fed_shape):
    if all(t.op.type.endswith('Summary') for t in wire.tensors):
        return ''                       # a text for a file, whatever it tells of
    texts = dict.fromkeys(labels.tensor(t, (fed_shape or {}).get(t)) for t in wire.tensors)
    number = len(wire.tensors)
    if number > 1:
        return f'{next(iter(texts))} ×{number}' if len(texts) == 1 else f'{number} tensors'
    uses = len(next(iter(wire.tensors.values())))
    twice = f'×{uses}' if uses > 1 else ''
    return twice if silent else ' '.join(filter(None, [next(iter(texts)), twice]))
