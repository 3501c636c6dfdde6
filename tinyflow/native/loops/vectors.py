"""Expressions as LLVM's text, on vectors of a few elements.

No instruction here may be reordered or contracted by LLVM: a ufunc of NumPy's with one correctly
rounded result (+, *, sqrt, ...) gives the same bits here. exp, log and tanh are in functions.py.
"""
from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tinyflow.native.loops.trace import Node, NotTraceable

__all__ = ['STORED', 'Vectors', 'equal_elements', 'first_lanes']

# Types by dtype: in arithmetic and, where it differs, in memory.
_TYPES = {'f4': 'float', 'f8': 'double', 'i4': 'i32', 'i8': 'i64', 'b1': 'i1'}
STORED = _TYPES | {'b1': 'i8'}
_INTRINSIC = {'sqrt': 'sqrt', 'absolute': 'fabs', 'fabs': 'fabs', 'floor': 'floor', 'ceil': 'ceil',
              'trunc': 'trunc', 'rint': 'roundeven'}
_ARITHMETIC = {'add': ('fadd', 'add'), 'subtract': ('fsub', 'sub'), 'multiply': ('fmul', 'mul'),
               'divide': ('fdiv', None)}
_COMPARISONS = {'less': ('olt', 'slt'), 'less_equal': ('ole', 'sle'), 'greater': ('ogt', 'sgt'),
                'greater_equal': ('oge', 'sge'), 'equal': ('oeq', 'eq'), 'not_equal': ('une', 'ne')}
_LOGICAL = {'logical_and': 'and', 'logical_or': 'or', 'logical_xor': 'xor', 'bitwise_and': 'and',
            'bitwise_or': 'or', 'bitwise_xor': 'xor'}


class Vectors:
    """Writes instructions on vectors of `width` elements; `lines` is the text so far.

    A value is a str such as '%v7'. Each method takes values and the code of their dtype ('f4').
    `functions` writes those ufuncs that LLVM has no instruction for.
    """

    def __init__(self, width: int, prefix: str = 'v',
                 functions: Mapping[str, Callable[..., str]] | None = None) -> None:
        self.width = width
        self._functions = functions or {}
        self.lines: list[str] = []
        self.declared: set[str] = set()             # intrinsics that are used
        self._prefix = prefix
        self._count = 0
        self._values: dict[int, str] = {}           # id of a Node -> its value

    def type(self, code: str) -> str:
        return f'<{self.width} x {_TYPES[code]}>'

    def line(self, text: str) -> str:
        """Appends an instruction; its value."""
        self._count += 1
        name = f'%{self._prefix}{self._count}'
        self.lines.append(f'  {name} = {text}')
        return name

    def constant(self, number: Any, code: str) -> str:
        return f'splat ({_TYPES[code]} {_literal(number, code)})'

    def op(self, name: str, code: str, *values: str) -> str:
        return self.line(f'{name} {self.type(code)} {", ".join(values)}')

    def call(self, intrinsic: str, code: str, *values: str) -> str:
        kind = self.type(code)
        name = f'@llvm.{intrinsic}.v{self.width}{code[0]}{int(code[1]) * 8}'
        self.declared.add(f'declare {kind} {name}({", ".join([kind] * len(values))})')
        return self.line(f'call {kind} {name}({", ".join(f"{kind} {v}" for v in values)})')

    def compare(self, condition: str, code: str, x: str, y: str) -> str:
        return self.op(('fcmp ' if code[0] == 'f' else 'icmp ') + condition, code, x, y)

    def select(self, condition: str, code: str, x: str, y: str) -> str:
        kind = self.type(code)
        return self.line(f'select {self.type("b1")} {condition}, {kind} {x}, {kind} {y}')

    def convert(self, how: str, source: str, target: str, x: str) -> str:
        return self.line(f'{how} {self.type(source)} {x} to {self.type(target)}')

    # ---- nodes ---------------------------------------------------------------------------

    def define(self, node: Node, value: str) -> None:
        """Says which value an input has."""
        self._values[id(node)] = value

    def value(self, node: Node) -> str:
        """The value of a node, whose instructions are written if it is new.

        Raises NotTraceable for what cannot be written.
        """
        found = self._values.get(id(node))
        if found is None:
            found = self._values[id(node)] = self._write(node)
        return found

    def _write(self, node: Node) -> str:
        name, code = node.name, _code(node.dtype)
        if name == 'constant':
            return self.constant(node.arguments[0], code)
        kind = _code(node.arguments[0].dtype)
        if name == 'power':
            return self._power(node, code)
        values = [self.value(a) for a in node.arguments]
        if name == 'cast':
            return self._cast(kind, code, values[0])
        if name == 'where':
            return self.select(values[0], code, values[1], values[2])
        written = self._simple(name, kind, values)
        if written is None and kind[0] == 'f':
            function = self._functions.get(name)
            written = None if function is None else function(self, kind, *values)
        if written is None:
            raise NotTraceable(f'{name} of {node.arguments[0].dtype}')
        return written

    def _simple(self, name: str, kind: str, values: list[str]) -> str | None:
        floating = kind[0] == 'f'
        if name in _ARITHMETIC and kind != 'b1':
            text = _ARITHMETIC[name][0 if floating else 1]
            return None if text is None else self.op(text, kind, *values)
        if name in _COMPARISONS:
            if kind == 'b1' and name not in ('equal', 'not_equal'):
                return None
            return self.compare(_COMPARISONS[name][0 if floating else 1], kind, *values)
        if name in _LOGICAL and (kind == 'b1' or name.startswith('bitwise') and not floating):
            return self.op(_LOGICAL[name], kind, *values)
        if name in ('logical_not', 'invert') and kind == 'b1':
            return self.op('xor', kind, values[0], self.constant(True, 'b1'))
        if name == 'square' and kind != 'b1':
            return self.op('fmul' if floating else 'mul', kind, values[0], values[0])
        if name == 'positive':
            return values[0]
        if name == 'negative' and kind != 'b1':
            return self.op('fneg', kind, *values) if floating else \
                self.op('sub', kind, self.constant(0, kind), values[0])
        return self._of_floats(name, kind, values) if floating else None

    def _of_floats(self, name: str, kind: str, values: list[str]) -> str | None:
        if name in _INTRINSIC:
            return self.call(_INTRINSIC[name], kind, *values)
        if name == 'reciprocal':
            return self.op('fdiv', kind, self.constant(1, kind), *values)
        if name == 'isnan':
            return self.compare('uno', kind, values[0], values[0])
        if name in ('maximum', 'minimum', 'fmax', 'fmin'):
            x, y = values
            # Of 0.0 and -0.0 the second, as NumPy's maximum; its fmax takes either.
            # NaN is the result of maximum, but never that of fmax.
            better = self.compare('ogt' if 'max' in name else 'olt', kind, x, y)
            other = x if len(name) > 4 else y
            missing = self.compare('uno', kind, other, other)
            return self.select(self.op('or', 'b1', better, missing), kind, x, y)
        if name == 'sign':
            x, zero = values[0], self.constant(0, kind)
            one, minus = self.constant(1, kind), self.constant(-1, kind)
            even = self.select(self.compare('oeq', kind, x, zero), kind, zero, x)   # 0, or NaN
            below = self.select(self.compare('olt', kind, x, zero), kind, minus, even)
            return self.select(self.compare('ogt', kind, x, zero), kind, one, below)
        return None

    def _power(self, node: Node, code: str) -> str:
        """A power with a small constant exponent, as products."""
        base, exponent = node.arguments
        if exponent.name != 'constant' or code[0] != 'f' or exponent.arguments[0] not in (2, 3, 4):
            raise NotTraceable('a power that is not 2, 3 or 4')
        x = self.value(base)
        square = self.op('fmul', code, x, x)
        if exponent.arguments[0] == 2:
            return square
        return self.op('fmul', code, square, x if exponent.arguments[0] == 3 else square)

    def _cast(self, source: str, target: str, x: str) -> str:
        if target == 'b1':
            zero = self.constant(0, source)
            return self.compare('une' if source[0] == 'f' else 'ne', source, x, zero)
        if source == 'b1':
            return self.convert('uitofp' if target[0] == 'f' else 'zext', source, target, x)
        if source[0] == target[0]:
            wider = target[1] > source[1]
            how = ('fpext' if wider else 'fptrunc') if source[0] == 'f' else \
                'sext' if wider else 'trunc'
            return self.convert(how, source, target, x)
        if source[0] == 'i':
            return self.convert('sitofp', source, target, x)
        raise NotTraceable('numbers that are rounded to integers')   # beyond the range: as NumPy


def equal_elements(name: str, kind: str, value: str, lanes: int) -> list[str]:
    """%name, a vector whose elements are all `value`."""
    vector = f'<{lanes} x {kind}>'
    return [f'  %{name}.1 = insertelement {vector} poison, {kind} {value}, i64 0',
            f'  %{name} = shufflevector {vector} %{name}.1, {vector} poison, '
            f'<{lanes} x i32> zeroinitializer']


def first_lanes(name: str, count: str, lanes: int) -> list[str]:
    """%name, a mask of the first `count` elements of a vector."""
    numbers = ', '.join(f'i64 {n}' for n in range(lanes))
    return [*equal_elements(f'{name}.count', 'i64', count, lanes),
            f'  %{name} = icmp ult <{lanes} x i64> <{numbers}>, %{name}.count']


def _code(dtype: np.dtype) -> str:
    code = dtype.str[1:]
    if code not in _TYPES or not dtype.isnative:
        raise NotTraceable(f'the type {dtype}')
    return code


def _literal(number: Any, code: str) -> str:
    if code == 'b1':
        return 'true' if number else 'false'
    if code[0] == 'i':
        return str(int(number))
    number = float(np.float32(number)) if code == 'f4' else float(number)
    return '0x%016X' % struct.unpack('<Q', struct.pack('<d', number))
