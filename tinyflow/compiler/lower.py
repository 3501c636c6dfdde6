"""Stage 3: converts ordered operations to a Program.

Variables are read without an instruction: an instruction that uses a Variable has the Variable's
storage as an input. Two kinds of reads are copies, an Identity with `copy` set: a fetched Variable,
after all writes, and a default read (`v/read`) whose consumer runs after a write and needs the old
value.
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
    feed_values = tuple(Value(t.name, t.dtype, t.raw_shape) for t in feeds)
    values = dict(zip(feeds, feed_values))  # of a tensor fed twice (as x and 'x:0'), the last
    fed = frozenset(values)
    storages: dict[Operation, Value] = {}       # Variable -> the Value that is its storage
    default_reads: dict[Tensor, Value] = {}     # `v/read` -> the storage that replaces it
    copies, stale = set[Operation](), set[tuple[Operation, Tensor]]()
    if any(operation.writes for operation in order):
        copies = reads_to_copy(order, fetches, fed)
        stale = stale_reads(order, fed)         # the consumer needs the value from before a write
    copied_reads = {tensor for _, tensor in stale}
    fetched_variables = {t for t in fetches
                         if isinstance(t, Tensor) and is_variable_ref(t) and t not in fed}
    fetched: dict[Tensor, Value] = {}           # fetched Variable -> the copy that is returned
    instructions: list[Instruction] = []
    final_reads: list[Instruction] = []         # fetched Variables are read after all writes
    for operation in order:
        inputs = tuple([values[t] if t not in copied_reads or (operation, t) in stale
                        else default_reads.get(t) or values[t] for t in operation.inputs])
        outputs = []
        for tensor in operation.outputs:
            value = Value(tensor.name, tensor.dtype, tensor.raw_shape)
            if tensor not in fed:
                if is_variable_ref(tensor):
                    value = _storage_value(tensor, value, storages)
                values[tensor] = value
            outputs.append(value)
        if operation.type == 'Placeholder':     # not fed: a function's parameter for a Variable
            instructions += _captured_variable(operation, values, storages, default_reads,
                                               copied_reads)
            continue
        is_default_read = bool(storages) and _is_default_read(operation, inputs, values)
        if is_default_read:
            default_reads[operation.outputs[0]] = inputs[0]
        if is_default_read and operation.outputs[0] not in copied_reads:
            values[operation.outputs[0]] = inputs[0]
        elif operation.inputs or not operation.outputs or not outputs[0].variable:
            # All but the nodes VariableV2 and VarHandleOp, whose output is the storage itself.
            # A reference that an assignment returns is its input, not a new value.
            made = tuple([v for v in outputs if not (v.variable and operation.inputs)])
            instructions.append(Instruction(operation.definition, operation, inputs, made,
                                            operation.attrs,
                                            operation in copies or is_default_read))
        if operation.type == 'While':
            instructions += _unchanged_loop_variables(operation, inputs, values, fed)
        for tensor in operation.outputs if fetched_variables else ():
            if tensor in fetched_variables:
                read = _copy(operation, values[tensor], tensor)
                fetched[tensor] = read.outputs[0]
                # A fetched `v` is read at the end, a fetched `v.assign(...)` right after it.
                (instructions if operation.inputs else final_reads).append(read)
    instructions += final_reads
    results = tuple(fetched.get(f) or default_reads.get(f) or values.get(f)
                    if isinstance(f, Tensor) else None
                    for f in fetches)
    targets = frozenset(f for f in fetches if not isinstance(f, Tensor))
    return Program(tuple(instructions), feed_values, results, targets,
                   reads=_variables_read(instructions, default_reads.values()))


def _variables_read(instructions: Sequence[Instruction],
                    default_reads: Iterable[Value]) -> frozenset[Operation]:
    """The Variables that are read, by their default reads (`v/read`) or by instructions."""
    values = [v for i in instructions if i.outputs
              for n, v in enumerate(i.inputs)
              if v.variable is not None and n not in i.storage_inputs]
    return frozenset([v.variable for v in (*values, *default_reads) if v.variable is not None])


def _captured_variable(operation: Operation, values: dict[Tensor, Value],
                       storages: dict[Operation, Value], default_reads: dict[Tensor, Value],
                       copied_reads: set[Tensor]) -> list[Instruction]:
    """Replaces a function's parameter that is a captured Variable by the Variable's storage."""
    tensor = operation.outputs[0]
    if is_variable_ref(tensor):
        return []                               # already done by _storage_value
    variable = variable_read_by(tensor)
    if variable is None:
        raise ValueError(f"the parameter '{tensor.name}' is neither fed nor a Variable's")
    storage = storages.get(variable)
    if storage is None:
        storage = storages[variable] = Value(variable.outputs[0].name,
                                             storage_dtype(variable),
                                             storage_shape(variable), variable)
    default_reads[tensor] = values[tensor] = storage
    if tensor not in copied_reads:
        return []
    read = _copy(operation, storage, tensor)        # used after a later assignment
    values[tensor] = read.outputs[0]
    return [read]


def _unchanged_loop_variables(operation: Operation, inputs: Sequence[Value],
                              values: dict[Tensor, Value],
                              fed: Collection[Tensor]) -> list[Instruction]:
    """Replaces each output of a loop that its body passes on unchanged by the loop's input.

    The output for a Variable (a captured one) becomes a copy of its value after the loop.
    """
    body = operation.attrs['body']
    reads = []
    for i, (tensor, value) in enumerate(zip(operation.outputs, inputs)):
        if body.outputs[i] is not body.inputs[i] or tensor in fed:
            continue
        if value.variable is not None:
            reads.append(_copy(operation, value, tensor))
            value = reads[-1].outputs[0]
        values[tensor] = value
    return reads


def _is_default_read(operation: Operation, inputs: Sequence[Value],
                     values: dict[Tensor, Value]) -> bool:
    """True for a Variable's default read (`v/read`), which its storage replaces in all uses."""
    return bool(inputs) and inputs[0].variable is not None and len(operation.outputs) == 1 \
        and variable_read_by(operation.outputs[0]) is not None \
        and not values[operation.outputs[0]].variable


def _storage_value(tensor: Tensor, value: Value, storages: dict[Operation, Value]) -> Value:
    """The Value of the storage that a ref tensor refers to; one for each Variable."""
    variable = variable_of(tensor)
    if variable is None:
        return value
    if variable not in storages:
        value.variable = variable
        value.raw_shape, value.dtype = storage_shape(variable), storage_dtype(variable)
        storages[variable] = value
    return storages[variable]


def _copy(operation: Operation, storage: Value, tensor: Tensor) -> Instruction:
    """An instruction that copies the array of a Variable, as the value of `tensor`."""
    value = Value(tensor.name, tensor.dtype, tensor.raw_shape)
    return Instruction(Op.registry['Identity'], operation, (storage,), (value,), {}, copy=True)
