"""Errors at run time, which name the node, its inputs and the user's line."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.graph import shapes
from tinyflow.graph.constant_value import as_python
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import errors
from tinyflow.session.storage import VariableStorage


def explain_failure(instruction: Instruction, error: Exception,
                    arguments: Sequence[Any] | None = None) -> Exception:
    """The error to raise instead of `error`, which an instruction's kernel raised.

    A TF error keeps its class; ValueError, TypeError, IndexError and LinAlgError become
    InvalidArgumentError, MemoryError ResourceExhaustedError; anything else (an exception of the
    user's own function, say) stays as it is and gets a note.
    """
    operation = instruction.operation
    if isinstance(error, ValueError):
        error = _shapes_that_do_not_fit(instruction) or error
    if isinstance(error, errors.OpError):
        kind = type(error)
        if error.op is not None:
            return error
    elif isinstance(error, MemoryError):
        kind = errors.ResourceExhaustedError
    elif isinstance(error, (ValueError, TypeError, IndexError, np.linalg.LinAlgError)) \
            and not instruction.definition.calls_user_code:
        kind = errors.InvalidArgumentError
    else:
        note = f"while running {operation.type} '{operation.name}'"
        if operation.site:
            note += f', built at {operation.site}'
        if hasattr(error, 'add_note'):
            error.add_note(note)
        return error
    text = errors.report_failure(error, operation, _inputs(instruction, arguments))
    return kind(None, operation, text)


def _shapes_that_do_not_fit(instruction: Instruction) -> ValueError | None:
    """The error of the op's shape function for the shapes at run time, or None if they are valid.
    """
    inputs, definition = instruction.inputs, instruction.definition
    arguments = [v.raw_shape for v in inputs]
    for i in definition.static_flat_positions(len(arguments)):
        arguments[i] = as_python(inputs[i].array) if inputs[i].array is not None else None
    try:
        definition.check_static_ranks([v.raw_shape for v in inputs])
        definition.shapes_from(instruction.attrs, arguments, len(instruction.outputs))
    except ValueError as error:
        return error
    except Exception:                           # noqa: BLE001 - only improves the message
        return None
    return None


class _RuntimeTensor:
    """A tensor with its shape at run time, for messages."""

    def __init__(self, tensor: Tensor, array: Any, value: Value) -> None:
        self.name, self.op = tensor.name, tensor.op
        self.dtype = tensor.dtype.base_dtype
        shape = getattr(array, 'shape', None) if value.raw_shape is None else value.raw_shape
        self.shape_text = tensor.shape_text if shape is None else shapes.text(shape)


def _inputs(instruction: Instruction,
            arguments: Sequence[Any] | None) -> list[tuple[str, _RuntimeTensor]]:
    labelled = instruction.definition.labelled_inputs(instruction.operation)
    values = instruction.inputs
    if len(values) != len(labelled):
        return []
    if arguments is None or len(arguments) != len(labelled):
        arguments = [None] * len(labelled)
    return [(label, _RuntimeTensor(tensor, array, value))
            for (label, tensor), array, value in zip(labelled[:5], arguments, values)]


def too_large(results: Iterable[Value], arena_bytes: int) -> errors.OpError:
    """The error for results that do not fit in memory: names the largest."""
    largest = max(results, key=lambda v: v.nbytes)
    instruction = largest.producer
    operation = None if instruction is None else instruction.operation
    name = largest.name if operation is None else f"{operation.type} '{operation.name}'"
    return errors.ResourceExhaustedError(None, operation, errors.report(
        f'{name}: out of memory; the results of this run need {arena_bytes:,} bytes, and the '
        f'largest is {largest.dtype.name} {shapes.text(largest.raw_shape)}', op=operation,
        hint='a smaller batch; or look for an unintended broadcast, [n] with [n, 1].'))


def uninitialized(storages: Sequence[VariableStorage]) -> Exception:
    """The error for uninitialized Variables: names all that the run needs, not only the first."""
    operations = [storage.operation for storage in storages]
    first = operations[0]
    facts = _made_too_late(operations)
    if len(operations) > 1:
        names = ', '.join(f"'{op.name}'" for op in operations)
        facts.insert(0, (f'the run needs {len(operations)} uninitialized variables', names))
    return errors.FailedPreconditionError(None, first, errors.report(
        f'Attempting to use uninitialized value {first.name}', op=first, facts=facts,
        hint=f'sess.run({_initializers(operations)}) after the last Variable and optimizer '
             'were created, in this Session; or tf.initialize_missing_variables(sess), which '
             'keeps the values of the others.' + errors.why('uninitialised-variable')))


_ASSIGNMENTS = ('Assign', 'AssignVariableOp')


def _made_too_late(operations: Sequence[Operation]) -> list[tuple[str, str]]:
    """The Variables among these that were created after the last initializer, as a fact."""
    for init in reversed(operations[0].graph.get_operations()):
        if init.type != 'NoOp' or not init.control_inputs \
                or any(op.type not in _ASSIGNMENTS for op in init.control_inputs):
            continue                    # e.g. a training step, which also has other updates
        initialized = {op.inputs[0].op for op in init.control_inputs}
        late = [op for op in operations if op not in initialized and op.id > init.id]
        if not late:
            return []
        names = ', '.join(f"'{op.name}'" for op in late[:5]) + (' ...' if late[5:] else '')
        built_at = '' if init.site is None else f' ({init.site})'
        return [(f"created after the initializer '{init.name}'{built_at}, which does not "
                 'include them', names)]
    return []


def _initializers(operations: Sequence[Operation]) -> str:
    """The call or calls that initialize all of these Variables; metrics create local ones."""
    local = {v.op for v in operations[0].graph.get_collection(GraphKeys.LOCAL_VARIABLES)
             if hasattr(v, 'op')}
    kinds = [kind for kind, found in (
        ('global', any(op not in local for op in operations)),
        ('local', any(op in local for op in operations))) if found]
    calls = ', '.join(f'tf.{kind}_variables_initializer()' for kind in kinds)
    return calls if len(kinds) == 1 else f'[{calls}]'
