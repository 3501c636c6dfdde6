"""Stage 2: the execution order of operations, and which reads of Variables need a copy.

Creation order is already a topological order (but see `_in_order`), since a node's inputs exist
before the node. It remains to decide when Variables are written:

* an operation that uses a Variable sees the assignments that it depends on, and no others (in TF1
  the others are a race), so it runs before the others (but for the global step: step_counter.py);
* writes run as late as possible, so that values read before them are dead by then; a value that is
  still needed must be copied when it is read.

A Variable's default read, `v/read`, is an alias of its storage: what counts is when the value is
used, as TF1 programs expect (`with tf.control_dependencies([v.assign(1.)]): y = tf.identity(v)`). A
read that the program adds, `v.read_value()`, counts as a use. A fetched Variable is read last, as
in TF1: sess.run([train, w]) returns the new w.
"""
from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence

from tinyflow.compiler.step_counter import uses_of_increased_steps
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.variable_refs import is_variable_ref, variable_of, variable_read_by

Nodes = dict[Operation, list[Operation]]
Fed = Collection[Tensor]


def schedule(operations: list[Operation], fed: Fed = frozenset()) -> list[Operation]:
    """Sorts `operations`, given in creation order, into execution order."""
    if not any(operation.writes for operation in operations) and \
            _in_order(operations):
        return operations
    before = _dependencies(operations, fed)
    order = _topological(operations, before)
    late_reads = _reads_that_come_late(order, before, fed)
    if late_reads:
        for reader, writer in late_reads:
            before[writer].append(reader)
        order = _topological(operations, before, late_reads)
    return order


def _in_order(operations: list[Operation]) -> bool:
    """False if a control input, or an input of a loop, was added to an existing node."""
    return all(c.id < operation.id for operation in operations
               for c in operation.control_inputs) and \
        all(t.op.id < operation.id for operation in operations if operation.definition.functions
            for t in operation.inputs)


def _dependencies(operations: list[Operation], fed: Fed) -> Nodes:
    inside = set(operations)
    before = {operation: [op for op in dict.fromkeys(
        [t.op for t in operation.inputs if t not in fed] + list(operation.control_inputs))
        if op in inside] for operation in operations}
    for use, increase in uses_of_increased_steps(operations):
        before[use].append(increase)
    return before


def _topological(operations: list[Operation], before: Nodes,
                 optional: Iterable[tuple[Operation, Operation]] = ()) -> list[Operation]:
    """Kahn's algorithm; of the ready nodes, writes come last, then older nodes first.

    Drops `optional` edges, one at a time, while nothing is ready.
    """
    after: dict[Operation, list[Operation]] = {operation: [] for operation in operations}
    missing = {}
    for operation in operations:
        missing[operation] = len(before[operation])
        for needed in before[operation]:
            after[needed].append(operation)
    ready = [_priority(operation) for operation in operations if not missing[operation]]
    heapq.heapify(ready)
    optional = list(optional)
    order: list[Operation] = []
    by_id = {operation.id: operation for operation in operations}
    while len(order) < len(operations):
        if not ready:
            if not optional:
                cycle = ', '.join(o.name for o in operations if missing[o])[:200]
                raise ValueError(f'These operations wait for each other: {cycle}')
            reader, writer = optional.pop()
            if reader not in after:             # it has run: nothing waits for it
                continue
            after[reader].remove(writer)
            missing[writer] -= 1
            if not missing[writer]:
                heapq.heappush(ready, _priority(writer))
            continue
        operation = by_id[heapq.heappop(ready)[1]]
        order.append(operation)
        for later in after.pop(operation):
            missing[later] -= 1
            if not missing[later]:
                heapq.heappush(ready, _priority(later))
    return order


def _priority(operation: Operation) -> tuple[bool, int]:
    return bool(operation.writes), operation.id


def _variables_written(operation: Operation) -> list[Operation | None]:
    """The variables that an operation writes."""
    return [variable_of(operation.inputs[i]) for i in operation.writes]


def _variables_read(operation: Operation, fed: Fed) -> list[Operation | None]:
    """The variables that an operation reads (and does not just assign to)."""
    variables: list[Operation | None] = []
    for i, tensor in enumerate(operation.inputs):
        if tensor in fed:
            continue
        if not is_variable_ref(tensor):
            variable = variable_read_by(tensor)
            if variable is not None and not any(t in fed for t in tensor.op.inputs[:1]):
                variables.append(variable)
        elif i not in operation.writes:
            variables.append(variable_of(tensor))
    return variables


class _Writers:
    """Which writers each operation depends on, as bit sets with a bit for every writer."""

    def __init__(self, order: list[Operation], before: Nodes) -> None:
        self.of_variable: dict[Operation | None, list[Operation]] = {}
        self.bit: dict[Operation, int] = {}
        self.before: dict[Operation, int] = {}
        for operation in order:
            for variable in _variables_written(operation) if operation.writes else ():
                self.bit.setdefault(operation, 1 << len(self.bit))
                self.of_variable.setdefault(variable, []).append(operation)
        for operation in order:
            mask = 0
            for needed in before[operation]:
                mask |= self.before[needed] | self.bit.get(needed, 0)
            self.before[operation] = mask

    def unseen(self, operation: Operation, variable: Operation | None,
               done: int) -> list[Operation]:
        """The completed writers of `variable` that `operation` does not depend on.

        `done` is the bit set of the writers that have run.
        """
        return [writer for writer in self.of_variable.get(variable, ()) if writer is not operation
                and self.bit[writer] & done & ~self.before[operation]]


# `_reads_that_come_late` improves the order. For what no order solves, `stale_reads` (uses of
# `v/read`) and `reads_to_copy` (views of a Variable) tell `lower` what it must copy.

def _reads_that_come_late(order: list[Operation], before: Nodes,
                          fed: Fed) -> list[tuple[Operation, Operation]]:
    """(reader, writer) pairs where a write runs before a read that does not depend on it."""
    writers = _Writers(order, before)
    done = 0
    late: list[tuple[Operation, Operation]] = []
    for operation in order:
        for variable in _variables_read(operation, fed):
            late += [(operation, writer) for writer in writers.unseen(operation, variable, done)]
        done |= writers.bit.get(operation, 0)
    return late


def stale_reads(order: list[Operation],
                fed: Fed = frozenset()) -> set[tuple[Operation, Tensor]]:
    """(consumer, `v/read`) pairs where the storage changes before the consumer runs.

    The consumer needs the old value. This happens if operations swap the values of Variables.
    """
    stale: set[tuple[Operation, Tensor]] = set()
    writers = _Writers(order, _dependencies(order, fed))
    done = 0
    for operation in order:
        for tensor in operation.inputs:
            variable = None if tensor in fed or is_variable_ref(tensor) else \
                variable_read_by(tensor)
            if variable is not None and writers.unseen(operation, variable, done):
                stale.add((operation, tensor))
        done |= writers.bit.get(operation, 0)
    return stale


def reads_to_copy(order: list[Operation], fetches: Sequence[Tensor | Operation],
                  fed: Fed = frozenset()) -> set[Operation]:
    """Operations whose result is a view of a Variable's storage and is used after a write.

    Their result must be copied. A reference to a Variable is read when it is used, so only views
    matter here.
    """
    writes_done: dict[Operation | None, int] = {}
    read_at: dict[Tensor, tuple[Operation, int]] = {}
    copied = set()

    def use(tensor: Tensor) -> None:
        variable, count = read_at[tensor]
        if writes_done.get(variable, 0) > count:
            copied.add(tensor.op)

    for operation in order:
        for tensor in operation.inputs:
            if tensor in read_at and tensor not in fed:
                use(tensor)
        for variable in _variables_written(operation) if operation.writes else ():
            writes_done[variable] = writes_done.get(variable, 0) + 1
        variable = _viewed_variable(operation, read_at, fed)
        if variable is not None:
            read_at[operation.outputs[0]] = variable, writes_done.get(variable, 0)
    for fetch in fetches:
        if fetch in read_at and fetch not in fed:
            use(fetch)
    return copied


def _viewed_variable(operation: Operation, read_at: dict[Tensor, tuple[Operation, int]],
                     fed: Fed) -> Operation | None:
    """The Variable whose storage shares memory with an operation's result, or None."""
    if not operation.definition.view or is_variable_ref(operation.outputs[0]) \
            or variable_read_by(operation.outputs[0]) is not None:
        return None
    source = operation.inputs[0]
    if source in fed:
        return None
    if is_variable_ref(source):
        return variable_of(source)
    read = source.op.inputs                 # empty for a read that a function captures
    if variable_read_by(source) is not None and not (read and read[0] in fed):
        return variable_read_by(source)
    return read_at[source][0] if source in read_at else None
