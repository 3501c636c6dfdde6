"""Sums into chosen rows of a table: gradients of looked-up rows, in one walk over the rows.

    native(table, indices, rows) -> bool

of matrices without gaps, table [n, columns] and rows [count, columns], and int64 indices [count] in
[0, n). Rows are added one after the other, so the bits are those of NumPy's `add.at`.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction
from tinyflow.native.instructions import whole
from tinyflow.native.loops.kernel import (
    arguments_loaded,
    load_field,
    lock_released,
    lock_taken_and_returned,
)
from tinyflow.native.loops.machine import ARRAY, builtin, width
from tinyflow.ops.variables.variable_ops import check_rows

__all__ = ['SCATTERS', 'scatter_kernel']

_LEAST = 1 << 9             # elements; for fewer, NumPy is as fast
_SCALARS = {'f4': 'float', 'f8': 'double'}
SCATTERS = {prefix + name: operation for prefix in ('', 'Resource')
            for name, operation in (('ScatterAdd', 'fadd'), ('ScatterSub', 'fsub'))}


@cache
def _native(code: str, operation: str) -> Callable[..., bool]:
    scalar, lanes = _SCALARS[code], width()
    kinds = (('v', f'<{lanes} x {scalar}>', lanes), ('s', scalar, 1))
    lines = ['define ptr @rows(ptr %self, ptr %arguments, i64 %count) {', 'start:']
    lines += arguments_loaded('table', 'indices', 'rows')
    lines += [*load_field('ptr', '%sizes', '%rows.array', ARRAY['sizes']),
              *load_field('i64', '%number', '%sizes', 0),
              *load_field('i64', '%columns', '%sizes', 8),
              f'  %vectors = and i64 %columns, {-lanes}',
              *lock_released(), '  br label %row',
              'row:', '  %r = phi i64 [0, %start], [%r.next, %row.end]',
              '  %index.at = getelementptr i64, ptr %indices, i64 %r',
              '  %index = load i64, ptr %index.at',
              '  %to.first = mul i64 %index, %columns', '  %from.first = mul i64 %r, %columns',
              f'  %to = getelementptr {scalar}, ptr %table, i64 %to.first',
              f'  %from = getelementptr {scalar}, ptr %rows, i64 %from.first', '  br label %v.test']
    for p, kind, step in kinds:         # vectors, then the columns that are left
        first, before, limit, after = ('0', 'row', '%vectors', 's.test') if p == 'v' else (
            '%vectors', 'v.test', '%columns', 'row.end')
        lines += [f'{p}.test:', f'  %{p}.c = phi i64 [{first}, %{before}], [%{p}.next, %{p}.do]',
                  f'  %{p}.more = icmp ult i64 %{p}.c, {limit}',
                  f'  br i1 %{p}.more, label %{p}.do, label %{after}', f'{p}.do:',
                  f'  %{p}.to = getelementptr {scalar}, ptr %to, i64 %{p}.c',
                  f'  %{p}.from = getelementptr {scalar}, ptr %from, i64 %{p}.c',
                  f'  %{p}.a = load {kind}, ptr %{p}.to, align {code[1]}',
                  f'  %{p}.b = load {kind}, ptr %{p}.from, align {code[1]}',
                  f'  %{p}.sum = {operation} {kind} %{p}.a, %{p}.b',
                  f'  store {kind} %{p}.sum, ptr %{p}.to, align {code[1]}',
                  f'  %{p}.next = add i64 %{p}.c, {step}', f'  br label %{p}.test']
    lines += ['row.end:', '  %r.next = add i64 %r, 1',
              '  %r.more = icmp ult i64 %r.next, %number',
              '  br i1 %r.more, label %row, label %end', 'end:',
              *lock_taken_and_returned(), '}', '']
    return builtin('\n'.join(lines), 'rows')


def scatter_kernel(instruction: Instruction) -> Callable[..., np.ndarray] | None:
    """The kernel of a ScatterAdd or ScatterSub; None if there is no loop for it."""
    table, _, rows = instruction.inputs
    code: Any = table.dtype.np.str[1:]
    if code not in _SCALARS or not table.known_shape or not rows.known_shape \
            or prod(rows.sizes) < _LEAST:
        return None
    native = _native(code, SCATTERS[instruction.type])
    original, columns = instruction.definition.kernel, prod(table.sizes[1:])

    def kernel(table, indices, rows):
        if not table.flags.c_contiguous or rows.size < _LEAST:
            return original(table, indices, rows)
        check_rows(table, indices, rows)
        if np.may_share_memory(table, rows):
            rows = rows.copy()
        native(table.reshape(-1, columns), whole(indices.reshape(-1).astype(np.int64, copy=False)),
               whole(rows).reshape(-1, columns))
        return table
    return kernel
