"""Cuts the operations of a run into stages: what one task can do without hearing from another.

`schedule` has decided the order in which the operations would run in one process. The stages keep
that order for everything that shows: they give the same values, bit for bit. The level of an
operation says how often values have crossed between tasks before it; the operations of one task
and one level are a stage. Levels run one after the other, the stages of a level at the same time.

A Variable's storage stays where it is. An operation of another task that uses its value gets a
copy, read by a stage before it, after all earlier writes; a later write is on a later level, since
a stage reads Variables at its end. Constants, and NoOps that only wait, have no task: each stage
that needs one has its own, so that `train_op`, wherever it was made, costs no message.
"""
from __future__ import annotations

from collections.abc import Collection, Sequence

from tinyflow.cluster.placement import (
    VARIABLES,
    Placement,
    default_read_of,
    is_constant,
    travels,
)
from tinyflow.cluster.tasks import Task
from tinyflow.compiler.schedule import stale_reads
from tinyflow.graph import dtypes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import InvalidArgumentError, report
from tinyflow.graph.variable_refs import is_variable_ref, variable_of

__all__ = ['Arrival', 'Stage', 'cut']


class Arrival:
    """One value that leaves a stage: `tensor` as it is at the end of `source`."""

    __slots__ = ('tensor', 'source', 'kept', 'sent')

    def __init__(self, tensor: Tensor, source: Stage) -> None:
        self.tensor, self.source = tensor, source
        self.kept = False               # needed by a later stage of the same task
        self.sent = False               # needed by other tasks, or fetched


class Stage:
    """The operations of one task on one level, in execution order.

    ins     tensor -> the Arrival that it takes its value from, or None for a feed
    outs    tensor -> the Arrival that it gives
    """

    def __init__(self, task: Task, level: int) -> None:
        self.task, self.level = task, level
        self.operations: dict[Operation, None] = {}
        self.ins: dict[Tensor, Arrival | None] = {}
        self.outs: dict[Tensor, Arrival] = {}
        self.refs: dict[Tensor, Tensor] = {}    # reference made by an earlier stage -> Variable's

    def arrival(self, tensor: Tensor) -> Arrival:
        """The value of `tensor` at the end of this stage."""
        found = self.outs.get(tensor)
        if found is None:
            found = self.outs[tensor] = Arrival(tensor, self)
        return found

    def include(self, operation: Operation) -> None:
        """Adds a constant, a Variable or its default read, which any stage may have again."""
        if operation not in self.operations:
            for tensor in operation.inputs:
                self.include(tensor.op)
            self.operations[operation] = None

    def include_waiting(self, operation: Operation, known: Collection[Operation]) -> None:
        """Adds a NoOp or a constant: what waits for it waits for what it waits for in this stage.
        """
        todo = [operation]
        order: dict[Operation, None] = {}
        while todo:
            waiting = todo.pop()
            if waiting not in self.operations and waiting in known:
                order.pop(waiting, None)
                order[waiting] = None
                todo += waiting.control_inputs
        self.operations.update(dict.fromkeys(sorted(order, key=lambda op: op.id)))

    @property
    def targets(self) -> list[Operation]:
        """The operations that nothing else in the stage needs, and that are not values sent."""
        used = {t.op for op in self.operations for t in op.inputs}
        used.update(c for op in self.operations for c in op.control_inputs)
        used.update(t.op for t in self.outs)
        return [op for op in self.operations if op not in used]

    def __repr__(self) -> str:
        return f'<stage {self.level} of {self.task}: {len(self.operations)} operations>'


class _Uses:
    """The levels at which one Variable has been written and read so far."""

    __slots__ = ('written', 'read', 'sent')

    def __init__(self) -> None:
        self.written = 0        # the last write
        self.read = 0           # the last read by an operation of its task
        self.sent = -1          # the last stage that sent its value


class _Cut:
    def __init__(self, order: Sequence[Operation], fed: Collection[Tensor],
                 placement: Placement) -> None:
        self.order, self.fed, self.placement = order, fed, placement
        self.stages: dict[tuple[int, Task], Stage] = {}
        self.level: dict[Operation, int] = {}
        self.waits: dict[Operation, dict[Task, int]] = {}       # of operations that only wait
        self.uses: dict[Operation, _Uses] = {}
        self.stale = stale_reads(list(order), frozenset(fed))
        self.old_values = {tensor for _, tensor in self.stale}
        self.resource_level: dict[Operation, int] = {}
        self.read_early: dict[Tensor, Arrival] = {}

    def run(self, fetches: Sequence[Tensor | Operation]
            ) -> tuple[list[Stage], list[Arrival | Tensor | None]]:
        for operation in self.order:
            if operation.type == 'NoOp' or operation.type == 'Const' and operation.control_inputs:
                self.waits[operation] = self._waits_of(operation)
            elif self._is_free(operation):
                output = operation.outputs[0]
                variable = self._variable(output) if output in self.old_values else None
                if variable is not None:
                    self.read_early[output] = self._send(output, variable)
            else:
                self._add(operation)
        results = [self._result(fetch) for fetch in fetches]
        return [self.stages[key] for key in sorted(self.stages)], results

    # ---- one operation -----------------------------------------------------------------------

    def _is_free(self, operation: Operation) -> bool:
        """True if the operation is made again in each stage that uses it."""
        if is_constant(operation) or operation.type in VARIABLES:
            return True
        if len(operation.outputs) != 1:
            return False
        output = operation.outputs[0]
        if output.dtype is dtypes.resource and not operation.inputs:
            return not operation.control_inputs         # finds the resource of its name
        return default_read_of(output, self.fed) is not None

    def _variable(self, tensor: Tensor) -> Operation | None:
        """The Variable that `tensor` refers to, or whose default read it is."""
        return variable_of(tensor) if is_variable_ref(tensor) else \
            default_read_of(tensor, self.fed)

    def _used(self, variable: Operation) -> _Uses:
        return self.uses.setdefault(variable, _Uses())

    def _add(self, operation: Operation) -> None:
        task = self.placement.task(operation)
        level, arrivals = 0, {}
        local: list[tuple[Operation, bool]] = []            # Variables used here, and if written
        for i, tensor in enumerate(operation.inputs):
            if tensor in self.fed or tensor.op.type == 'Const':
                continue
            variable = self._variable(tensor)
            if tensor.op in self.level:                     # not one that is free
                apart = task != self.placement.task(tensor.op)
                if variable is None or not apart:
                    level = max(level, self.level[tensor.op] + apart)
            if variable is None:
                if self._is_free(tensor.op) and self.placement.task(tensor.op) != task:
                    raise _cannot_travel(operation, tensor, task,
                                         self.placement.task(tensor.op))
                continue
            if (operation, tensor) in self.stale and tensor in self.read_early:
                arrival = self.read_early[tensor]
            elif task == self.placement.task(variable):
                local.append((variable, i in operation.writes))
                continue
            elif not travels(tensor):
                raise _cannot_travel(operation, tensor, task, self.placement.task(variable))
            else:
                arrival = self._send(tensor, variable, self.level.get(tensor.op, 0))
            arrivals[tensor] = arrival
            level = max(level, arrival.source.level + (arrival.source.task != task))
        for waits in [self._waits_of(operation), *[self.waits[t.op] for t in operation.inputs
                                                   if t.op in self.waits and t not in self.fed]]:
            for other, needed in waits.items():
                level = max(level, needed + (task != other))
        for variable, written in local:
            uses = self._used(variable)
            level = max(level, uses.written)
            if written:
                level = max(level, uses.read, uses.sent + 1)
        resources = [t.op for t in operation.inputs if t.dtype is dtypes.resource
                     and t not in self.fed and self._variable(t) is None]
        level = max([level, *[self.resource_level.get(r, 0) for r in resources]])
        while self._clashes(level, task, operation, arrivals):
            level += 1
        for variable, written in local:
            uses = self._used(variable)
            if written:
                uses.written = level
            else:
                uses.read = max(uses.read, level)
        for resource in resources:              # enqueue, then dequeue: in the order of one process
            self.resource_level[resource] = level
        self.level[operation] = level
        self._wire(operation, self._stage(level, task), arrivals)

    def _waits_of(self, operation: Operation) -> dict[Task, int]:
        """The levels, by task, of what an operation waits for by control inputs."""
        found: dict[Task, int] = {}
        for control in operation.control_inputs:
            waits = self.waits.get(control)
            if waits is None:
                waits = {self.placement.task(control): self.level[control]} \
                    if control in self.level else {}
            for task, level in waits.items():
                found[task] = max(level, found.get(task, 0))
        return found

    def _clashes(self, level: int, task: Task, operation: Operation,
                 arrivals: dict[Tensor, Arrival]) -> bool:
        """True if a stage has another value of a Variable under the name of an input."""
        stage = self.stages.get((level, task))
        if stage is None:
            return False
        for tensor in operation.inputs:
            arrival = arrivals.get(tensor)
            present = stage.ins.get(tensor)
            if arrival is None or arrival.source is stage:
                if present is not None and self._is_free(tensor.op):
                    return True
            elif present is not None and present is not arrival or tensor.op in stage.operations:
                return True
        return False

    def _wire(self, operation: Operation, stage: Stage, arrivals: dict[Tensor, Arrival]) -> None:
        for tensor in operation.inputs:
            if tensor in self.fed:
                stage.ins[tensor] = None
            elif tensor.op in self.waits:
                stage.include_waiting(tensor.op, self.waits)
            elif tensor in arrivals:
                self._deliver(arrivals[tensor], tensor, stage)
            elif self._is_free(tensor.op):
                stage.include(tensor.op)
            elif tensor.op not in stage.operations:
                variable = self._variable(tensor)
                if variable is not None:        # a reference that an assignment gave
                    stage.include(variable)
                    stage.refs[tensor] = variable.outputs[0]
                    continue
                if not travels(tensor):
                    self._bring(tensor, stage, operation)
                    continue
                source = self._stage(self.level[tensor.op], self.placement.task(tensor.op))
                self._deliver(source.arrival(tensor), tensor, stage)
        for control in operation.control_inputs:
            if control in self.waits:
                stage.include_waiting(control, self.waits)
        stage.operations[operation] = None

    def _deliver(self, arrival: Arrival, tensor: Tensor, stage: Stage) -> None:
        if arrival.source is stage:             # an old value that nothing has changed yet
            stage.include(tensor.op)
            return
        stage.ins[tensor] = arrival
        if arrival.source.task == stage.task:
            arrival.kept = True
        else:
            arrival.sent = True

    def _bring(self, tensor: Tensor, stage: Stage, operation: Operation) -> None:
        """A handle from an earlier stage of the same task: kept there."""
        source = self._stage(self.level[tensor.op], self.placement.task(tensor.op))
        if source.task != stage.task:
            raise _cannot_travel(operation, tensor, stage.task, source.task)
        self._deliver(source.arrival(tensor), tensor, stage)

    def _stage(self, level: int, task: Task) -> Stage:
        found = self.stages.get((level, task))
        if found is None:
            found = self.stages[level, task] = Stage(task, level)
        return found

    # ---- values of Variables -----------------------------------------------------------------

    def _send(self, tensor: Tensor, variable: Operation, level: int = 0) -> Arrival:
        """The value that a Variable has now, in the order of execution, as an Arrival."""
        uses = self._used(variable)
        level = max(uses.written, level)
        stage = self._stage(level, self.placement.task(variable))
        value = tensor if self._is_free(tensor.op) else variable.outputs[0]
        stage.include(value.op)
        uses.sent = max(uses.sent, level)
        return stage.arrival(value)

    # ---- fetches -----------------------------------------------------------------------------

    def _result(self, fetch: Tensor | Operation) -> Arrival | Tensor | None:
        """Where the value of a fetch comes from: an Arrival, or a feed; None for an Operation."""
        if isinstance(fetch, Operation):
            return None
        if fetch in self.fed:
            return fetch
        variable = self._variable(fetch)
        if fetch.op in self.level:
            arrival = self._stage(self.level[fetch.op],
                                  self.placement.task(fetch.op)).arrival(fetch)
        elif variable is not None:
            arrival = self._send(fetch, variable)
        elif fetch.op in self.waits:
            level = max([n + (t != self.placement.own) for t, n in self.waits[fetch.op].items()],
                        default=0)
            stage = self._stage(level, self.placement.own)
            stage.include_waiting(fetch.op, self.waits)
            arrival = stage.arrival(fetch)
        else:
            stage = self._stage(0, self.placement.own if is_constant(fetch.op)
                                else self.placement.task(fetch.op))
            stage.include(fetch.op)
            arrival = stage.arrival(fetch)
        arrival.sent = True
        return arrival


def cut(order: Sequence[Operation], fetches: Sequence[Tensor | Operation],
        fed: Collection[Tensor],
        placement: Placement) -> tuple[list[Stage], list[Arrival | Tensor | None]]:
    """The stages in the order in which they may run, and where each fetch comes from."""
    return _Cut(order, fed, placement).run(fetches)


def _cannot_travel(operation: Operation, tensor: Tensor, task: Task, home: Task) -> Exception:
    return InvalidArgumentError(None, operation, report(
        f"{operation.type} '{operation.name}' runs on {task} and needs '{tensor.name}' of {home}: "
        f'a {tensor.dtype.name} cannot be sent.', op=operation,
        hint='put both on one task, or send the value: read the Variable, take the element.'))
