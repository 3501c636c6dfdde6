"""tf.strings.unicode_transcode: converts strings between Unicode encodings."""
from __future__ import annotations

import codecs

from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import (
    ElementwiseStringOp,
    as_text,
    checked_choice,
    map_strings,
)

__all__ = ['unicode_transcode']

ERRORS = ('strict', 'replace', 'ignore')
OUTPUTS = ('UTF-8', 'UTF-16-BE', 'UTF-32-BE')
CONTROLS = range(32)
_MARKS = {'utf-16': (b'\xff\xfe', b'\xfe\xff'),          # little-endian, big-endian
          'utf-32': (b'\xff\xfe\0\0', b'\0\0\xfe\xff')}
_OTHER_NAMES = {'utf-7': 'ascii', 'utf-8-sig': 'no encoding'}


class UnicodeTranscode(ElementwiseStringOp):
    """Each string, decoded and encoded again."""

    signature = 'input: string -> output: string'
    attrs = {'input_encoding': '', 'output_encoding': '', 'errors': 'replace',
             'replacement_char': 65533, 'replace_control_characters': False}

    def kernel(input, *, input_encoding, output_encoding, errors, replacement_char,
               replace_control_characters):
        source, target = known_encoding(as_text(input_encoding)), as_text(output_encoding)
        errors, shown = as_text(errors), replacement_of(errors, replacement_char)
        shown = '\ufffd' if '\ud800' <= shown <= '\udfff' else shown    # half of a pair of UTF-16
        controls = dict.fromkeys(CONTROLS, shown) if replace_control_characters else None

        def transcoded(data):
            text = ''.join([part for part, _, _ in decoded_parts(data, source, errors, shown)])
            if controls is not None:
                if errors == 'strict' and text.translate(controls) != text:
                    raise OpFailure('Invalid formatting on input string: a control character',
                                    "errors='replace' or 'ignore' continues.")
                text = text.translate(controls)
            return text.encode(target)
        return map_strings(transcoded, input)


def replacement_of(errors, replacement_char):
    """The text that takes the place of invalid bytes ('' to drop them)."""
    if not 0 <= replacement_char <= 0x10ffff:
        raise OpFailure('replacement_char out of unicode codepoint range',
                        f'it is {replacement_char}; code points are 0 to 0x10ffff.')
    return '' if as_text(errors) == 'ignore' else chr(replacement_char)


def known_encoding(encoding):
    """Python's name of an encoding; ValueError for an unknown one."""
    try:
        return codecs.lookup(_OTHER_NAMES.get(encoding.lower(), encoding)).name
    except LookupError:
        raise ValueError(f'Could not create converter for input encoding: {encoding}') from None


def decoded_parts(data, encoding, errors, replacement):
    """[(text, where it begins, its encoding)] of a string's parts, in order.

    Each invalid sequence is a part `replacement` of no encoding; with errors='strict' it is
    InvalidArgumentError.
    """
    begin = 0
    if encoding in _MARKS:              # without a mark, the standard's byte order is big-endian
        little, big = _MARKS[encoding]
        begin = len(big) if data.startswith((little, big)) else 0
        encoding += '-le' if data.startswith(little) else '-be'
        data = data[begin:]
    parts = []
    while True:
        try:
            parts.append((data.decode(encoding), begin, encoding))
            return parts
        except UnicodeDecodeError as error:
            if errors == 'strict':
                raise OpFailure(f'Invalid formatting on input string: {error}',
                                "errors='replace' or 'ignore' continues.") from None
            parts += [(data[:error.start].decode(encoding), begin, encoding),
                      (replacement, begin + error.start, None)]
            begin += error.end
            data = data[error.end:]


def unicode_transcode(input, input_encoding, output_encoding, errors='replace',
                      replacement_char=65533, replace_control_characters=False, name=None):
    """Each string, from `input_encoding` into UTF-8, UTF-16-BE or UTF-32-BE.

    Shapes: input [*a] -> [*a]. Invalid bytes become the `replacement_char`, are dropped
    (errors='ignore') or raise InvalidArgumentError ('strict'). `replace_control_characters`
    replaces (or drops) control characters, too. The input encodings are those of Python.
    """
    kind = 'UnicodeTranscode'
    return UnicodeTranscode.apply(
        input, input_encoding=input_encoding,
        errors=checked_choice(errors, ERRORS, kind, 'errors'),
        output_encoding=checked_choice(output_encoding, OUTPUTS, kind, 'output_encoding'),
        replacement_char=replacement_char, replace_control_characters=replace_control_characters,
        name=name)
