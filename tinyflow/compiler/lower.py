"""Stage 3: ordered operations become a Program.

Variables are places: an instruction that reads one names its place as an input, and what a fetch
reads of a place is made an instruction of its own, at the moment when it must be read.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.schedule import (
    place_of,
    reads_to_copy,
    snapshot_of,
    stale_snapshots,
)
from tinyflow.graph.handles import is_place, place_dtype, place_shape
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Operation, Tensor


def lower(order: list[Operation], feeds: Sequence[Tensor],
          fetches: Sequence[Tensor | Operation]) -> Program:
    """The Program that runs `order`, taking `feeds` (tensors) and giving `fetches`."""
    given = tuple(Value(t.name, t.dtype, t.raw_shape) for t in feeds)
    values = dict(zip(feeds, given))        # of a tensor fed twice (as x and 'x:0'), the last
    places: dict[Operation, Value] = {}
    copies = reads_to_copy(order, fetches, values)
    stale = stale_snapshots(order, values)
    kept_snapshots = {tensor for _, tensor in stale}
    fetched_places = {t for t in fetches
                      if isinstance(t, Tensor) and is_place(t) and t not in values}
    instructions: list[Instruction] = []
    results: dict[Tensor, Value] = {}
    last: list[Instruction] = []            # a fetched Variable is read when all else is done
    snapshots: dict[Tensor, Value] = {}
    for operation in order:
        inputs = tuple([values[t] if (operation, t) in stale else snapshots.get(t) or values[t]
                        for t in operation.inputs])
        outputs = []
        for tensor in operation.outputs:
            fed = tensor in values
            value = Value(tensor.name, tensor.dtype, tensor.raw_shape)
            if not fed and is_place(tensor):
                value = _place_value(tensor, value, places)
            if not fed:
                values[tensor] = value
            outputs.append(value)
        if operation.type == 'Placeholder':     # of a function: it stands for a place
            instructions += _parameter(operation, values, places, snapshots, kept_snapshots)
            continue
        is_snapshot = _names_a_place(operation, inputs, values)
        if is_snapshot:
            snapshots[operation.outputs[0]] = inputs[0]
        if is_snapshot and operation.outputs[0] not in kept_snapshots:
            values[operation.outputs[0]] = inputs[0]
        elif operation.inputs or not operation.outputs or not outputs[0].place:
            made = tuple(v for v in outputs if not (v.place and operation.inputs))
            instructions.append(Instruction(operation.definition, operation, inputs, made,
                                            operation.attrs, operation in copies or is_snapshot))
        if operation.type == 'While':
            instructions += _handed_on(operation, inputs, values, frozenset(feeds))
        for tensor in operation.outputs:
            if tensor in fetched_places:
                read = _read(operation, values[tensor], tensor)
                results[tensor] = read.outputs[0]
                (instructions if operation.inputs else last).append(read)
    instructions += last
    wanted = tuple(results.get(f) or snapshots.get(f) or values.get(f)
                   if isinstance(f, Tensor) else None
                   for f in fetches)
    targets = frozenset(f for f in fetches if not isinstance(f, Tensor))
    return Program(tuple(instructions), given, wanted, targets,
                   reads=_reads(instructions, snapshots.values()))


def _reads(instructions: Sequence[Instruction], snapshots: Iterable[Value]) -> frozenset[Operation]:
    """The places that are read by their Variables' own reads and by instructions."""
    values = [v for i in instructions if i.outputs
              for n, v in enumerate(i.inputs) if v.place is not None and n not in i.cells]
    return frozenset([v.place for v in (*values, *snapshots) if v.place is not None])


def _parameter(operation: Operation, values: dict[Tensor, Value], places: dict[Operation, Value],
               snapshots: dict[Tensor, Value], kept: set[Tensor]) -> list[Instruction]:
    """Lets a function's parameter stand for a Variable's storage, or a reading of it."""
    tensor = operation.outputs[0]
    if is_place(tensor):
        return []                               # it is a place already
    root = snapshot_of(tensor)
    if root is None:
        raise ValueError(f"the parameter '{tensor.name}' is neither fed nor a Variable's")
    place = places.get(root)
    if place is None:
        place = places[root] = Value(root.outputs[0].name, place_dtype(root), place_shape(root),
                                     root)
    snapshots[tensor] = values[tensor] = place
    if tensor not in kept:
        return []
    read = _read(operation, place, tensor)      # used after a later assignment
    values[tensor] = read.outputs[0]
    return [read]


def _handed_on(operation: Operation, inputs: Sequence[Value],
               values: dict[Tensor, Value], fed: Collection[Tensor]) -> list[Instruction]:
    """Lets the outputs of a loop that are its inputs unchanged be those; places are read."""
    body = operation.attrs['body']
    reads = []
    for i, (tensor, value) in enumerate(zip(operation.outputs, inputs)):
        if body.outputs[i] is not body.inputs[i] or tensor in fed:
            continue
        if value.place is not None:
            reads.append(_read(operation, value, tensor))
            value = reads[-1].outputs[0]
        values[tensor] = value
    return reads


def _names_a_place(operation: Operation, inputs: Sequence[Value],
                   values: dict[Tensor, Value]) -> bool:
    """True for a Variable's own read, which stands for the storage wherever it is used."""
    return bool(operation.inputs) and len(operation.outputs) == 1 \
        and snapshot_of(operation.outputs[0]) is not None and inputs[0].place is not None \
        and not values[operation.outputs[0]].place


def _place_value(tensor: Tensor, value: Value, places: dict[Operation, Value]) -> Value:
    """One Value stands for a Variable's storage, whichever ref tensor names it."""
    root = place_of(tensor)
    if root is None:
        return value
    if root not in places:
        value.place = root
        value.raw_shape, value.dtype = place_shape(root), place_dtype(root)
        places[root] = value
    return places[root]


def _read(operation: Operation, place: Value, tensor: Tensor) -> Instruction:
    value = Value(tensor.name, tensor.dtype, tensor.raw_shape)
    return Instruction(Op.registry['Identity'], operation, (place,), (value,), {}, copy=True)
