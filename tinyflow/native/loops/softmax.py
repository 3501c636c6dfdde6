"""softmax, log_softmax and their cross entropies: three walks over a row while it is in the cache.

    native(x, y, largest, total) -> bool

of matrices x and y without gaps, and vectors with an element for each row: the largest element,
and the sum of exponentials of what x is below it. Rows do not depend on each other.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction
from tinyflow.graph.support.tiles import in_tiles
from tinyflow.native.instructions import result, stored, whole
from tinyflow.native.loops import functions
from tinyflow.native.loops.kernel import (
    arguments_loaded,
    load_field,
    lock_released,
    lock_taken_and_returned,
)
from tinyflow.native.loops.machine import ARRAY, builtin, width
from tinyflow.native.loops.vectors import Vectors, equal_elements, first_lanes
from tinyflow.ops.nn import cross_entropy
from tinyflow.ops.nn.softmax import row_sum

__all__ = ['ROW_KERNELS']

_LEAST = 1 << 9             # elements; for fewer, NumPy is as fast
_TILE = 1 << 14             # elements that a thread takes at a time
_FEWEST = 32                # tiles, about a millisecond's, that pay for a thread
_SCALARS = {'f4': 'float', 'f8': 'double'}


class _Text:
    """The function for one type, with or without a logarithm at the end."""

    def __init__(self, code: str, logarithm: bool) -> None:
        self.code, self.scalar, self.width = code, _SCALARS[code], width()
        self.logarithm = logarithm
        self.kind = f'<{self.width} x {self.scalar}>'
        self.declared: set[str] = set()
        self.bits = 8 * int(code[1])

    def text(self) -> str:
        lines = ['define ptr @rows(ptr %self, ptr %arguments, i64 %count) {', 'start:']
        lines += arguments_loaded('x', 'y', 'largest', 'total')
        lines += [*load_field('ptr', '%sizes', '%x.array', ARRAY['sizes']),
                  *load_field('i64', '%rows', '%sizes', 0),
                  *load_field('i64', '%columns', '%sizes', 8),
                  *lock_released(), '  br label %row',
                  'row:', '  %r = phi i64 [0, %start], [%r.next, %row.end]',
                  '  %begin = mul i64 %r, %columns',
                  f'  %x.row = getelementptr {self.scalar}, ptr %x, i64 %begin',
                  f'  %y.row = getelementptr {self.scalar}, ptr %y, i64 %begin',
                  '  br label %first']
        lines += self._largest() + self._exponentials() + self._results()
        lines += ['row.end:', '  %r.next = add i64 %r, 1',
                  '  %r.more = icmp ult i64 %r.next, %rows',
                  '  br i1 %r.more, label %row, label %end', 'end:',
                  *lock_taken_and_returned()]
        return '\n'.join([*lines, '}', *sorted(self.declared), ''])

    def _largest(self) -> list[str]:
        v = Vectors(self.width, 'm')
        low = v.constant(-np.inf, self.code)
        found = v.call('maxnum', self.code, '%m.all', '%m.x')
        lines = self._walk('m', low, 'first', 'first.end', 'x', v, found, '-inf')
        name = f'@llvm.vector.reduce.fmax.v{self.width}f{self.bits}'
        self.declared.add(f'declare {self.scalar} {name}({self.kind})')
        return [*lines, 'first.end:', f'  %top = call {self.scalar} {name}({self.kind} {found})',
                *self._equal('top'), '  br label %second']

    def _exponentials(self) -> list[str]:
        v = Vectors(self.width, 'e')
        power = functions.exp(v, self.code, v.op('fsub', self.code, '%e.x', '%top.all'))
        lasting = v.select('%e.mask', self.code, power, v.constant(0, self.code))
        found = v.op('fadd', self.code, '%e.all', lasting)
        lines = self._walk('e', v.constant(0, self.code), 'second', 'second.end', 'x', v, found,
                           '0', None if self.logarithm else power)
        name = f'@llvm.vector.reduce.fadd.v{self.width}f{self.bits}'
        self.declared.add(f'declare {self.scalar} {name}({self.scalar}, {self.kind})')
        lines += ['second.end:', f'  %sum = call reassoc {self.scalar} {name}({self.scalar} 0.0,'
                  f' {self.kind} {found})', *self._equal('sum')]
        for name, value in (('largest', 'top'), ('total', 'sum')):
            lines += [f'  %{name}.r = getelementptr {self.scalar}, ptr %{name}, i64 %r',
                      f'  store {self.scalar} %{value}, ptr %{name}.r']
        if self.logarithm:
            v = Vectors(self.width, 'g')
            self.end = functions.log(v, self.code, '%sum.all')
            lines += v.lines
            self.declared |= v.declared
        return [*lines, '  br label %third']

    def _results(self) -> list[str]:
        v = Vectors(self.width, 'd')
        if self.logarithm:
            below = v.op('fsub', self.code, '%d.x', '%top.all')
            y = v.op('fsub', self.code, below, self.end)
        else:
            y = v.op('fdiv', self.code, '%d.x', '%sum.all')
        source = 'x' if self.logarithm else 'y'
        return self._walk('d', v.constant(0, self.code), 'third', 'row.end', source, v, '%d.all',
                          '0', y)

    def _walk(self, p: str, start: str, label: str, after: str, source: str, v: Vectors, found: str,
              beyond: str, stored: str | None = None) -> list[str]:
        """A loop over a row's columns, which loads %<p>.x, and stores `stored`.

        %<p>.all is what `found` was for the columns before; beyond the row, x is `beyond`.
        """
        self.declared |= v.declared
        w, kind, size = self.width, self.kind, self.bits // 8
        bits = f'<{w} x i1>'
        load, store = (f'@llvm.masked.{what}.v{w}f{self.bits}.p0' for what in ('load', 'store'))
        self.declared.add(f'declare {kind} {load}(ptr, i32, {bits}, {kind})')
        rest = Vectors(w).constant(-np.inf if beyond == '-inf' else 0, self.code)
        before = {'first': 'row', 'second': 'first.end', 'third': 'second.end'}[label]
        lines = [f'{label}:', f'  %{p}.c = phi i64 [0, %{before}], [%{p}.next, %{p}.more]',
                 f'  %{p}.all = phi {kind} [{start}, %{before}], [{found}, %{p}.more]',
                 f'  %{p}.at = getelementptr {self.scalar}, ptr %{source}.row, i64 %{p}.c',
                 f'  %{p}.rest = sub i64 %columns, %{p}.c',
                 *first_lanes(f'{p}.mask', f'%{p}.rest', w),
                 f'  %{p}.whole = icmp uge i64 %{p}.rest, {w}',
                 f'  br i1 %{p}.whole, label %{p}.load, label %{p}.last',
                 f'{p}.load:', f'  %{p}.a = load {kind}, ptr %{p}.at, align {size}',
                 f'  br label %{p}.do', f'{p}.last:',
                 f'  %{p}.b = call {kind} {load}(ptr %{p}.at, i32 {size}, {bits} %{p}.mask, '
                 f'{kind} {rest})', f'  br label %{p}.do', f'{p}.do:',
                 f'  %{p}.x = phi {kind} [%{p}.a, %{p}.load], [%{p}.b, %{p}.last]', *v.lines]
        if stored is None:
            lines.append(f'  br label %{p}.more')
        else:
            self.declared.add(f'declare void {store}({kind}, ptr, i32, {bits})')
            target = f'%{p}.to'
            lines += [f'  {target} = getelementptr {self.scalar}, ptr %y.row, i64 %{p}.c',
                      f'  br i1 %{p}.whole, label %{p}.put, label %{p}.put.last',
                      f'{p}.put:', f'  store {kind} {stored}, ptr {target}, align {size}',
                      f'  br label %{p}.more', f'{p}.put.last:',
                      f'  call void {store}({kind} {stored}, ptr {target}, i32 {size}, '
                      f'{bits} %{p}.mask)', f'  br label %{p}.more']
        return [*lines, f'{p}.more:', f'  %{p}.next = add i64 %{p}.c, {w}',
                f'  %{p}.again = icmp ult i64 %{p}.next, %columns',
                f'  br i1 %{p}.again, label %{label}, label %{after}']

    def _equal(self, name: str) -> list[str]:
        return equal_elements(f'{name}.all', self.scalar, f'%{name}', self.width)


@cache
def _native(code: str, logarithm: bool) -> Callable[..., bool]:
    return builtin(_Text(code, logarithm).text(), 'rows')


def _by_rows(native: Callable[..., bool], x: np.ndarray,
             y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Computes y; the largest elements of rows, and the sums of exponentials."""
    columns = x.shape[-1]
    x, y = x.reshape(-1, columns), y.reshape(-1, columns)
    rows = len(x)
    largest, total = np.empty(rows, x.dtype), np.empty(rows, x.dtype)
    step = max(1, _TILE // columns)
    if rows < 2 * step:
        native(x, y, largest, total)
    else:
        in_tiles(rows, lambda i, j: native(x[i:j], y[i:j], largest[i:j], total[i:j]), step,
                 _FEWEST)
    return largest, total


# ---- kernels -----------------------------------------------------------------------------------

def _softmax(instruction: Instruction, logarithm: bool) -> Callable[..., np.ndarray] | None:
    code = _code(instruction)
    if code is None:
        return None
    native = _native(code, logarithm)

    def kernel(x, out=None):
        y = result(out, x.shape, x.dtype)
        _by_rows(native, whole(x), y)
        return stored(y, out)
    return kernel


def _code(instruction: Instruction) -> str | None:
    """The type of the first input, if it is one that a loop computes."""
    x = instruction.inputs[0]
    code: Any = x.dtype.np.str[1:]
    return code if code in _SCALARS and x.known_shape and prod(x.sizes) >= _LEAST else None


def _cross_entropy(instruction: Instruction, sparse: bool) -> Callable[..., Any] | None:
    """The loss, and its gradient softmax(x) - labels, which is computed in its own place."""
    code = _code(instruction)
    x, labels = instruction.inputs
    if code is None or not labels.known_shape or len(x.sizes) != 2 \
            or labels.sizes != x.sizes[:1 if sparse else 2]:
        return None
    native, shape, dtype = _native(code, False), x.sizes, x.dtype.np

    def kernel(x, labels, out=None):
        if sparse:
            cross_entropy.check_labels(labels, shape[1])
        loss, backprop = (None, None) if out is None else out
        gradient = result(backprop, shape, dtype)
        x = whole(x)
        largest, total = _by_rows(native, x, gradient)
        if sparse:
            chosen = np.arange(shape[0]) * shape[1] + labels
            value = np.log(total) - (x.take(chosen) - largest)
            gradient.reshape(-1)[chosen] -= 1
        else:
            below = x - largest[:, None]
            value = np.log(total) * row_sum(labels) - np.einsum('ij,ij->i', labels, below)
            np.subtract(gradient, labels, gradient)
        return stored(value, loss), stored(gradient, backprop)
    return kernel


ROW_KERNELS: dict[str, Callable[[Instruction], Any]] = {
    'Softmax': lambda i: _softmax(i, False), 'LogSoftmax': lambda i: _softmax(i, True),
    'SoftmaxCrossEntropyWithLogits': lambda i: _cross_entropy(i, False),
    'SparseSoftmaxCrossEntropyWithLogits': lambda i: _cross_entropy(i, True),
}
