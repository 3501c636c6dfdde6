"""Stage 3: converts ordered operations to a Program.

Variables are read without an instruction: an instruction that uses a Variable has the Variable's
storage as an input. Only the fetch of a Variable becomes a read, scheduled after all writes.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.schedule import reads_to_copy, stale_reads
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.variable_refs import (
    is_variable_ref,
    storage_dtype,
    storage_shape,
    variable_of,
    variable_read_by,
)


def lower(order: list[Operation], feeds: Sequence[Tensor],
          fetches: Sequence[Tensor | Operation]) -> Program:
    """The Program that runs the operations in `order`, from `feeds` (tensors) to `fetches`."""
    given = tuple(Value(t.name, t.dtype, t.raw_shape) for t in feeds)
    values = dict(zip(feeds, given))        # of a tensor fed twice (as x and 'x:0'), the last
    storages: dict[Operation, Value] = {}
    copies = reads_to_copy(order, fetches, values)
    stale = stale_reads(order, values)
    kept_reads = {tensor for _, tensor in stale}
    fetched_variables = {t for t in fetches
                      if isinstance(t, Tensor) and is_variable_ref(t) and t not in values}
    instructions: list[Instruction] = []
    results: dict[Tensor, Value] = {}
    last: list[Instruction] = []            # fetched Variables are read at the end
    own_reads: dict[Tensor, Value] = {}
    for operation in order:
        inputs = tuple([values[t] if (operation, t) in stale else own_reads.get(t) or values[t]
                        for t in operation.inputs])
        outputs = []
        for tensor in operation.outputs:
            fed = tensor in values
            value = Value(tensor.name, tensor.dtype, tensor.raw_shape)
            if not fed and is_variable_ref(tensor):
                value = _storage_value(tensor, value, storages)
            if not fed:
                values[tensor] = value
            outputs.append(value)
        if operation.type == 'Placeholder':     # a function's parameter that is a Variable
            instructions += _parameter(operation, values, storages, own_reads, kept_reads)
            continue
        is_own_read = _is_own_read(operation, inputs, values)
        if is_own_read:
            own_reads[operation.outputs[0]] = inputs[0]
        if is_own_read and operation.outputs[0] not in kept_reads:
            values[operation.outputs[0]] = inputs[0]
        elif operation.inputs or not operation.outputs or not outputs[0].variable:
            made = tuple(v for v in outputs if not (v.variable and operation.inputs))
            instructions.append(Instruction(operation.definition, operation, inputs, made,
                                            operation.attrs, operation in copies or is_own_read))
        if operation.type == 'While':
            instructions += _unchanged_loop_variables(operation, inputs, values, frozenset(feeds))
        for tensor in operation.outputs:
            if tensor in fetched_variables:
                read = _read(operation, values[tensor], tensor)
                results[tensor] = read.outputs[0]
                (instructions if operation.inputs else last).append(read)
    instructions += last
    wanted = tuple(results.get(f) or own_reads.get(f) or values.get(f)
                   if isinstance(f, Tensor) else None
                   for f in fetches)
    targets = frozenset(f for f in fetches if not isinstance(f, Tensor))
    return Program(tuple(instructions), given, wanted, targets,
                   reads=_reads(instructions, own_reads.values()))


def _reads(instructions: Sequence[Instruction], own_reads: Iterable[Value]) -> frozenset[Operation]:
    """The Variables that are read, by their default reads (`v/read`) or by instructions."""
    values = [v for i in instructions if i.outputs
              for n, v in enumerate(i.inputs)
              if v.variable is not None and n not in i.storage_inputs]
    return frozenset([v.variable for v in (*values, *own_reads) if v.variable is not None])


def _parameter(operation: Operation, values: dict[Tensor, Value], storages: dict[Operation, Value],
               own_reads: dict[Tensor, Value], kept: set[Tensor]) -> list[Instruction]:
    """Replaces a function's parameter that is a captured Variable by the Variable's storage."""
    tensor = operation.outputs[0]
    if is_variable_ref(tensor):
        return []                               # already done by _storage_value
    root = variable_read_by(tensor)
    if root is None:
        raise ValueError(f"the parameter '{tensor.name}' is neither fed nor a Variable's")
    storage = storages.get(root)
    if storage is None:
        storage = storages[root] = Value(root.outputs[0].name, storage_dtype(root),
                                         storage_shape(root), root)
    own_reads[tensor] = values[tensor] = storage
    if tensor not in kept:
        return []
    read = _read(operation, storage, tensor)      # used after a later assignment
    values[tensor] = read.outputs[0]
    return [read]


def _unchanged_loop_variables(operation: Operation, inputs: Sequence[Value],
               values: dict[Tensor, Value], fed: Collection[Tensor]) -> list[Instruction]:
    """Replaces outputs of a loop that the body does not change by its inputs; reads Variables."""
    body = operation.attrs['body']
    reads = []
    for i, (tensor, value) in enumerate(zip(operation.outputs, inputs)):
        if body.outputs[i] is not body.inputs[i] or tensor in fed:
            continue
        if value.variable is not None:
            reads.append(_read(operation, value, tensor))
            value = reads[-1].outputs[0]
        values[tensor] = value
    return reads


def _is_own_read(operation: Operation, inputs: Sequence[Value],
                   values: dict[Tensor, Value]) -> bool:
    """True for a Variable's default read (`v/read`), which its storage replaces in all uses."""
    return bool(operation.inputs) and len(operation.outputs) == 1 \
        and variable_read_by(operation.outputs[0]) is not None and inputs[0].variable is not None \
        and not values[operation.outputs[0]].variable


def _storage_value(tensor: Tensor, value: Value, storages: dict[Operation, Value]) -> Value:
    """The Value of the storage that a ref tensor refers to; one for each Variable."""
    root = variable_of(tensor)
    if root is None:
        return value
    if root not in storages:
        value.variable = root
        value.raw_shape, value.dtype = storage_shape(root), storage_dtype(root)
        storages[root] = value
    return storages[root]


def _read(operation: Operation, storage: Value, tensor: Tensor) -> Instruction:
    value = Value(tensor.name, tensor.dtype, tensor.raw_shape)
    return Instruction(Op.registry['Identity'], operation, (storage,), (value,), {}, copy=True)
