"""Adds the biases of a recurrent cell inside its product: x W + b = [x, 1] [W; b].

The cell concatenates its input and its state anyway, and an additional column of ones costs
next to nothing. It saves a pass over the pre-activations of all gates in every step; and the
gradients, [x, 1]^T d summed over the steps, are those of the weights and, in the last row, of the
biases. A constant that every step adds to a gate, such as the forget bias, is added to the biases
once.
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tinyflow.compiler.infer import static_of
from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import concatenated, constant, new, part_of
from tinyflow.graph import dtypes

_LEAST = 10             # steps
_ROWS = 1024            # of one factor, as in stacks
_WORTH = 4              # times, at least, that the steps' rows outnumber the rows of the weights


class _Step(NamedTuple):
    """BiasAdd(MatMul(ConcatV2(...), weights), biases)."""

    join: Instruction
    product: Instruction
    sum: Instruction


class _Gradients(NamedTuple):
    """The sums of the steps' gradients of the weights and of the biases, and their terms."""

    of_weights: Instruction
    of_biases: Instruction
    first: Instruction              # the one of the two that comes first; it needs all of d, too
    parts: list[Instruction]
    factors: list[Value]            # d, for each step


class _Shifted(NamedTuple):
    """Split(sum), and those of its parts to which constants are added: position -> Add(part, c)."""

    split: Instruction
    sums: dict[int, Instruction]


class _Context:
    """Users and positions of values, for the rewrite."""

    def __init__(self, program: Program) -> None:
        self.users: dict[Value, list[Instruction]] = defaultdict(list)
        self.positions: dict[Instruction, int] = {}
        self.kept = {v for v in program.fetches if v is not None}      # used outside of `users`
        for n, instruction in enumerate(program.instructions):
            self.positions[instruction] = n
            for value in instruction.inputs:
                self.users[value].append(instruction)
            if instruction.operation in program.targets:
                self.kept.update(instruction.outputs)


def fold_rnn_biases(program: Program) -> Program:
    """BiasAdd(MatMul(ConcatV2(x), w), b), ten times or more, becomes a MatMul with w and b stacked.
    """
    if 'BiasAdd' not in program.types \
            or sum(i.type == 'BiasAdd' for i in program.instructions) < _LEAST:
        return _with_note(program, program.instructions, 0)
    context = _Context(program)
    groups: dict[tuple[Value, Value], list[_Step]] = defaultdict(list)
    replacements: dict[Instruction, list[Instruction]] = {}
    count = change = 0              # `change`: last position at which a Variable may have changed
    for position, instruction in enumerate(program.instructions):
        step = _step(instruction, context)
        if step is not None and context.positions[step.product] >= change:
            groups[step.product.inputs[1], step.sum.inputs[1]].append(step)
        elif instruction.writes or not instruction.definition.pure:
            count += _fold_groups(groups, context, replacements)
            change = position
    count += _fold_groups(groups, context, replacements)
    return _with_note(program, [new for old in program.instructions
                                for new in replacements.get(old, [old])], count)


def _with_note(program: Program, kept: Sequence[Instruction], count: int) -> Program:
    return program.with_instructions(kept, Note(
        'rnn_bias', f'{count} biases are added inside matrix products',
        len(program.instructions), len(kept), count))


def _step(sum_: Instruction, context: _Context) -> _Step | None:
    if sum_.type != 'BiasAdd' or sum_.copy or sum_.attrs['data_format'] != 'NHWC':
        return None
    value, biases = sum_.inputs
    product = value.producer
    if product is None or product.type != 'MatMul' or product.copy or value in context.kept \
            or len(context.users[value]) != 1 or not value.known_shape \
            or not value.dtype.is_floating or product.attrs['transpose_a'] \
            or product.attrs['transpose_b'] or not all(
                v.known_shape for v in (*product.inputs, biases)):
        return None
    joined = product.inputs[0]
    join = joined.producer
    if join is None or join.type != 'ConcatV2' or join.copy or joined in context.kept \
            or joined.sizes[0] > _ROWS or static_of(join.inputs[-1]) not in (1, -1):
        return None
    return _Step(join, product, sum_)


def _fold_groups(groups: dict[tuple[Value, Value], list[_Step]],
                 context: _Context, replacements: dict[Instruction, list[Instruction]]) -> int:
    """Adds the replacements for the steps of each group that has enough of them."""
    count = 0
    for (weights, _), steps in groups.items():
        rows = sum(s.product.outputs[0].sizes[0] for s in steps)
        if len(steps) < _LEAST or rows < _WORTH * weights.sizes[0] \
                or len({s.join for s in steps}) < len(steps):
            continue
        others = {u for s in steps for u in context.users[s.join.outputs[0]]
                  if u is not s.product}
        gradients = _gradients(steps, context) if others else None
        if others and (gradients is None or not others <= set(gradients.parts)):
            continue
        count += 1
        _fold(steps, gradients, _shifted(steps, context), replacements)
    groups.clear()
    return count


def _shifted(steps: list[_Step], context: _Context) -> list[_Shifted]:
    """For each step, the Split and the Adds of constants, if equal in all steps; else []."""
    found = [_shift(step, context) for step in steps]
    first = found[0]
    for shifted in found:
        if shifted is None or first is None or not shifted.sums \
                or [v.sizes for v in shifted.split.outputs] \
                != [v.sizes for v in first.split.outputs] \
                or {n: _added(a) for n, a in shifted.sums.items()} \
                != {n: _added(a) for n, a in first.sums.items()}:
            return []
    return [shifted for shifted in found if shifted is not None]


def _shift(step: _Step, context: _Context) -> _Shifted | None:
    result = step.sum.outputs[0]
    users = context.users[result]
    if len(users) != 1 or result in context.kept or users[0].type != 'Split' or users[0].copy \
            or static_of(users[0].inputs[0]) not in (1, -1):
        return None
    sums = {}
    for n, part in enumerate(users[0].outputs):
        adders = context.users[part]
        if len(adders) == 1 and part not in context.kept and part.known_shape \
                and _added(adders[0]) is not None \
                and adders[0].outputs[0].raw_shape == part.raw_shape:
            sums[n] = adders[0]
    return _Shifted(users[0], sums)


def _added(instruction: Instruction) -> float | None:
    """The scalar constant that an instruction adds to a value; None if it does not."""
    if instruction.type not in ('Add', 'AddV2') or instruction.copy:
        return None
    for value, other in (instruction.inputs, instruction.inputs[::-1]):
        if value.array is not None and value.array.ndim == 0 and other.array is None:
            return float(value.array)
    return None


def _gradients(steps: list[_Step], context: _Context) -> _Gradients | None:
    """The gradients of the weights and biases, if they are sums over just these steps."""
    parts, factors, sums = [], [], []
    for step in steps:
        joined = step.join.outputs[0]
        found = [u for u in context.users[joined] if u is not step.product]
        if len(found) != 1 or not _is_gradient(found[0], joined):
            return None
        factor = found[0].inputs[1]
        of_biases = [u for u in context.users[factor]
                     if u.type == 'BiasAddGrad' and u.attrs['data_format'] == 'NHWC']
        if len(of_biases) != 1:
            return None
        for part in (found[0], of_biases[0]):
            result = part.outputs[0]
            if part.copy or result in context.kept or len(context.users[result]) != 1:
                return None
            parts.append(part)
            sums.append(context.users[result][0])
        factors.append(factor)
    of_weights, of_biases_ = sums[0], sums[1]
    for n, total in enumerate(sums):
        if total is not (of_weights, of_biases_)[n % 2] or total.type != 'AddN' or total.copy \
                or len(total.inputs) != len(steps):
            return None
    first = min(of_weights, of_biases_, key=lambda total: context.positions[total])
    return _Gradients(of_weights, of_biases_, first, parts, factors)


def _is_gradient(product: Instruction, joined: Value) -> bool:
    return product.type == 'MatMul' and product.inputs[0] is joined \
        and product.attrs['transpose_a'] and not product.attrs['transpose_b'] \
        and product.inputs[1].known_shape and product.inputs[1].variable is None


def _fold(steps: list[_Step], gradients: _Gradients | None, shifted: list[_Shifted],
          replacements: dict[Instruction, list[Instruction]]) -> None:
    first = steps[0]
    weights, biases = first.product.inputs[1], first.sum.inputs[1]
    rows, columns = weights.sizes
    row = new('Reshape', first.sum, [biases, constant(first.sum, 'shape', [1, columns])],
              (1, columns), {'Tshape': dtypes.int32})
    made = [row]
    if shifted:
        made.append(_shift_biases(row, shifted[0]))
        for split, sums in shifted:
            outputs = [sums[n].outputs[0] if n in sums else part
                       for n, part in enumerate(split.outputs)]
            replacements[split] = [Instruction(split.definition, split.operation, split.inputs,
                                               tuple(outputs), split.attrs)]
            replacements.update((sum_, []) for sum_ in sums.values())
    stacked = concatenated(first.sum, [weights, made[-1].outputs[0]], 0, (rows + 1, columns))
    wider = []
    for step in steps:
        *values, _ = step.join.inputs
        count = step.join.outputs[0].sizes[0]
        ones = constant(step.join, 'ones', np.ones((count, 1), weights.dtype.np))
        join = concatenated(step.join, [*values, ones], 1, (count, rows + 1))
        wider.append(join.outputs[0])
        replacements[step.join] = [join]
        replacements[step.product] = []
        replacements[step.sum] = [Instruction(
            step.product.definition, step.sum.operation, (join.outputs[0], stacked.outputs[0]),
            step.sum.outputs, step.product.attrs)]
    replacements[first.sum] = [*made, stacked, *replacements[first.sum]]
    if gradients is not None:
        replacements.update((part, []) for part in gradients.parts)
        _fold_gradients(gradients, wider, rows, columns, replacements)


def _shift_biases(row: Instruction, shifted: _Shifted) -> Instruction:
    """Adds the constants of the gates to the parts of the biases, `row` [1, columns]."""
    biases = row.outputs[0]
    shift = [np.full(part.sizes[1], _added(shifted.sums[n]) if n in shifted.sums else 0)
             for n, part in enumerate(shifted.split.outputs)]
    constants = constant(row, 'shift', np.concatenate(shift)[None].astype(biases.dtype.np))
    return new('AddV2', row, [biases, constants], biases.sizes, {})


def _fold_gradients(gradients: _Gradients, wider: list[Value], rows: int, columns: int,
                    replacements: dict[Instruction, list[Instruction]]) -> None:
    """One product for both gradients, instead of the first of the two sums."""
    of_weights, of_biases = gradients.of_weights, gradients.of_biases
    height = sum(v.sizes[0] for v in wider)
    a = concatenated(of_weights, wider, 0, (height, rows + 1))
    b = concatenated(of_weights, gradients.factors, 0, (height, columns))
    both = new('MatMul', of_weights, [a.outputs[0], b.outputs[0]], (rows + 1, columns),
               gradients.parts[0].attrs)
    last = part_of(of_biases, both.outputs[0], [rows, 0], [1, columns])
    upper = part_of(of_weights, both.outputs[0], [0, 0], [rows, columns], of_weights.outputs[0])
    vector = new('Reshape', of_biases,
                 [last.outputs[0], constant(of_biases, 'shape', [columns])], (columns,),
                 {'Tshape': dtypes.int32}, of_biases.outputs[0])
    replacements[of_weights] = replacements[of_biases] = []
    replacements[gradients.first] = [a, b, both, upper, last, vector]
