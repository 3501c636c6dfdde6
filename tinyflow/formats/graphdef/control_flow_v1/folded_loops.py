"""Frames of old while loops -> While nodes with Functions.

For each loop variable a frame has Enter -> Merge -> Switch -> Exit, the Switch's other output
leads through the body to NextIteration and back to the Merge. The condition ends in LoopCond. A
constant of the loop is a single Enter.
"""
from __future__ import annotations

from tinyflow.formats.graphdef.control_flow_v1.folded_branches import fold_branches
from tinyflow.formats.graphdef.nodes import Function, Node, Ref
from tinyflow.graph.support.errors import misuse

_ENTER = frozenset(('Enter', 'RefEnter'))
_EXIT = frozenset(('Exit', 'RefExit'))
_MERGE = frozenset(('Merge', 'RefMerge'))
_SWITCH = frozenset(('Switch', 'RefSwitch'))
_NEXT = frozenset(('NextIteration', 'RefNextIteration'))
_RING = _ENTER | _MERGE | _SWITCH | _NEXT


def fold_loops(nodes):
    """The nodes with every loop as one While node."""
    if not any(node.op in _ENTER for node in nodes):
        return nodes
    by_name = {node.name: node for node in nodes}
    frames = _frames(nodes, by_name)
    while True:
        deepest = max(frames.values(), key=len)
        if not deepest:
            return list(by_name.values())
        members = [by_name[name] for name, frame in frames.items()
                   if frame == deepest and name in by_name]
        loop = _Loop(members, by_name, deepest)
        replaced = loop.replacement()
        _put_in_place(by_name, members, replaced, frames, deepest[:-1])


def _put_in_place(by_name, members, replaced, frames, outer):
    """Replaces a frame's nodes by the While and the Identities of its results."""
    gone = {node.name for node in members}
    for name in gone:
        del by_name[name], frames[name]
    for node in replaced:
        by_name[node.name] = node
        frames[node.name] = outer
    whole = replaced[0].name
    kept = {node.name for node in replaced}
    for node in by_name.values():
        if gone.intersection(node.controls):
            node.controls = list(dict.fromkeys(
                name if name not in gone or name in kept else whole for name in node.controls))
            if node.name == whole:
                node.controls = [name for name in node.controls if name != whole]


def _frames(nodes, by_name):
    """Name -> the path of frames that a node is in; an Exit is in the inner frame."""
    frames: dict[str, tuple] = {}
    waiting = {}
    users: dict[str, list[Node]] = {}
    for node in nodes:
        before = {name for name in _producers(node) if name in by_name
                  and not (node.op in _MERGE and by_name[name].op in _NEXT)}
        waiting[node.name] = len(before)
        for name in before:
            users.setdefault(name, []).append(node)
    ready = [node for node in nodes if not waiting[node.name]]
    for node in ready:
        frames[node.name] = _frame(node, by_name, frames)
        for user in users.get(node.name, ()):
            waiting[user.name] -= 1
            if not waiting[user.name]:
                ready.append(user)
    if len(frames) < len(nodes):
        stuck = [n.name for n in nodes if n.name not in frames][:5]
        raise misuse(ValueError('The graph could not be sorted in topological order: the nodes '
                                f'wait for each other; among them {", ".join(stuck)}.'))
    return frames


def _producers(node):
    return [*(ref.node for ref in node.inputs), *node.controls]


def _frame(node, by_name, frames):
    path = ()
    for name in _producers(node):
        if name in frames:
            found = frames[name][:-1] if by_name[name].op in _EXIT else frames[name]
            path = max(path, found, key=len)
    if node.op in _ENTER:
        return (*path, node.attrs['frame_name'].s)
    return path


class _Loop:
    """One frame, whose inner frames are While nodes already."""

    def __init__(self, members, by_name, frame):
        self.members = {node.name: node for node in members}
        self.by_name = by_name
        self.name = _loop_name(frame[-1], by_name)
        self.parameters: dict[Ref, str] = {}    # what the nodes call a value -> the parameter
        self.inputs: list[Ref] = []             # what comes in, for each parameter
        self.names: list[str] = []
        self.nexts: list[Node | None] = []      # NextIteration, for each parameter that changes
        self.last: dict[Ref, Ref] = {}        # the exit output of a Switch -> a result of the While
        self.conditions = [node for node in members if node.op == 'LoopCond']
        if len(self.conditions) != 1:
            raise misuse(ValueError(f"The loop '{self.name}' has {len(self.conditions)} LoopCond "
                                    'nodes; it is damaged.'))
        self._find_variables()

    def _find_variables(self):
        switches: dict[Ref, list[Node]] = {}
        for node in self.members.values():
            if node.op in _SWITCH and node.inputs[1].node == self.conditions[0].name:
                switches.setdefault(node.inputs[0], []).append(node)
        merged = set()
        for node in self.members.values():
            if node.op in _MERGE and any(self._op(ref.node) in _NEXT for ref in node.inputs):
                enter, following = sorted(node.inputs, key=lambda r: self._op(r.node) in _NEXT)
                merged.add(enter.node)
                parameter = self._add(enter.node, self.members[following.node])
                self.parameters[Ref(node.name)] = enter.node
                for switch in switches.get(Ref(node.name), ()):
                    self.parameters[Ref(switch.name, 1)] = enter.node
                    self.last[Ref(switch.name)] = Ref(self.name, parameter)
        for node in list(self.members.values()):
            if node.op in _ENTER and node.name not in merged:
                self._add(node.name, None)
                self.parameters[Ref(node.name)] = node.name

    def _op(self, name):
        node = self.members.get(name)
        return node.op if node else ''

    def _add(self, name, following):
        self.names.append(name)
        self.inputs.append(self.members[name].inputs[0])
        self.nexts.append(following)
        return len(self.names) - 1

    # ---- extracting the functions --------------------------------------------------------

    def replacement(self):
        """The While node, an Identity for each Exit, and the nodes before an Exit."""
        condition = self._function('cond', [self.conditions[0].inputs[0]],
                                   self.conditions[0].controls)
        changed = [self._last(following) for following in self.nexts]
        body = self._function('body', [
            Ref(name) if following is None else Ref(following.name)
            for name, following in zip(self.names, self.nexts)], [], changed)
        # Values that either function uses from outside, without an Enter, became parameters.
        for function in (condition, body):
            function.parameters = list(self.names)
        body.results += [Ref(name) for name in self.names[len(body.results):]]
        controls = [c for name in self.members for c in self.members[name].controls
                    if c not in self.members]
        attrs = {'cond': condition, 'body': body, **self._attributes()}
        loop = Node(self.name, 'While', list(self.inputs), list(dict.fromkeys(controls)), attrs)
        return [loop, *self._after()]

    def _after(self):
        """The nodes that run once, after the loop: an Identity for each Exit and its inputs.

        Usually the input of an Exit is its variable's Switch. Optimizers insert an Identity, which
        waits for the gradients of both branches.
        """
        found: dict[str, Node] = {}
        wanted = [node for node in self.members.values() if node.op in _EXIT]
        for node in wanted:
            if node.name in found:
                continue
            op, attrs = ('Identity', _own(node)) if node.op in _EXIT else (node.op, node.attrs)
            inputs = [self._let_out(ref, node) for ref in node.inputs]
            found[node.name] = Node(node.name, op, inputs, [
                c for c in node.controls if c not in self.members], attrs, node.device)
            wanted += [self.members[ref.node] for ref in inputs if ref.node in self.members]
        return list(found.values())

    def _let_out(self, ref, user):
        """A value as seen after the loop. ValueError for a value of a single iteration."""
        if ref in self.last:
            return self.last[ref]
        parameter = self.parameters.get(ref)
        if parameter is not None and self.nexts[self.names.index(parameter)] is None:
            return self.inputs[self.names.index(parameter)]
        if parameter is not None or self._op(ref.node) in _RING:
            raise misuse(ValueError(
                f"The loop '{self.name}' is damaged: '{user.name}', by which a value leaves it, "
                f"needs '{ref}', which is there only while it goes on."))
        return ref

    def _attributes(self):
        for node in self.members.values():
            if node.op in _ENTER and 'parallel_iterations' in node.attrs:
                return {'parallel_iterations': node.attrs['parallel_iterations']}
        return {}

    def _last(self, following):
        """The NextIteration as the body's last node: an Identity with the same control inputs."""
        if following is None:
            return None
        return Node(following.name, 'Identity', list(following.inputs), list(following.controls),
                    _own(following), following.device)

    def _function(self, suffix, results, controls, more=()):
        """The nodes that `results` need as a Function, with the variables as parameters."""
        nodes = {node.name: node for node in more if node is not None}
        wanted = [*results, *(Ref(name) for name in controls if name in self.members)]
        found: dict[str, Node] = {}
        ring = {ref.node for ref in self.parameters}    # Enter, Merge and Switch of variables
        while wanted:
            ref = wanted.pop()
            if self._parameter(ref) or ref.node in found:
                continue
            node = nodes.get(ref.node) or self.members[ref.node]
            if node.name in ring and node.name not in nodes:
                continue
            found[node.name] = node
            wanted += node.inputs + [Ref(name) for name in node.controls if name in self.members]
        order = [name for name in (*self.members, *nodes) if name in found]
        copies = [Node(n.name, n.op, [self._renamed(ref) for ref in n.inputs],
                       [c for c in n.controls if c in found], n.attrs, n.device)
                  for n in (found[name] for name in dict.fromkeys(order))]
        results = [self._renamed(ref) for ref in results]
        fixed = {name for name, following in zip(self.names, self.nexts) if following is None}
        return Function(f'{self.name}_{suffix}'.replace('/', '_'), [],
                        fold_branches(copies, results, fixed), results)

    def _parameter(self, ref):
        """True if a Ref is a parameter; a value from outside the frame becomes one."""
        if ref in self.parameters:
            return True
        if ref.node in self.members:
            return False
        name = str(ref).replace(':', '_')
        self.parameters[ref] = name
        self.names.append(name)
        self.inputs.append(ref)
        self.nexts.append(None)
        return True

    def _renamed(self, ref):
        return Ref(self.parameters[ref]) if ref in self.parameters else ref


def _own(node):
    """The attributes of a node without those of control flow."""
    return {key: value for key, value in node.attrs.items() if key == 'T'}


def _loop_name(frame, by_name):
    """A name for the While: 'while/While' for the frame 'while/while_context'."""
    text = frame.decode()
    scope = text.rpartition('/')[0]
    name = unique = f'{scope}/While' if scope else 'While'
    number = 0
    while unique in by_name:
        number += 1
        unique = f'{name}_{number}'
    return unique


__all__ = ['fold_loops']
