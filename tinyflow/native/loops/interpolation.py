"""Bilinear resizing: means of two pixels of a row, then of two rows, with NumPy's bits.

    native(old, lower, upper, weights, new) -> bool

of arrays without gaps: old [outer, m, inner] and new [outer, n, inner] of float32, int64 lower and
upper [n], in [0, m), and float32 weights [n]. The interpreter's lock is released.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from tinyflow.compiler.ir import Instruction
from tinyflow.native.instructions import result, stored, whole
from tinyflow.native.loops.kernel import (
    arguments_loaded,
    load_field,
    lock_released,
    lock_taken_and_returned,
)
from tinyflow.native.loops.machine import ARRAY, builtin, width
from tinyflow.native.loops.vectors import equal_elements
from tinyflow.ops.image.resize import check_sizes, neighbours, rows_between

__all__ = ['RESIZES', 'resize_kernel']

RESIZES = frozenset({'ResizeBilinear'})


@cache
def _native(inner: int) -> Callable[..., bool]:
    """The function for so many numbers of a pixel; 0 for any number."""
    return builtin(_text(inner), 'between')


def _text(inner: int) -> str:
    """For each row of the result, and each element of it, a walk over the innermost axis.

    There is no walk if `inner`, its size, is given.
    """
    lanes, size = inner or width(), inner or '%inner'
    vector = f'<{lanes} x float>'
    lines = ['define ptr @between(ptr %self, ptr %arguments, i64 %count) {', 'start:']
    lines += arguments_loaded('old', 'lower', 'upper', 'weights', 'new')
    for name in ('old', 'new'):
        lines += load_field('ptr', f'%{name}.sizes', f'%{name}.array', ARRAY['sizes'])
    lines += [*load_field('i64', '%m', '%old.sizes', 8),
              *load_field('i64', '%outer', '%new.sizes', 0),
              *load_field('i64', '%n', '%new.sizes', 8),
              *load_field('i64', '%inner', '%new.sizes', 16),
              f'  %vectors = and i64 %inner, {-lanes}', '  %distance = mul i64 %m, %inner',
              *lock_released(), '  br label %row',
              'row:', '  %r = phi i64 [0, %start], [%r.next, %row.end]',
              '  %to.row = phi ptr [%new, %start], [%to.next, %row.end]',
              '  %first = mul i64 %r, %distance',
              '  %from = getelementptr float, ptr %old, i64 %first', '  br label %each',
              'each:', '  %e = phi i64 [0, %row], [%e.next, %each.end]',
              '  %to = phi ptr [%to.row, %row], [%to.next, %each.end]']
    for name in ('lower', 'upper'):
        lines += [f'  %{name}.e = getelementptr i64, ptr %{name}, i64 %e',
                  f'  %{name}.i = load i64, ptr %{name}.e',
                  f'  %{name}.first = mul i64 %{name}.i, {size}',
                  f'  %{name}.from = getelementptr float, ptr %from, i64 %{name}.first']
    lines += ['  %weight.e = getelementptr float, ptr %weights, i64 %e',
              '  %s.weight = load float, ptr %weight.e',
              *equal_elements('v.weight', 'float', '%s.weight', lanes),
              *(_mean('v', vector, '0') + ['  br label %each.end'] if inner else _walk(lanes)),
              'each.end:', '  %e.next = add i64 %e, 1',
              f'  %to.next = getelementptr float, ptr %to, i64 {size}',
              '  %e.more = icmp ult i64 %e.next, %n',
              '  br i1 %e.more, label %each, label %row.end',
              'row.end:', '  %r.next = add i64 %r, 1',
              '  %r.more = icmp ult i64 %r.next, %outer',
              '  br i1 %r.more, label %row, label %end', 'end:',
              *lock_taken_and_returned(), '}', '']
    return '\n'.join(lines)


def _walk(lanes: int) -> list[str]:
    """Vectors, then the numbers that are left."""
    lines = ['  br label %v.test']
    for p, kind, step, first, before, limit, after in (
            ('v', f'<{lanes} x float>', lanes, '0', 'each', '%vectors', 's.test'),
            ('s', 'float', 1, '%vectors', 'v.test', '%inner', 'each.end')):
        lines += [f'{p}.test:', f'  %{p}.c = phi i64 [{first}, %{before}], [%{p}.next, %{p}.do]',
                  f'  %{p}.more = icmp ult i64 %{p}.c, {limit}',
                  f'  br i1 %{p}.more, label %{p}.do, label %{after}', f'{p}.do:',
                  *_mean(p, kind, f'%{p}.c'),
                  f'  %{p}.next = add i64 %{p}.c, {step}', f'  br label %{p}.test']
    return lines


def _mean(p: str, kind: str, at: str) -> list[str]:
    """Stores lower + (upper - lower) * weight, rounded after each step as in NumPy."""
    lines = []
    for name in ('lower', 'upper'):
        lines += [f'  %{p}.{name}.p = getelementptr float, ptr %{name}.from, i64 {at}',
                  f'  %{p}.{name} = load {kind}, ptr %{p}.{name}.p, align 4']
    return [*lines, f'  %{p}.difference = fsub {kind} %{p}.upper, %{p}.lower',
            f'  %{p}.part = fmul {kind} %{p}.difference, %{p}.weight',
            f'  %{p}.sum = fadd {kind} %{p}.part, %{p}.lower',
            f'  %{p}.to = getelementptr float, ptr %to, i64 {at}',
            f'  store {kind} %{p}.sum, ptr %{p}.to, align 4']


def resize_kernel(instruction: Instruction) -> Callable[..., np.ndarray]:
    """The kernel of a ResizeBilinear."""
    shape, attrs = instruction.inputs[0].raw_shape, instruction.attrs
    how = attrs['align_corners'], attrs['half_pixel_centers']
    channels = shape[3] if shape is not None and len(shape) == 4 else None
    across = _native(channels if channels and channels < width() else 0)
    down = _native(0)

    def kernel(images, size, out=None):
        check_sizes(images, size)
        batch, height, _, channels = images.shape
        used, rows = rows_between(size[0], height, *how)
        columns = neighbours(size[1], images.shape[2], *how)
        resized = result(out, (batch, *size, channels))
        for image, new in zip(images, resized):
            image = whole(image[used].astype(np.float32, copy=False))
            narrow = np.empty((len(image), size[1], channels), np.float32)
            across(image, *columns, narrow)
            down(narrow.reshape(1, len(image), -1), *rows, new.reshape(1, size[0], -1))
        return stored(resized, out)
    return kernel
