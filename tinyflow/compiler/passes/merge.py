"""Common subexpression elimination: merges equal instructions, and equal constants."""
from __future__ import annotations

from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.passes.replacement import Replacement

_SMALL = 1024       # bytes; larger constants are compared by identity only


def merge_equal(program: Program) -> Program:
    """Computes each distinct pure expression once."""
    replacement = Replacement()
    seen: dict[tuple, tuple[Value, ...]] = {}
    constants: dict[tuple, Value] = {}
    written = {v for i in program.instructions if i.writes
               for v in i.inputs if v.variable is not None}
    kept = []
    for instruction in program.instructions:
        for value in instruction.inputs:
            if value.array is not None:
                _merge_constant(value, value.array, constants, replacement)
        instruction = replacement.inputs(instruction)
        key = _key(instruction, written)
        outputs = instruction.outputs
        first = outputs if key is None else seen.setdefault(key, outputs)
        if first is outputs:
            kept.append(instruction)
        else:
            for old, new in zip(outputs, first):
                replacement.put(old, new)
    return replacement.finish(program, kept, 'merge', len(program.instructions) - len(kept),
                              'duplicates merged')


def _merge_constant(value: Value, array: np.ndarray, constants: dict[tuple, Value],
                    replacement: Replacement) -> None:
    if array.dtype.kind == 'O' or array.nbytes > _SMALL:
        return
    if replacement(value) is not value:
        return
    first = constants.setdefault((array.dtype.char, array.shape, array.tobytes()), value)
    if first is not value:
        replacement.put(value, first)


def _key(instruction: Instruction, written: set[Value]) -> tuple | None:
    """A key that equal instructions share, or None if this one must not be merged."""
    if not instruction.removable or instruction.copy or not instruction.outputs:
        return None
    if written and not written.isdisjoint(instruction.inputs):
        return None
    definition, attrs = instruction.definition, instruction.attrs
    if definition.state is not None:
        return None
    names = definition.kernel_attrs
    try:
        key = (definition, tuple([id(v) for v in instruction.inputs]),
               instruction.outputs[0].dtype,
               tuple([_hashable(attrs[k]) for k in names]) if names else ())
        if names:
            hash(key)
    except TypeError:
        return None
    return key


def _hashable(value: Any) -> Any:
    if isinstance(value, (float, np.floating)):     # 0.0 == -0.0, but they are not the same
        return repr(value)
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else (
        type(value), value)
