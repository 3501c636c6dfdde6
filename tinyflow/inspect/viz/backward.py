"""The backward half of a picture: the gradient of each operation is drawn next to it.

`tf.gradients` makes the nodes of one gradient in a scope such as `gradients/dense/MatMul_grad`; in
a larger picture they are one node. It reads values of the operation and of its inputs: one thin
edge stands for all of these. The gradient of a cond or loop has functions of its own, whose nodes
are drawn next to those of the function that they differentiate.
"""
from __future__ import annotations

import re
from collections import Counter

from tinyflow.graph.control_flow_names import local_name
from tinyflow.inspect.viz.edges import MergedEdge
from tinyflow.inspect.viz.nested_graphs import LOOPS
from tinyflow.inspect.viz.select import FORWARD, GRADIENT

_RULE = re.compile(r'(.*)_grad(_\d+)?\Z')
_ROOT = re.compile(r'gradients(_\d+)?\Z')
_FEW = 12                   # nodes of gradients: up to so many are drawn one by one


class Backward:
    """Which gradient each node of the backward half belongs to.

    rule        operation -> its scope, 'gradients/dense/MatMul_grad'
    source      operation -> the operation that it is the gradient of, if the picture has it
    folded      rules that are drawn as one node

    `together` has more nodes that are drawn as one: operation -> path of that node.
    """

    def __init__(self, leaves, inside, options, together):
        self.rule: dict = {}
        self.source: dict = {}
        self._inside = inside
        forward = _Forward(inside)
        backward = [op for op in leaves if inside.part[op] == GRADIENT]
        for op in backward:
            rule, name = _rule_of(local_name(op).split('/')[:-1])
            if rule and op not in inside.home and op not in together:
                prefix = inside.prefix.get(op, ())
                of = forward.find(prefix, name)
                starts = of is not None and of.type in LOOPS and _starts_loop(op)
                self.rule[op] = '/'.join([*prefix, rule, *['start'] * starts])
                self.source[op] = None if starts else of
        self.rules = frozenset(self.rule.values())
        self.rule.update({op: '/'.join(path) for op, path in together.items()})
        sizes = Counter(self.rule.values())
        if options.depth is not None or options.limit is None:
            sizes = Counter()
        few = self.rules if len(backward) <= _FEW else ()
        opened = tuple(name.strip('/') + '/' for name in _names(options.open))
        self.folded = frozenset(
            rule for rule, size in sizes.items()
            if size > 1 and rule not in few and not f'{rule}/'.startswith(opened))

    def box(self, op, path) -> tuple[tuple[str, ...], str]:
        """The path without the box `MatMul_grad`, and what it is the gradient of.

        In a function `gradients` is no box of its own.
        """
        n = len(self._inside.prefix.get(op, ()))
        if n and len(path) > n and _ROOT.match(path[n]):
            path = path[:n] + path[n + 1:]
        return without_rule(path)

    def around(self, path) -> int:
        """How many scopes are around the gradients of this path: 1 for `gradients/dense`.

        What is inside is as deep as the scopes that it is the gradient of.
        """
        for n in range(len(path), 0, -1):
            if _ROOT.match(path[n - 1]) and not any(map(_RULE.match, path[:n])):
                return n
        return 0

    def sources(self, units) -> dict[str, object]:
        """For each drawn unit of the backward half, most often the gradient of which operation."""
        found = {}
        for key, (_, _, ops) in units.items():
            of = Counter(self.source[op] for op in ops if self.source.get(op) is not None)
            if of:
                found[key] = of.most_common(1)[0][0]
        return found

    def laddered(self, merged, pairs, units) -> dict[tuple[str, str], MergedEdge]:
        """The edges, where one from each operation to its gradient stands for all that this reads
        of the operation and its inputs. The gradient of one branch reads nothing of the other."""
        of_gradient = {gradient: operation for operation, gradient in pairs}
        rungs = {pair: MergedEdge(rung=True) for pair in pairs}
        found = {}
        for (tail, head), edge in merged.items():
            operation = of_gradient.get(head)
            if operation is None or tail in of_gradient or not (
                    tail == operation or (tail, operation) in merged):
                if operation is None or not self._are_branches(units[tail], units[operation]):
                    found[tail, head] = edge
                continue
            rung = rungs[operation, head]
            rung.tensors.update(edge.tensors)
            rung.control |= edge.control
            rung.highlighted |= edge.highlighted
        return found | rungs

    def _are_branches(self, one, other):
        """True if two units are in different branches of one cond."""
        a, b = (self._inside.prefix.get(ops[0], ()) for _, _, ops in (one, other))
        same = next((n for n, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), 0)
        region = self._inside.regions.get(a[:same])
        return region is not None and region.kind == 'if'


class _Forward:
    """Finds the operations that gradients are of, also those inside of functions."""

    def __init__(self, inside):
        self._inside = inside
        self._named: dict[tuple, dict] = {}
        for op in [*inside.ops, *inside.home]:
            self._named.setdefault(inside.prefix.get(op, ()), {}).setdefault(local_name(op), op)

    def find(self, prefix, name):
        """The operation that a gradient in the function of this path is of, or None."""
        places = map(self._named.get, self._places(prefix))
        return next((place[name] for place in places if place and name in place), None)

    def _places(self, prefix):
        """The functions that may have it, the most likely first."""
        region = self._inside.regions.get(prefix)
        if region is None:
            return [prefix]
        _, name = _rule_of(local_name(region.op).split('/')[:-1])
        forward = self.find(self._inside.prefix.get(region.op, ()), name) if name else None
        home = self._inside.home.get(forward)
        return [prefix] if home is None else \
            [(*home, prefix[-1]), *self._inside.regions[home].parts, prefix]


def _starts_loop(op):
    """True for what the variables of a gradient's loop begin with."""
    users = [user for tensor in op.outputs for user in tensor.consumers()]
    return bool(users) and all(user.type in LOOPS for user in users)


def without_rule(path) -> tuple[tuple[str, ...], str]:
    """A gradient's path without the box `MatMul_grad`, and what it is the gradient of."""
    match = path and _RULE.match(path[-1])
    return (path[:-1], match[1]) if match else (path, '')


def _names(scopes):
    return [scopes] if isinstance(scopes, str) else scopes


def _rule_of(pieces):
    """The scope of a gradient among these names, and the name of the operation it belongs to."""
    for n in range(len(pieces), 0, -1):
        match = _RULE.match(pieces[n - 1])
        roots = [k for k in range(n - 1) if pieces[k][0] == 'g' and _ROOT.match(pieces[k])] \
            if match else []
        if roots:
            return '/'.join(pieces[:n]), '/'.join([*pieces[roots[-1] + 1:n - 1], match[1]])
    return '', ''


def ties(sources, unit_of, part) -> list[tuple[str, str]]:
    """(drawn operation, its drawn gradient): the two are at the same height."""
    pairs = [(unit_of.get(source), key) for key, source in sources.items()
             if part[source] == FORWARD]
    return [(tail, key) for tail, key in pairs if tail is not None and tail != key]


def mirrored(sources, unit_of, home, wires, gradients) -> dict[str, list[str]]:
    """For each block of operations the units that are its gradient.

    `home` maps a unit to its block. A sum of gradients, which is of no operation, belongs to the
    block whose gradients it adds.
    """
    before: dict[str, list[str]] = {}
    for tail, head in wires:
        before.setdefault(head, []).append(tail)
    block: dict[str, str | None] = {}
    for key in gradients:
        if key in sources:
            block[key] = home.get(unit_of.get(sources[key]))
        else:
            block[key] = next(filter(None, map(block.get, reversed(before.get(key, [])))), None)
    found: dict[str, list[str]] = {}
    for key, name in block.items():
        if name is not None:
            found.setdefault(name, []).append(key)
    return found
