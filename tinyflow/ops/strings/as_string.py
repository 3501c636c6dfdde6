"""tf.as_string: numbers as text, in the formats of C's printf."""
from __future__ import annotations

import math

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import ElementwiseStringOp, string_array

__all__ = ['as_string']

_SHOWN = frozenset((dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.complex64,
                    dtypes.complex128, dtypes.float32, dtypes.float64, dtypes.bool))
_FILLS = ('', ' ', '+', '-', '0', '#')


class AsString(ElementwiseStringOp):
    """Each number as text."""

    signature = 'input: T -> output: string'
    types = {'T': _SHOWN}
    attrs = {'precision': -1, 'scientific': False, 'shortest': False, 'width': -1, 'fill': ''}

    def kernel(input, *, precision, scientific, shortest, width, fill):
        fill = fill.decode() if isinstance(fill, bytes) else fill
        _check(input.dtype, precision, scientific, shortest, fill)
        values = input.reshape(-1).tolist()
        if input.dtype.kind == 'b':
            texts = ['true' if value else 'false' for value in values]
        elif input.dtype.kind == 'i':
            layout = _layout('d', -1, width, fill)
            texts = [layout % value for value in values]
        else:
            layout = _layout('e' if scientific else 'g' if shortest else 'f', precision, width,
                             fill)
            unpadded = _layout('f', -1, width, fill.replace('0', ''))
            if input.dtype.kind == 'c':
                texts = [f'({_real(z.real, layout, unpadded)},{_real(z.imag, layout, unpadded)})'
                         for z in values]
            else:
                texts = [_real(value, layout, unpadded) for value in values]
        return string_array([text.encode() for text in texts], input.shape)


def _real(value, layout, unpadded):
    """A formatted float; inf and nan are never padded with zeros, as in C."""
    return layout % value if math.isfinite(value) else unpadded % value


def _layout(letter, precision, width, fill):
    """The printf format; Python's % follows C's rules."""
    wide = str(width) if width > -1 else ''
    exact = f'.{precision}' if precision > -1 else ''
    return f'%{fill if wide else ""}{wide}{exact}{letter}'


def _check(dtype, precision, scientific, shortest, fill):
    if len(fill) > 1:
        raise ValueError('Fill string must be one or fewer characters')
    if fill not in _FILLS:
        raise OpFailure(f'Fill argument not supported: "{fill}"',
                        'one of printf\'s flags: " ", "+", "-" (to the left), "0" or "#".')
    if scientific and shortest:
        raise ValueError('Cannot select both scientific and shortest notation')
    if dtype.kind not in 'fc':
        if precision > -1:
            raise OpFailure(f'precision not supported for datatype {dtype.name}',
                            'only floats have decimal places: tf.cast(x, tf.float32).')
        if scientific or shortest:
            raise ValueError('scientific and shortest format not supported for datatype '
                             f'{dtype.name}')


def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill='', name=None):
    """Each number as text: '%f' ('%e' if `scientific`, '%g' if `shortest`), 'true' or 'false'.

    Shapes: input [*a] -> [*a] string. `precision` digits after the decimal point, at least
    `width` characters, `fill` one of printf's flags. InvalidArgumentError for options that do not
    apply to the dtype.
    """
    return AsString.apply(input, precision=precision, scientific=scientific, shortest=shortest,
                          width=width, fill=fill, name=name)
