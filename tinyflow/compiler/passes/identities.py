"""Drops operations that return their input: Identity, a reshape to the same shape, x * 1 ..."""
from __future__ import annotations

import numpy as np

from tinyflow.compiler.infer import static_of
from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.passes.replacement import Replacement

_ALWAYS = frozenset(('Identity', 'ReadVariableOp', 'StopGradient', 'PreventGradient',
                     'GuaranteeConst', 'Snapshot', 'PlaceholderWithDefault'))
_IF_SAME_SHAPE = frozenset(('Reshape', 'BroadcastTo', 'Tile', 'ExpandDims', 'Squeeze', 'Pad',
                            'PadV2', 'EnsureShape', 'Slice'))


def drop_identities(program: Program) -> Program:
    """Replaces the output of an instruction by its input where both are equal, bit for bit."""
    replacement = Replacement()
    kept = []
    # Functions look up Variables themselves, but a read of a Variable is passed to them.
    passed = {v for i in program.instructions if i.definition.captures is not None
              for v in i.inputs}
    views: set[Value] = set()           # of Variables' storage, by ops that make no copy
    for instruction in program.instructions:
        instruction = replacement.inputs(instruction)
        first = instruction.inputs[0] if instruction.inputs else None
        of_variable = first is not None and (first.variable is not None or first in views)
        source = _repeats(instruction, of_variable)
        if of_variable and instruction.definition.view and not instruction.copy:
            views.update(instruction.outputs)
        if source is not None and source.variable is not None and instruction.outputs[0] in passed:
            source = None
        if source is None:
            kept.append(instruction)
        else:
            replacement.put(instruction.outputs[0], source)
    return replacement.finish(program, kept, 'identities', len(replacement),
                              'nodes return their input unchanged')


def _repeats(instruction: Instruction, of_variable: bool) -> Value | None:
    """The input that the only output equals, or None.

    `of_variable`: the first input is a Variable's storage, or a view of it.
    """
    if instruction.copy or len(instruction.outputs) != 1 or not instruction.removable:
        return None
    kind, inputs, output = instruction.type, instruction.inputs, instruction.outputs[0]
    if not inputs or of_variable and not instruction.definition.view:
        return None     # only views of a Variable are known to need a copy or not (schedule.py)
    if kind in _ALWAYS:
        return inputs[0]
    if kind == 'Mul':
        return _times_one(inputs, output)
    if kind == 'AddN' and len(inputs) == 1:
        return inputs[0]
    if kind == 'Reshape' and _to_its_own_shape(inputs[0], inputs[1], output):
        return inputs[0]
    same = inputs[0].known_shape and inputs[0].raw_shape == output.raw_shape
    if not same:
        return None
    if kind in _IF_SAME_SHAPE:
        return inputs[0]
    if kind == 'Cast':
        return inputs[0] if inputs[0].dtype is output.dtype else None
    if kind == 'Transpose':
        perm = static_of(inputs[1])
        return inputs[0] if perm == tuple(range(len(output.sizes))) else None
    if kind == 'Sum' and static_of(inputs[1]) == ():
        return inputs[0]
    return None


def _to_its_own_shape(source: Value, shape: Value, output: Value) -> bool:
    """True for reshape(x, [shape(x)[0], 1]) and reshape(x, [-1, 1]) if x has the shape [?, 1].

    Feature columns contain many of them, and the batch size of a Dataset is not known statically.
    """
    sizes = source.raw_shape
    if sizes is None or sizes != output.raw_shape or sizes.count(None) != 1 or 0 in sizes:
        return False
    axis = sizes.index(None)
    wanted = static_of(shape)
    if isinstance(wanted, tuple) and wanted[axis] == -1:
        return True
    pack = shape.producer
    return (pack is not None and pack.type == 'Pack' and pack.attrs['axis'] == 0
            and _is_size(pack.inputs[axis], source, axis))


def _is_size(value: Value, source: Value, axis: int) -> bool:
    """True for shape(source)[axis]."""
    cut = value.producer
    if cut is None or cut.type != 'StridedSlice' or cut.attrs['shrink_axis_mask'] != 1 \
            or cut.attrs['begin_mask'] or static_of(cut.inputs[1]) != (axis,):
        return False
    shape = cut.inputs[0].producer
    return shape is not None and shape.type == 'Shape' and shape.inputs[0] is source


def _times_one(inputs: tuple[Value, ...], output: Value) -> Value | None:
    for one, other in (inputs, inputs[::-1]):
        array = one.array
        if array is not None and array.dtype.kind in 'fiu' and array.size \
                and (array.ndim == 0 or other.known_shape and other.raw_shape == output.raw_shape) \
                and array.flat[0] == 1 and (array.size == 1 or np.all(array == 1)):
            return other if other.variable is None else None
    return None
