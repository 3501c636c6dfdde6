"""Replaces reads of tensor lists by the elements, if all elements of the list are known.

Once a loop is unrolled, all indices of its lists are constants: an element read from a list is a
value that was put into it. The instructions that built the list are then unused.
"""
from __future__ import annotations

from tinyflow.compiler.functions.known_stacks import Stacks
from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.replacement import Replacement
from tinyflow.graph.op import Op

Elements = list['Value | None']         # None: element not set
Lists = dict[Value, Elements]


def resolve_lists(program: Program) -> Program:
    """Replaces reads of list elements by the values written, and stacks of lists by Pack."""
    lists: Lists = {}
    stacks = Stacks()
    replacement = Replacement()
    kept: list[Instruction] = []
    count = 0
    for old in program.instructions:
        instruction = replacement.inputs(old)
        if instruction.type in _KEEPERS and any(v.variable is not None for v in instruction.inputs):
            instruction = _with_variables_read(instruction, kept)
        element = stacks.element(instruction)
        if element is not None:
            replacement.put(instruction.outputs[0], element)
            continue
        maker = _MAKERS.get(instruction.type)
        if maker is not None:
            elements = stacks.rows(instruction, kept) if maker is _rows else None
            if elements is None:
                elements = maker(instruction, lists, kept)
            if elements is not None:
                lists[instruction.outputs[0]] = elements
        reader = _READERS.get(instruction.type)
        found = reader(instruction, lists) if reader is not None else None
        if isinstance(found, Value):
            replacement.put(instruction.outputs[-1], found)
            count += 1
            if instruction.type != 'TensorListPopBack':
                continue
        elif found is not None:
            instruction = found
            count += 1
        stacks.note(instruction)
        kept.append(instruction)
    note = Note('lists', f'{count} reads of list elements are replaced by the elements',
                len(program.instructions), len(kept), count)
    fetches = tuple(None if v is None else replacement(v) for v in program.fetches)
    return program.with_instructions(kept, note, fetches)


_KEEPERS = {'Pack', 'StridedSliceGrad', 'TensorListPushBack', 'TensorListSetItem'}


def _with_variables_read(instruction: Instruction, kept: list[Instruction]) -> Instruction:
    """Reads Variables when they are written to a list: they may change before the list is read."""
    inputs = []
    for value in instruction.inputs:
        if value.variable is not None:
            read = Value(f'{instruction.name}/{value.name}', value.dtype, value.raw_shape)
            kept.append(Instruction(Op.registry['Identity'], instruction.operation, (value,),
                                    (read,), {'T': value.dtype}, copy=True))
            value = read
        inputs.append(value)
    return instruction.with_inputs(inputs)


def _number(value: Value) -> int | None:
    return None if value.array is None else int(value.array)


# ---- instructions that create a list: its elements, or None if they are unknown ----------------


def _empty(instruction: Instruction, lists: Lists, kept: list[Instruction]) -> Elements | None:
    return []


def _reserved(instruction: Instruction, lists: Lists, kept: list[Instruction]) -> Elements | None:
    size = _number(instruction.inputs[1])
    return None if size is None or size < 0 else [None] * size


def _rows(instruction: Instruction, lists: Lists, kept: list[Instruction]) -> Elements | None:
    tensor = instruction.inputs[0]
    if not tensor.known_shape or not tensor.sizes:
        return None
    rows = tuple([Value(f'{tensor.name}[{row}]', tensor.dtype, tensor.sizes[1:])
                  for row in range(tensor.sizes[0])])
    if rows:
        kept.append(Instruction(Op.registry['Unpack'], instruction.operation, (tensor,), rows,
                                {'num': len(rows), 'axis': 0, 'T': tensor.dtype}))
    return list(rows)


def _longer(instruction: Instruction, lists: Lists, kept: list[Instruction]) -> Elements | None:
    elements = lists.get(instruction.inputs[0])
    return None if elements is None else [*elements, instruction.inputs[1]]


def _shorter(instruction: Instruction, lists: Lists, kept: list[Instruction]) -> Elements | None:
    elements = lists.get(instruction.inputs[0])
    return elements[:-1] if elements else None


def _changed(instruction: Instruction, lists: Lists, kept: list[Instruction]) -> Elements | None:
    elements, index = lists.get(instruction.inputs[0]), _number(instruction.inputs[1])
    if elements is None or index is None or not 0 <= index < len(elements):
        return None
    return [*elements[:index], instruction.inputs[2], *elements[index + 1:]]


def _same(instruction: Instruction, lists: Lists, kept: list[Instruction]) -> Elements | None:
    return lists.get(instruction.inputs[0])


_MAKERS = {'Identity': _same, 'EmptyTensorList': _empty, 'TensorListReserve': _reserved,
           'TensorListFromTensor': _rows, 'TensorListPushBack': _longer,
           'TensorListPopBack': _shorter, 'TensorListSetItem': _changed}


# ---- instructions that read a list: the value, a replacing instruction, or None ----------------


def _item(instruction: Instruction, lists: Lists) -> Value | None:
    elements, index = lists.get(instruction.inputs[0]), _number(instruction.inputs[1])
    if elements is None or index is None or not 0 <= index < len(elements):
        return None
    return elements[index]


def _last(instruction: Instruction, lists: Lists) -> Value | None:
    elements = lists.get(instruction.inputs[0])
    return elements[-1] if elements else None


def _stacked(instruction: Instruction, lists: Lists) -> Instruction | None:
    elements = lists.get(instruction.inputs[0])
    known = [e for e in elements or () if e is not None]
    if not elements or len(known) < len(elements) or not known[0].known_shape or \
            any(e.raw_shape != known[0].raw_shape for e in known):
        return None
    return Instruction(Op.registry['Pack'], instruction.operation, tuple(known),
                       instruction.outputs, {'N': len(known), 'T': known[0].dtype, 'axis': 0},
                       instruction.copy)


_READERS = {'TensorListGetItem': _item, 'TensorListPopBack': _last, 'TensorListStack': _stacked}
