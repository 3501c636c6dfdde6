"""Instructions with native kernels, and the arrays that such kernels get and return."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction, Note, Program, Value

__all__ = ['native_instruction', 'note', 'result', 'stored', 'whole']

_numbers = count()


def native_instruction(instruction: Instruction, kernel: Callable[..., Any],
                       inputs: Sequence[Value] | None = None,
                       outputs: Sequence[Value] | None = None) -> Instruction:
    """The instruction with another kernel; it takes over the outputs.

    `kernel(*inputs, out=None)` gets no attributes. With `inputs` or `outputs` it stands for several
    instructions, of which `instruction` names the node.
    """
    base: Any = instruction.definition
    definition = type(base)(base.__name__, (base,), {}, abstract=True)
    definition.kernel = staticmethod(kernel)
    definition.type = f'native_{base.type}_{next(_numbers)}'    # the kernel's name in the source
    definition.kernel_attrs = ()
    definition.emit = None
    definition.kernel_has_out = True
    return Instruction(definition, instruction.operation,
                       instruction.inputs if inputs is None else tuple(inputs),
                       instruction.outputs if outputs is None else tuple(outputs),
                       instruction.attrs)


def note(program: Program, instructions: Sequence[Instruction], library: str,
         moved: Counter[str]) -> Note:
    """What `tf.explain` says: which ops of the program `library` computes, and how many."""
    text = ', '.join(f'{kind} ({count})' if count > 1 else kind for kind, count in moved.items())
    return Note('native', f'by {library}: {text}', len(program.instructions), len(instructions),
                sum(moved.values()))


def whole(array: np.ndarray) -> np.ndarray:
    """The array without gaps in memory."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def result(out: np.ndarray | None, shape: tuple[int, ...],
           dtype: Any = np.float32) -> np.ndarray:
    """Memory for a result: `out`, unless there is none or it has gaps (part of a concatenation)."""
    return np.empty(shape, dtype) if out is None or not out.flags.c_contiguous else out


def stored(result: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    """The result, copied to `out` if it was computed elsewhere."""
    if out is None:
        return result
    if result is not out:
        out[...] = result
    return out
