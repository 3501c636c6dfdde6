"""The compiler's intermediate representation: Program, Instruction, Value.

A Program is an ordered list of instructions over values. Stages create and rewrite it; none of them
changes the user's graph. Value and Instruction have the same attributes as Tensor and Operation
(dtype, raw_shape, inputs, outputs, attrs), so that op declarations work with both.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import DType
from tinyflow.graph.operation import WRITES_OF_FUNCTIONS, Operation

if TYPE_CHECKING:
    from tinyflow.graph.operation import Definition


class Value:
    """A value of a program, the counterpart of a Tensor of the graph.

    `array` is the value if it is a known constant; `static` the known part of a small integer value
    (graph/constant_value.py); `variable` is the VariableV2 or VarHandleOp if the value is a
    Variable's storage.
    """

    __slots__ = ('name', 'dtype', 'raw_shape', 'array', 'static', 'variable', 'producer')

    def __init__(self, name: str, dtype: DType, raw_shape: shapes.Shape,
                 variable: Operation | None = None) -> None:
        self.name = name
        self.dtype = dtype.base_dtype
        self.raw_shape = raw_shape
        self.array: np.ndarray | None = None
        self.static: Any = None
        self.variable = variable
        self.producer: Instruction | None = None

    @property
    def known_shape(self) -> bool:
        return self.raw_shape is not None and None not in self.raw_shape

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape, which must be known. Raises ValueError otherwise."""
        if not shapes.known(self.raw_shape):
            raise ValueError(f'the shape of {self!r} is not known')
        return self.raw_shape

    @property
    def nbytes(self) -> int:
        """The size in bytes; the shape must be known."""
        return prod(self.sizes) * self.dtype.np.itemsize

    def __repr__(self) -> str:
        return f'{self.name} {self.dtype.name} {shapes.text(self.raw_shape)}'


class Instruction:
    """One step of a program: applies an op's kernel to input values, giving output values.

    `operation` is the node that it was created from. Rewritten instructions keep it, so that errors
    and profiles can name the user's line. If `copy` is set the result is copied, because it would
    be a view of a Variable that changes before the last use.
    """

    __slots__ = ('definition', 'type', 'operation', 'inputs', 'outputs', 'attrs', 'copy')

    def __init__(self, definition: Definition, operation: Operation, inputs: tuple[Value, ...],
                 outputs: tuple[Value, ...], attrs: dict[str, Any], copy: bool = False) -> None:
        self.definition = definition
        self.type = definition.type
        self.operation = operation
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.copy = copy
        for value in outputs:
            value.producer = self

    @property
    def name(self) -> str:
        return self.operation.name

    @property
    def writes(self) -> tuple[int, ...]:
        """Positions of the inputs (Variables) that this instruction modifies."""
        written = self.definition.writes
        return self.attrs['_writes'] if written is WRITES_OF_FUNCTIONS else written

    @property
    def storage_inputs(self) -> tuple[int, ...]:
        """Positions of the inputs (Variables) that are passed as storage, not as an array."""
        captures = self.definition.captures
        if captures is None:
            return self.definition.takes_storage
        return tuple([i for i in captures(self.attrs, len(self.inputs))
                      if self.inputs[i].variable is not None])

    @property
    def kernel_inputs(self) -> tuple[Value, ...]:
        """The inputs that are passed to the kernel: all but captured Variables.

        Functions look up these themselves.
        """
        if self.definition.captures is None:
            return self.inputs
        storages = self.storage_inputs
        return tuple([v for i, v in enumerate(self.inputs) if i not in storages])

    @property
    def removable(self) -> bool:
        """True if the instruction may be dropped when its outputs are unused."""
        return self.definition.pure and not self.definition.writes

    def with_inputs(self, inputs: Iterable[Value]) -> Instruction:
        """The same instruction with other inputs; it takes over the outputs."""
        return Instruction(self.definition, self.operation, tuple(inputs), self.outputs,
                           self.attrs, self.copy)

    def __repr__(self) -> str:
        inputs = ', '.join(v.name for v in self.inputs)
        outputs = ', '.join(map(repr, self.outputs))
        return f'{self.type}({inputs}) -> {outputs or "nothing"}'


@dataclass(frozen=True)
class Note:
    """The report of one pass, for tf.explain."""

    name: str
    text: str
    before: int             # instructions before and after it
    after: int
    changes: int            # 0 if it left the program as it was

    def __str__(self) -> str:
        return f'{self.name:<20}{self.before:>6} -> {self.after:<6}{self.text}'


@dataclass(frozen=True)
class Program:
    """An ordered list of instructions, from the values `feeds` to the values `fetches`.

    A fetched Operation has no value: its fetch is None, and it is one of the `targets`.
    `reads` are all Variables that the graph reads, including reads whose result is unused.
    """

    instructions: tuple[Instruction, ...]
    feeds: tuple[Value, ...]
    fetches: tuple[Value | None, ...]
    targets: frozenset[Operation] = frozenset()
    notes: tuple[Note, ...] = ()     # a report from each pass
    nested: bool = False            # True for a function: scalars are returned as arrays, too
    owned: frozenset[int] = frozenset()     # positions of feeds that no other code modifies
    reads: frozenset[Operation] = frozenset()

    @cached_property
    def types(self) -> frozenset[str]:
        """The op types of the instructions: most passes look for a few, and need not search."""
        return frozenset([i.type for i in self.instructions])

    def with_instructions(self, instructions: Iterable[Instruction], note: Note | None = None,
                          fetches: tuple[Value | None, ...] | None = None) -> Program:
        """The same program with other instructions, and other fetches if given.

        Each pass calls this: dataclasses.replace would take a tenth of the time to compile.
        """
        made = Program(tuple(instructions), self.feeds,
                       self.fetches if fetches is None else fetches, self.targets,
                       self.notes + ((note,) if note else ()), self.nested, self.owned, self.reads)
        if made.instructions is self.instructions:
            made.__dict__['types'] = self.types
        return made

    def __str__(self) -> str:
        lines = [f'feed {v!r}' for v in self.feeds]
        lines += [repr(i) for i in self.instructions]
        lines += [f'fetch {v.name if v else "(operation)"}' for v in self.fetches]
        return '\n'.join(lines)

    def check(self) -> None:
        """Raises ValueError if a value is used before its definition, or defined twice."""
        made = set(self.feeds)
        for instruction in self.instructions:
            for value in instruction.inputs:
                if value not in made and value.array is None and value.variable is None:
                    raise ValueError(f'{value} is used before it is made, by {instruction!r}')
            for value in instruction.outputs:
                if value in made:
                    raise ValueError(f'{value} is made twice, by {instruction!r}')
                made.add(value)
        for fetch in self.fetches:
            if fetch is not None and fetch not in made and fetch.array is None:
                raise ValueError(f'{fetch} is fetched but never made')
