"""Multiplies a gradient's smaller factor by the learning rate, instead of the gradient.

Gradient descent subtracts `rate * (x^T d)` from a weight matrix. The product is as large as the
weights, the factor d often much smaller, and `x^T (rate * d)` is the same except for rounding;
saving one pass over an array of the weights' size is a considerable part of a step.
"""
from __future__ import annotations

from collections import Counter
from math import prod

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import with_replaced
from tinyflow.compiler.passes.replacement import uses_if_any
from tinyflow.graph.op import Op

_LARGE = 1 << 16        # elements; below, the pass over memory costs less than one more instruction
_DESCENTS = {'ApplyGradientDescent': 'AssignSub',
             'ResourceApplyGradientDescent': 'AssignSubVariableOp'}
_SMALLER = 4            # the product must be at least this many times as large as the factor


def fold_learning_rate(program: Program) -> Program:
    """var -= rate * MatMul(a, b) becomes var -= MatMul(a, rate * b), if b is the smaller factor."""
    uses = uses_if_any(program, _DESCENTS)
    replacements: dict[Instruction, list[Instruction]] = {}
    if uses:
        made_at = {v: n for n, i in enumerate(program.instructions) for v in i.outputs}
        written = {i.inputs[n].variable for i in program.instructions for n in i.writes}
        for step in program.instructions:
            if step.type in _DESCENTS and _pays(step, uses, made_at, written):
                replacements.update(_scaled(step))
    kept = with_replaced(program, replacements)
    return program.with_instructions(kept, Note(
        'fold_learning_rate',
        f'{len(replacements) // 2} updates scale a small factor of their gradient',
        len(program.instructions), len(kept), len(replacements)))


def _pays(step: Instruction, uses: Counter, made_at: dict[Value, int], written: set) -> bool:
    _, rate, gradient = step.inputs
    product = gradient.producer
    if product is None or product.type != 'MatMul' or uses[gradient] != 1 \
            or gradient not in made_at or not gradient.known_shape or rate.raw_shape != () \
            or rate.variable is not None and rate.variable in written \
            or any(v.variable is not None for v in product.inputs):
        return False
    if made_at.get(rate, -1) >= made_at[gradient]:
        return False                    # the rate is not computed yet when the product is
    size = prod(gradient.sizes)
    return size >= _LARGE and any(
        v.known_shape and prod(v.sizes) * _SMALLER <= size for v in product.inputs)


def _scaled(step: Instruction) -> dict[Instruction, list[Instruction]]:
    """The replacements of a product and of the update that uses it."""
    variable, rate, gradient = step.inputs
    product = gradient.producer
    if product is None:
        return {}
    factors = list(product.inputs)
    small = min(range(2), key=lambda i: prod(factors[i].sizes) if factors[i].known_shape
                else float('inf'))
    scaled = Value(f'{step.name}/scaled', gradient.dtype, factors[small].raw_shape)
    multiply = Instruction(Op.registry['Mul'], step.operation, (factors[small], rate), (scaled,),
                           {})
    factors[small] = scaled
    subtract = Instruction(Op.registry[_DESCENTS[step.type]], step.operation, (variable, gradient),
                           step.outputs, step.attrs)
    return {product: [multiply, product.with_inputs(factors)], step: [subtract]}
