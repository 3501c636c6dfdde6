"""Stage 7: code generation: a straight-line Python function, one line per instruction.

The source is readable NumPy code. Each line has a comment with the node's name, its result and the
user's line. The source is registered with `linecache`: debuggers can step through it, profilers
attribute time to its lines, and tracebacks lead to the node without any bookkeeping at run time.

Names in the source: x0 a fed array, v1 a Variable's array, p1 the Variable's storage (q1 where
only the storage is looked at, for whether there is a value), c2 a constant,
b3 a buffer in the arena, w4 a view made when the function was bound, t5 a result of this run,
s6 a state, k7 an attribute, f8 what runs functions (the branches of a cond, a loop).
"""
from __future__ import annotations

import builtins
import itertools
import linecache
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Protocol

import numpy as np

from tinyflow.compiler.codegen.binding import arrays_in
from tinyflow.compiler.codegen.tiling import Group, tile_groups
from tinyflow.compiler.codegen.variable_uses import first_uses, variables_read
from tinyflow.compiler.functions.nested import FunctionMaker, callables_of
from tinyflow.compiler.ir import Instruction, Value
from tinyflow.compiler.memory.concat_in_place import Location, Part, copied_parts
from tinyflow.compiler.memory.plan import Plan
from tinyflow.graph import shapes
from tinyflow.graph.constant_value import as_python, checked
from tinyflow.graph.operation import Operation
from tinyflow.graph.source_location import Site
from tinyflow.graph.support.tiles import in_tiles

_numbers = itertools.count(1)
_LONG = 2000                    # lines; longer programs are written in parts
Line = tuple[str, Instruction | None]

_OUT_BY_KEYWORD = frozenset((np.maximum, np.minimum))


class Storage(Protocol):
    """What a program works on besides its arena; a Session's Store."""

    def storage(self, operation: Operation) -> Any:
        """The storage of a Variable."""
        ...

    def state(self, operation: Operation) -> Any:
        """The state of a stateful op."""
        ...


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


class Source:
    """The generated function: text, code object, and what its names are bound to.

    `lines` maps a line number of the text to its Instruction.
    """

    def __init__(self, plan: Plan, clock: bool = False) -> None:
        self.plan = plan
        self.clock = clock                      # call tick() after each instruction
        self.timed: list[Instruction] = []      # the instructions that do, in order
        self.names: dict[str, Any] = {'__builtins__': builtins, 'np': np, 'as_python': as_python,
                                      'checked': checked, 'own': own}
        self.lines: dict[int, Instruction] = {}
        self.storages: dict[str, Any] = {}         # p1 -> VariableV2 operation
        self.read_first: list[Any] = []         # VariableV2 operations that must have a value
        self.states: dict[str, Any] = {}        # s6 -> operation
        self.instructions_with_functions: dict[str, Instruction] = {}   # f8 -> its instruction
        self._callables: dict[str, Any] = {}    # f8 -> what runs its functions
        self.filename = f'<tinyflow> program {next(_numbers)}'   # linecache skips <...>
        self._constants: dict[Any, str] = {}
        self._variables_read = variables_read(plan.program) \
            if any(i.definition.functions for i in plan.program.instructions) else set()
        self._handed_out: set[Value] = set()
        self._tiles = itertools.count(1)
        self._code_lines = self._write()
        self.functions = self._compile()

    # ---- text ----------------------------------------------------------------------------

    def _write(self) -> list[str]:
        plan = self.plan
        for value, location in plan.locations.items():
            if location.kind == 'constant':
                self.names[location.name] = value.array
        head, body = self._prologue(), list(self._body())
        feeds = [plan.locations[v].name for v in plan.program.feeds]
        if sum(map(len, body)) > _LONG:
            text = self._in_parts(head, body, feeds)
        else:
            text = [(f'def run({", ".join(feeds)}):', None), *[(line, None) for line in head],
                    *itertools.chain.from_iterable(body)]
        text.append((f'    return {self._results()}', None))
        self.lines = {number: instruction for number, (_, instruction) in enumerate(text, 1)
                      if instruction is not None}
        return [line for line, _ in text]

    @property
    def text(self) -> str:
        """The source with its comments, which are written only when somebody looks."""
        lines = []
        for number, line in enumerate(self._code_lines, 1):
            instruction = self.lines.get(number)
            if instruction is not None and not line.startswith(('    v', '    del ', '    in_tiles',
                                                                '    def ')):
                locations = [self.plan.locations[v] for v in instruction.outputs]
                line = line.ljust(56) + '  # ' + _comment(instruction, locations)
            lines.append(line)
        return '\n'.join(lines) + '\n'

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

    def _in_parts(self, head: list[str], body: list[list[Line]],
                  feeds: list[str]) -> list[Line]:
        """A long program as several functions with shared names, which Python compiles faster.

        The names are globals of one binding of the program, so they are not shared.
        """
        text: list[Line] = []
        calls: list[Line] = []
        for part in _parts(body):
            calls.append((f'    part{len(calls)}()', None))
            text += [(f'def part{len(calls) - 1}():', None), *_declare_globals(part), *part]
        assigned: list[Line] = [(line, None) for line in head]
        text += [(f'def run({", ".join("_" + name for name in feeds)}):', None)]
        if feeds:
            text += [(f'    global {", ".join(feeds)}', None)]
            text += [(f'    {name} = _{name}', None) for name in feeds]
        return text + _declare_globals(assigned) + assigned + calls

    def _prologue(self) -> list[str]:
        """Fetches the arrays of Variables that the program reads before it assigns to them."""
        plan = self.plan
        lines: list[str] = []
        tested: list[str] = []
        for value, first in first_uses(plan.program).items():
            location = plan.locations[value]
            storage = 'p' + location.name[1:]
            self.storages[storage] = value.variable
            if not first:
                lines.append(f'    {location.name} = {storage}.value')
                tested.append(location.name)
                self.read_first.append(value.variable)
        tested += self._unused_reads()
        if tested:
            for i in range(0, len(tested), 6):
                test = ' or '.join(f'{name} is None' for name in tested[i:i + 6])
                lines.append(f'    if {test}: uninitialized()')
        return lines

    def _unused_reads(self) -> list[str]:
        """Source of the values of Variables that are read but unused: they must be initialized."""
        program = self.plan.program
        if program.nested:
            return []
        used = set(self.storages.values())
        unused = sorted(program.reads - used, key=lambda operation: operation.id)
        names = [f'q{n}' for n in range(len(unused))]
        self.storages.update(zip(names, unused))
        self.read_first += unused
        return [f'{name}.value' for name in names]

    def _instruction(self, instruction: Instruction) -> list[str]:
        plan, definition = self.plan, instruction.definition
        locations = [plan.locations[v] for v in instruction.outputs]
        if locations and locations[0].kind == 'view':
            return []
        in_buffers = bool(locations) and locations[0].kind in ('buffer', 'part')
        if instruction.type == 'ConcatV2' and in_buffers and self._is_made_in_place(instruction):
            return [*self._copies(instruction), *self._deletions(instruction)]
        expression = self._expression(instruction, locations if in_buffers else None)
        if instruction.copy:
            expression = f'np.array({expression})'
        if not in_buffers and locations:
            names = ', '.join(loc.name for loc in locations)
            single = definition.one_output
            expression = f'{names}{"" if single else ","} = {expression}' \
                if not single or len(locations) == 1 else expression
        line = f'    {expression}'
        lock = self._lock(instruction) if definition.writes and not definition.functions else None
        if lock:
            line = f'    with {lock}.lock: {expression}'
        lines = [line]
        for i in instruction.storage_inputs:
            if i in instruction.writes:
                value = instruction.inputs[i]
                if value.variable is not None:
                    name = plan.locations[value].name
                    lines.append(f'    {name} = p{name[1:]}.value')
                    if definition.functions and value in self._variables_read:
                        lines.append(f'    if {name} is None: uninitialized()')
                        self.read_first.append(value.variable)
        return [*lines, *self._deletions(instruction)]

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
        """Puts in place the parts of a concatenation that were not made there."""
        whole = self.plan.locations[instruction.outputs[0]].name
        return [f'    {whole}[{_index_text(part)}] = {self.plan.locations[value].name}'
                for value, part in copied_parts(instruction, self.plan.parts)]

    def _group(self, group: Group) -> Iterator[Line]:
        """(line, instruction) pairs for a group: a function of one tile, called for all."""
        first, plan = group.instructions[0], self.plan
        name = f'tile{next(self._tiles)}'
        self.names['in_tiles'] = in_tiles
        for instruction in group.instructions:
            value = instruction.outputs[0]
            if plan.locations[value].kind == 'local':
                dtype = self._constant(value.dtype.np)
                yield (f'    {plan.locations[value].name} = np.empty({value.raw_shape}, {dtype})',
                       instruction)
        yield f'    def {name}(i, j):', first
        for instruction in group.instructions:
            location = plan.locations[instruction.outputs[0]]
            expression = self._expression(instruction, [location], group)
            yield f'        {expression}', instruction
        yield f'    in_tiles({group.shape[0]}, {name}, {group.rows_per_tile})', first

    def _lock(self, instruction: Instruction) -> str | None:
        """The storage to lock, so that another thread's update of the Variable is not lost."""
        for i in instruction.writes:
            value = instruction.inputs[i]
            if value.variable is not None:
                return 'p' + self.plan.locations[value].name[1:]
        return None

    def _expression(self, instruction: Instruction, buffers: list[Location] | None,
                    group: Group | None = None) -> str:
        definition = instruction.definition
        if definition.bind is not None:
            arguments = [self.plan.locations[v].name for v in instruction.kernel_inputs]
            return f'{self._function(instruction)}({", ".join(arguments)})'
        args, static = self._arguments(instruction)
        out = 'None' if not buffers else buffers[0].name if len(buffers) == 1 else \
            '(' + ', '.join(b.name for b in buffers) + ')'
        if group is not None:
            args = [f'{a}[i:j]' if group.sliced(v) else a
                    for a, v in zip(args, instruction.inputs)]
            out += '[i:j]'
        if definition.emit is not None:
            call = Call(args, out, instruction, static, self._constant)
            written = definition.emit(call)
            if written is not None:
                return written
        if definition.has_lists:
            args = [f'[{", ".join(a)}]' if isinstance(a, list) else a
                    for a in definition.nest(args)]
        kernel = definition.kernel
        if isinstance(kernel, np.ufunc):
            name = f'np.{kernel.__name__}'
            if getattr(np, kernel.__name__, None) is not kernel:
                name = self._bind(definition.type, kernel)
            if out != 'None':
                # Positional is faster, but deprecated for these two.
                args = args + [f'out={out}' if kernel in _OUT_BY_KEYWORD else out]
            return f'{name}({", ".join(args)})'
        parts = list(args)
        if definition.functions:
            parts.insert(0, '*' + self._function(instruction))
        if definition.state is not None:
            parts.insert(0, self._state(instruction.operation))
        if out != 'None':
            parts.append(f'out={out}')
        parts += [f'{k}={self._constant(instruction.attrs[k])}' for k in definition.kernel_attrs]
        return f'{self._bind(definition.type, kernel)}({", ".join(parts)})'

    def _arguments(self, instruction: Instruction) -> tuple[list[str], dict[int, Any]]:
        definition, plan = instruction.definition, self.plan
        args = [plan.locations[v].name for v in instruction.inputs]
        static: dict[int, Any] = {}
        for i in definition.takes_storage:
            if instruction.inputs[i].variable is not None:
                args[i] = 'p' + args[i][1:]
        for i in definition.keeps:
            if not self._may_be_kept(instruction.inputs[i]):
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
                args[i] = self._constant(static[i])
        return args, static

    def _bind(self, name: str, thing: Any) -> str:
        self.names[name] = thing
        return name

    def _constant(self, value: Any) -> str:
        """Source for an attribute: a literal where it is short, else a name bound to it."""
        text = repr(value) if _is_literal(value) else ''
        if text and len(text) <= 60:
            return text
        key = id(value)
        if key not in self._constants:
            self._constants[key] = self._bind(f'k{len(self._constants)}', value)
        return self._constants[key]

    def _state(self, operation: Operation) -> str:
        name = f's{len(self.states)}'
        self.states[name] = operation
        return name

    def _function(self, instruction: Instruction) -> str:
        name = f'f{len(self.instructions_with_functions)}'
        self.instructions_with_functions[name] = instruction
        return name

    def _results(self) -> str:
        items = []
        for value in self.plan.program.fetches:
            if value is None:
                items.append('None')
                continue
            location = self.plan.locations[value]
            fresh = location.kind == 'local' and self._is_fresh(value)
            if self.plan.program.nested:
                fresh = fresh and self._first_fetch(value)
                items.append(location.name if fresh else f'np.array({location.name})')
            elif value.raw_shape is None:
                items.append(f'own({location.name}, {fresh})')
            elif value.raw_shape == ():
                items.append(f'{location.name}[()]')
            elif fresh and self._first_fetch(value):
                items.append(location.name)
            else:
                items.append(f'np.array({location.name})')
        return f'[{", ".join(items)}]'

    def _is_fresh(self, value: Value) -> bool:
        """True if this run allocated the array and nothing else references it."""
        producer = value.producer
        return producer is not None and (producer.copy or not producer.definition.view)

    def _may_be_kept(self, value: Value) -> bool:
        """True if the array of this value will not be modified."""
        location, program = self.plan.locations[value], self.plan.program
        if location.kind == 'feed':
            return program.feeds.index(value) in program.owned
        return location.kind == 'constant' or location.kind == 'local' and self._is_fresh(value)

    def _first_fetch(self, value: Value) -> bool:
        """True for the first fetch of a value; later ones must be copied."""
        first = value not in self._handed_out
        self._handed_out.add(value)
        return first

    # ---- code ----------------------------------------------------------------------------

    def _compile(self) -> dict[str, CodeType]:
        """The code of each function in the source, by name.

        They are compiled one by one: the syntax tree of a long program would take more memory than
        all the rest.
        """
        weak = weakref.ref(self)
        linecache.cache[self.filename] = (lambda: source.text if (source := weak()) else '',)
        weakref.finalize(self, linecache.cache.pop, self.filename, None)
        lines = self._code_lines
        starts = [i for i, line in enumerate(lines) if line.startswith('def ')]
        functions = {}
        for start, end in zip(starts, [*starts[1:], len(lines)]):
            module = compile('\n'.join(lines[start:end]) + '\n', self.filename, 'exec')
            code = next(c for c in module.co_consts if isinstance(c, CodeType))
            functions[code.co_name] = _further_down(code, start)
        return functions

    def bind(self, arena: np.ndarray, store: Storage, uninitialized: Callable[[], None],
             function: FunctionMaker) -> Callable[..., list]:
        """The function, working in `arena` (uint8 [plan.arena_bytes]) on a Session's `store`.

        `function` makes the callables of functions that the program runs.
        """
        names = self.names | arrays_in(self.plan, arena)
        for name, operation in self.storages.items():
            names[name] = store.storage(operation)
        for name, operation in self.states.items():
            names[name] = store.state(operation)
        for name, instruction in self.instructions_with_functions.items():
            if name not in self._callables:
                self._callables[name] = callables_of(instruction, function)
            names[name] = self._callables[name]
        names['uninitialized'] = uninitialized
        for name, code in self.functions.items():
            names[name] = FunctionType(code, names)
        return names['run']


def _further_down(code: CodeType, lines: int) -> CodeType:
    """The same code (and that of functions inside it) as if it stood some lines further down."""
    if not lines:
        return code
    return code.replace(
        co_firstlineno=code.co_firstlineno + lines,
        co_consts=tuple([_further_down(c, lines) if isinstance(c, CodeType) else c
                         for c in code.co_consts]))


def _parts(body: Sequence[list[Line]]) -> Iterator[list[Line]]:
    """The lines in stretches of about _LONG; those that belong together are not parted."""
    part: list[Line] = []
    for lines in body:
        if part and len(part) + len(lines) > _LONG:
            yield part
            part = []
        part += lines
    yield part


_ASSIGNMENT = re.compile(r'    (?:with \w+\.lock: )?(\w+(?:, \w+)*),? = ')


def _declare_globals(lines: Sequence[Line]) -> list[Line]:
    """A `global` statement for the names that some lines assign."""
    names: dict[str, None] = {}
    for line, _ in lines:
        assigned = _ASSIGNMENT.match(line)
        if assigned:
            names.update(dict.fromkeys(assigned[1].split(', ')))
        elif line.startswith('    del '):
            names.update(dict.fromkeys(line[8:].split(', ')))
    return [(f'    global {", ".join(names)}', None)] if names else []


def own(value: Any, fresh: bool) -> Any:
    """A fetched value of a rank known only now, as the caller's own."""
    array = np.asarray(value)
    return array[()] if array.ndim == 0 else array if fresh else array.copy()


def _index_text(part: Part) -> str:
    return ':, ' * part.axis + f'{part.start}:{part.stop}'


def _comment(instruction: Instruction, locations: list[Location]) -> str:
    operation = instruction.operation
    results = ', '.join([shapes.text(v.raw_shape) for v in instruction.outputs])
    text = f'{operation.name} {results}'.rstrip()
    if locations and locations[0].overwrites is not None:
        text += f'  overwrites {locations[0].overwrites.name}'
    site = operation._site
    return text if site is None else f'{text}  @ {_where(site)}'


@lru_cache(maxsize=4096)                # a loop makes thousands of nodes in few lines
def _where(site: tuple) -> str:
    return Site(*site).file_and_line


def _is_literal(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return type(value) in (list, tuple) and all(map(_is_literal, value))
    return value is None or type(value) in (bool, int, str)


def _worth_deleting(value: Value) -> bool:
    size = shapes.size(value.raw_shape)
    return size is None or size > 1024
