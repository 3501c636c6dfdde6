"""The compiler's intermediate form: an ordered list of instructions over values.

A Program is data. Stages make, rewrite, print and run it; none of them touches the user's graph.
Value and Instruction answer to the same names as Tensor and Operation (dtype, raw_shape, inputs,
outputs, attrs), so that an op's declaration works on both.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import DType
from tinyflow.graph.operation import WRITES_OF_FUNCTIONS, Operation

if TYPE_CHECKING:
    from tinyflow.graph.operation import Definition


class Value:
    """One value of a program: what a Tensor is to the graph.

    `array` is the value itself where it is a known constant; `static` the part that is known of a
    small integer value (graph/constant_value.py); `variable` is set where the value is a Variable's
    storage, and is then the VariableV2 operation.
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
        """The shape, for callers that have made sure that it is known."""
        if not shapes.known(self.raw_shape):
            raise ValueError(f'the shape of {self!r} is not known')
        return self.raw_shape

    @property
    def nbytes(self) -> int:
        """The bytes of its elements, for callers that have made sure that the shape is known."""
        return prod(self.sizes) * self.dtype.np.itemsize

    def __repr__(self) -> str:
        return f'{self.name} {self.dtype.name} {shapes.text(self.raw_shape)}'


class Instruction:
    """One step: an op's kernel on input values, giving output values.

    `operation` is the node it comes from; a rewritten instruction keeps the node it stands for, so
    that errors and profiles name the user's line. `copy` asks that the result be a copy of its own
    rather than a view of a Variable that is about to change.
    """

    __slots__ = ('definition', 'operation', 'inputs', 'outputs', 'attrs', 'copy')

    def __init__(self, definition: Definition, operation: Operation, inputs: tuple[Value, ...],
                 outputs: tuple[Value, ...], attrs: dict[str, Any], copy: bool = False) -> None:
        self.definition = definition
        self.operation = operation
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.copy = copy
        for value in outputs:
            value.producer = self

    @property
    def type(self) -> str:
        return self.definition.type

    @property
    def name(self) -> str:
        return self.operation.name

    @property
    def writes(self) -> tuple[int, ...]:
        """Positions of the inputs (Variables) that this changes."""
        written = self.definition.writes
        return self.attrs['_writes'] if written is WRITES_OF_FUNCTIONS else written

    @property
    def storage_inputs(self) -> tuple[int, ...]:
        """Positions of the inputs (Variables) whose array is not read here."""
        captures = self.definition.captures
        if captures is None:
            return self.definition.takes_storage
        return tuple([i for i in captures(self.attrs, len(self.inputs))
                      if self.inputs[i].variable is not None])

    @property
    def kernel_inputs(self) -> tuple[Value, ...]:
        """The inputs that the kernel gets; functions find Variables by themselves."""
        if self.definition.captures is None:
            return self.inputs
        storages = self.storage_inputs
        return tuple([v for i, v in enumerate(self.inputs) if i not in storages])

    @property
    def removable(self) -> bool:
        """True if nothing is lost by not running it when its outputs are unused."""
        return self.definition.pure and not self.definition.writes

    def with_inputs(self, inputs: Iterable[Value]) -> Instruction:
        """The same instruction on other inputs; its outputs are handed over."""
        return Instruction(self.definition, self.operation, tuple(inputs), self.outputs,
                           self.attrs, self.copy)

    def __repr__(self) -> str:
        inputs = ', '.join(v.name for v in self.inputs)
        outputs = ', '.join(map(repr, self.outputs))
        return f'{self.type}({inputs}) -> {outputs or "nothing"}'


@dataclass(frozen=True)
class Program:
    """Instructions in order; `feeds` are given from outside, `fetches` handed back.

    A fetched Operation only has to run: its fetch is None, and it is one of the `targets`.
    `reads` are the Variables that the graph reads, also where nobody uses what is read.
    """

    instructions: tuple[Instruction, ...]
    feeds: tuple[Value, ...]
    fetches: tuple[Value | None, ...]
    targets: frozenset[Operation] = frozenset()
    notes: tuple[Note, ...] = field(default=())     # what each pass has to report
    nested: bool = False            # a function's: its results are arrays, whatever their rank
    owned: frozenset[int] = frozenset()     # positions of feeds that nobody else changes or reuses
    reads: frozenset[Operation] = frozenset()

    def with_instructions(self, instructions: Iterable[Instruction],
                          note: Note | None = None) -> Program:
        return replace(self, instructions=tuple(instructions),
                       notes=self.notes + ((note,) if note else ()))

    def __str__(self) -> str:
        lines = [f'feed {v!r}' for v in self.feeds]
        lines += [repr(i) for i in self.instructions]
        lines += [f'fetch {v.name if v else "(operation)"}' for v in self.fetches]
        return '\n'.join(lines)

    def check(self) -> None:
        """Raises ValueError if a value is used before it is made, or made twice."""
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


@dataclass(frozen=True)
class Note:
    """What one pass did, for people."""

    name: str
    text: str
    before: int             # instructions before and after it
    after: int
    changes: int            # 0 if it left the program as it was

    def __str__(self) -> str:
        return f'{self.name:<20}{self.before:>6} -> {self.after:<6}{self.text}'
