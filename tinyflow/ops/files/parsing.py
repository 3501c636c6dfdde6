"""tf.decode_csv, tf.decode_raw and tf.string_to_number: text and bytes to numbers."""
from __future__ import annotations

import re

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.support.arguments import refusal, renamed

__all__ = ['decode_csv', 'decode_raw', 'string_to_number']

_PARSED = frozenset((dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64))
_RAW = frozenset((dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.uint16,
                  dtypes.uint8, dtypes.int16, dtypes.int8, dtypes.int64, dtypes.complex64,
                  dtypes.complex128, dtypes.bool))
_TYPE_NAMES = {dtypes.float32: 'float', dtypes.float64: 'double'}


# ---- numbers in text -------------------------------------------------------------------------

# Text of only these characters is parsed alike, or rejected, by Python and TF.
_PLAIN_INT = b'0123456789- ,\t'
_PLAIN_FLOAT = b'0123456789+-.eE ,\t'
_INT = re.compile(rb'\s*-?[0-9]+\s*\Z')
_FLOAT = re.compile(rb'\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|nan)\s*\Z',
                    re.IGNORECASE)
_HEX = re.compile(rb'\s*[+-]?0x[0-9a-f]+\s*\Z', re.IGNORECASE)


class NotANumber(ValueError):
    """The text at `position` of a list is not a number of the dtype."""

    def __init__(self, position):
        super().__init__(position)
        self.position = position


def numbers(texts, dtype):
    """A list of bytes as an array of `dtype`. NotANumber for the first invalid one."""
    joined = b','.join(texts)
    integer = dtype.is_integer
    if not joined.translate(None, _PLAIN_INT if integer else _PLAIN_FLOAT):
        try:
            return np.array(list(map(int if integer else float, texts)), dtype.np)
        except (ValueError, OverflowError):
            pass                                    # found below, one by one
    out = np.empty(len(texts), dtype.np)
    for i, text in enumerate(texts):
        out[i] = _number(text, dtype, i)
    return out


def _number(text, dtype, position):
    if dtype.is_integer:
        if _INT.match(text) and dtype.min <= int(text) <= dtype.max:
            return int(text)
    elif _FLOAT.match(text):
        return float(text)
    elif _HEX.match(text):
        return float(int(text, 16))
    raise NotANumber(position)


class StringToNumber(Op):
    """Each text as a number."""

    signature = 'string_tensor: string -> output: out_type'
    types = {'out_type': _PARSED}
    attrs = {'out_type': dtypes.float32}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(string_tensor):
        return string_tensor

    def kernel(string_tensor, *, out_type):
        texts = string_tensor.reshape(-1).tolist()
        try:
            return numbers(texts, out_type).reshape(string_tensor.shape)
        except NotANumber as error:
            bad = texts[error.position].decode('utf-8', 'replace')
            raise OpFailure(f'StringToNumberOp could not correctly convert string: {bad}',
                            _hint(bad, out_type)) from None


def _hint(bad, dtype):
    if dtype.is_integer:
        return f'it is not a number of {dtype.name}; out_type=tf.float32 reads fractions.'
    if not bad.strip():
        return 'an empty text is not a number.'
    return 'a heading, or a unit after the number, may have to be removed first.'


# ---- bytes -----------------------------------------------------------------------------------

class DecodeRaw(Op):
    """The bytes of each string as numbers, along a new last axis."""

    signature = 'bytes: string -> output: out_type'
    types = {'out_type': _RAW}
    attrs = {'out_type': REQUIRED, 'little_endian': True}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(bytes):
        return None if bytes is None else bytes + (None,)

    def kernel(bytes, *, out_type, little_endian):
        texts = bytes.reshape(-1).tolist()
        length = len(texts[0]) if texts else 0
        for i, text in enumerate(texts):
            if len(text) != length:
                raise OpFailure('DecodeRaw requires input strings to all be the same size, but '
                                f'element {i} has size {length} != {len(text)}',
                                'decode them one by one: dataset.map, or before tf.train.batch.')
        size = out_type.np.itemsize
        if length % size:
            raise OpFailure(f'Input to DecodeRaw has length {length} that is not a multiple of '
                            f'{size}, the size of {_type_name(out_type)}',
                            'out_type is the type that was written: tf.uint8 for '
                            'array.astype(np.uint8).tobytes().')
        order = out_type.np.newbyteorder('<' if little_endian else '>')
        flat = np.frombuffer(b''.join(texts), order).astype(out_type.np)
        return flat.reshape(bytes.shape + (length // size,))


def _type_name(dtype):
    return _TYPE_NAMES.get(dtype, dtype.name)


# ---- CSV -------------------------------------------------------------------------------------

class DecodeCSV(Op):
    """Columns of records of comma separated fields (RFC 4180)."""

    signature = 'records: string, record_defaults: [OUT_TYPE] -> output: [OUT_TYPE]'
    attrs = {'OUT_TYPE': REQUIRED, 'field_delim': ',', 'use_quote_delim': True, 'na_value': '',
             'select_cols': ()}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(records, record_defaults):
        for default in record_defaults:
            if default is not None and (len(default) > 1 or default and
                                        default[0] is not None and default[0] > 1):
                raise ValueError('Shape of a default must be a length-0 or length-1 vector, or a '
                                 'scalar.')
        return [records] * len(record_defaults)

    def kernel(records, record_defaults, *, field_delim, use_quote_delim, na_value, select_cols):
        rows = [fields_of(r, field_delim.encode(), use_quote_delim, select_cols)
                for r in records.reshape(-1).tolist()]
        count = len(record_defaults)
        for i, row in enumerate(rows):
            if len(row) != count:
                raise OpFailure(f'Expect {count} fields but have {len(row)} in record {i}',
                                f'record {i} splits into {row[:6]}; record_defaults has one entry '
                                'for each column, and select_cols chooses among them.')
        columns = zip(*rows) if rows else [()] * count
        missing = na_value.encode()
        return [_column(list(column), default, i, missing).reshape(records.shape)
                for i, (column, default) in enumerate(zip(columns, record_defaults))]


def _column(texts, default, field, missing):
    """One column's texts as an array, with the default where a field is empty or `missing`."""
    gaps = [i for i, text in enumerate(texts) if not text or text == missing]
    if gaps and not default.size:
        raise OpFailure(f'Field {field} is required but missing in record {gaps[0]}!',
                        'record_defaults=[[0.0], ...] gives it a value where it is missing; an '
                        'empty list says that it must be there.')
    dtype = dtypes.as_dtype(default.dtype)
    if dtype is dtypes.string:
        out = np.empty(len(texts), object)
        out[:] = texts
    else:
        for i in gaps:
            texts[i] = b'0'
        try:
            out = numbers(texts, dtype)
        except NotANumber as error:
            bad = texts[error.position].decode('utf-8', 'replace')
            raise OpFailure(f'Field {field} in record {error.position} is not a valid '
                            f'{_type_name(dtype)}: {bad}',
                            f'record_defaults[{field}] says that the column holds '
                            f'{dtype.name}; is it a heading (skip_header_lines=1), or a '
                            "column of text ([''])?") from None
    if gaps:
        out[gaps] = default.reshape(-1)[0]
    return out


def fields_of(record, delimiter, quotes=True, select=()):
    """The fields of one CSV record (bytes), or those at the positions `select`.

    ValueError for a misplaced quote or line end.
    """
    if b'\n' in record or b'\r' in record or quotes and b'"' in record:
        fields = _quoted_fields(record, delimiter, quotes, select)
    else:
        fields = record.split(delimiter) if record else []
    return [fields[i] for i in select if i < len(fields)] if select else fields


def _quoted_fields(record, delimiter, quotes, select):
    """All fields, or those up to the last selected one: TF does not check the rest either."""
    fields, position = [], 0
    while position < len(record):
        if record[position] in b'\r\n':
            position += 1
            continue
        if quotes and record[position] == 0x22:
            text, position = _quoted(record, position + 1, delimiter)
        else:
            end = record.find(delimiter, position)
            end = len(record) if end < 0 else end
            text = record[position:end]
            if b'\n' in text or b'\r' in text or quotes and b'"' in text:
                raise OpFailure('Unquoted fields cannot have quotes/CRLFs inside',
                                'a quote belongs around the whole field, without a space before '
                                'it; use_quote_delim=False takes quotes as they are.')
            position = end + 1
        fields.append(text)
        if select and len(fields) > select[-1]:
            return fields
    return fields + [b''] if record.endswith(delimiter) else fields


def _quoted(record, position, delimiter):
    """(the quoted field that begins at `position`, the position of the next field)."""
    parts = []
    while True:
        end = record.find(b'"', position)
        if end < 0:
            raise ValueError('Quoted field has to end with quote followed by delim or end')
        parts.append(record[position:end])
        after = record[end + 1:end + 2]
        if after == b'' or after == delimiter:
            return b''.join(parts), end + 2
        if after != b'"':
            raise ValueError('Quote inside a string has to be escaped by another quote')
        parts.append(b'"')
        position = end + 2


# ---- public functions ------------------------------------------------------------------------

def decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, name=None,
               na_value='', select_cols=None):
    """The columns of comma separated records, a list of tensors of the dtypes of the defaults.

    Shapes: records [*a], record_defaults [] or [1] each ([0]: the field must be there)
    -> [*a] each. InvalidArgumentError for a record that does not fit. Format: RFC 4180.
    """
    select = [] if select_cols is None else list(select_cols)
    if any(x >= y for x, y in zip(select, select[1:])):
        raise refusal(ValueError, 'DecodeCSV: select_cols is not strictly increasing.')
    if select and select[0] < 0:
        raise refusal(ValueError, 'DecodeCSV: select_cols contains negative values.')
    if select_cols is not None and len(select) != len(record_defaults):
        raise refusal(ValueError,
                      'DecodeCSV: Length of select_cols and record_defaults do not match.')
    if len(field_delim) != 1:
        raise refusal(ValueError,
                      f'DecodeCSV: field_delim should be only 1 char, not {field_delim!r}')
    return DecodeCSV.apply(records, record_defaults, field_delim=field_delim,
                           use_quote_delim=use_quote_delim, na_value=na_value,
                           select_cols=tuple(select), name=name)


def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    """The bytes of each string as numbers of `out_type`.

    Shapes: input_bytes [*a] -> [*a, length / size of out_type]. InvalidArgumentError where the
    lengths differ, or are not a multiple of the size.
    """
    input_bytes = renamed('input_bytes', input_bytes, 'bytes', bytes)
    if out_type is None:
        raise refusal(ValueError,
                      "DecodeRaw: decode_raw_v1() missing 1 positional argument: 'out_type'")
    return DecodeRaw.apply(input_bytes, out_type=_allowed(out_type, _RAW, 'DecodeRaw'),
                           little_endian=little_endian, name=name)


def string_to_number(string_tensor=None, out_type=dtypes.float32, name=None, input=None):
    """Each text as a number of float32, float64, int32 or int64.

    Shapes: string_tensor [*a] -> [*a]. InvalidArgumentError for a text that is not a number.
    """
    string_tensor = renamed('input', input, 'string_tensor', string_tensor)
    dtype = _allowed(out_type, _PARSED, 'StringToNumber')
    return StringToNumber.apply(string_tensor, out_type=dtype, name=name)


def _allowed(out_type, choices, kind):
    dtype = dtypes.as_dtype(out_type)
    if dtype not in choices:
        names = ', '.join(d.name for d in dtypes.ALL if d in choices)
        raise refusal(TypeError, f"Value passed to parameter 'out_type' of {kind} has DataType "
                      f'{dtype.name} not in list of allowed values: {names}')
    return dtype
