"""The updates of an optimizer, each drawn as one node with the slots that only it uses.

Hyperparameters, and Variables such as Adam's `beta1_power`, belong to all updates: they are one
node without an edge to each of them, or a line of every update if they are few.
"""
from __future__ import annotations

import re
from typing import Any

from tinyflow.inspect.viz import labels
from tinyflow.inspect.viz.select import OPTIMIZER, is_initializer, is_read, is_variable_ref

_UPDATE = re.compile(r'(Resource)?(Sparse)?Apply[A-Z]')
_FEW = 2                    # hyperparameters that are written into each update
SETTINGS = 'settings'


class Updates:
    """What is drawn with the updates among `ops`.

    slots       Variable -> the only update that uses it
    settings    operation -> path of the node for hyperparameters that it belongs to
    written     hyperparameters that are lines of each update instead
    """

    def __init__(self, ops, shown, part):
        self.updates = {op for op in ops if op in shown and is_update(op)}
        self.slots: dict[Any, Any] = {}
        self.settings: dict[Any, tuple[str, ...]] = {}
        self.written: set = set()
        self._users = {op: _users(op) for op in ops
                       if op in shown and part[op] == OPTIMIZER and op not in self.updates}
        if self.updates:
            self._find_slots()
            self._find_settings()

    def _find_slots(self):
        for op, users in self._users.items():
            if is_variable_ref(op) and len(users) == 1 and users <= self.updates and \
                    not is_scalar(op):
                self.slots[op] = next(iter(users))

    def _find_settings(self):
        """Scalars that only updates use, and what is computed from these alone."""
        found: set = set()
        for op, users in self._users.items():
            if op.type == 'Const' and is_scalar(op) and users & self.updates:
                found.add(op)
            elif is_variable_ref(op) and is_scalar(op) and users & self.updates:
                found.add(op)
        constants = {op for op in found if op.type == 'Const'}
        if len(constants) == len(found) <= _FEW:
            self.written = constants
            return
        for op in self._users:
            if op.inputs and not is_initializer(op) and all(t.op in found for t in op.inputs):
                found.add(op)
        home = min((op.name.split('/')[:-1] for op in self.updates), key=len)
        root = tuple(_above_update(home) or home[:1])
        self.settings = dict.fromkeys(found, (*root, SETTINGS))

    def used_by(self, op) -> str:
        """The slots of an update: ``slots m, v``."""
        names = [labels.argument(op, index) for index, t in enumerate(op.inputs)
                 if self.slots.get(t.op) is op]
        return f'slots {", ".join(names)}' if len(names) > 1 else \
            f'slot {names[0]}' if names else ''

    def without_repeats(self, merged, unit_of):
        """The edges, without those from the hyperparameters to each update, and without those that
        say again that something waits for an update."""
        settings = {unit_of[op] for op in self.settings if op in unit_of}
        drawn = {unit_of[op] for op in self.updates if op in unit_of}
        kept = {(tail, head): edge for (tail, head), edge in merged.items()
                if tail not in settings or head not in drawn}
        waiting = {head for tail, head in kept if tail in settings}
        return {(tail, head): edge for (tail, head), edge in kept.items()
                if not (tail in drawn and head in waiting and not edge.tensors
                        and any((tail, s) in kept for s in settings))}

    def values(self, ops) -> list[str]:
        """The lines of the node for hyperparameters."""
        constants = [f'{op.name.split("/")[-1]} = {labels.constant(op)}' for op in ops
                     if op.type == 'Const']
        places = [op.name.split('/')[-1] for op in ops if is_variable_ref(op)]
        return constants + ([', '.join(places)] if places else [])


def is_update(op) -> bool:
    """True for ApplyAdam and similar ones."""
    return _UPDATE.match(op.type) is not None


def is_scalar(op) -> bool:
    """True if the only output is a single number."""
    return labels.tensor(op.outputs[0]).endswith('scalar')


def without_update_box(op, path) -> tuple[tuple[str, ...], str]:
    """The path of an update without the box `update_dense`, and the name of its Variable."""
    above = _above_update(path)
    return (path, '') if above is None else (above, op.inputs[0].op.name)


def _above_update(path):
    for n, piece in enumerate(path):
        if piece.startswith('update_'):
            return tuple(path[:n])
    return None


def _users(op):
    """The operations that use a result; those that every Variable has are left out."""
    users = {user for t in op.outputs for user in t.consumers()}
    reads = {user for user in users if is_read(user)} if is_variable_ref(op) else set()
    behind = {user for read in reads for t in read.outputs for user in t.consumers()}
    return {user for user in (users - reads) | behind if not is_initializer(user)}
