"""tf.strings.unicode_transcode: strings from one encoding of Unicode into another."""
from __future__ import annotations

import codecs

from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import OfStrings, mapped, one_of

__all__ = ['unicode_transcode']

_ERRORS = ('strict', 'replace', 'ignore')
_OUTPUTS = ('UTF-8', 'UTF-16-BE', 'UTF-32-BE')


class UnicodeTranscode(OfStrings):
    """Each string, decoded and encoded again."""

    signature = 'input: string -> output: string'
    attrs = {'input_encoding': '', 'output_encoding': '', 'errors': 'replace',
             'replacement_char': 65533, 'replace_control_characters': False}

    def kernel(input, *, input_encoding, output_encoding, errors, replacement_char,
               replace_control_characters):
        source, target = _known(_text(input_encoding)), _text(output_encoding)
        errors = _text(errors)
        instead = chr(replacement_char) if errors == 'replace' else ''
        controls = dict.fromkeys(range(32), instead) if replace_control_characters else None

        def transcoded(data):
            text = _decoded(data, source, None if errors == 'strict' else instead)
            if controls is not None:
                text = text.translate(controls)
            return text.encode(target)
        return mapped(transcoded, input)


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


def _known(encoding):
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f'Could not create converter for input encoding: {encoding}') from None


def _decoded(data, encoding, instead):
    """The text, with `instead` for each sequence of bytes that stands for nothing."""
    if encoding in ('utf-16', 'utf-32') and data[:2] not in (b'\xff\xfe', b'\xfe\xff', b'\0\0'):
        encoding += '-be'           # the standard's byte order where no mark tells it
    parts = []
    while True:
        try:
            parts.append(data.decode(encoding))
            return ''.join(parts)
        except UnicodeDecodeError as error:
            if instead is None:
                raise OpFailure(f'Invalid formatting on input string: {error}',
                                "errors='replace' or 'ignore' goes on.") from None
            parts += [data[:error.start].decode(encoding), instead]
            data = data[error.end:]


def unicode_transcode(input, input_encoding, output_encoding, errors='replace',
                      replacement_char=65533, replace_control_characters=False, name=None):
    """Each string, from `input_encoding` into UTF-8, UTF-16-BE or UTF-32-BE.

    Shapes: input [*a] -> [*a]. What cannot be decoded becomes the `replacement_char`, vanishes
    (errors='ignore') or is an InvalidArgumentError ('strict'); so do, if asked, control characters.
    The input encodings are those that Python has.
    """
    kind = 'UnicodeTranscode'
    return UnicodeTranscode.apply(
        input, input_encoding=input_encoding, errors=one_of(errors, _ERRORS, kind, 'errors'),
        output_encoding=one_of(output_encoding, _OUTPUTS, kind, 'output_encoding'),
        replacement_char=replacement_char, replace_control_characters=replace_control_characters,
        name=name)
