"""Switch and Merge nodes of old conds -> If nodes with Functions.

Each node has a *tag*: the set of (predicate, way) pairs that must hold for it to run. A Switch adds
a pair, a Merge removes one, and other nodes have the union of their inputs' tags. The nodes of a
branch are those of one tag. Merges of one predicate become one If, unless one needs another's
result, as the gradient of a cond needs the cond: then there are several, and the first passes the
values that they share to the next.
"""
from __future__ import annotations

import numpy as np

from tinyflow.formats.graphdef.nodes import Function, Node, Ref
from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import misuse

_MERGE = frozenset(('Merge', 'RefMerge'))
_SWITCH = frozenset(('Switch', 'RefSwitch'))
_TRIGGER = 'ControlTrigger'     # depends on nodes of both branches, and runs in either case
_NOTHING: frozenset = frozenset()


def fold_branches(nodes, results=(), fixed=()):
    """The nodes (without loops) with every cond as an If; nodes that only unused branches need are
    dropped. `results` are the outputs of a loop body, and `fixed` its unchanged parameters. A
    result is computed in every iteration: if it depends on one output of a Switch with a fixed
    predicate, that Switch has no effect. The gradient of a loop in a branch has such Switches for
    the branch's predicate.
    """
    if not any(node.op in _SWITCH for node in nodes):
        return nodes
    conds = _Conds(nodes)
    found = {pair for ref in results for pair in conds.tag(ref) if pair[0].node in fixed}
    sure = {(key, way) for key, way in found if (key, not way) not in found}
    if sure:
        conds.pass_through(sure)
        conds = _Conds(nodes)
    conds.lead_out()
    return conds.folded()


class _Group:
    """The Merges that become one If: for predicate `key`, in a branch with the tag `outside`."""

    def __init__(self, key, outside, name):
        self.key = key
        self.outside = outside
        self.name = name
        self.merges: list[Node] = []
        self.inputs: list[Ref] = []
        self.branches: dict[bool, Function] = {}
        self.node: Node | None = None

    def parameter(self, position):
        """A unique name for a parameter."""
        return f'{self.name}_input_{position}'.replace('/', '_')

    def side(self, way):
        return self.outside | {(self.key, way)}


class _Conds:
    def __init__(self, nodes):
        self.nodes = {node.name: node for node in nodes}
        self.order = _sorted(nodes, self.nodes)
        self.tags: dict[str, frozenset] = {}
        self.merged: dict[str, tuple] = {}                  # Merge -> the tags of its inputs
        for node in self.order:
            self.tags[node.name] = self._tag_of_node(node)
            node.controls = self._without_switches(node.controls)
        self.owners: dict[str, tuple[_Group, bool]] = {}    # an extracted node -> its group
        self.group_of: dict[str, _Group] = {}               # Merge -> its If

    # ---- tags ----------------------------------------------------------------------------

    def tag(self, ref):
        """The tag of a value."""
        node = self.nodes.get(ref.node)
        if node is None:
            return _NOTHING
        if node.op in _SWITCH:
            return self.tags[ref.node] | {(self._key(node), bool(ref.index))}
        return self.tags[ref.node]

    def _without_switches(self, controls):
        """Control inputs, with each Switch replaced by its data input."""
        found: dict[str, None] = {}
        stack = list(reversed(controls))
        while stack:
            name = stack.pop()
            node = self.nodes.get(name)
            if node is not None and node.op in _SWITCH:
                stack += [n for n in (*(ref.node for ref in node.inputs), *node.controls)
                          if n in self.nodes]
            else:
                found[name] = None
        return list(found)

    def _key(self, switch):
        """The identity of a cond: the Identity `pred_id` that each makes of its predicate."""
        data, predicate = switch.inputs
        if data == predicate:                       # the cond's own Switch, which creates pivots
            own = self.nodes.get(switch.name.rpartition('/')[0] + '/pred_id')
            if own is not None and own.inputs == [predicate]:
                return Ref(own.name)
        return predicate

    def _tag_of_node(self, node):
        if node.op == _TRIGGER:
            return _NOTHING
        found = [self.tag(ref) for ref in node.inputs]
        found += [self.tags[name] for name in node.controls if name in self.tags]
        if node.op in _MERGE:
            return self._outside(node)[0]
        return frozenset().union(*found)

    def _outside(self, merge):
        """(tag, predicate) of a Merge: the common part of its inputs' tags, and the difference"""
        one, other = [self.tag(ref) for ref in merge.inputs] if len(merge.inputs) == 2 else \
            (_NOTHING, _NOTHING)
        keys = {key for key, way in one - other if (key, not way) in other}
        if not keys and one != other and (one <= other or other <= one):
            keys = self._innermost(one ^ other)
        if len(keys) != 1:
            raise misuse(ValueError(
                f"The node '{merge.name}' merges values that do not come from the two ways of one "
                'Switch; only graphs of tf.cond, tf.case and tf.while_loop can be imported.'))
        key = keys.pop()
        self.merged[merge.name] = one, other
        return (one | other) - {(key, True), (key, False)}, key

    def _innermost(self, pairs):
        """The predicates that are known only where all the others are: one, if conds are nested.

        A Merge with an unconditional input is decided by it. The shape of a gather's gradient is
        such an input: a constant, while its indices come from one branch only.
        """
        depths = {key: len(self.tag(key)) for key, _ in pairs}
        return {key for key, depth in depths.items() if depth == max(depths.values())}

    # ---- reducing the graph to conds -----------------------------------------------------

    def pass_through(self, sure):
        """Removes Switches whose branch is always taken."""
        for node in self.order:
            node.inputs = [self._passed(ref, sure) for ref in node.inputs]

    def _passed(self, ref, sure):
        while (node := self.nodes.get(ref.node)) and node.op in _SWITCH \
                and (self._key(node), bool(ref.index)) in sure:
            ref = node.inputs[0]
        return ref

    def lead_out(self):
        """Replaces control inputs of a ControlTrigger inside one branch by Merges.

        So a loop's gradient waits for the stack pushes in the branches of a cond.
        """
        order = []
        for node in self.order:
            if node.op == _TRIGGER:
                order += self._led_out(node)
            order.append(node)
        self.order = order

    def _led_out(self, trigger):
        by_tag: dict[frozenset, list[str]] = {}
        for name in trigger.controls:
            by_tag.setdefault(self.tags.get(name, _NOTHING), []).append(name)
        added: list[Node] = []
        while any(by_tag):
            tag = max(by_tag, key=len)
            key = min(self._innermost(tag), key=str)
            outside = tag - {(key, True), (key, False)}
            names = by_tag.pop(tag)
            ways = [self._added(trigger, 'Const', outside | {(key, way)},
                                names if (key, way) in tag else []) for way in (False, True)]
            merge = self._added(trigger, 'Merge', outside, [], [Ref(node.name) for node in ways])
            added += [*ways, merge]
            by_tag.setdefault(outside, []).append(merge.name)
        trigger.controls = by_tag.get(_NOTHING, [])
        return added

    def _added(self, trigger, op, tag, controls, inputs=()):
        number = 0
        while (name := f'{trigger.name}/{op}_{number}') in self.nodes:
            number += 1
        attrs = {'value': np.array(True), 'dtype': dtypes.bool} if op == 'Const' else {}
        node = self.nodes[name] = Node(name, op, list(inputs), controls, attrs, trigger.device)
        self.tags[name] = tag
        return node

    # ---- grouping Merges -----------------------------------------------------------------

    def _groups(self):
        found: dict[tuple, list[_Group]] = {}
        for merge in self.order:
            if merge.op not in _MERGE:
                continue
            outside, key = self._outside(merge)
            groups = found.setdefault((outside, key), [])
            needed = self._needed_groups(merge)
            group = next((g for g in groups if g not in needed), None)
            if group is None:
                group = _Group(key, outside, self._free_name(merge))
                groups.append(group)
            group.merges.append(merge)
            self.group_of[merge.name] = group
        return [group for groups in found.values() for group in groups]

    def _needed_groups(self, merge):
        """The groups whose results a Merge needs, where needing one needs all of its Merges."""
        seen, groups = set(), set()
        stack = [merge.name]
        while stack:
            name = stack.pop()
            if name in seen or name not in self.nodes:
                continue
            seen.add(name)
            group = self.group_of.get(name)
            if group is not None and group not in groups:
                groups.add(group)
                stack += [m.name for m in group.merges]
            node = self.nodes[name]
            stack += [ref.node for ref in node.inputs] + node.controls
        return groups

    def _free_name(self, merge):
        scope = merge.name.rpartition('/')[0]
        name = unique = f'{scope}/If' if scope else 'If'
        taken = {g.name for g in self.group_of.values()}
        number = 0
        while unique in self.nodes or unique in taken:
            number += 1
            unique = f'{name}_{number}'
        return unique

    # ---- extracting branches -------------------------------------------------------------

    def folded(self):
        """The nodes with an If for each group, inner ones first."""
        position = {node.name: i for i, node in enumerate(self.order)}
        groups = self._groups()
        groups.sort(key=lambda g: (-len(g.outside), position[g.merges[0].name]))
        for group in groups:
            self._fold(group)
        return [node for name, node in self.nodes.items()
                if not self.tags[name] and node.op not in _SWITCH]

    def _fold(self, group):
        node = Node(group.name, 'If', [], [], {})
        group.node = node
        self.nodes[node.name] = node
        self.tags[node.name] = group.outside
        for way in (True, False):
            self._cut(group, way)
        for position, merge in enumerate(group.merges):
            result = Node(merge.name, 'Identity', [Ref(group.name, position)], [],
                          {k: v for k, v in merge.attrs.items() if k == 'T'}, merge.device)
            self.nodes[merge.name] = result
        node.inputs = [group.key, *group.inputs]
        node.attrs = {'then_branch': group.branches[True], 'else_branch': group.branches[False]}
        parameters = [group.parameter(i) for i in range(len(group.inputs))]
        for function in group.branches.values():
            function.parameters = parameters

    def _cut(self, group, way):
        """Creates the Function of one branch from all nodes that its Merges need."""
        tag = group.side(way)
        refs = [self._arriving(merge, (group.key, way)) for merge in group.merges]
        function = Function(f'{group.name}_{str(way).lower()}'.replace('/', '_'), [], [], [])
        group.branches[way] = function
        inside: dict[str, Node] = {}
        wanted = [ref.node for ref in refs if self._is_inside(ref, tag)]
        while wanted:
            name = wanted.pop()
            if name in inside:
                continue
            inside[name] = node = self.nodes[name]
            wanted += [ref.node for ref in node.inputs if self._is_inside(ref, tag)]
            wanted += [c for c in node.controls if self._is_inside(Ref(c), tag)]
        for node in self._in_order(inside):
            function.nodes.append(Node(
                node.name, node.op, [self._inner(ref, group, tag, inside) for ref in node.inputs],
                self._inner_controls(node, group, inside), node.attrs, node.device))
        function.results = [self._inner(ref, group, tag, inside) for ref in refs]
        for name in inside:
            self.owners[name] = group, way
            del self.nodes[name]

    def _in_order(self, inside):
        known = {node.name: i for i, node in enumerate(self.order)}
        return sorted(inside.values(), key=lambda n: known.get(n.name, len(known)))

    def _arriving(self, merge, pair):
        """The input of a Merge for one branch: the one with its tag, or the unconditional one."""
        tags = self.merged[merge.name]
        for ref, tag in zip(merge.inputs, tags):
            if pair in tag:
                return ref
        return merge.inputs[tags.index(min(tags, key=len))]

    def _is_inside(self, ref, tag):
        """True for a node that belongs to the branch with the tag."""
        node = self.nodes.get(ref.node)
        return node is not None and node.op not in _SWITCH and self.tags[ref.node] == tag

    def _inner(self, ref, group, tag, inside):
        """A value as seen in the branch: of a node inside, or a parameter."""
        if ref.node in inside:
            return ref
        owner = self.owners.get(ref.node)
        if owner is not None:
            source = self._handed_on(ref, *owner)
        else:
            node = self.nodes.get(ref.node)
            source = ref
            if node is not None and node.op in _SWITCH and self._key(node) == group.key:
                source = node.inputs[0]
        if source not in group.inputs:
            group.inputs.append(source)
        return Ref(group.parameter(group.inputs.index(source)))

    def _handed_on(self, ref, group, way):
        """A value from inside an earlier If, as an additional result of it."""
        results, others = group.branches[way].results, group.branches[not way].results
        if ref in results and results.index(ref) >= len(group.merges):
            return Ref(group.name, results.index(ref))
        results.append(ref)
        others.append(None)
        return Ref(group.name, len(results) - 1)

    def _inner_controls(self, node, group, inside):
        """The control inputs inside the branch; the If itself waits for the others."""
        kept = []
        for name in node.controls:
            if name in inside:
                kept.append(name)
                continue
            if name in self.owners:
                name = self.owners[name][0].name
            if name in self.nodes and self.tags[name] <= group.outside:
                if name not in group.node.controls and name != group.name:
                    group.node.controls.append(name)
        return kept


def _sorted(nodes, by_name):
    """The nodes in an order in which inputs come first."""
    done: dict[str, Node] = {}
    for start in nodes:
        stack = [(start, iter([*(r.node for r in start.inputs), *start.controls]))]
        open_names = {start.name}
        while stack:
            node, rest = stack[-1]
            if node.name in done:
                stack.pop()
                continue
            following = next((by_name[n] for n in rest if n in by_name and n not in done), None)
            if following is None:
                done[node.name] = node
                stack.pop()
            elif following.name in open_names and any(n is following for n, _ in stack):
                raise misuse(ValueError(
                    'The graph could not be sorted in topological order: the nodes wait for each '
                    f"other; among them '{following.name}'."))
            else:
                open_names.add(following.name)
                stack.append((following, iter([*(r.node for r in following.inputs),
                                               *following.controls])))
    return list(done.values())


__all__ = ['fold_branches']
