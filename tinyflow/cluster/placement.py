"""Which task runs each operation, and why.

Operations that share something which cannot travel - a Variable's storage, a queue, an iterator,
a dataset - run together: they form a group. A group runs where one of its members was put by
`tf.device`, first of all where its Variable was; without a device it runs at the session's own
task. Constants have no task: each stage that uses one has its own copy.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tinyflow.cluster.tasks import Task, parts_of
from tinyflow.graph import dtypes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import InvalidArgumentError, misuse, report
from tinyflow.graph.variable_refs import variable_of, variable_read_by

__all__ = ['Placement', 'default_read_of', 'is_constant', 'travels']

_VARIABLES = frozenset(('VariableV2', 'VarHandleOp'))
OWN = "the session's own task"
_STAY = (dtypes.resource, dtypes.variant)


def travels(tensor: Tensor) -> bool:
    """True if the value of a tensor can be sent; handles and datasets cannot."""
    return tensor.dtype not in _STAY


def is_constant(operation: Operation) -> bool:
    """True for a constant that waits for nothing: every stage may have its own."""
    return operation.type == 'Const' and not operation.control_inputs


def default_read_of(tensor: Tensor, fed: Collection[Tensor]) -> Operation | None:
    """The Variable whose value `tensor`, its default read (`v/read`), means; else None."""
    operation = tensor.op
    if not operation.inputs or operation.inputs[0] in fed:
        return None
    return variable_read_by(tensor)


class Placement:
    """The task of each of `operations`, which are sorted in execution order.

    `available` are the tasks that may be used, `own` is the one of the session. Raises
    InvalidArgumentError for a device that no task has, and for operations that must be together
    but were put on different tasks.
    """

    def __init__(self, operations: Sequence[Operation], fed: Collection[Tensor], own: Task,
                 available: Sequence[Task]) -> None:
        self.own = own
        self._available = available
        self._known = frozenset(available)
        self._jobs: dict[str, int] = {}         # job -> its first task
        for task in available:
            self._jobs[task.job] = min(task.index, self._jobs.get(task.job, task.index))
        self._leader: dict[Operation, Operation] = {}
        self._tasks: dict[Operation, tuple[Task, str]] = {}
        self._group(operations, fed)
        self._place(operations)

    def task(self, operation: Operation) -> Task:
        """Where an operation runs."""
        return self._tasks[operation][0]

    def reason(self, operation: Operation) -> str:
        """Why it runs there, for people."""
        return self._tasks[operation][1]

    # ---- groups ------------------------------------------------------------------------------

    def _group(self, operations: Iterable[Operation], fed: Collection[Tensor]) -> None:
        for operation in operations:
            for i, tensor in enumerate(operation.inputs):
                if tensor in fed:
                    continue
                if tensor.dtype in _STAY or tensor.dtype.is_ref and _uses_storage(operation, i):
                    self._join(operation, tensor.op)
                    variable = variable_of(tensor)
                    if variable is not None:
                        self._join(operation, variable)
                elif default_read_of(tensor, fed) is not None:
                    self._join(tensor.op, tensor.op.inputs[0].op)
            for name in _colocated_with(operation):
                other = operation.graph._by_name.get(name)
                if other is not None and other is not operation:
                    self._join(operation, other)

    def _find(self, operation: Operation) -> Operation:
        leader = self._leader.get(operation, operation)
        while (above := self._leader.get(leader, leader)) is not leader:
            self._leader[operation] = operation = above
            leader = self._leader.get(operation, operation)
        return leader

    def _join(self, one: Operation, other: Operation) -> None:
        one, other = self._find(one), self._find(other)
        self._leader.setdefault(one, one)
        self._leader.setdefault(other, other)
        if one is not other:
            self._leader[one] = other

    # ---- tasks -------------------------------------------------------------------------------

    def _place(self, operations: Iterable[Operation]) -> None:
        members: dict[Operation, list[Operation]] = {}
        for operation in dict.fromkeys((*operations, *self._leader)):
            members.setdefault(self._find(operation), []).append(operation)
        for group in members.values():
            placed = [op for op in group if parts_of(op.device) != (None, None)]
            task, reason = self._of_group(group, placed)
            for operation in group:
                self._tasks[operation] = task, reason if operation.device == '' or len(group) > 1 \
                    else 'its device'

    def _of_group(self, group: list[Operation],
                  placed: list[Operation]) -> tuple[Task, str]:
        if not placed:
            return self.own, OWN
        variables = [op for op in placed if op.type in _VARIABLES]
        makers = [op for op in placed if not op.inputs and op.outputs
                  and (op.outputs[0].dtype in _STAY or op.outputs[0].dtype.is_ref)]
        first = (variables or makers or placed)[0]
        task = self._task_for(first)
        for other in variables + makers:
            if self._task_for(other) != task:
                raise _apart(first, task, other, self._task_for(other))
        return task, 'its device' if first is group[0] and len(group) == 1 else \
            f"with '{first.name}'"

    def _task_for(self, operation: Operation) -> Task:
        job, index = parts_of(operation.device)
        if job is None:
            job = self.own.job
            index = self.own.index if index is None else index
        task = Task(job, self._jobs.get(job, 0) if index is None else index)
        if index is None and job == self.own.job:
            task = self.own
        if task not in self._known:
            raise self._no_such_task(operation)
        return task

    def _no_such_task(self, operation: Operation) -> Exception:
        shown = [task.device for task in self._available[:8]]
        more = len(self._available) - len(shown)
        return InvalidArgumentError(None, operation, report(
            f'Cannot assign a device for operation {operation.name}: it was explicitly assigned '
            f'to {operation.device} but available devices are [ {", ".join(shown)}'
            f'{f" and {more} more" if more else ""} ].', op=operation,
            hint='the job and the task of tf.device are those of the ClusterSpec; '
                 'ConfigProto.device_filters leave out others.'))


def _uses_storage(operation: Operation, position: int) -> bool:
    """True if an operation needs the Variable itself at this input, not only its value."""
    if position in operation.writes or operation.definition.functions:
        return True
    inputs = operation.definition.inputs
    return operation.type != 'Identity' and len(inputs) > position and inputs[position].ref


def _colocated_with(operation: Operation) -> list[str]:
    """The names of the operations that `tf.colocate_with` put this one next to."""
    groups = getattr(operation, 'colocation_groups', None)
    if groups is None:
        return []
    names = [g.decode() if isinstance(g, bytes) else g for g in groups()]
    return [name.removeprefix('loc:@') for name in names]


def _apart(one: Operation, task: Task, other: Operation, other_task: Task) -> Exception:
    return misuse(errors.InvalidArgumentError(None, other, report(
        f"Cannot colocate nodes '{one.name}' and '{other.name}': they must be on one device, but "
        f'were put on {task} and {other_task}.', op=other,
        hint='what uses a Variable, a queue or an iterator runs where that is; read the value '
             'outside, or put both on one task.')))

