"""The global step that a program increases itself: as in TF1, its other uses see the new value.

`global_step.assign(global_step + 1)` that waits for nothing is a race in TF1 with all uses of the
step in the same run (BERT's learning rate is one). The assignment is two small nodes away from the
Variable, and wins practically always. An optimizer's own increase waits for its updates, and is not
meant here.
"""
from __future__ import annotations

from collections.abc import Iterator

from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.variable_refs import variable_of, variable_read_by


def uses_of_increased_steps(
        operations: list[Operation]) -> Iterator[tuple[Operation, Operation]]:
    """(use, assignment): uses of a global step, and the assignment that they come after."""
    for increase in operations:
        if increase.type in ('Assign', 'AssignAdd') and not increase.control_inputs:
            step = variable_of(increase.inputs[0])
            if step is not None and _is_global_step(step) and _adds_a_constant(increase, step):
                needed = increase.inputs[1].op
                for operation in operations:
                    if operation is not needed and \
                            any(variable_read_by(t) is step for t in operation.inputs):
                        yield operation, increase


def _is_global_step(variable: Operation) -> bool:
    kept = variable.graph.get_collection(GraphKeys.GLOBAL_STEP)
    return variable in [step.op for step in kept] and variable.outputs[0].raw_shape == ()


def _adds_a_constant(operation: Operation, variable: Operation) -> bool:
    value = operation.inputs[1]
    if operation.type == 'AssignAdd':
        return _is_constant(value)
    total = value.op
    return total.type in ('Add', 'AddV2') and not total.control_inputs and \
        variable_read_by(total.inputs[0]) is variable and _is_constant(total.inputs[1])


def _is_constant(tensor: Tensor) -> bool:
    return tensor.op.type == 'Const' and not tensor.op.control_inputs
