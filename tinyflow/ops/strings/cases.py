"""Length, case, stripping and Base64 of strings, element by element."""
from __future__ import annotations

import base64
import binascii
import re

import numpy as np

from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import ElementwiseStringOp, checked_choice, map_strings

__all__ = ['decode_base64', 'encode_base64', 'string_length', 'string_lower', 'string_strip',
           'string_upper']

UNITS = ('BYTE', 'UTF8_CHAR')
_SPACE = b' \t\n\v\f\r'
_CONTINUATION = bytes(range(0x80, 0xc0))     # continuation bytes of UTF-8 characters


class StringLength(ElementwiseStringOp):
    """The number of bytes, or UTF-8 characters, of each string."""

    signature = 'input: string -> output: int32'
    attrs = {'unit': 'BYTE'}

    def kernel(input, *, unit):
        texts = input.reshape(-1).tolist()
        if unit in ('UTF8_CHAR', b'UTF8_CHAR'):
            texts = [text.translate(None, _CONTINUATION) for text in texts]
        return np.array([len(text) for text in texts], np.int32).reshape(input.shape)


class StringStrip(ElementwiseStringOp):
    """Each string without leading and trailing whitespace."""

    signature = 'input: string -> output: string'

    def kernel(input):
        return map_strings(lambda text: text.strip(_SPACE), input)


class StringLower(ElementwiseStringOp):
    """Each string in lower case."""

    signature = 'input: string -> output: string'
    attrs = {'encoding': ''}

    def kernel(input, *, encoding):
        if _is_unicode(encoding):
            return map_strings(lambda text: text.decode('utf-8', 'replace').lower().encode(), input)
        return map_strings(bytes.lower, input)


class StringUpper(ElementwiseStringOp):
    """Each string in upper case."""

    signature = 'input: string -> output: string'
    attrs = {'encoding': ''}

    def kernel(input, *, encoding):
        if _is_unicode(encoding):
            return map_strings(lambda text: text.decode('utf-8', 'replace').upper().encode(), input)
        return map_strings(bytes.upper, input)


def _is_unicode(encoding):
    encoding = encoding.decode() if isinstance(encoding, bytes) else encoding
    if encoding not in ('', 'utf-8'):
        raise ValueError(f"only utf-8 or '' (no encoding) is supported, received {encoding}")
    return bool(encoding)


class EncodeBase64(ElementwiseStringOp):
    """Web-safe Base64 of each string (RFC 4648, section 5)."""

    signature = 'input: string -> output: string'
    attrs = {'pad': False}

    def kernel(input, *, pad):
        if pad:
            return map_strings(base64.urlsafe_b64encode, input)
        return map_strings(lambda text: base64.urlsafe_b64encode(text).rstrip(b'='), input)


class DecodeBase64(ElementwiseStringOp):
    """Decodes web-safe Base64."""

    signature = 'input: string -> output: string'

    def kernel(input):
        return map_strings(_decoded, input)


_BASE64 = re.compile(rb'[A-Za-z0-9_-]*={0,2}')


def _decoded(text):
    if len(text) % 4 == 1:
        raise ValueError('Base64 string length cannot be 1 modulo 4.')
    bare = text.rstrip(b'=')
    padding = b'=' * (-len(bare) % 4)
    if not _BASE64.fullmatch(text) or len(text) not in (len(bare), len(bare) + len(padding)):
        raise OpFailure('Invalid character found in base64.',
                        'web-safe Base64 has - and _ instead of + and /.')
    try:
        decoded = base64.urlsafe_b64decode(bare + padding)
    except binascii.Error as error:
        raise ValueError(f'Invalid character found in base64: {error}') from None
    if base64.urlsafe_b64encode(decoded).rstrip(b'=') != bare:
        raise OpFailure('Invalid character found in base64.',
                        'the bits left over at the end must be zero.')
    return decoded


# ---- public functions ------------------------------------------------------------------------

def string_length(input, name=None, unit='BYTE'):
    """The length of each string in bytes, or in characters for unit='UTF8_CHAR'.

    Shapes: input [*a] -> [*a] int32.
    """
    unit = checked_choice(unit, UNITS, 'StringLength', 'unit')
    return StringLength.apply(input, unit=unit, name=name)


def string_strip(input, name=None):
    """Each string without leading and trailing whitespace. Shapes: input [*a] -> [*a]."""
    return StringStrip.apply(input, name=name)


def string_lower(input, encoding='', name=None):
    """Each string in lower case; only a to z change, unless `encoding` is 'utf-8'.

    Shapes: input [*a] -> [*a].
    """
    return StringLower.apply(input, encoding=encoding, name=name)


def string_upper(input, encoding='', name=None):
    """Each string in upper case; only a to z change, unless `encoding` is 'utf-8'.

    Shapes: input [*a] -> [*a].
    """
    return StringUpper.apply(input, encoding=encoding, name=name)


def encode_base64(input, pad=False, name=None):
    """Each string in web-safe Base64, padded with '=' if `pad`.

    Shapes: input [*a] -> [*a]. Format: RFC 4648, section 5.
    """
    return EncodeBase64.apply(input, pad=pad, name=name)


def decode_base64(input, name=None):
    """Decodes strings in web-safe Base64.

    Shapes: input [*a] -> [*a]. InvalidArgumentError for invalid Base64. Format: RFC 4648,
    section 5.
    """
    return DecodeBase64.apply(input, name=name)
