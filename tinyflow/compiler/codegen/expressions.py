"""Instructions as Python expressions, and what the names in those expressions are bound to."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from tinyflow.compiler.codegen.results import may_be_kept
from tinyflow.compiler.codegen.tiling import Group
from tinyflow.compiler.ir import Instruction
from tinyflow.compiler.memory.location import Location
from tinyflow.compiler.memory.plan import MemoryPlan
from tinyflow.graph.constant_value import as_python
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Operation

_OUT_BY_KEYWORD = frozenset((np.maximum, np.minimum))   # their third position is deprecated


class Call:
    """One instruction as source text; what an op's `emit(call)` gets to work with.

    `args` are the source of the inputs, `out` that of the buffer for the result ('None' if the call
    has to allocate it), `inputs` and `outputs` the Values with dtype and raw_shape, `static[i]` the
    known Python value of a static input (None if it is known only while running). `emit` returns an
    expression whose value is the result (and which has stored it in `out` if that is not 'None'),
    or None to have the kernel called.
    """

    __slots__ = ('args', 'out', 'inputs', 'outputs', 'attrs', 'static', 'constant')

    def __init__(self, args: list[str], out: str, instruction: Instruction,
                 static: dict[int, Any], constant: Callable[[Any], str]) -> None:
        self.args = args
        self.out = out
        self.inputs = instruction.inputs
        self.outputs = instruction.outputs
        self.attrs = instruction.attrs
        self.static = static
        self.constant = constant


class Expressions:
    """Writes the instructions of a plan as expressions.

    `names` receives the kernels and constants in them. Two kinds of names are bound later, when
    the program meets a Session: `state_operations` (s6 -> operation), and `with_functions` (f8 ->
    instruction), the callables of the branches of a cond or the body of a loop.
    """

    def __init__(self, plan: MemoryPlan, names: dict[str, Any]) -> None:
        self.plan = plan
        self.names = names
        self.state_operations: dict[str, Operation] = {}
        self.with_functions: dict[str, Instruction] = {}
        self._constants: dict[int, str] = {}            # id of a value -> its name

    def write(self, instruction: Instruction, buffers: Sequence[Location] = (),
              group: Group | None = None) -> str:
        """The call that computes `instruction`, into `buffers` if there are any.

        In a `group` it computes the rows i to j of one tile.
        """
        definition = instruction.definition
        if definition.bind is not None:
            arguments = [self.plan.locations[v].name for v in instruction.kernel_inputs]
            name = self._bound_later('f', self.with_functions, instruction)
            return f'{name}({", ".join(arguments)})'
        args, static = self._arguments(instruction)
        out = _out(buffers)
        if group is not None:
            args = [f'{a}[i:j]' if group.sliced(v) else a
                    for a, v in zip(args, instruction.inputs)]
            out += '[i:j]'
        if definition.emit is not None:
            written = definition.emit(Call(args, out, instruction, static, self.constant))
            if written is not None:
                return written
        if definition.has_lists:
            args = [f'[{", ".join(a)}]' if isinstance(a, list) else a
                    for a in definition.nest(args)]
        if isinstance(definition.kernel, np.ufunc):
            return self._ufunc_call(definition, args, out)
        return self._kernel_call(instruction, args, out)

    def _ufunc_call(self, definition: type[Op], args: list[str], out: str) -> str:
        ufunc = definition.kernel
        name = f'np.{ufunc.__name__}'
        if getattr(np, ufunc.__name__, None) is not ufunc:
            name = self._name(definition.type, ufunc)
        if out != 'None':               # positional is faster than by keyword
            args = args + [f'out={out}' if ufunc in _OUT_BY_KEYWORD else out]
        return f'{name}({", ".join(args)})'

    def _kernel_call(self, instruction: Instruction, args: list[str], out: str) -> str:
        definition, args = instruction.definition, list(args)
        if definition.functions:
            args.insert(0, '*' + self._bound_later('f', self.with_functions, instruction))
        if definition.state is not None:
            args.insert(0, self._bound_later('s', self.state_operations, instruction.operation))
        if out != 'None':
            args.append(f'out={out}')
        args += [f'{k}={self.constant(instruction.attrs[k])}' for k in definition.kernel_attrs]
        return f'{self._name(definition.type, definition.kernel)}({", ".join(args)})'

    def _arguments(self, instruction: Instruction) -> tuple[list[str], dict[int, Any]]:
        """The source of each input, and the values of static inputs that are known by now."""
        definition, plan = instruction.definition, self.plan
        args = [plan.locations[v].name for v in instruction.inputs]
        static: dict[int, Any] = {}
        for i in definition.takes_storage:
            if instruction.inputs[i].variable is not None:
                args[i] = 'p' + args[i][1:]
        for i in definition.keeps:
            if not may_be_kept(instruction.inputs[i], plan):
                args[i] = f'np.array({args[i]})'
        if not definition.static_positions:
            return args, static
        for i, (name, ranks) in zip(definition.static_flat_positions(len(args)),
                                    definition.static_ranks):
            array, shape = instruction.inputs[i].array, instruction.inputs[i].raw_shape
            if ranks is not None and (shape is None or len(shape) not in ranks):
                args[i] = f'checked({args[i]}, {name!r}, {ranks})'
            elif array is None:
                args[i] = f'as_python({args[i]})'
            elif array.dtype.kind in 'iub':
                static[i] = as_python(array)
                args[i] = self.constant(static[i])
        return args, static

    def constant(self, value: Any) -> str:
        """The source of a value: a literal where it is short, else a name bound to it."""
        text = repr(value) if _is_literal(value) else ''
        if text and len(text) <= 60:
            return text
        key = id(value)
        if key not in self._constants:
            name = f'k{len(self._constants)}'
            if isinstance(value, FunctionType) and value.__module__.startswith('tinyflow.ops.'):
                name = value.__name__
            self._constants[key] = self._name(name, value)
        return self._constants[key]

    def _name(self, name: str, value: Any) -> str:
        self.names[name] = value
        return name

    def _bound_later(self, letter: str, names: dict[str, Any], value: Any) -> str:
        name = f'{letter}{len(names)}'
        names[name] = value
        return name


def _out(buffers: Sequence[Location]) -> str:
    """The source of the `out` argument for these buffers."""
    names = [buffer.name for buffer in buffers]
    return 'None' if not names else names[0] if len(names) == 1 else f'({", ".join(names)})'


def _is_literal(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return type(value) in (list, tuple) and all(map(_is_literal, value))
    return value is None or type(value) in (bool, int, str)


__all__ = ['Call', 'Expressions']
