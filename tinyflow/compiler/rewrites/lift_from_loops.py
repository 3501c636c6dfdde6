"""Takes stacks and sums of matrix products out of the bodies of loops.

The gradient of a loop reads the values of its steps in reverse: a list for each of them grows by an
element in each step of the loop, and shrinks by one in each step of the gradient's loop. A weight
that each step uses has the gradient x1^T d1 + x2^T d2 ..., summed step by step. The body needs
neither the lists nor the sums, so the loop can look after them (ops/control_flow/lifted_loop.py):
appending to a list of Python's costs next to nothing, and one product of stacked factors is faster
than many small ones, and than the sum of arrays as large as the weights. The same holds for the
parts of a weight that the gates of a Keras cell use, and for their biases.

Loops of known length are unrolled instead, with the same effect (see batch_matmul_sums).
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate

from tinyflow.compiler.ir import Instruction, Note, Program
from tinyflow.compiler.passes.builders import with_replaced
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.ops.array.slicing import slices_read
from tinyflow.ops.control_flow.lifted_loop import Lifted, Product

_AROUND = {'AddN', 'ConcatV2', 'Shape', 'StridedSliceGrad', 'Sum'}     # leave the body with a sum
_TRANSPOSED = {'MatMul': ('transpose_a', 'transpose_b'), 'BatchMatMulV2': ('adj_x', 'adj_y')}


def lift_stacks(program: Program) -> Program:
    """Pushes and pops of loops happen outside of their bodies."""
    return _with_lifted(program, 'lift_stacks', 'lists', _stacks)


def lift_sums(program: Program) -> Program:
    """Sums of matrix products over the steps of loops become products of stacked factors."""
    return _with_lifted(program, 'lift_sums', 'sums', _sums)


def _with_lifted(program: Program, name: str, what: str,
                 find: Callable[[Instruction], Lifted]) -> Program:
    replacements: dict[Instruction, list[Instruction]] = {}
    count = 0
    for instruction in program.instructions if 'While' in program.types else ():
        if instruction.type == 'While':
            found = find(instruction)
            before = instruction.attrs.get('_lifted', Lifted({}, {}, {}))
            if found.positions:
                both = Lifted(*[a | b for a, b in zip(before, found)])
                replacements[instruction] = [Instruction(
                    instruction.definition, instruction.operation, instruction.inputs,
                    instruction.outputs, {**instruction.attrs, '_lifted': both}, instruction.copy)]
                count += len(found.positions)
    kept = with_replaced(program, replacements)
    return program.with_instructions(kept, Note(
        name, f'{count} {what} are taken out of loops', len(kept), len(kept), count))


def _stacks(loop: Instruction) -> Lifted:
    found = Lifted({}, {}, {})
    body = _Body(loop)
    for p, before, after in body.alone():
        operation = after.op
        if operation.type == 'TensorListPushBack' and operation.inputs[1] is not before \
                and not body.is_variable(operation.inputs[1]):
            found.pushed[p] = operation
        elif operation.type == 'TensorListPopBack' and after is operation.outputs[0]:
            found.popped[p] = operation
    return found


def _sums(loop: Instruction) -> Lifted:
    found = Lifted({}, {}, {})
    body = _Body(loop)
    for p, before, after in body.alone():
        if after.op.type != 'AddN' or not after.dtype.is_floating:
            continue
        terms = [body.products(t) for t in after.op.inputs if t is not before]
        if all(terms) and len(terms) == len(after.op.inputs) - 1:
            found.summed[p] = [product for term in terms for product in term]
    return found


class _Body:
    """The body of a loop, and what else in it and in the condition uses a tensor."""

    def __init__(self, loop: Instruction) -> None:
        self._condition: FuncGraph = loop.attrs['cond']
        self._body: FuncGraph = loop.attrs['body']
        self._positions = loop.attrs.get('_inputs') or range(len(loop.inputs))
        self._storages = {self._body.inputs[p] for p, value in zip(self._positions, loop.inputs)
                          if value.variable is not None}
        self._waited_for: set[Operation] = {c for operation in self._body.get_operations()
                                            for c in operation.control_inputs}

    def alone(self) -> Iterator[tuple[int, Tensor, Tensor]]:
        """(position, before a step, after it) of variables that one operation reads and changes.

        Nothing waits for the operation, and it waits for nothing.
        """
        outputs = self._body.outputs
        for p in self._positions:
            before, after = self._body.inputs[p], outputs[p]
            if before is not after and not after.consumers() and outputs.count(after) == 1 \
                    and self._free(after.op) and not self._in_condition(p):
                read = self._only_read(before, after.op)
                if read is not None:
                    yield p, read, after

    def _only_read(self, tensor: Tensor, reader: Operation) -> Tensor | None:
        """The tensor, or its Identity, that `reader` reads and nothing else does."""
        users = tensor.consumers()
        if len(users) != 1 or tensor in self._body.outputs:
            return None
        if users[0] is reader:
            return tensor
        if users[0].type == 'Identity' and self._free(users[0]):
            return self._only_read(users[0].outputs[0], reader)
        return None

    def _in_condition(self, p: int) -> bool:
        tensor = self._condition.inputs[p]
        return bool(tensor.consumers()) or tensor in self._condition.outputs

    def _free(self, operation: Operation) -> bool:
        return not operation.control_inputs and operation not in self._waited_for

    def is_variable(self, tensor: Tensor) -> bool:
        return tensor in self._storages

    def products(self, tensor: Tensor) -> list[Product]:
        """The products that a term of a sum consists of; none if it is anything else."""
        operation = tensor.op
        if operation.type == 'StridedSliceGrad':
            terms, parts = operation.inputs[4:], _part_read(operation)
        elif operation.type == 'ConcatV2':
            terms, parts = operation.inputs[:-1], _parts_joined(operation)
        else:
            whole = self._product(tensor)
            return [] if whole is None else [whole]
        if not parts or not self._free(operation):
            return []
        products = [product._replace(part=part) for product, part in
                    zip(map(self._product, terms), parts) if product is not None]
        return products if len(products) == len(terms) else []

    def _product(self, tensor: Tensor) -> Product | None:
        """The product that the tensor is, or the sum of rows; None if it is anything else.

        The product may have been summed along the axes of a broadcasting whose gradient it is. The
        loop then adds up whole products, and their sum is summed along those axes, to its shape.
        """
        operation = tensor.op
        if operation.type == 'BiasAddGrad':
            rows = operation.inputs[0]
            is_matrix = rows.raw_shape is not None and len(rows.raw_shape) == 2
            return Product(None, rows, False, operation, ()) \
                if is_matrix and self._may_be_lifted(operation) else None
        while operation.type in ('Reshape', 'Sum') and self._free(operation) \
                and _undoes_broadcasting(operation):
            operation = operation.inputs[0].op
        if operation.type not in _TRANSPOSED:
            return None
        first, second = _TRANSPOSED[operation.type]
        a, b = operation.inputs
        if operation.attrs[first] and not operation.attrs[second] \
                and self._may_be_lifted(operation) \
                and a.raw_shape is not None and b.raw_shape is not None \
                and None not in a.raw_shape[:-2] and a.raw_shape[:-2] == b.raw_shape[:-2]:
            return Product(a, b, operation is not tensor.op, operation, ())
        return None

    def _may_be_lifted(self, operation: Operation) -> bool:
        """Whether the loop may compute what only a sum needs, from values of a step."""
        return self._free(operation) and not any(map(self.is_variable, operation.inputs)) \
            and all(o.type in _AROUND for o in operation.outputs[0].consumers())


def _part_read(gradient: Operation) -> list[tuple]:
    """The index of the slice whose gradient this is; none if it is not known."""
    shape, begin, end, strides = [constant_value(t) for t in gradient.inputs[:4]]
    if shape is None or begin is None or end is None or strides is None:
        return []
    part = slices_read(len(shape), begin.tolist(), end.tolist(), strides.tolist(), gradient.attrs)
    return [] if part is None else [part]


def _parts_joined(operation: Operation) -> list[tuple]:
    """The index of each part of a ConcatV2; none if it is not known."""
    *parts, along = operation.inputs
    axis = constant_value(along)
    shapes = [t.raw_shape for t in parts if t.raw_shape is not None and None not in t.raw_shape]
    if axis is None or len(shapes) < len(parts):
        return []
    axis = int(axis) % len(shapes[0])
    sizes = [shape[axis] for shape in shapes]
    return [(*[slice(None)] * axis, slice(end - size, end))
            for size, end in zip(sizes, accumulate(sizes))]


def _undoes_broadcasting(operation: Operation) -> bool:
    """True for the Reshape and the Sum of shape_ops.sum_to_shape_of."""
    if operation.type == 'Reshape':
        return operation.inputs[0].op.type == 'Sum'
    return operation.inputs[1].op.type == 'BroadcastGradientArgs' \
        and not operation.attrs['keep_dims']
