"""Takes stacks and sums of matrix products out of the bodies of loops.

The gradient of a loop reads the values of its steps in reverse: a list for each of them grows by an
element in each step of the loop, and shrinks by one in each step of the gradient's loop. A weight
that each step uses has the gradient x1^T d1 + x2^T d2 ..., summed step by step. The body needs
neither the lists nor the sums, so the loop can look after them (ops/control_flow/lifted_loop.py):
appending to a list of Python's costs next to nothing, and one product of stacked factors is faster
than many small ones, and than the sum of arrays as large as the weights.

Loops of known length are unrolled instead, with the same effect (see batch_matmul_sums).
"""
from __future__ import annotations

from collections.abc import Callable, Iterator

from tinyflow.compiler.ir import Instruction, Note, Program
from tinyflow.compiler.passes.builders import with_replaced
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.ops.control_flow.lifted_loop import Lifted

_AROUND = {'AddN', 'Shape', 'Sum'}       # what only the sum needs
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
        products = [body.product(t) for t in after.op.inputs if t is not before]
        factors = [(o.inputs[0], o.inputs[1]) for o in products if o is not None]
        if len(factors) == len(after.op.inputs) - 1:
            found.summed[p] = factors
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

    def product(self, tensor: Tensor) -> Operation | None:
        """The operation of a product transpose(a) b; None if the tensor is anything else.

        The product may have been summed along the axes of a broadcasting whose gradient it is:
        then the loop does that with the sum of products, whose shape says along which.
        """
        operation = tensor.op
        while operation.type in ('Reshape', 'Sum') and self._free(operation) \
                and _undoes_broadcasting(operation):
            operation = operation.inputs[0].op
        if operation.type not in _TRANSPOSED or not self._free(operation):
            return None
        first, second = _TRANSPOSED[operation.type]
        a, b = operation.inputs
        if operation.attrs[first] and not operation.attrs[second] \
                and not self.is_variable(a) and not self.is_variable(b) \
                and all(o.type in _AROUND for o in operation.outputs[0].consumers()) \
                and a.raw_shape is not None and b.raw_shape is not None \
                and None not in a.raw_shape[:-2] and a.raw_shape[:-2] == b.raw_shape[:-2]:
            return operation
        return None


def _undoes_broadcasting(operation: Operation) -> bool:
    """True for the Reshape and the Sum of shape_ops.sum_to_shape_of."""
    if operation.type == 'Reshape':
        return operation.inputs[0].op.type == 'Sum'
    return operation.inputs[1].op.type == 'BroadcastGradientArgs' \
        and not operation.attrs['keep_dims']
