"""A loop over arrays, as LLVM's text: one function for an expression, whatever the sizes.

    native(*inputs, *outputs) -> bool

The elements are rows and columns, `Layout.trailing` axes of the result being a row. Each array may
have gaps between its rows if it is a matrix; for other arrays with gaps the function returns False
and has done nothing. A column is computed by vectors; the last one, which may reach beyond the end
of the row, is masked. The interpreter's lock is released for large arrays.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tinyflow.graph.support.background import may_end_here
from tinyflow.native.loops.functions import FUNCTIONS
from tinyflow.native.loops.machine import ARRAY, SELF, builtin, width
from tinyflow.native.loops.trace import Node
from tinyflow.native.loops.vectors import STORED, Vectors, equal_elements, first_lanes

__all__ = ['Layout', 'arguments_loaded', 'load_field', 'lock_released', 'lock_taken_and_returned',
           'native_loop']

_RELEASE = 1 << 14          # elements; for fewer, giving the lock away takes too long


class Layout(NamedTuple):
    """The arrays of a loop.

    `kinds` tells how each input lies under the result: 'full', 'row' (the same for all rows),
    'column' (one element for a row) or 'scalar'.
    """

    kinds: tuple[str, ...]
    dtypes: tuple[str, ...]         # of inputs, then of outputs: 'f4'
    rank: int                       # of the result
    trailing: int                   # of its axes, how many make a row

    @property
    def inputs(self) -> int:
        return len(self.kinds)

    def kind(self, i: int) -> str:
        return self.kinds[i] if i < len(self.kinds) else 'full'


@may_end_here
def native_loop(layout: Layout, inputs: Sequence[Node],
                outputs: Sequence[Node]) -> Callable[..., bool]:
    """The function that stores `outputs` for each element of `inputs`. Raises NotTraceable."""
    return _compiled(_Loop(layout, inputs, outputs).text())


@lru_cache(maxsize=1024)
def _compiled(text: str) -> Callable[..., bool]:
    return builtin(text, 'loop')


def _size(code: str) -> int:
    return int(code[1])


class _Loop:
    def __init__(self, layout: Layout, inputs: Sequence[Node], outputs: Sequence[Node]) -> None:
        self.layout = layout
        self.width = width()
        self.vectors = Vectors(self.width, functions=FUNCTIONS)
        for i, node in enumerate(inputs):
            self.vectors.define(node, f'%x{i}')
        self.results = [self.vectors.value(node) for node in outputs]
        self.numbers = range(len(layout.dtypes))
        self.full = [i for i in self.numbers if layout.kind(i) == 'full']
        self.masks: set[str] = set()

    def text(self) -> str:
        parts = [*self._arrays(), *self._sizes(), *self._rows(), *self._columns(), *self._ends()]
        return '\n'.join(['define ptr @loop(ptr %self, ptr %arguments, i64 %count) {', *parts,
                          '}', *sorted(self.vectors.declared | self.masks), ''])

    # ---- before the loop -----------------------------------------------------------------

    def _arrays(self) -> list[str]:
        """Loads what is needed of the array objects."""
        lines = ['start:']
        for i in self.numbers:
            lines += [f'  %array{i}.at = getelementptr ptr, ptr %arguments, i64 {i}',
                      f'  %array{i} = load ptr, ptr %array{i}.at',
                      *load_field('ptr', f'%data{i}', f'%array{i}', ARRAY['data']),
                      *load_field('i32', f'%flags{i}', f'%array{i}', ARRAY['flags'])]
        lines += load_field('ptr', '%sizes', f'%array{self.layout.inputs}', ARRAY['sizes'])
        for axis in range(self.layout.rank):
            lines += load_field('i64', f'%size{axis}', '%sizes', 8 * axis)
        return lines

    def _sizes(self) -> list[str]:
        """The numbers of rows and columns, and the distances between rows in bytes."""
        rank, first = self.layout.rank, self.layout.rank - self.layout.trailing
        lines = [*_product('%height', [f'%size{a}' for a in range(first)]),
                 *_product('%breadth', [f'%size{a}' for a in range(first, rank)]),
                 '  %elements = mul i64 %height, %breadth', '  %dense.0 = icmp eq i32 0, 0']
        for n, i in enumerate(self.full):
            lines += [f'  %own{i} = and i32 %flags{i}, 1',
                      f'  %whole{i} = icmp ne i32 %own{i}, 0',
                      f'  %dense.{n + 1} = and i1 %dense.{n}, %whole{i}']
        lines.append(f'  %dense = and i1 %dense.{len(self.full)}, {self._may_be_flat()}')
        for i in self.numbers:
            if self.layout.kind(i) in ('row', 'column'):
                lines += [f'  %own{i} = and i32 %flags{i}, 1',
                          f'  %whole{i} = icmp ne i32 %own{i}, 0']
        lines += ['  %rows = select i1 %dense, i64 1, i64 %height',
                  '  %columns = select i1 %dense, i64 %elements, i64 %breadth',
                  '  %fits.0 = icmp eq i32 0, 0']
        last = 0
        for i in self.numbers:
            if self.layout.kind(i) == 'full':
                lines += self._distance(i)
            if self.layout.kind(i) != 'scalar':
                test = f'%fits{i}' if self.layout.kind(i) == 'full' else f'%whole{i}'
                lines.append(f'  %fits.{last + 1} = and i1 %fits.{last}, {test}')
                last += 1
        return [*lines, f'  br i1 %fits.{last}, label %fitting, label %refused']

    def _may_be_flat(self) -> str:
        flat = all(self.layout.kind(i) in ('full', 'scalar') for i in self.numbers)
        return 'true' if flat else 'false'

    def _distance(self, i: int) -> list[str]:
        size = self._size(i)
        lines = [f'  %row{i} = mul i64 %breadth, {size}']
        if self.layout.rank != 2 or self.layout.trailing != 1:
            return [*lines, f'  %fits{i} = and i1 %whole{i}, true',
                    f'  %distance{i} = add i64 %row{i}, 0']
        return [*lines, *load_field('ptr', f'%strides{i}', f'%array{i}', ARRAY['strides']),
                *load_field('i64', f'%outer{i}', f'%strides{i}', 0),
                *load_field('i64', f'%inner{i}', f'%strides{i}', 8),
                f'  %near{i} = icmp eq i64 %inner{i}, {size}',
                f'  %fits{i} = or i1 %whole{i}, %near{i}',
                f'  %distance{i} = select i1 %whole{i}, i64 %row{i}, i64 %outer{i}']

    # ---- the loops -----------------------------------------------------------------------

    def _rows(self) -> list[str]:
        lines = ['fitting:', f'  %large = icmp uge i64 %elements, {_RELEASE}',
                 '  br i1 %large, label %release, label %begin', 'release:',
                 *load_field('ptr', '%release.f', '%self', SELF['release']),
                 '  %released = call ptr %release.f()', '  br label %begin', 'begin:',
                 '  %thread = phi ptr [null, %fitting], [%released, %release]']
        lines += [line for i in self.numbers if self.layout.kind(i) == 'scalar'
                  for line in self._spread(i, f'%data{i}')]
        lines += ['  %empty = icmp eq i64 %elements, 0',
                  '  br i1 %empty, label %end, label %row', 'row:',
                  '  %r = phi i64 [0, %begin], [%r.next, %row.end]']
        for i in self.numbers:
            kind = self.layout.kind(i)
            if kind == 'full':
                lines += [f'  %offset{i} = mul i64 %r, %distance{i}',
                          f'  %line{i} = getelementptr i8, ptr %data{i}, i64 %offset{i}']
            elif kind == 'column':
                stored = STORED[self.layout.dtypes[i]]
                lines += [f'  %line{i} = getelementptr {stored}, ptr %data{i}, i64 %r',
                          *self._spread(i, f'%line{i}')]
        return [*lines, '  br label %column']

    def _spread(self, i: int, pointer: str) -> list[str]:
        """%x of an element that is the same along a row."""
        code = self.layout.dtypes[i]
        kind, name = STORED[code], f'x{i}' if code != 'b1' else f'raw{i}'
        lines = [f'  %one{i} = load {kind}, ptr {pointer}',
                 *equal_elements(name, kind, f'%one{i}', self.width)]
        return lines + ([self._as_bool(i)] if code == 'b1' else [])

    def _as_bool(self, i: int) -> str:
        return f'  %x{i} = icmp ne <{self.width} x i8> %raw{i}, zeroinitializer'

    def _columns(self) -> list[str]:
        moving = [i for i in self.numbers if self.layout.kind(i) in ('full', 'row')]
        loaded = [i for i in moving if i < self.layout.inputs]
        lines = ['column:', '  %c = phi i64 [0, %row], [%c.next, %column.end]']
        for i in moving:
            base = f'%line{i}' if self.layout.kind(i) == 'full' else f'%data{i}'
            lines.append(f'  %at{i} = getelementptr {STORED[self.layout.dtypes[i]]}, ptr {base}, '
                         'i64 %c')
        lines += ['  %rest = sub i64 %columns, %c',
                  f'  %complete = icmp uge i64 %rest, {self.width}',
                  '  br i1 %complete, label %load, label %load.last', 'load:']
        lines += [f'  %a{i} = load {self._memory(i)}, ptr %at{i}, align {self._size(i)}'
                  for i in loaded]
        lines += ['  br label %compute', 'load.last:',
                  *first_lanes('mask', '%rest', self.width),
                  *[self._masked_load(i) for i in loaded], '  br label %compute', 'compute:']
        lines += [f'  {"%raw" if self.layout.dtypes[i] == "b1" else "%x"}{i} = phi '
                  f'{self._memory(i)} [%a{i}, %load], [%b{i}, %load.last]' for i in loaded]
        lines += [self._as_bool(i) for i in loaded if self.layout.dtypes[i] == 'b1']
        return [*lines, *self.vectors.lines, *self._store()]

    def _memory(self, i: int) -> str:
        return f'<{self.width} x {STORED[self.layout.dtypes[i]]}>'

    def _size(self, i: int) -> int:
        return _size(self.layout.dtypes[i])

    def _store(self) -> list[str]:
        lines, stored = [], []
        for i, result in zip(range(self.layout.inputs, len(self.numbers)), self.results):
            if self.layout.dtypes[i] == 'b1':
                lines.append(f'  %y{i} = zext <{self.width} x i1> {result} to {self._memory(i)}')
                result = f'%y{i}'
            stored.append((i, result))
        lines += ['  br i1 %complete, label %store, label %store.last', 'store:',
                  *[f'  store {self._memory(i)} {result}, ptr %at{i}, align {self._size(i)}'
                    for i, result in stored],
                  '  br label %column.end', 'store.last:',
                  *first_lanes('mask.2', '%rest', self.width)]
        lines += [self._masked_store(i, result) for i, result in stored]
        return [*lines, '  br label %column.end']

    def _masked_load(self, i: int) -> str:
        kind, name = self._memory(i), f'llvm.masked.load.v{self.width}{self._suffix(i)}.p0'
        self.masks.add(f'declare {kind} @{name}(ptr, i32, <{self.width} x i1>, {kind})')
        return (f'  %b{i} = call {kind} @{name}(ptr %at{i}, i32 {self._size(i)}, '
                f'<{self.width} x i1> %mask, {kind} zeroinitializer)')

    def _masked_store(self, i: int, result: str) -> str:
        kind, name = self._memory(i), f'llvm.masked.store.v{self.width}{self._suffix(i)}.p0'
        self.masks.add(f'declare void @{name}({kind}, ptr, i32, <{self.width} x i1>)')
        return (f'  call void @{name}({kind} {result}, ptr %at{i}, i32 {self._size(i)}, '
                f'<{self.width} x i1> %mask.2)')

    def _suffix(self, i: int) -> str:
        code = self.layout.dtypes[i]
        return 'i8' if code == 'b1' else f'{code[0]}{8 * _size(code)}'

    def _ends(self) -> list[str]:
        return ['column.end:', f'  %c.next = add i64 %c, {self.width}',
                '  %c.more = icmp ult i64 %c.next, %columns',
                '  br i1 %c.more, label %column, label %row.end',
                'row.end:', '  %r.next = add i64 %r, 1',
                '  %r.more = icmp ult i64 %r.next, %rows',
                '  br i1 %r.more, label %row, label %end',
                'end:', '  br i1 %large, label %acquire, label %done',
                'acquire:', *load_field('ptr', '%acquire.f', '%self', SELF['acquire']),
                '  call void %acquire.f(ptr %thread)', '  br label %done',
                'done:', *load_field('ptr', '%yes', '%self', SELF['yes']), '  br label %return',
                'refused:', *load_field('ptr', '%no', '%self', SELF['no']), '  br label %return',
                'return:', '  %answer = phi ptr [%yes, %done], [%no, %refused]',
                *returned('%answer')]


def load_field(kind: str, name: str, base: str, offset: int) -> list[str]:
    """Loads what lies so many bytes after an address."""
    return [f'  {name}.p = getelementptr i8, ptr {base}, i64 {offset}',
            f'  {name} = load {kind}, ptr {name}.p']


def returned(answer: str) -> list[str]:
    """Returns True or False to the interpreter."""
    return [*load_field('ptr', '%count.f', '%self', SELF['count']),
            f'  call void %count.f(ptr {answer})', f'  ret ptr {answer}']


def arguments_loaded(*names: str) -> list[str]:
    """Loads each argument, an array, as %name.array, and where its elements lie as %name."""
    lines = []
    for i, name in enumerate(names):
        lines += [f'  %{name}.at = getelementptr ptr, ptr %arguments, i64 {i}',
                  f'  %{name}.array = load ptr, ptr %{name}.at',
                  *load_field('ptr', f'%{name}', f'%{name}.array', ARRAY['data'])]
    return lines


def lock_released() -> list[str]:
    """Releases the interpreter's lock."""
    return [*load_field('ptr', '%release.f', '%self', SELF['release']),
            '  %thread = call ptr %release.f()']


def lock_taken_and_returned() -> list[str]:
    """Takes the interpreter's lock back, and returns True."""
    return [*load_field('ptr', '%acquire.f', '%self', SELF['acquire']),
            '  call void %acquire.f(ptr %thread)',
            *load_field('ptr', '%yes', '%self', SELF['yes']), *returned('%yes')]


def _product(name: str, factors: Sequence[str]) -> list[str]:
    lines, product = [], '1'
    for n, factor in enumerate(factors):
        lines.append(f'  {name}.{n} = mul i64 {product}, {factor}')
        product = f'{name}.{n}'
    return [*lines, f'  {name} = mul i64 {product}, 1']
