"""Transposes a matrix once if many small products use its transpose.

BLAS packs a factor that is read along its columns more slowly. A recurrent network multiplies the
gradient of every step by the transpose of the same weights; transposing them costs as much time
as five such products lose.
"""
from __future__ import annotations

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import concatenated, constant, new, with_replaced
from tinyflow.graph import dtypes

_LEAST = 10             # products with one matrix
_ROWS = 1024            # of the other factor; larger products are not affected by the packing
_SMALLEST = 1 << 12     # elements of the matrix


def pretranspose(program: Program) -> Program:
    """MatMul(a, b, transpose_b=True) for ten or more different a use one transposed copy of b."""
    replacements: dict[Instruction, list[Instruction]] = {}
    readers: dict[Value, list[Instruction]] = {}
    count = 0
    for instruction in program.instructions if 'MatMul' in program.types else ():
        if _reads_transpose(instruction):
            readers.setdefault(instruction.inputs[1], []).append(instruction)
        elif instruction.writes or not instruction.definition.pure:
            count += _turn(readers, replacements)    # the matrix may view a Variable that changes
    count += _turn(readers, replacements)
    kept = with_replaced(program, replacements)
    return program.with_instructions(kept, Note(
        'pretranspose', f'{count} matrices are transposed once for many products',
        len(program.instructions), len(kept), count))


def _reads_transpose(instruction: Instruction) -> bool:
    if instruction.type != 'MatMul' or instruction.copy or not instruction.attrs['transpose_b']:
        return False
    a, b = instruction.inputs
    return a.known_shape and b.known_shape and not instruction.attrs['transpose_a'] \
        and a.sizes[0] <= _ROWS and b.sizes[0] * b.sizes[1] >= _SMALLEST and b.dtype.is_floating


def _turn(readers: dict[Value, list[Instruction]],
          replacements: dict[Instruction, list[Instruction]]) -> int:
    """Adds the replacements for the users of each matrix that has enough of them."""
    count = 0
    for matrix, products in readers.items():
        if len(products) >= _LEAST:
            count += 1
            view, turned = _transposed(matrix, products[0])
            for product in products:
                attrs = {**product.attrs, 'transpose_b': False}
                replacements[product] = [Instruction(
                    product.definition, product.operation,
                    (product.inputs[0], turned.outputs[0]), product.outputs, attrs)]
            replacements[products[0]] = [view, turned, *replacements[products[0]]]
    readers.clear()
    return count


def _transposed(matrix: Value, product: Instruction) -> tuple[Instruction, Instruction]:
    """Instructions that compute the transpose as a contiguous copy."""
    shape = matrix.sizes[::-1]
    view = new('Transpose', product, [matrix, constant(product, 'perm', [1, 0])], shape,
               {'Tperm': dtypes.int32})
    return view, concatenated(product, view.outputs, 0, shape)
