"""The drawn nodes of a picture: the name and the lines of each."""
from __future__ import annotations

from typing import TYPE_CHECKING

from tinyflow.inspect.viz import fold, labels
from tinyflow.inspect.viz.model import Node
from tinyflow.inspect.viz.nested_graphs import summary
from tinyflow.inspect.viz.select import FORWARD, GRADIENT, INIT, OPTIMIZER, is_variable_ref

if TYPE_CHECKING:
    from tinyflow.inspect.viz.build import Build

_KINDS = {FORWARD: 'op', GRADIENT: 'gradient', OPTIMIZER: 'optimizer', INIT: 'init'}


class Nodes:
    """Makes the nodes of a picture from what its Build has chosen and folded."""

    def __init__(self, build: Build):
        self._build = build

    def node(self, key, unit, is_end) -> Node:
        """The node of one unit; `is_end` if nothing drawn uses its results."""
        build = self._build
        kind, path, ops = unit
        node = self._leaf(key, ops[0], path, is_end) if kind == 'leaf' else \
            self._group(key, kind, path, ops, is_end)
        node.part = build.common_part(ops)
        node.names = tuple([build.inside.name(op) for op in node.ops])
        node.fetched = any(op in build.fetched for op in ops)
        node.highlighted = any(op in build.highlighted for op in ops)
        return node

    def _group(self, key, kind, path, ops, is_end):
        build = self._build
        if kind == 'scope':
            region = build.inside.regions.get(path)
            name, path, drawn = path[-1], path[:-1], 'scope'
            details = [_count(ops) if region is None else summary(region, len(ops)),
                       labels.kinds_of(ops)]
        elif kind == 'rule':
            drawn, name = _KINDS[build.part[ops[0]]], build.backward.rule[ops[0]].split('/')[-1]
            details = build.updates.values(ops) if ops[0] in build.updates.settings else \
                [labels.kinds_of(ops)] + self._results(ops) * is_end
            lists = [op for op in ops if op in build.inside.parameters]
            if lists:
                drawn, details = 'parameter', [f'{len(lists)} lists, for the gradient']
        elif kind == 'blocks':
            drawn = 'run'
            name, details = self._about_blocks(build.blocks[key], ops)
        else:
            drawn = 'run'
            name = ' … '.join(labels.shortened(build.inner[op], 12) for op in (ops[0], ops[-1]))
            pattern = fold.repeated([op.type for op in ops]) if kind == 'run' else ''
            details = [_count(ops), pattern or labels.kinds_of(ops)]
        return Node(key, drawn, name, list(filter(None, details)), path, tuple(ops),
                    labels.group('/'.join((*path, name)), ops))

    def _about_blocks(self, block, ops):
        """'conv2_block2 … conv2_block3', 'block ×2: 11 scopes, 163 nodes each'."""
        build = self._build
        first = ops[:len(ops) // block.times]
        ends = block.names if all(block.names) else [
            (*build.paths[op], build.inner[op])[0] for op in (ops[0], ops[-1])]
        text = f'{len(block.members[0])} scopes, {_count(first)}'
        return labels.between(ends[0], ends[-1]), [
            f'block ×{block.times}: {text} each' if block.times > 1 else text,
            labels.kinds_of(first)]

    def _results(self, ops):
        """The shapes of what no other of these operations uses."""
        used = {t for op in ops for t in op.inputs}
        return ['→ ' + ', '.join(labels.tensor(t) for op in ops for t in op.outputs
                                 if t not in used)]

    def _leaf(self, key, op, path, is_end):
        build = self._build
        kind = _KINDS[build.part[op]]
        name, details, trainable = build.inner[op], [], None
        output = op.outputs[0] if op.outputs else None
        if op in build.inside.parameters:
            kind, details = 'parameter', [labels.tensor(output), *build.inline.get(op, [])]
        elif op in build.inside.dissolved:
            kind = 'choice'
        elif any(t in build.fed for t in op.outputs):
            kind, fed = 'placeholder', next(t for t in op.outputs if t in build.fed)
            details = [labels.tensor(fed, build.fed[fed]), 'fed']
        elif op.type.startswith('Placeholder'):
            kind, details = 'placeholder', [labels.tensor(output)]
        elif is_variable_ref(op):
            kind, trainable = 'variable', op in build.trainable
            details = [labels.tensor(output)] + ([] if trainable else ['not trainable'])
        elif op.type == 'Const':
            kind, details = 'constant', [labels.constant(op)]
        else:
            details = self._about(op, name, is_end)
        folded = tuple(o for o, place in build.owner.items() if place is op)
        return Node(key, kind, name, details, path, (op, *folded), labels.operation(op),
                    trainable=trainable)

    def _about(self, op, name, is_end):
        build = self._build
        details = [] if labels.says_type(name, op.type) else [op.type]
        if build.of.get(op):
            details.append(f'of {labels.shortened(build.of[op], 20)}')
        details += filter(None, [build.updates.used_by(op)])
        details += build.inline.get(op, [])
        if is_end and op.outputs:
            details.append('→ ' + labels.tensor(op.outputs[0]))
        return details


def _count(ops):
    places = sum(map(is_variable_ref, ops))
    text = f'{len(ops)} nodes' if len(ops) != 1 else '1 node'
    return text + (f', {places} variable{"s" * (places > 1)}' if places else '')
