"""What became of each node in the compiled program: its lines, or why it has none."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.inspect.explorer.document.nodes import Nodes
from tinyflow.inspect.viz import select

_REASONS = {
    'unroll': 'unrolled: each iteration has lines of its own',
    'identities': 'dropped: it gives what it gets',
    'merge': 'merged with an equal node',
    'broadcasts': 'dropped: what uses it broadcasts by itself',
    'transposes': 'fused: what uses it reads the transposed array',
    'dead': 'dropped: nothing uses its result any more',
}


def fates_of(nodes: Nodes, order: Sequence[Operation], feeds: Sequence[Tensor],
             stages: Sequence, lines: Sequence[tuple[str, Operation | None]]) -> dict[str, dict]:
    """{node: {'lines': of the program} or {'why': ..., 'pass': ..., 'into': node}}.

    Of the nodes that are run or fed, and of those in the functions that are run.
    """
    found: dict[str, dict[str, Any]] = {}
    for n, (_, op) in enumerate(lines):
        if op in nodes.index:
            found.setdefault(str(nodes.index[op]), {'lines': []})['lines'].append(n)
    for tensor in feeds:
        _put(found, nodes, tensor.op, 'fed: its value comes from outside')
    kept = [{i.operation for i in stage.program.instructions} for stage in stages]
    wanted = [op for op in order if op in nodes.index and str(nodes.index[op]) not in found]
    vanished: dict[int, list[Operation]] = {}
    for op in wanted:
        stage = next((n for n, there in enumerate(kept) if op not in there), len(kept))
        if stage == 0:
            _lowered(found, nodes, op)
        elif stage == len(kept):
            _put(found, nodes, op, 'a view: made once, when memory is given to the program',
                 'memory')
        elif stages[stage].name == 'infer':
            _put(found, nodes, op, 'a constant of the program' if op.type == 'Const' else
                 'folded into a constant: computed once, when the program is compiled', 'infer')
        else:
            vanished.setdefault(_bypassed(stages, stage, op), []).append(op)
    for n, ops in vanished.items():
        name = stages[n].name.partition('/')[2]
        into = _Successors(stages[n - 1].program, stages[n].program)
        for op in ops:
            _put(found, nodes, op, _REASONS.get(name, f'became part of others ({name})'), name,
                 into.user(op) if name == 'transposes' else into.of(op))
    _inside(found, nodes)
    return found


def _bypassed(stages, stage, op):
    """The pass after which nothing used the result of an operation that was then dropped."""
    if stages[stage].name != 'passes/dead' or not op.outputs:
        return stage
    last = stage
    while last > 1 and not _is_used(stages[last - 1].program, op):
        last -= 1
    return last if stages[last].name.startswith('passes/') else stage


def _is_used(program, op):
    outputs = {v for i in program.instructions if i.operation is op for v in i.outputs}
    return any(not outputs.isdisjoint(i.inputs) for i in program.instructions) \
        or not outputs.isdisjoint(program.fetches)


def _put(found, nodes, op, why, stage='', into=None):
    if op in nodes.index and str(nodes.index[op]) not in found:
        fate = found[str(nodes.index[op])] = {'why': why}
        if stage:
            fate['pass'] = stage
        if into in nodes.index and into is not op:
            fate['into'] = nodes.index[into]


def _lowered(found, nodes, op):
    if select.is_variable_ref(op):
        _put(found, nodes, op, 'storage: the program works on its array directly', 'lower')
    elif op.inputs and select.is_variable_ref(op.inputs[0].op):
        _put(found, nodes, op, 'not a step: what uses it takes the array of the Variable', 'lower',
             op.inputs[0].op)
    else:
        _put(found, nodes, op, 'not a step of the program: it computes nothing', 'lower')


def _inside(found, nodes):
    """The nodes in functions without a line, where the functions' own node is run."""
    for path, region in nodes.inside.regions.items():
        if region.graph is None or str(nodes.index.get(region.op)) not in found:
            continue
        for op in [*(t.op for t in region.graph.inputs), *region.graph.get_operations()]:
            _put(found, nodes, op, 'no line of its own in the function', path[-1], region.op)


class _Successors:
    """Which operation's result is used after a pass instead of an operation's that it removed."""

    def __init__(self, before: Program, after: Program) -> None:
        self._made = {i.operation: i for i in reversed(before.instructions)}
        self._after = {i.outputs[0]: i for i in after.instructions if i.outputs}
        self._uses: dict[Value, list[tuple[Instruction, int]]] = {}
        for instruction in before.instructions:
            for k, value in enumerate(instruction.inputs):
                self._uses.setdefault(value, []).append((instruction, k))
        self._fetches = list(zip(before.fetches, after.fetches))

    def of(self, op: Operation) -> Operation | None:
        for value in self._made[op].outputs if op in self._made else ():
            for new in self._replaced(value):
                if new is not value and new.producer is not None:
                    return new.producer.operation
                if new.variable is not None:
                    return new.variable
        return self.user(op)

    def user(self, op: Operation) -> Operation | None:
        """The first operation that used the result before the pass."""
        users = [i.operation for value in (self._made[op].outputs if op in self._made else ())
                 for i, _ in self._uses.get(value, ())]
        return users[0] if users else None

    def _replaced(self, value):
        for user, k in self._uses.get(value, ()):
            now = self._after.get(user.outputs[0]) if user.outputs else None
            if now is not None and len(now.inputs) == len(user.inputs):
                yield now.inputs[k]
        for old, new in self._fetches:
            if old is value and new is not None:
                yield new


__all__ = ['fates_of']
