"""Code points of strings, strings of code points, and the scripts that characters belong to."""
from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import as_text, string_array
from tinyflow.ops.strings.unicode_transcoding import (
    CONTROLS,
    decoded_parts,
    known_encoding,
    replacement_of,
)

_LAST = 0x10ffff


class _Decode(Op, abstract=True):
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True


def _characters(texts, input_encoding, errors, replacement_char, replace_control_characters,
                with_starts):
    """(row splits, code points, and where they begin if asked for) of a vector of strings."""
    encoding, errors = known_encoding(as_text(input_encoding)), as_text(errors)
    shown = replacement_of(errors, replacement_char)
    controls = dict.fromkeys(CONTROLS, shown) if replace_control_characters else None
    points, starts, splits = [], [], [0]
    for data in texts.reshape(-1).tolist():
        first = len(points)
        for text, begin, codec in decoded_parts(data, encoding, errors, shown):
            places = _starts(text, begin, codec) if with_starts else [0] * len(text)
            for letter, place in zip(text, places):
                letter = letter if controls is None else letter.translate(controls)
                if letter:
                    points.append(ord(letter))
                    starts.append(place)
        if len(points) > first and encoding in ('utf-16', 'utf-32'):
            starts[first] = 0           # a byte order mark belongs to the first character
        splits.append(len(points))
    return np.array(splits, np.int64), np.array(points, np.int32), np.array(starts, np.int64)


def _starts(text, begin, codec):
    """Where each character of a decoded part begins; a replacement (no codec) begins it."""
    places = []
    for letter in text:
        places.append(begin)
        begin += len(letter.encode(codec)) if codec else 0
    return places


_ATTRS = {'input_encoding': '', 'errors': 'replace', 'replacement_char': 65533,
          'replace_control_characters': False, 'Tsplits': dtypes.int64}


class UnicodeDecode(_Decode):
    """The code points of all strings, one after the other, and where each string's begin."""

    signature = 'input: string -> row_splits: Tsplits, char_values: int32'
    attrs = _ATTRS

    def shape(input):
        return [_splits(input), (None,)]

    def kernel(input, *, input_encoding, errors, replacement_char, replace_control_characters,
               Tsplits):
        splits, points, _ = _characters(input, input_encoding, errors, replacement_char,
                                        replace_control_characters, False)
        return splits.astype(Tsplits.np), points


class UnicodeDecodeWithOffsets(_Decode):
    """As UnicodeDecode, with the byte at which each character begins."""

    signature = ('input: string -> row_splits: Tsplits, char_values: int32, '
                 'char_to_byte_starts: int64')
    attrs = _ATTRS

    def shape(input):
        return [_splits(input), (None,), (None,)]

    def kernel(input, *, input_encoding, errors, replacement_char, replace_control_characters,
               Tsplits):
        splits, points, starts = _characters(input, input_encoding, errors, replacement_char,
                                             replace_control_characters, True)
        return splits.astype(Tsplits.np), points, starts


def _splits(shape):
    if shape is None or None in shape:
        return (None,)
    return (int(np.prod(shape, dtype=np.int64)) + 1,)


class UnicodeEncode(Op):
    """The string of the code points input_values[input_splits[i]:input_splits[i + 1]]."""

    signature = 'input_values: int32, input_splits: Tsplits -> output: string'
    types = {'Tsplits': dtypes.INDEX}
    attrs = {'errors': 'replace', 'output_encoding': 'UTF-8', 'replacement_char': 65533}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(values, splits):
        if values is not None and len(values) != 1:
            raise OpFailure(f'Shape must be rank 1 but is rank {len(values)}',
                            'the code points of all strings are one vector.')
        return (None if splits is None or splits[0] is None else splits[0] - 1,)

    def kernel(values, splits, *, errors, output_encoding, replacement_char):
        errors, codec = as_text(errors), as_text(output_encoding).lower()
        replacement_of(errors, replacement_char)
        outside = (values < 0) | (values > _LAST)
        if outside.any():
            if errors == 'strict':
                raise OpFailure('Code point value out of valid Unicode range.',
                                "code points are 0 to 0x10ffff; errors='replace' or 'ignore' "
                                'continues.')
            values = np.where(outside, replacement_char if errors == 'replace' else -1, values)
        if codec == 'utf-8':            # half of a pair of UTF-16 is no character
            values = np.where((values >= 0xd800) & (values <= 0xdfff), 0xfffd, values)
        values, ends = values.tolist(), splits.tolist()
        texts = [''.join([chr(v) for v in values[a:b] if v >= 0]).encode(codec, 'surrogatepass')
                 for a, b in zip(ends, ends[1:])]
        return string_array(texts, (len(texts),))


class UnicodeScript(Op):
    """The number of each code point's script, as in ICU; -1 for what is no code point."""

    signature = 'input: int32 -> output: int32'
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(input):
        return input

    def kernel(input):
        starts, scripts = _scripts()
        found = scripts[np.searchsorted(starts, input, 'right') - 1]
        return np.where((input < 0) | (input > _LAST), np.int32(-1), found)


@cache
def _scripts():
    """(the first code point, the script) of each run of code points of one script."""
    path = Path(__file__).with_name('unicode_scripts.txt')
    runs = [run.split('*') for run in path.read_text(encoding='ascii').split()]
    lengths = np.array([int(length) for length, _ in runs])
    return np.cumsum(lengths) - lengths, np.array([int(script) for _, script in runs], np.int32)


class StringNGrams(Op):
    """Each row's windows of neighbours, joined; the widths one after the other."""

    signature = 'data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits'
    types = {'Tsplits': dtypes.INDEX}
    attrs = {'separator': '', 'ngram_widths': (), 'left_pad': '', 'right_pad': '', 'pad_width': 0,
             'preserve_short_sequences': False}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(data, splits):
        return [(None,), splits]

    def kernel(data, splits, *, separator, ngram_widths, left_pad, right_pad, pad_width,
               preserve_short_sequences):
        glue, left, right = (as_text(v).encode() for v in (separator, left_pad, right_pad))
        items, ends, result, counts = data.tolist(), splits.tolist(), [], [0]
        for a, b in zip(ends, ends[1:]):
            row, count = items[a:b], len(result)
            for width in ngram_widths:
                pad = min(width - 1 if pad_width < 0 else pad_width, width - 1)
                padded = [left] * pad + row + [right] * pad
                result += [glue.join(padded[i:i + width])
                           for i in range(len(padded) - width + 1)]
            if preserve_short_sequences and row and len(result) == count:
                width = min(ngram_widths)
                pad = min(width - 1 if pad_width < 0 else pad_width, width - 1)
                result.append(glue.join([left] * pad + row + [right] * pad))
            counts.append(len(result))
        return string_array(result, (len(result),)), np.array(counts, splits.dtype)


__all__: list[str] = []
