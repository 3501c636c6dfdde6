"""Stage 4: shape inference and constant folding of a Program, for given feed shapes.

Once the fed shapes are known, `tf.shape(x)` is a constant, and so is everything computed from it.
Values that do not depend on feeds or Variables are computed here, once, instead of in every run.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tinyflow.compiler.functions.infer_functions import infer_functions
from tinyflow.compiler.functions.list_shape import ListShape
from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import as_python, evaluate
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.background import may_end_here

_LARGEST_CONSTANT = 1 << 20     # elements of a folded result
_LARGEST_STATIC = 64            # elements of an integer value that shapes may depend on


def infer(program: Program, feed_shapes: Sequence[shapes.Shape], fold: bool = True) -> Program:
    """Infers the shapes of all values for feeds of the given (maybe partial) shapes.

    With fold=False only the small integers that shapes depend on are folded.
    """
    new: dict[Value, Value] = {}
    for value, shape in zip(program.feeds, feed_shapes):
        new[value] = Value(value.name, value.dtype, shape)
        if isinstance(shape, ListShape):
            new[value].static = shape.elements
    instructions: list[Instruction] = []
    for old in program.instructions:
        inputs, outputs, settled = [], [], True     # settled: nothing new is known of the shapes
        for v in old.inputs:
            value = new.get(v) or _source_value(v, new)
            inputs.append(value)
            settled = settled and value.raw_shape == v.raw_shape
        lost = not settled and _lost_a_shape(inputs, old.inputs)
        for v in old.outputs:
            value = new[v] = Value(v.name, v.dtype, None if lost else v.raw_shape)
            outputs.append(value)
            settled = settled and value.known_shape
        instruction = Instruction(old.definition, old.operation, tuple(inputs), tuple(outputs),
                                  old.attrs, old.copy)
        if not infer_and_fold(instruction, fold, settled) or old.operation in program.targets:
            instructions.append(instruction)
    feeds = tuple(new[v] for v in program.feeds)
    fetches = tuple(None if v is None else new.get(v) or _source_value(v, new)
                    for v in program.fetches)
    folded = len(program.instructions) - len(instructions)
    note = Note('infer', f'{folded} folded to constants for these feed shapes',
                len(program.instructions), len(instructions), folded)
    return replace(program, instructions=tuple(instructions), feeds=feeds, fetches=fetches,
                   notes=program.notes + (note,))


def _source_value(value: Value, new: dict[Value, Value]) -> Value:
    """The new Value of a Variable's storage, or of a function's parameter with a known value.

    The static shape of a Variable counts only if no assignment can change it.
    """
    shape = None if value.variable is None or _may_change_shape(value.variable) else value.raw_shape
    fresh = new[value] = Value(value.name, value.dtype, shape, value.variable)
    if value.array is not None:                 # a function's parameter with a known value
        fresh.array, fresh.raw_shape = value.array, value.array.shape
    return fresh


def _may_change_shape(variable: Operation) -> bool:
    return any(op.type == 'Assign' and not op.attrs['validate_shape']
               for op in variable.outputs[0].consumers())


def _lost_a_shape(inputs: Sequence[Value], old_inputs: Sequence[Value]) -> bool:
    """True if an input's shape is unknown here but known in the graph (validate_shape=False).

    Then the static shapes of the graph must not be relied on.
    """
    return any(v.raw_shape is None and old.raw_shape is not None
               for v, old in zip(inputs, old_inputs))


@may_end_here
def infer_and_fold(instruction: Instruction, fold: bool, settled: bool = False) -> bool:
    """Sets the outputs' shapes (unless they are settled), and their values if they are constant;
    True if all of them are.
    """
    definition, outputs = instruction.definition, instruction.outputs
    if definition.type == 'Const':
        outputs[0].array = instruction.attrs['value']
        return True
    if not settled and not _infer_shapes(instruction):
        return False
    if definition.bind is not None:
        infer_functions(instruction, infer)
    if not definition.pure or definition.writes or instruction.copy or not outputs:
        return False
    if definition.fold_partial is not None and len(outputs) == 1 \
            and _partly_known(instruction, outputs[0]):
        return outputs[0].array is not None
    for value in instruction.inputs:
        if value.array is None:
            return False
    if definition.kernel is None or definition.state is not None or not instruction.inputs:
        return False
    if any(v.dtype in dtypes.HANDLES for v in outputs):
        return False
    if not fold and not _matters_to_shapes(outputs):
        return False
    if any((shapes.size(v.raw_shape) or 0) > _LARGEST_CONSTANT for v in outputs):
        return False
    try:
        arrays = evaluate(instruction, [v.array for v in instruction.inputs])
    except Exception:                               # noqa: BLE001 - the run will say what is wrong
        return False
    for value, array in zip(outputs, arrays):
        value.array = array
        value.raw_shape = array.shape
    return True


def _matters_to_shapes(outputs: Sequence[Value]) -> bool:
    return all(v.dtype.is_integer and (shapes.size(v.raw_shape) or 0) <= _LARGEST_STATIC
               for v in outputs)


def _infer_shapes(instruction: Instruction) -> bool:
    """Refines the outputs' shapes by those of the inputs; False if the inputs are invalid."""
    definition = instruction.definition
    arguments = [v.raw_shape for v in instruction.inputs]
    if definition.static_positions:
        for i in definition.static_flat_positions(len(arguments)):
            arguments[i] = static_of(instruction.inputs[i])
    try:
        if definition.static_positions:
            definition.check_static_ranks([v.raw_shape for v in instruction.inputs])
        found = definition.shapes_from(instruction.attrs, arguments, len(instruction.outputs))
    except ValueError:
        return False    # the kernel will raise an error that names the shapes
    for value, shape in zip(instruction.outputs, found):
        if shape == value.raw_shape:
            continue
        try:
            value.raw_shape = shapes.merge(value.raw_shape, shape)
        except ValueError:
            value.raw_shape = shape
    return True


def static_of(value: Value) -> Any:
    """The known content of a value, in the form that shape functions take; None if unknown."""
    return as_python(value.array) if value.array is not None else value.static


def _partly_known(instruction: Instruction, output: Value) -> bool:
    """Applies the op's `fold_partial`, such as that of Shape; True if it gives anything."""
    known = instruction.definition.fold_partial(instruction, static_of)
    if known is None:
        return False
    if isinstance(known, tuple) and None in known:
        output.static = known
    else:
        output.array = np.asarray(known, output.dtype.np)
        output.raw_shape = output.array.shape
    return True
