"""What to look at inside of loops and conds, and its values, which no fetch can ask for."""
from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.variable_refs import is_variable_ref, variable_of, variable_read_by
from tinyflow.inspect.doctor.training.kinds import LAYERS, PASS_ON, RELUS, SQUASH
from tinyflow.ops.control_flow.function_nodes import functions_of
from tinyflow.session.observed import Frame, Observer, attach, detach
from tinyflow.session.program_cache import ProgramCache

_MOST_ELEMENTS = 1 << 22        # of one operation in one step; iterations after them do not count
_FIRST, _SHARE = 6, 0.05        # runs that are observed in any case, and the time that others take


@dataclass
class Inside:
    """Of the functions in a training step: hidden activations, and data that enter layers."""

    activations: list[Operation] = field(default_factory=list)
    inputs: list[Tensor] = field(default_factory=list)

    @property
    def operations(self) -> set[Operation]:
        return {*self.activations, *[tensor.op for tensor in self.inputs]}


def look_inside(operations: Sequence[Operation], learned: set[Operation],
                before_layers: set[Operation], trained: set[Operation]) -> Inside:
    """What is in the loops and conds among `operations`, and in those inside of them.

    learned         the operations that depend on trained Variables
    before_layers   those from which a path leads to a layer
    trained         the Variables
    """
    found = Inside()
    for operation in operations:
        for function in functions_of(operation):
            _Function(operation, function, learned, operation in before_layers, trained).add_to(
                found)
    found.inputs = list(dict.fromkeys(found.inputs))
    return found


class _Function:
    """A function of a loop or cond: which of its operations are learned, and which hidden."""

    def __init__(self, owner: Operation, function: Any, around: set[Operation], hidden: bool,
                 trained: set[Operation]) -> None:
        self.function, self.trained = function, trained
        self.operations = function.get_operations()
        self.loop = list(zip(function.inputs, function.outputs)) if owner.type == 'While' else []
        self.learned = self._learned(owner, around)
        self.layers = [op for op in self.operations if op.type in LAYERS and
                       sum(self._is_weights(tensor) for tensor in op.inputs) == 1]
        self.before = self._before(hidden)

    def add_to(self, found: Inside) -> None:
        found.activations += [op for op in self.operations if op.type in RELUS + SQUASH
                              and op in self.learned and op in self.before]
        for layer in self.layers:
            found.inputs += [t for tensor in layer.inputs if not self._is_weights(tensor)
                             for t in _joined(tensor)
                             if t.dtype.is_floating and t.op not in self.learned
                             and t.op.type != 'Const']
        deeper = look_inside(self.operations, self.learned, self.before, self.trained)
        found.activations += deeper.activations
        found.inputs += deeper.inputs

    def _learned(self, owner: Operation, around: set[Operation]) -> set[Operation]:
        found: set[Operation] = set()
        first = len(owner.inputs) - len(self.function.inputs)      # a cond has its condition first
        for parameter, given in zip(self.function.inputs, owner.inputs[first:]):
            source = self.function.source_of(parameter)
            if (given if source is None else source).op in around or self._is_weights(parameter):
                found.add(parameter.op)
        count = -1
        while count != len(found):              # until what goes round in a loop is known
            count = len(found)
            found |= {op for op in self.operations if any(t.op in found for t in op.inputs)}
            found |= {parameter.op for parameter, result in self.loop if result.op in found}
        return found

    def _before(self, hidden: bool) -> set[Operation]:
        targets = set(self.layers)
        found = {t.op for t in self.function.outputs} if hidden else set()
        count = -1
        while count != len(found):
            count = len(found)
            for op in reversed(self.operations):
                if op not in found and any(user in targets or user in found
                                           for t in op.outputs for user in t.consumers()):
                    found.add(op)
            found |= {result.op for parameter, result in self.loop if parameter.op in found
                      and result.op is not parameter.op}
        return found

    def _is_weights(self, tensor: Tensor) -> bool:
        """True for a trained Variable, as it is or in another shape."""
        while True:
            variable = variable_of(tensor) if is_variable_ref(tensor) else variable_read_by(tensor)
            if variable is not None:
                return variable in self.trained
            graph = tensor.op.graph
            source = None if graph.outer_graph is None else graph.source_of(tensor)
            if source is None:
                if tensor.op.type not in PASS_ON or not tensor.op.inputs:
                    return False
                source = tensor.op.inputs[0]
            tensor = source


def _joined(tensor: Tensor) -> list[Tensor]:
    """The tensors that a concatenation joins, as recurrent cells do; else the tensor itself."""
    return tensor.op.inputs[:-1] if tensor.op.type == 'ConcatV2' else [tensor]


class InsideWatch(Observer):
    """Takes the values inside of loops and conds in the next run after each `arm()`.

    Such a run computes each operation by itself, which takes about ten times as long in a loop over
    small arrays. So after the first ones `arm` leaves runs out that would take too much time.
    """

    def __init__(self, session: Any, inside: Inside) -> None:
        self._session, self._wanted = session, inside.operations
        self._local = threading.local()
        self._attached = _can_be_observed(session)
        self._runs, self._spent, self._since = 0, 0.0, perf_counter()
        if self._attached:
            attach(session, self)

    def arm(self) -> None:
        """The next run of this thread is observed, unless that has taken too much time so far."""
        now = perf_counter()
        due = self._runs < _FIRST or self._spent < _SHARE * (now - self._since)
        self._local.armed, self._local.values = self._attached and due, {}
        self._runs += due
        self._local.begin = now if due else None

    def taken(self) -> dict[Operation, np.ndarray]:
        """The values of that run: of an operation those of all its iterations, one below another.
        """
        self._local.armed = False
        found = vars(self._local).pop('values', {})
        if self._local.begin is not None:
            self._spent += perf_counter() - self._local.begin
        return {operation: _together(arrays) for operation, arrays in found.items()}

    def close(self) -> None:
        """Ends the observation."""
        if self._attached:
            self._attached = False
            detach(self._session, self)

    def wants(self, fetches: Sequence[Tensor | Operation]) -> bool:
        armed = vars(self._local).get('armed', False)
        self._local.armed = False
        return armed

    def value(self, operation: Operation, arrays: list[np.ndarray | None],
              frames: tuple[Frame, ...]) -> None:
        if operation in self._wanted and arrays[0] is not None:
            kept = self._local.values.setdefault(operation, [])
            if (len(kept) + 1) * arrays[0].size <= _MOST_ELEMENTS:
                kept.append(np.array(arrays[0]))


def _can_be_observed(session: Any) -> bool:
    """False for a Session on a cluster, and one that checks for NaN itself."""
    programs = getattr(session, '_programs', None)
    return isinstance(programs, ProgramCache) and not programs.options.nan_check


def _together(arrays: list[np.ndarray]) -> np.ndarray:
    same = [array for array in arrays if array.shape[1:] == arrays[0].shape[1:] and array.ndim]
    return np.concatenate(same) if len(same) == len(arrays) and same else arrays[-1]
