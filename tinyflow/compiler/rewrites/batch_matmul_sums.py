"""Turns a sum of small matrix products into one product of stacked factors.

A weight used at every step of an unrolled recurrent network has the gradient x1^T d1 + x2^T d2 ...,
which is [x1; x2; ...]^T [d1; d2; ...]: one large product instead of many, and no sum of arrays as
large as the weights. The memory plan allocates the factors directly inside the stack.
"""
from __future__ import annotations

from collections import Counter

from tinyflow.compiler.ir import Instruction, Note, Program
from tinyflow.compiler.passes.builders import concatenated, with_replaced
from tinyflow.compiler.passes.replacement import uses_if_any
from tinyflow.graph.op import Op

_LEAST = 3              # products; below, stacking costs more than it saves
_ROWS = 1024            # of one factor; products with more are fast by themselves


def batch_matmul_sums(program: Program) -> Program:
    """AddN of MatMuls with transpose_a becomes ConcatV2, ConcatV2, MatMul."""
    sums = [i for i in program.instructions if i.type == 'AddN' and len(i.inputs) >= _LEAST] \
        if 'AddN' in program.types else []
    uses = uses_if_any(program, ('AddN',) if sums else ())
    gone: set[Instruction] = set()
    replacements: dict[Instruction, list[Instruction]] = {}
    for instruction in sums:
        products = [v.producer for v in instruction.inputs]
        if all(p is not None and _stackable(p, uses) for p in products):
            factors = [p for p in products if p is not None]
            gone.update(factors)
            replacements[instruction] = _stacked(instruction, factors)
    kept = with_replaced(program, replacements, gone)
    return program.with_instructions(kept, Note(
        'batch_matmul_sums',
        f'{len(gone)} matrix products are summed as {len(replacements)} of stacked factors',
        len(program.instructions), len(kept), len(gone)))


def _stackable(product: Instruction, uses: Counter) -> bool:
    if product.type != 'MatMul':
        return False
    a, b = product.inputs
    return product.attrs['transpose_a'] \
        and not product.attrs['transpose_b'] and uses[product.outputs[0]] == 1 \
        and not product.copy and a.known_shape and b.known_shape and a.sizes[0] <= _ROWS \
        and a.variable is None and b.variable is None and a.dtype.is_floating


def _stacked(total: Instruction, products: list[Instruction]) -> list[Instruction]:
    stacks = []
    for side in range(2):
        factors = [p.inputs[side] for p in products]
        rows = sum(f.sizes[0] for f in factors)
        stacks.append(concatenated(total, factors, 0, (rows, factors[0].sizes[1])))
    product = Instruction(Op.registry['MatMul'], total.operation,
                          tuple([s.outputs[0] for s in stacks]), total.outputs,
                          products[0].attrs, total.copy)
    return [*stacks, product]
