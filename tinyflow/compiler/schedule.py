"""Stage 2: the order in which operations run, and which reads of Variables need a copy.

Creation order is already a topological order, since a node's inputs exist before the node. What is
left to decide is when Variables are written:

* an operation that uses a Variable sees the assignments that it is ordered after, and no others
  (TF1 leaves the others a race), so it comes before those;
* writes come as late as they can, so that values read before them are dead by then; a value
  that is not must be copied when it is read.

A Variable's own read, `v/read`, is only a name for its storage: what counts is when the value is
used, as TF1 programs expect (`with tf.control_dependencies([v.assign(1.)]): y = tf.identity(v)`). A
read that the program makes itself, `v.read_value()`, is a use. A Variable that is fetched is read
when all else is done, as TF1 always had it: sess.run([train, w]) gives the new w.
"""
from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence

from tinyflow.graph.dtypes import resource
from tinyflow.graph.handles import is_place, variable_of
from tinyflow.graph.operation import Operation, Tensor

Nodes = dict[Operation, list[Operation]]
Fed = Collection[Tensor]

# How the name of a Variable's own read ends, by the type of that node.
_OWN_READS = {'Identity': '/read', 'ReadVariableOp': '/Read/ReadVariableOp'}


def place_of(tensor: Tensor) -> Operation | None:
    """The VariableV2 or VarHandleOp whose storage `tensor` stands for; None for a value."""
    while is_place(tensor):
        operation = tensor.op
        writes = operation.writes
        if tensor.dtype is resource:
            return variable_of(tensor)
        if not operation.inputs:
            source = _captured(tensor)
            if source is None:
                return operation
            tensor = source
            continue
        tensor = operation.inputs[writes[0] if writes else 0]
    return None


def _captured(tensor: Tensor) -> Tensor | None:
    """What a placeholder inside a function stands for, where that is a tensor from around it."""
    graph = tensor.op.graph
    return None if graph.outer_graph is None else graph.source_of(tensor)


def snapshot_of(tensor: Tensor) -> Operation | None:
    """The VariableV2 of which `tensor` is the Variable's own read, or None."""
    operation = tensor.op
    if operation.type == 'Placeholder':
        source = _captured(tensor)
        return None if source is None else snapshot_of(source)
    ending = _OWN_READS.get(operation.type)
    if ending is None or operation.control_inputs or not is_place(operation.inputs[0]):
        return None
    place = place_of(operation.inputs[0])
    return place if place is not None and operation.name == place.name + ending else None


def schedule(operations: list[Operation], fed: Fed = frozenset()) -> list[Operation]:
    """`operations` (in creation order) in the order in which they run."""
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
    """False if a control input, or an input of a loop, was added after both were made."""
    return all(c.id < operation.id for operation in operations
               for c in operation.control_inputs) and \
        all(t.op.id < operation.id for operation in operations if operation.definition.functions
            for t in operation.inputs)


def _dependencies(operations: list[Operation], fed: Fed) -> Nodes:
    inside = set(operations)
    return {operation: [op for op in dict.fromkeys(
        [t.op for t in operation.inputs if t not in fed] + list(operation.control_inputs))
        if op in inside] for operation in operations}


def _topological(operations: list[Operation], before: Nodes,
                 optional: Iterable[tuple[Operation, Operation]] = ()) -> list[Operation]:
    """Kahn's algorithm, writes last, then by creation; drops `optional` edges to break a cycle."""
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
            after[reader].remove(writer)
            missing[writer] -= 1
            if not missing[writer]:
                heapq.heappush(ready, _priority(writer))
            continue
        operation = by_id[heapq.heappop(ready)[1]]
        order.append(operation)
        for later in after[operation]:
            missing[later] -= 1
            if not missing[later]:
                heapq.heappush(ready, _priority(later))
    return order


def _priority(operation: Operation) -> tuple[bool, int]:
    return bool(operation.writes), operation.id


def _written(operation: Operation) -> list[Operation | None]:
    """The places that an operation writes."""
    return [place_of(operation.inputs[i]) for i in operation.writes]


def _read(operation: Operation, fed: Fed) -> list[Operation | None]:
    """The places that an operation reads (and does not just assign to)."""
    places: list[Operation | None] = []
    for i, tensor in enumerate(operation.inputs):
        if tensor in fed:
            continue
        if not is_place(tensor):
            place = snapshot_of(tensor)
            if place is not None and not any(t in fed for t in tensor.op.inputs[:1]):
                places.append(place)
        elif i not in operation.writes:
            places.append(place_of(tensor))
    return places


class _Writers:
    """Which writers each operation comes after: a bit for every writer, carried along the order."""

    def __init__(self, order: list[Operation], before: Nodes) -> None:
        self.of_place: dict[Operation | None, list[Operation]] = {}
        self.bit: dict[Operation, int] = {}
        self.before: dict[Operation, int] = {}
        for operation in order:
            for place in _written(operation) if operation.writes else ():
                self.bit.setdefault(operation, 1 << len(self.bit))
                self.of_place.setdefault(place, []).append(operation)
        for operation in order:
            mask = 0
            for needed in before[operation]:
                mask |= self.before[needed] | self.bit.get(needed, 0)
            self.before[operation] = mask

    def unseen(self, operation: Operation, place: Operation | None, done: int) -> list[Operation]:
        """Writers of `place` in the bit set `done` that `operation` is not ordered after."""
        return [writer for writer in self.of_place.get(place, ()) if writer is not operation
                and self.bit[writer] & done & ~self.before[operation]]


def _reads_that_come_late(order: list[Operation], before: Nodes,
                          fed: Fed) -> list[tuple[Operation, Operation]]:
    """(reader, writer) pairs where the order puts a write before a read that does not follow it."""
    writers = _Writers(order, before)
    done = 0
    late: list[tuple[Operation, Operation]] = []
    for operation in order:
        for place in _read(operation, fed):
            late += [(operation, writer) for writer in writers.unseen(operation, place, done)]
        done |= writers.bit.get(operation, 0)
    return late


def stale_snapshots(order: list[Operation],
                    fed: Fed = frozenset()) -> set[tuple[Operation, Tensor]]:
    """(consumer, `v/read`) pairs where the storage has changed before the consumer runs.

    The consumer needs the value from before. This happens where operations exchange the values of
    Variables.
    """
    stale: set[tuple[Operation, Tensor]] = set()
    if not any(operation.writes for operation in order):
        return stale
    writers = _Writers(order, _dependencies(order, fed))
    done = 0
    for operation in order:
        for tensor in operation.inputs:
            place = None if tensor in fed or is_place(tensor) else snapshot_of(tensor)
            if place is not None and writers.unseen(operation, place, done):
                stale.add((operation, tensor))
        done |= writers.bit.get(operation, 0)
    return stale


def reads_to_copy(order: list[Operation], fetches: Sequence[Tensor | Operation],
                  fed: Fed = frozenset()) -> set[Operation]:
    """Operations whose result is a view of a Variable's storage and is used after a later write.

    Their result must be a copy. A place itself (a ref output) is read when it is used, so only
    views of it matter here.
    """
    if not any(operation.writes for operation in order):
        return set()
    writes_done: dict[Operation | None, int] = {}
    read_at: dict[Tensor, tuple[Operation, int]] = {}
    copied = set()

    def use(tensor: Tensor) -> None:
        place, count = read_at[tensor]
        if writes_done.get(place, 0) > count:
            copied.add(tensor.op)

    for operation in order:
        for tensor in operation.inputs:
            if tensor in read_at and tensor not in fed:
                use(tensor)
        for place in _written(operation) if operation.writes else ():
            writes_done[place] = writes_done.get(place, 0) + 1
        place = _views_place(operation, read_at, fed)
        if place is not None:
            read_at[operation.outputs[0]] = place, writes_done.get(place, 0)
    for fetch in fetches:
        if fetch in read_at and fetch not in fed:
            use(fetch)
    return copied


def _views_place(operation: Operation, read_at: dict[Tensor, tuple[Operation, int]],
                 fed: Fed) -> Operation | None:
    """The place whose storage an operation's (ordinary) result shares memory with."""
    if not operation.definition.view or is_place(operation.outputs[0]) \
            or snapshot_of(operation.outputs[0]) is not None:
        return None
    source = operation.inputs[0]
    if source in fed:
        return None
    if is_place(source):
        return place_of(source)
    read = source.op.inputs                 # none of a read that a function was handed
    if snapshot_of(source) is not None and not (read and read[0] in fed):
        return snapshot_of(source)
    return read_at[source][0] if source in read_at else None
