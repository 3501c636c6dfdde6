"""Stage 7: code generation: a straight-line Python function, one line per instruction.

The source is readable NumPy code. Each line has a comment with the node's name, its result and the
user's line. The source is registered with `linecache`: debuggers can step through it, profilers
attribute time to its lines, and tracebacks lead to the node without any bookkeeping at run time.

    def run(x0):
        v0 = p0.value
        if v0 is None: uninitialized()
        t3 = np.dot(x0, v0, None)                       # MatMul [4, 1]  @ train.py:3
        np.dot(x0.T, c1, b4)                            # gradients/MatMul_grad/MatMul_1 [3, 1]
        with lock: v0 = p0.target; ApplyGradientDescent(v0, c2, b4); p0.value = v0      # ...
        return [t3, None]

    x0 a fed array               v1 a Variable's array       p1 the Variable's storage
    c2 a constant                b3 a buffer in the arena    w4 a view made by `bind`
    t5 a result of this run      s6 the state of an op       k7 an attribute
    f8 the callables of functions (the branches of a cond, the body of a loop)
    q9 the storage of a Variable that is only tested for having a value
"""
from __future__ import annotations

import builtins
import itertools
import linecache
import weakref
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from tinyflow.compiler.codegen import variable_uses
from tinyflow.compiler.codegen.binding import arrays_in
from tinyflow.compiler.codegen.bytecode import compile_functions
from tinyflow.compiler.codegen.expressions import Expressions
from tinyflow.compiler.codegen.long_programs import Line, in_parts, is_long
from tinyflow.compiler.codegen.results import as_result, results
from tinyflow.compiler.codegen.tiling import Group, tile_groups
from tinyflow.compiler.functions.nested import FunctionMaker, callables_of
from tinyflow.compiler.ir import Instruction, Value
from tinyflow.compiler.memory.concat_in_place import copied_parts
from tinyflow.compiler.memory.location import Location, Part
from tinyflow.compiler.memory.plan import MemoryPlan
from tinyflow.graph import shapes
from tinyflow.graph.constant_value import as_python, checked
from tinyflow.graph.operation import Operation
from tinyflow.graph.source_location import Site
from tinyflow.graph.support.tiles import in_tiles

_numbers = itertools.count(1)
# Prefixes of lines without a comment: fetches of Variables, deletions, tile functions.
_UNCOMMENTED = ('    v', '    del ', '    in_tiles', '    def ')


class StoreLike(Protocol):
    """What a program works on besides its arena; a Session's Store."""

    update_lock: Any

    def storage(self, operation: Operation) -> Any:
        """The storage of a Variable."""
        ...

    def state(self, operation: Operation) -> Any:
        """The state of a stateful op."""
        ...


class ProgramSource:
    """The source of a program as a Python function, and its binding to memory.

    `lines` maps a line number of the text to its Instruction. `timed` is empty without `clock`.
    """

    def __init__(self, plan: MemoryPlan, clock: bool = False) -> None:
        self.plan = plan
        self.filename = f'<tinyflow> program {next(_numbers)}'   # linecache ignores '<...>'
        self.clock = clock                      # call tick() after each instruction
        self.timed: list[Instruction] = []      # those followed by tick(), in order
        self.read_first: list[Any] = []         # Variables that must have a value
        self.storage_operations: dict[str, Any] = {}      # p1 -> Variable; those that it uses
        self._names: dict[str, Any] = {
            '__builtins__': builtins, 'np': np, 'as_python': as_python, 'checked': checked,
            'as_result': as_result, 'in_tiles': in_tiles}
        self._expressions = Expressions(plan, self._names)
        self.callables: dict[str, Any] = {}     # f8 -> what runs its functions
        self.with_functions = self._expressions.with_functions      # f8 -> its Instruction
        self._variables_read = variable_uses.variables_read(plan.program) \
            if any(i.definition.functions for i in plan.program.instructions) else set()
        self._read_again = variable_uses.reads_after_waiting(plan.program)
        self._tile_numbers = itertools.count(1)
        text = self._write()
        self.lines = {number: instruction for number, (_, instruction) in enumerate(text, 1)
                      if instruction is not None}
        self._code_lines = [line for line, _ in text]
        self._register()
        self._functions = compile_functions(self._code_lines, self.filename)

    # ---- text ----------------------------------------------------------------------------

    def _write(self) -> list[Line]:
        plan = self.plan
        for value, location in plan.locations.items():
            if location.kind == 'constant':
                self._names[location.name] = value.array
        prologue, body = self._prologue(), list(self._body())
        feeds = [plan.locations[v].name for v in plan.program.feeds]
        if is_long(body):
            text = in_parts(prologue, body, feeds)
        else:
            text = [(f'def run({", ".join(feeds)}):', None), *[(line, None) for line in prologue],
                    *itertools.chain.from_iterable(body)]
        return [*text, (f'    return {results(plan)}', None)]

    def _prologue(self) -> list[str]:
        """Fetches the arrays of Variables that the program reads before it assigns to them."""
        lines: list[str] = []
        tested: list[str] = []
        for value, written_first in variable_uses.first_uses(self.plan.program).items():
            name = self.plan.locations[value].name
            storage = 'p' + name[1:]
            self.storage_operations[storage] = value.variable
            if not written_first:
                lines.append(f'    {name} = {storage}.value')
                tested.append(name)
                self.read_first.append(value.variable)
        tested += self._unused_reads()
        for i in range(0, len(tested), 6):
            test = ' or '.join(f'{name} is None' for name in tested[i:i + 6])
            lines.append(f'    if {test}: uninitialized()')
        return lines

    def _unused_reads(self) -> list[str]:
        """Source of the values of Variables that are read but unused: they must be initialized."""
        program = self.plan.program
        if program.nested:
            return []
        used = self.storage_operations.values()
        unused = sorted(program.reads.difference(used), key=lambda operation: operation.id)
        names = [f'q{n}' for n in range(len(unused))]
        self.storage_operations.update(zip(names, unused))
        self.read_first += unused
        return [f'{name}.value' for name in names]

    def _body(self) -> Iterator[list[Line]]:
        """Lines, with their instructions or None, that belong together."""
        groups = {} if self.clock else tile_groups(self.plan)
        grouped: set[Instruction] = set()
        for instruction in self.plan.program.instructions:
            if instruction in grouped:
                continue
            if instruction in groups:
                grouped.update(groups[instruction].instructions)
                yield list(self._group(groups[instruction]))
                continue
            lines: list[Line] = [(line, instruction) for line in self._instruction(instruction)]
            if self.clock and lines:
                self.timed.append(instruction)
                lines.append(('    tick()', None))
            yield lines

    def _instruction(self, instruction: Instruction) -> list[str]:
        """The lines of one instruction; none for a view, which `bind` makes."""
        locations = [self.plan.locations[v] for v in instruction.outputs]
        if locations and locations[0].kind == 'view':
            return []
        in_buffers = bool(locations) and locations[0].kind in ('buffer', 'part')
        if instruction.type == 'ConcatV2' and in_buffers and self._is_made_in_place(instruction):
            return [*self._copies(instruction), *self._deletions(instruction)]
        line = self._expressions.write(instruction, locations if in_buffers else ())
        if instruction.copy:
            line = f'np.array({line})'
        if locations and not in_buffers:
            names = ', '.join(location.name for location in locations)
            line = f'{names}{"" if instruction.definition.one_output else ","} = {line}'
        line = variable_uses.as_update(line, instruction, self.plan.locations)
        return [f'    {line}', *self._reread(instruction), *self._deletions(instruction)]

    def _reread(self, instruction: Instruction) -> list[str]:
        """Fetches the arrays of Variables that may be others after the instruction."""
        names = [self.plan.locations[v].name for v in self._read_again.get(instruction, ())]
        lines = [f'    {name} = p{name[1:]}.value' for name in names]
        for i in instruction.storage_inputs:
            value = instruction.inputs[i]
            if i not in instruction.writes or value.variable is None:
                continue
            name = self.plan.locations[value].name
            lines.append(f'    {name} = p{name[1:]}.value')
            if instruction.definition.functions and value in self._variables_read:
                lines.append(f'    if {name} is None: uninitialized()')
                self.read_first.append(value.variable)
        return lines

    def _deletions(self, instruction: Instruction) -> list[str]:
        """Deletes large arrays after their last use."""
        dead = [self.plan.locations[v].name for v in self.plan.dies_at.get(instruction, ())
                if _worth_deleting(v)]
        return [f'    del {", ".join(dead)}'] if dead else []

    def _is_made_in_place(self, instruction: Instruction) -> bool:
        whole = instruction.outputs[0]
        return any(part.whole is whole for v in instruction.inputs
                   if (part := self.plan.parts.get(v)) is not None)

    def _copies(self, instruction: Instruction) -> list[str]:
        """Copies the inputs of a concatenation that were not computed in its buffer."""
        whole = self.plan.locations[instruction.outputs[0]].name
        return [f'    {whole}[{_index_text(part)}] = {self.plan.locations[value].name}'
                for value, part in copied_parts(instruction, self.plan.parts)]

    def _group(self, group: Group) -> Iterator[Line]:
        """The lines of a group: a function that computes one tile, called for all tiles."""
        first, plan = group.instructions[0], self.plan
        name = f'tile{next(self._tile_numbers)}'
        for instruction in group.instructions:
            value = instruction.outputs[0]
            if plan.locations[value].kind == 'local':
                dtype = self._expressions.constant(value.dtype.np)
                yield (f'    {plan.locations[value].name} = np.empty({value.raw_shape}, {dtype})',
                       instruction)
        yield f'    def {name}(i, j):', first
        for instruction in group.instructions:
            location = plan.locations[instruction.outputs[0]]
            expression = self._expressions.write(instruction, [location], group)
            yield f'        {expression}', instruction
        yield f'    in_tiles({group.shape[0]}, {name}, {group.rows_per_tile})', first

    @property
    def text(self) -> str:
        """The source with its comments, which are written only when they are requested."""
        lines = []
        for number, line in enumerate(self._code_lines, 1):
            instruction = self.lines.get(number)
            if instruction is not None and not line.startswith(_UNCOMMENTED):
                locations = [self.plan.locations[v] for v in instruction.outputs]
                line = line.ljust(56) + '  # ' + _comment(instruction, locations)
            lines.append(line)
        return '\n'.join(lines) + '\n'

    def _register(self) -> None:
        """Makes the text available to tracebacks and debuggers for as long as this lives."""
        weak = weakref.ref(self)
        linecache.cache[self.filename] = (lambda: source.text if (source := weak()) else '',)
        weakref.finalize(self, linecache.cache.pop, self.filename, None)

    # ---- binding -------------------------------------------------------------------------

    def bind(self, arena: np.ndarray, store: StoreLike, uninitialized: Callable[[], None],
             make_function: FunctionMaker) -> Callable[..., list]:
        """The function, working in `arena` (uint8 [plan.arena_bytes]) on a Session's `store`.

        `make_function` compiles the functions that the program calls.
        """
        names = self._names | arrays_in(self.plan, arena)
        for name, operation in self.storage_operations.items():
            names[name] = store.storage(operation)
        for name, operation in self._expressions.state_operations.items():
            names[name] = store.state(operation)
        for name, instruction in self.with_functions.items():
            if name not in self.callables:
                self.callables[name] = callables_of(instruction, make_function)
            names[name] = self.callables[name]
        names['uninitialized'], names['lock'] = uninitialized, store.update_lock
        for name, code in self._functions.items():
            names[name] = FunctionType(code, names)
        return names['run']


def _index_text(part: Part) -> str:
    return ':, ' * part.axis + f'{part.start}:{part.stop}'


def _comment(instruction: Instruction, locations: list[Location]) -> str:
    """The node's name, the shapes of its results and the user's line."""
    operation = instruction.operation
    shape_texts = ', '.join([shapes.text(v.raw_shape) for v in instruction.outputs])
    text = f'{operation.name} {shape_texts}'.rstrip()
    if locations and locations[0].overwrites is not None:
        text += f'  overwrites {locations[0].overwrites.name}'
    site = operation._site
    return text if site is None else f'{text}  @ {_where(site)}'


@lru_cache(maxsize=4096)                # a loop makes thousands of nodes in few lines
def _where(site: tuple) -> str:
    return Site(*site).file_and_line


def _worth_deleting(value: Value) -> bool:
    size = shapes.size(value.raw_shape)
    return size is None or size > 1024


__all__ = ['ProgramSource', 'StoreLike']
