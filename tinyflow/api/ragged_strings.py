"""Functions of tf.strings whose results are ragged: characters, bytes, parts and neighbours."""
from __future__ import annotations

from tinyflow.api.ragged import indexing
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import joining, shape_ops, shaping
from tinyflow.ops.strings.arrays import checked_choice
from tinyflow.ops.strings.splits import split_at_any, split_like_python
from tinyflow.ops.strings.unicode_codes import (
    StringNGrams,
    UnicodeDecode,
    UnicodeDecodeWithOffsets,
    UnicodeEncode,
    UnicodeScript,
)
from tinyflow.ops.strings.unicode_transcoding import ERRORS, OUTPUTS


def _strings(input, dtype=dtypes.string, name='input'):
    """A Tensor or RaggedTensor whose rank is known, and that rank."""
    if not isinstance(input, RaggedTensor):
        input = convert_to_tensor(input, dtype, name=name)
    if input.shape.ndims is None:
        raise misuse(ValueError(f'Rank of `{name}` must be statically known.\n  Hint: '
                                f'{name}.set_shape([None]) makes it a vector.'))
    return input, input.shape.ndims


# ---- code points ---------------------------------------------------------------------------

def unicode_decode(input, input_encoding, errors='replace', replacement_char=65533,
                   replace_control_characters=False, name=None):
    """The code points of each string.

    Shapes: input [*a] string, ragged or not -> [*a, (characters)] int32: a vector of one string,
    else a RaggedTensor. Invalid bytes become `replacement_char`, are dropped (errors='ignore') or
    raise InvalidArgumentError ('strict'); `replace_control_characters` replaces (or drops)
    characters below 32, too.
    """
    with name_scope(name, 'UnicodeDecode', [input]):
        return _decode(input, input_encoding, errors, replacement_char,
                       replace_control_characters, UnicodeDecode)[0]


def unicode_decode_with_offsets(input, input_encoding, errors='replace', replacement_char=65533,
                                replace_control_characters=False, name=None):
    """The code points of each string, and the byte at which each of them begins.

    Shapes: input [*a] string -> two of [*a, (characters)], int32 and int64; see `unicode_decode`.
    """
    with name_scope(name, 'UnicodeDecodeWithOffsets', [input]):
        return tuple(_decode(input, input_encoding, errors, replacement_char,
                             replace_control_characters, UnicodeDecodeWithOffsets))


def _decode(input, encoding, errors, replacement_char, replace_control_characters, op):
    input, rank = _strings(input)
    if rank > 1 and not isinstance(input, RaggedTensor):
        input = RaggedTensor.from_tensor(input, ragged_rank=rank - 1)
    elif rank > 1 and input.ragged_rank < rank - 1:
        input = input.with_flat_values(RaggedTensor.from_tensor(
            input.flat_values, ragged_rank=rank - 1 - input.ragged_rank))
    flat = input.flat_values if isinstance(input, RaggedTensor) else input
    splits, *values = op.apply(
        shaping.reshape(flat, [-1]), input_encoding=encoding,
        errors=checked_choice(errors, ERRORS, op.type, 'errors'),
        replacement_char=replacement_char, replace_control_characters=replace_control_characters)
    if rank == 0:
        return values
    results = [RaggedTensor(v, splits, internal=True) for v in values]
    return [input.with_flat_values(r) for r in results] if rank > 1 else results


def unicode_encode(input, output_encoding, errors='replace', replacement_char=65533, name=None):
    """The string of each row of code points, in UTF-8, UTF-16-BE or UTF-32-BE.

    Shapes: input [*a, characters] int32, ragged or not -> [*a] string. What is no code point
    becomes `replacement_char`, is dropped (errors='ignore') or raises InvalidArgumentError
    ('strict').
    """
    with name_scope(name, 'UnicodeEncode', [input]):
        input, rank = _strings(input, None, 'input_tensor')
        if rank == 0:
            raise misuse(ValueError("input_tensor's rank must be at least 1.\n  Hint: [x] is the "
                                    'vector of one code point.'))
        options = {'output_encoding': checked_choice(output_encoding, OUTPUTS, 'UnicodeEncode',
                                                     'output_encoding'),
                   'errors': checked_choice(errors, ERRORS, 'UnicodeEncode', 'errors'),
                   'replacement_char': replacement_char}
        return _encode(input, options)


def _encode(input, options):
    if isinstance(input, RaggedTensor):
        if input.flat_values.shape.ndims > 1:
            return input.with_flat_values(_encode(input.flat_values, options))
        if input.ragged_rank > 1:
            return input.with_values(_encode(input.values, options))
        return UnicodeEncode.apply(input.values, input.row_splits, **options)
    rank = input.shape.ndims
    if rank == 1:
        splits = joining.stack([0, shape_ops.shape(input)[0]])
        return shaping.reshape(UnicodeEncode.apply(input, splits, **options), [])
    sizes = shape_ops.shape(input)
    rows = input if rank == 2 else shaping.reshape(input, joining.stack([-1, sizes[-1]]))
    texts = _encode(RaggedTensor.from_tensor(rows), options)
    return texts if rank == 2 else shaping.reshape(texts, sizes[:-1])


def unicode_split(input, input_encoding, errors='replace', replacement_char=65533, name=None):
    """The characters of each string, each a string.

    Shapes: input [*a] string -> [*a, (characters)] string; see `unicode_decode`.
    """
    with name_scope(name, 'UnicodeSplit', [input]):
        points = _decode(input, input_encoding, errors, replacement_char, False, UnicodeDecode)[0]
        return _split(points, input_encoding, errors, replacement_char)


def unicode_split_with_offsets(input, input_encoding, errors='replace', replacement_char=65533,
                               name=None):
    """The characters of each string, each a string, and the byte at which each begins.

    Shapes: input [*a] string -> two of [*a, (characters)], string and int64.
    """
    with name_scope(name, 'UnicodeSplitWithOffsets', [input]):
        points, offsets = _decode(input, input_encoding, errors, replacement_char, False,
                                  UnicodeDecodeWithOffsets)
        return _split(points, input_encoding, errors, replacement_char), offsets


def _split(points, encoding, errors, replacement_char):
    if isinstance(points, RaggedTensor):
        flat = points.flat_values
        return points.with_flat_values(_split(flat, encoding, errors, replacement_char))
    return unicode_encode(shaping.expand_dims(points, -1), encoding, errors, replacement_char)


def unicode_script(input, name=None):
    """The number of each code point's script, as ICU counts them: 25 is Latin, 8 Cyrillic.

    Shapes: input [*a] int32, ragged or not -> [*a] int32; -1 for what is no code point.
    """
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(unicode_script(input.flat_values, name))
    return UnicodeScript.apply(input, name=name)


# ---- parts ---------------------------------------------------------------------------------

def rows_of(parts):
    """The rows of a SparseTensor that a split made."""
    return RaggedTensor.from_value_rowids(parts.values, parts.indices[:, 0],
                                          parts.dense_shape[0])


def split(input, sep, maxsplit):
    """The parts of each string of a Tensor or RaggedTensor, with one axis more."""
    return _deeper(input, lambda vector: rows_of(split_like_python(vector, sep, maxsplit)))


def bytes_split(input, name=None):
    """The bytes of each string, each a string.

    Shapes: input [*a] string, ragged or not -> [*a, (bytes)] string.
    """
    with name_scope(name, 'StringsByteSplit', [input]):
        return _deeper(_strings(input)[0], lambda vector: rows_of(split_at_any(vector, '', False)))


def _deeper(input, rows):
    """rows(vector) of all strings in a Tensor or RaggedTensor, in rows as they are."""
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(_deeper(input.flat_values, rows))
    rank = input.shape.ndims
    if rank == 0:
        return indexing.row(rows(joining.stack([input])), 0)
    if rank in (1, None):
        return rows(input)
    return _deeper(RaggedTensor.from_tensor(input, ragged_rank=rank - 1), rows)


def ngrams(data, ngram_width, separator=' ', pad_values=None, padding_width=None,
           preserve_short_sequences=False, name=None):
    """Joins all `ngram_width` neighbours of the last axis; of a list of widths, one by one.

    Shapes: data [*a, n] string, ragged or not -> [*a, windows]. `pad_values`, one or (left,
    right), are put around each row, `padding_width` of them (at most, and by default, width - 1).
    With `preserve_short_sequences` a row that is too short for any window is joined whole.
    Raises ValueError for widths below 1, TypeError for other pad values than strings.
    """
    if pad_values is None or isinstance(pad_values, (str, bytes)):
        left = right = pad_values or ''
    else:
        left, right = pad_values if isinstance(pad_values, (list, tuple)) else (None, None)
    if not all(isinstance(pad, (str, bytes)) for pad in (left, right)):
        raise misuse(TypeError('pad_values must be a string, tuple of strings, or None.'))
    if padding_width is not None and padding_width < 1:
        raise misuse(ValueError('padding_width must be greater than 0.'))
    if padding_width is not None and pad_values is None:
        raise misuse(ValueError('pad_values must be provided if padding_width is set.'))
    widths = ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    if min(widths) < 1:
        raise misuse(ValueError(f'All ngram_widths must be greater than 0. Got {ngram_width}'))
    pad_width = 0 if pad_values is None else -1 if padding_width is None else padding_width
    options = {'separator': separator, 'ngram_widths': tuple(widths), 'left_pad': left,
               'right_pad': right, 'pad_width': pad_width,
               'preserve_short_sequences': preserve_short_sequences}
    with name_scope(name, 'StringNGrams', [data]):
        data, rank = _strings(data, name='data')
        if rank == 0:
            raise misuse(ValueError('Data must have rank>0'))
        if isinstance(data, RaggedTensor):
            return _ngrams(data, options)
        if rank == 1:
            return indexing.row(_ngrams(RaggedTensor.from_row_starts(data, [0]), options), 0)
        result = _ngrams(RaggedTensor.from_tensor(data, ragged_rank=rank - 1), options)
        shape = joining.concat([shape_ops.shape(data)[:-1], [-1]], 0)
        return shaping.reshape(result.flat_values, shape)


def _ngrams(data, options):
    if data.ragged_rank > 1:
        return data.with_values(_ngrams(data.values, options))
    return RaggedTensor(*StringNGrams.apply(data.values, data.row_splits, **options),
                        internal=True)


__all__ = ['bytes_split', 'ngrams', 'rows_of', 'split', 'unicode_decode',
           'unicode_decode_with_offsets', 'unicode_encode', 'unicode_script', 'unicode_split',
           'unicode_split_with_offsets']
