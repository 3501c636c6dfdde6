"""Edges of a picture: connections between drawn nodes, across folded and hidden ones."""
from __future__ import annotations

from dataclasses import dataclass, field

from tinyflow.inspect.viz import labels
from tinyflow.inspect.viz.model import Edge
from tinyflow.inspect.viz.select import GRADIENT, OPTIMIZER

_MANY_USERS = 8
_MOST_SOURCES = 40          # a hidden node with more visible sources than this is not bridged


@dataclass
class MergedEdge:
    """All connections from one drawn node to another, merged."""

    tensors: dict = field(default_factory=dict)     # tensor -> its texts 'argument of consumer'
    control: bool = False
    loops: bool = False
    updates: bool = False
    bridged: bool = False
    highlighted: bool = False
    rung: bool = False          # from an operation to its gradient, for all that this reads


def links(inside, shown, bridges, owner, highlighted):
    """The connections between shown operations: tuples (tail op, head op, tensor,
    index, kind, whether both are highlighted).

    Of the operations in `inside` those in `shown` are drawn or folded into `owner[op]`; through
    those in `bridges` connections are followed to the nodes behind them. `index` is None for
    control edges and for results of functions.
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


def merged(connections, unit_of) -> dict[tuple[str, str], MergedEdge]:
    """The connections; those between the same two drawn nodes are merged."""
    found: dict[tuple[str, str], MergedEdge] = {}
    for tail, head, t, index, kind, highlighted in connections:
        ends = unit_of.get(tail), unit_of.get(head)
        if None in ends or ends[0] == ends[1]:
            continue
        edge = found.setdefault(ends, MergedEdge())
        edge.highlighted |= highlighted
        if kind == 'control':
            edge.control = True
            continue
        edge.loops |= kind == 'next'
        edge.updates |= kind == 'update'
        edge.bridged |= kind == 'bridge'
        edge.tensors.setdefault(t, []).append(_use(head, index, kind))
    return found


def without_switches(merged, units) -> tuple[dict[tuple[str, str], MergedEdge], dict[str, int]]:
    """The edges without those from a number that many closed scopes use, such as the learning
    phase, and how many use each."""
    users: dict[str, list[str]] = {}
    for (tail, head), edge in merged.items():
        kind, _, ops = units[tail]
        if edge.tensors and kind == 'leaf' and ops[0].outputs and \
                (not ops[0].inputs or ops[0].type.startswith('Placeholder')) and \
                ops[0].outputs[0].raw_shape == ():
            users.setdefault(tail, []).append(head)
    switches = {tail: len(heads) for tail, heads in users.items()
                if len(heads) >= _MANY_USERS and
                2 * sum(units[head][0] != 'leaf' for head in heads) > len(heads)}
    return {ends: edge for ends, edge in merged.items() if ends[0] not in switches}, switches


def without_bus(merged, units, part_of) -> tuple[dict[tuple[str, str], MergedEdge],
                                                 dict[str, int]]:
    """The edges without most of those into an optimizer's closed scope, and how many gradients
    each such scope takes: of these the last edge, from the first layers, stays."""
    gradients: dict[str, list[str]] = {}
    for tail, head in merged:
        if units[head][0] == 'scope' and part_of(units[head][2]) == OPTIMIZER and \
                part_of(units[tail][2]) == GRADIENT:
            gradients.setdefault(head, []).append(tail)
    crowded = {head: tails for head, tails in gradients.items() if len(tails) >= _MANY_USERS}
    order = {key: n for n, key in enumerate(units)}
    stays = {(max(tails, key=order.get), head) for head, tails in crowded.items()}
    return {(tail, head): edge for (tail, head), edge in merged.items()
            if head not in crowded or (tail, head) in stays or
            part_of(units[tail][2]) == OPTIMIZER}, \
        {head: len(tails) for head, tails in crowded.items()}


def _use(head, index, kind):
    if kind == 'next':
        return 'its value in the next iteration'
    if index is None or not head.inputs:
        return 'result of the function' if index is None else 'argument of the function'
    return f'{labels.argument(head, index)} of {head.name}'


def drawn(ends, edge, shapes, tail_shows_shape, fed_shape=None) -> Edge:
    """The drawn Edge. `tail_shows_shape`: the tail node shows dtype and shape itself."""
    style = ('gradient' if edge.rung else 'next' if edge.loops else 'update' if edge.updates else
             'control' if not edge.tensors else 'bridge' if edge.bridged else 'data')
    label = ''
    if edge.loops:
        label = 'next iteration'
    elif edge.tensors and shapes != 'none' and not edge.rung:
        label = _label(edge, shapes, tail_shows_shape, fed_shape)
    lines = [f'{t.name} {t.dtype.base_dtype.name} {t.shape_text}\n  as ' + ', '.join(uses[:4])
             for t, uses in list(edge.tensors.items())[:8]]
    if edge.rung:
        lines.insert(0, 'to its gradient, which reads:' if lines else 'to its gradient')
    if edge.control:
        lines.append('control: the head waits for the tail')
    return Edge(ends[0], ends[1], style, label, '\n'.join(lines), edge.highlighted)


def without_repeats(drawn, backward) -> None:
    """Removes labels that repeat what an edge into the tail, or another edge from it, says.

    A gradient has the shape of what it is the gradient of, so its edges say nothing, either.
    """
    said: dict[str, set[str]] = {}
    for edge in drawn:
        said.setdefault(edge.head, set()).add(edge.label)
    given = set()
    for edge in drawn:
        if edge.style not in ('data', 'bridge'):
            continue
        if edge.tail in backward or edge.label in said.get(edge.tail, ()) or \
                (edge.tail, edge.label) in given:
            edge.label = ''
        else:
            given.add((edge.tail, edge.label))


def _label(edge, shapes, tail_shows_shape, fed_shape):
    if all(t.op.type.endswith('Summary') for t in edge.tensors):
        return ''                       # a file name or other text
    if shapes == 'auto' and all(t.dtype.base_dtype.name in ('variant', 'resource')
                                for t in edge.tensors):
        return ''
    texts = dict.fromkeys(labels.tensor(t, (fed_shape or {}).get(t)) for t in edge.tensors)
    number = len(edge.tensors)
    if number > 1:
        return f'{next(iter(texts))} ×{number}' if len(texts) == 1 else f'{number} tensors'
    uses = len(next(iter(edge.tensors.values())))
    twice = f'×{uses}' if uses > 1 else ''
    silent = shapes == 'auto' and tail_shows_shape
    return twice if silent else ' '.join(filter(None, [next(iter(texts)), twice]))
