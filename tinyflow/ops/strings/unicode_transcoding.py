"""tf.strings.unicode_transcode: converts strings between Unicode encodings."""
from __future__ import annotations

import codecs

from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import ElementwiseStringOp, checked_choice, map_strings

__all__ = ['unicode_transcode']

_ERRORS = ('strict', 'replace', 'ignore')
_OUTPUTS = ('UTF-8', 'UTF-16-BE', 'UTF-32-BE')


class UnicodeTranscode(ElementwiseStringOp):
    """Each string, decoded and encoded again."""

    signature = 'input: string -> output: string'
    attrs = {'input_encoding': '', 'output_encoding': '', 'errors': 'replace',
             'replacement_char': 65533, 'replace_control_characters': False}

    def kernel(input, *, input_encoding, output_encoding, errors, replacement_char,
               replace_control_characters):
        source, target = _known(_text(input_encoding)), _text(output_encoding)
        errors = _text(errors)
        replacement = chr(replacement_char) if errors == 'replace' else ''
        controls = dict.fromkeys(range(32), replacement) if replace_control_characters else None

        def transcoded(data):
            text = _decoded(data, source, None if errors == 'strict' else replacement)
            if controls is not None:
                text = text.translate(controls)
            return text.encode(target)
        return map_strings(transcoded, input)


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


def _known(encoding):
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f'Could not create converter for input encoding: {encoding}') from None


def _decoded(data, encoding, replacement):
    """The decoded text, with `replacement` for each invalid sequence (None: raise an error)."""
    if encoding in ('utf-16', 'utf-32') and data[:2] not in (b'\xff\xfe', b'\xfe\xff', b'\0\0'):
        encoding += '-be'           # the standard's byte order without a byte order mark
    parts = []
    while True:
        try:
            parts.append(data.decode(encoding))
            return ''.join(parts)
        except UnicodeDecodeError as error:
            if replacement is None:
                raise OpFailure(f'Invalid formatting on input string: {error}',
                                "errors='replace' or 'ignore' continues.") from None
            parts += [data[:error.start].decode(encoding), replacement]
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
        errors=checked_choice(errors, _ERRORS, kind, 'errors'),
        output_encoding=checked_choice(output_encoding, _OUTPUTS, kind, 'output_encoding'),
        replacement_char=replacement_char, replace_control_characters=replace_control_characters,
        name=name)
