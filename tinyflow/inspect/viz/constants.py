"""Constants that are written into their consumers: axes, shapes, and what numbers became."""
from __future__ import annotations

import re

from tinyflow.inspect.viz import labels
from tinyflow.inspect.viz.select import GRADIENT

_UNNAMED = re.compile(r'Const(_\d+)?\Z')


class Constants:
    """Which constants among the operations `shown` of the NestedGraphs `inside` are no nodes.

    hidden      these constants
    lines       consumer -> what is written into it, such as ['axis = 0'], in the order of inputs
    """

    def __init__(self, inside, shown, fetched, written, drop):
        self.hidden: set = set()
        self._inside, self._written = inside, written
        users = self._users(shown)
        calls = {_call(op) for op in inside.ops if op.type != 'Const'}
        texts: dict = {}
        for const in [op for op in inside.ops if op.type == 'Const' and op in shown]:
            uses = users.get(const, [])
            if drop and uses or \
                    not uses and const not in fetched and self._is_spent(const, calls):
                self.hidden.add(const)
            elif uses and const not in fetched and (const in written or all(
                    self._is_argument(const, op, index) for op, index in uses)):
                self.hidden.add(const)
                for op, index in uses:
                    texts.setdefault(op, {})[index or 0] = \
                        self._called(const, op, index) + labels.constant(const)
        self.lines = {op: [said[index] for index in sorted(said)] for op, said in texts.items()}

    def _users(self, shown):
        users: dict = {}
        for op in self._inside.ops:
            if op in shown:
                for t, index, _ in self._inside.links(op):
                    if t.op.type == 'Const' and t.op in shown:
                        users.setdefault(t.op, []).append((op, index))
        return users

    def _is_argument(self, const, op, index):
        """True if the constant is only an argument: converted from one, or an axis, shape ..."""
        inside = self._inside
        if op in inside.parameters:
            name = const.name.split('/')[-1]
            return _UNNAMED.match(name) is not None or inside.parameters[op] == name
        if op in inside.prefix and const.name.endswith('/maximum_iterations'):
            return True
        return const.name.startswith(op.name + '/') or inside.part[op] == GRADIENT or \
            labels.is_static(op, index)

    def _is_spent(self, const, calls):
        """True if it has no use: an unlimited iteration count, or a leftover of a library call."""
        users = const.outputs[0].consumers()
        if not users:
            return '/' in const.name and None not in _call(const) and _call(const) in calls
        return all(user in self._inside.dissolved for user in users)

    def _called(self, const, op, index):
        if op in self._inside.parameters:
            return 'starts at '
        name = const.name.split('/')[-1] if const in self._written else labels.argument(op, index)
        return f'{name} = '


def _call(op):
    """The line that made an operation, and its scope."""
    return op._site, op.name.rpartition('/')[0]
