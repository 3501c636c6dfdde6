"""Which task runs each operation, and why.

Operations that share something which cannot travel - a Variable's storage, a queue, an iterator,
a dataset - run together: they form a group. A group runs where one of its members was put by
`tf.device`, first of all where its Variable was. Without a device, what sessions share is at the
first task, as in TensorFlow, so that all workers find the same; the rest runs at the session's own
task, which gives the same numbers with less to send. Constants have no task: each stage that uses
one has its own copy.
"""
from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

from tinyflow.cluster.tasks import Task, parts_of
from tinyflow.graph import dtypes
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import InvalidArgumentError, misuse, report
from tinyflow.graph.variable_refs import variable_of, variable_read_by

__all__ = ['VARIABLES', 'Placement', 'default_read_of', 'is_constant', 'travels']

VARIABLES = frozenset(('VariableV2', 'VarHandleOp'))
_OWN = "the session's own task"
_FIRST = 'the first task, as what sessions share and has no device'
# Whatever their device, which of a sharded Saver is that of a part's Variables: TensorFlow writes
# each part there, and needs a disk that all tasks share.
_CHECKPOINTS = frozenset(('MergeV2Checkpoints', 'Restore', 'RestoreSlice', 'RestoreV2', 'Save',
                          'SaveSlices', 'SaveV2', 'ShardedFilename', 'ShardedFilespec'))
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
    """The task of each operation of a graph.

    `available` are the tasks that may be used, `own` is the one of the session. The groups are
    those of the whole graph, whatever of it runs, so an operation is in the same place in every
    run; nodes that are added later are looked at before the next run.
    """

    def __init__(self, graph: Graph, own: Task, available: Sequence[Task]) -> None:
        self.own = own
        self._graph = graph
        self._available = available
        self._known = frozenset(available)
        self._first_task = min(available)
        self._first: dict[str, int] = {}        # job -> its first task
        for task in available:
            self._first[task.job] = min(task.index, self._first.get(task.job, task.index))
        self._leader: dict[Operation, Operation] = {}
        self._members: dict[Operation, list[Operation]] = {}
        self._tasks: dict[Operation, tuple[Task, str]] = {}     # of leaders
        self._seen = 0
        self.update()

    def update(self) -> None:
        """Takes in the nodes that the graph has got since the last time."""
        if self._graph.version == self._seen:
            return
        self._tasks.clear()
        new = list(itertools.takewhile(lambda op: op.id > self._seen,
                                       reversed(self._graph.get_operations())))
        self._seen = self._graph.version
        for operation in reversed(new):
            self._join_inputs(operation)

    def task(self, operation: Operation) -> Task:
        """Where an operation runs.

        Raises InvalidArgumentError for a device that no task has, and for operations that must be
        together but were put on different tasks.
        """
        return self._placed(operation)[0]

    def reason(self, operation: Operation) -> str:
        """Why it runs there, for people."""
        return self._placed(operation)[1]

    # ---- groups ------------------------------------------------------------------------------

    def _join_inputs(self, operation: Operation) -> None:
        for i, tensor in enumerate(operation.inputs):
            if tensor.dtype in _STAY or tensor.dtype.is_ref and _uses_storage(operation, i):
                self.join(operation, tensor.op)
                variable = variable_of(tensor)
                if variable is not None:
                    self.join(operation, variable)
            elif default_read_of(tensor, ()) is not None:
                self.join(tensor.op, tensor.op.inputs[0].op)
        for name in operation.colocated_with:
            other = operation.graph._by_name.get(name)
            if other is not None and other is not operation:
                self.join(operation, other)

    def leader(self, operation: Operation) -> Operation:
        """The operation that stands for its group."""
        found = self._leader.get(operation, operation)
        while (above := self._leader.get(found, found)) is not found:
            self._leader[operation] = operation = above
            found = self._leader.get(operation, operation)
        return found

    def join(self, one: Operation, other: Operation) -> None:
        """Makes one group of those of two operations."""
        one, other = self.leader(one), self.leader(other)
        if one is other:
            return
        smaller, larger = self._members.pop(one, [one]), self._members.pop(other, [other])
        if len(smaller) > len(larger):
            one, other, smaller, larger = other, one, larger, smaller
        self._leader[one] = other
        larger += smaller
        self._members[other] = larger

    # ---- tasks -------------------------------------------------------------------------------

    def _placed(self, operation: Operation) -> tuple[Task, str]:
        leader = self.leader(operation)
        found = self._tasks.get(leader)
        if found is None:
            found = self._tasks[leader] = self._of_group(self._members.get(leader, [leader]))
        return found

    def _of_group(self, group: Sequence[Operation]) -> tuple[Task, str]:
        if len(group) == 1 and group[0].type in _CHECKPOINTS:
            return self.own, "a session's own task reads and writes checkpoints"
        placed = [op for op in group if op.device and parts_of(op.device) != (None, None)]
        if not placed:
            shared = any(map(_workers_share, group))
            return (self._first_task, _FIRST) if shared else (self.own, _OWN)
        placed.sort(key=lambda op: op.id)
        makers = [op for op in placed if op.type in VARIABLES] or \
            [op for op in placed if not op.inputs and op.outputs and op.outputs[0].dtype in _STAY]
        first = (makers or placed)[0]
        task = self._task_for(first)
        for other in makers:
            if self._task_for(other) != task:
                raise _apart(first, task, other, self._task_for(other))
        return task, 'its device' if len(group) == 1 else f"with '{first.name}'"

    def _task_for(self, operation: Operation) -> Task:
        job, index = parts_of(operation.device)
        if job is None:
            job = self.own.job
            index = self.own.index if index is None else index
        task = Task(job, self._first.get(job, 0) if index is None else index)
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


def _workers_share(operation: Operation) -> bool:
    """True for a Variable and for a queue or accumulator with a shared_name."""
    return operation.type in VARIABLES or not operation.inputs and \
        bool(operation.attrs.get('shared_name')) and \
        ('Queue' in operation.type or 'Accumulator' in operation.type)


def _apart(one: Operation, task: Task, other: Operation, other_task: Task) -> Exception:
    return misuse(errors.InvalidArgumentError(None, other, report(
        f"Cannot colocate nodes '{one.name}' and '{other.name}': they must be on one device, but "
        f'were put on {task} and {other_task}.', op=other,
        hint='what uses a Variable, a queue or an iterator runs where that is; read the value '
             'outside, or put both on one task.')))

