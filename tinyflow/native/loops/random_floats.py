"""Uniform random floats of seeded ops, as of dropout: Philox, several blocks at a time.

    native(floats, start) -> bool

of float32 [4 * lanes * n] without gaps, and uint64 [3]: the lower and the upper half of the first
block's counter, and the key (ops/random/philox.py). The bits are those of NumPy's kernel.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod

import numpy as np

from tinyflow.compiler.ir import Instruction
from tinyflow.native.instructions import result, stored
from tinyflow.native.loops.kernel import (
    arguments_loaded,
    load_field,
    lock_released,
    lock_taken_and_returned,
)
from tinyflow.native.loops.machine import ARRAY, builtin, width
from tinyflow.native.loops.vectors import equal_elements
from tinyflow.ops.random import philox, samplers
from tinyflow.ops.random.philox_floats import uniform32
from tinyflow.ops.random.random_ops import checked_sizes

__all__ = ['UNIFORMS', 'uniform_kernel']

UNIFORMS = frozenset({'RandomUniform'})
_LEAST = 1 << 12            # elements; for fewer, NumPy is as fast


@cache
def _native() -> Callable[..., bool]:
    return builtin(_text(width()), 'uniform')


def _text(lanes: int) -> str:
    lines = ['define ptr @uniform(ptr %self, ptr %arguments, i64 %count) {', 'start:']
    lines += arguments_loaded('floats', 'begin')
    lines += [*load_field('ptr', '%sizes', '%floats.array', ARRAY['sizes']),
              *load_field('i64', '%number', '%sizes', 0),
              *load_field('i64', '%lower', '%begin', 0), *_constants(lanes),
              *lock_released(), '  br label %test',
              'test:', '  %i = phi i64 [0, %start], [%next, %blocks]',
              '  %more = icmp ult i64 %i, %number', '  br i1 %more, label %blocks, label %end',
              'blocks:', *_first_words(lanes)]
    words = '%a.0', '%b.0', '%c.0', '%d.0'
    for r in range(philox.ROUNDS):
        words = _round(lines, lanes, r, *words)
    lines += [*_floats(lanes, *words), f'  %next = add i64 %i, {4 * lanes}', '  br label %test',
              'end:', *lock_taken_and_returned(), '}', '']
    return '\n'.join(lines)


def _constants(lanes: int) -> list[str]:
    """The upper counter words, c and d, and both keys of each round, in all lanes."""
    lines = [*load_field('i64', '%upper', '%begin', 8), *load_field('i64', '%key', '%begin', 16)]
    for name in ('upper', 'key'):
        lines += [f'  %{name}.l = trunc i64 %{name} to i32', f'  %{name}.s = lshr i64 %{name}, 32',
                  f'  %{name}.h = trunc i64 %{name}.s to i32']
    lines += [*equal_elements('c.0', 'i32', '%upper.l', lanes),
              *equal_elements('d.0', 'i32', '%upper.h', lanes)]
    for r in range(philox.ROUNDS):
        for name, half, step in (('k0', 'l', philox.W0), ('k1', 'h', philox.W1)):
            lines += [f'  %{name}.{r}.s = add i32 %key.{half}, {r * step % 2 ** 32}',
                      *equal_elements(f'{name}.{r}', 'i32', f'%{name}.{r}.s', lanes)]
    return lines


def _first_words(lanes: int) -> list[str]:
    """The lower counter words, a and b, of as many blocks as there are lanes."""
    words, wide = f'<{lanes} x i32>', f'<{lanes} x i64>'
    numbers = ', '.join(f'i64 {n}' for n in range(lanes))
    return ['  %done = lshr i64 %i, 2', '  %first = add i64 %lower, %done',
            *equal_elements('firsts', 'i64', '%first', lanes),
            f'  %counters = add {wide} %firsts, <{numbers}>',
            f'  %a.0 = trunc {wide} %counters to {words}',
            f'  %shifted = lshr {wide} %counters, splat (i64 32)',
            f'  %b.0 = trunc {wide} %shifted to {words}']


def _round(lines: list[str], lanes: int, r: int, a: str, b: str, c: str,
           d: str) -> tuple[str, str, str, str]:
    """Adds the lines of a round; the names of the words after it."""
    words, wide = f'<{lanes} x i32>', f'<{lanes} x i64>'
    for name, word, factor in (('p', a, philox.M0), ('q', c, philox.M1)):
        lines += [f'  %{name}.{r}.w = zext {words} {word} to {wide}',
                  f'  %{name}.{r} = mul {wide} %{name}.{r}.w, splat (i64 {factor})',
                  f'  %{name}.{r}.s = lshr {wide} %{name}.{r}, splat (i64 32)',
                  f'  %{name}.{r}.h = trunc {wide} %{name}.{r}.s to {words}',
                  f'  %{name}.{r}.l = trunc {wide} %{name}.{r} to {words}']
    n = r + 1
    lines += [f'  %a.{n}.x = xor {words} %q.{r}.h, {b}',
              f'  %a.{n} = xor {words} %a.{n}.x, %k0.{r}',
              f'  %c.{n}.x = xor {words} %p.{r}.h, {d}',
              f'  %c.{n} = xor {words} %c.{n}.x, %k1.{r}']
    return f'%a.{n}', f'%q.{r}.l', f'%c.{n}', f'%p.{r}.l'


def _floats(lanes: int, a: str, b: str, c: str, d: str) -> list[str]:
    """Stores the words, block after block: random bits become the mantissa of 1 to 2, less 1."""
    words, count = f'<{lanes} x i32>', 4 * lanes
    half, full, floats = f'<{2 * lanes} x i32>', f'<{count} x i32>', f'<{count} x float>'
    both = ', '.join(f'i32 {n}' for n in range(2 * lanes))
    order = ', '.join(f'i32 {word * lanes + n}' for n in range(lanes) for word in range(4))
    return [f'  %ab = shufflevector {words} {a}, {words} {b}, {half} <{both}>',
            f'  %cd = shufflevector {words} {c}, {words} {d}, {half} <{both}>',
            f'  %bits = shufflevector {half} %ab, {half} %cd, {full} <{order}>',
            f'  %mantissa = and {full} %bits, splat (i32 {0x7FFFFF})',
            f'  %numbers = or {full} %mantissa, splat (i32 {0x3F800000})',
            f'  %from.one = bitcast {full} %numbers to {floats}',
            f'  %from.zero = fsub {floats} %from.one, splat (float 1.0)',
            '  %to = getelementptr float, ptr %floats, i64 %i',
            f'  store {floats} %from.zero, ptr %to, align 4']


def uniform_kernel(instruction: Instruction) -> Callable[..., np.ndarray] | None:
    """The kernel of a RandomUniform; None if there is no loop for it."""
    drawn = instruction.outputs[0]
    if drawn.dtype.np != np.float32 or drawn.known_shape and prod(drawn.sizes) < _LEAST:
        return None
    native, step = _native(), 4 * width()

    def kernel(stream, shape, out=None):
        floats = result(out, checked_sizes(shape))
        flat = floats.reshape(-1)
        start = getattr(stream, 'philox', stream).reserve(samplers.PER_OUTPUT * flat.size)
        counter = start.position % 2 ** 64
        count = flat.size // step * step if counter + flat.size < 2 ** 64 else 0
        if count:
            native(flat[:count], np.array([counter, start.position >> 64, start.key], np.uint64))
        rest = philox.words(start.skip(count // 4), flat.size - count)
        flat[count:] = uniform32(rest)
        return stored(floats, out)
    return kernel
