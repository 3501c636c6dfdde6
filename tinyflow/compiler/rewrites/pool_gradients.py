"""Moves ReLU masks and bias gradients in front of the gradient of max pooling.

Max pooling sends each gradient to one element of its window, and all other elements get zero. So
the mask of a ReLU in front of it can be applied before the gradients are scattered, since the
largest element is the window's result; and their sum, a bias's gradient, is the same before and
after. Both then process only one element per window.
"""
from __future__ import annotations

from collections import Counter

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import with_replaced
from tinyflow.compiler.passes.replacement import uses_if_any

_SPREADS = frozenset({'MaxPoolGrad', 'MaxPool3DGrad'})
_LAST = frozenset({'NHWC', 'NDHWC'})        # channels come last


def mask_pool_gradients(program: Program) -> Program:
    """ReluGrad(MaxPoolGrad(x, y, dy), x) becomes MaxPoolGrad(x, y, ReluGrad(dy, y))."""
    uses = uses_if_any(program, ('ReluGrad',))
    gone: set[Instruction] = set()
    replacements: dict[Instruction, list[Instruction]] = {}
    small: dict[Value, Value] = {}          # scattered gradients -> the gradients before scattering
    for instruction in program.instructions if uses else ():
        spread = instruction.inputs[0].producer if instruction.type == 'ReluGrad' else None
        if spread is not None and _is_mask_of(instruction, spread, uses):
            gone.add(spread)
            masked = Value(f'{instruction.name}/masked', spread.inputs[2].dtype,
                           spread.inputs[2].raw_shape)
            replacements[instruction] = _masked_first(instruction, spread, masked)
            small[instruction.outputs[0]] = masked
        elif instruction.type in ('Sum', 'BiasAddGrad') and instruction.inputs[0] in small \
                and _is_over_positions(instruction):
            rest = instruction.inputs[1:]
            replacements[instruction] = [
                instruction.with_inputs([small[instruction.inputs[0]], *rest])]
    kept = with_replaced(program, replacements, gone)
    return program.with_instructions(kept, Note(
        'pool_gradients',
        f'{len(gone)} ReLU masks and {len(replacements) - len(gone)} sums of gradients '
        'are computed before max pooling scatters the gradients',
        len(program.instructions), len(kept), len(replacements)))


def _is_mask_of(mask: Instruction, spread: Instruction, uses: Counter) -> bool:
    if spread.type not in _SPREADS or spread.attrs['data_format'] not in _LAST:
        return False
    x, y, dy = spread.inputs
    if any(v.variable is not None for v in spread.inputs):
        return False                # it would be read later, perhaps after an assignment
    return mask.inputs[1] is x and uses[spread.outputs[0]] == 1 and not spread.copy \
        and x.known_shape and y.known_shape and y.raw_shape == dy.raw_shape


def _masked_first(mask: Instruction, spread: Instruction, masked: Value) -> list[Instruction]:
    x, y, dy = spread.inputs
    first = Instruction(mask.definition, mask.operation, (dy, y), (masked,), mask.attrs)
    return [first, Instruction(spread.definition, spread.operation, (x, y, masked), mask.outputs,
                               spread.attrs, mask.copy)]


def _is_over_positions(total: Instruction) -> bool:
    """True if all axes but the channels are summed."""
    if total.type == 'BiasAddGrad':
        return total.attrs['data_format'] != 'NCHW'
    axes, rank = total.inputs[1].array, len(total.inputs[0].sizes)
    return axes is not None and not total.attrs['keep_dims'] \
        and sorted(int(a) % rank for a in axes.reshape(-1)) == list(range(rank - 1))
