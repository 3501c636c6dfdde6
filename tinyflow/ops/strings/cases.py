"""Small functions of each string: its length, its case, its ends, its Base64 form."""
from __future__ import annotations

import base64
import binascii
import re

import numpy as np

from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import OfStrings, mapped, one_of

__all__ = ['decode_base64', 'encode_base64', 'string_length', 'string_lower', 'string_strip',
           'string_upper']

UNITS = ('BYTE', 'UTF8_CHAR')
_SPACE = b' \t\n\v\f\r'
_AFTER_FIRST = bytes(range(0x80, 0xc0))     # the bytes of a UTF-8 character behind its first


class StringLength(OfStrings):
    """Bytes, or characters, of each string."""

    signature = 'input: string -> output: int32'
    attrs = {'unit': 'BYTE'}

    def kernel(input, *, unit):
        texts = input.reshape(-1).tolist()
        if unit in ('UTF8_CHAR', b'UTF8_CHAR'):
            texts = [text.translate(None, _AFTER_FIRST) for text in texts]
        return np.array([len(text) for text in texts], np.int32).reshape(input.shape)


class StringStrip(OfStrings):
    """Each string without the white space at its ends."""

    signature = 'input: string -> output: string'

    def kernel(input):
        return mapped(lambda text: text.strip(_SPACE), input)


class StringLower(OfStrings):
    """Each string in lower case letters."""

    signature = 'input: string -> output: string'
    attrs = {'encoding': ''}

    def kernel(input, *, encoding):
        if _is_unicode(encoding):
            return mapped(lambda text: text.decode('utf-8', 'replace').lower().encode(), input)
        return mapped(bytes.lower, input)


class StringUpper(OfStrings):
    """Each string in upper case letters."""

    signature = 'input: string -> output: string'
    attrs = {'encoding': ''}

    def kernel(input, *, encoding):
        if _is_unicode(encoding):
            return mapped(lambda text: text.decode('utf-8', 'replace').upper().encode(), input)
        return mapped(bytes.upper, input)


def _is_unicode(encoding):
    encoding = encoding.decode() if isinstance(encoding, bytes) else encoding
    if encoding not in ('', 'utf-8'):
        raise ValueError(f"only utf-8 or '' (no encoding) is supported, received {encoding}")
    return bool(encoding)


class EncodeBase64(OfStrings):
    """The web safe Base64 form of each string (RFC 4648, section 5)."""

    signature = 'input: string -> output: string'
    attrs = {'pad': False}

    def kernel(input, *, pad):
        if pad:
            return mapped(base64.urlsafe_b64encode, input)
        return mapped(lambda text: base64.urlsafe_b64encode(text).rstrip(b'='), input)


class DecodeBase64(OfStrings):
    """What the web safe Base64 forms stand for."""

    signature = 'input: string -> output: string'

    def kernel(input):
        return mapped(_decoded, input)


_BASE64 = re.compile(rb'[A-Za-z0-9_-]*={0,2}')


def _decoded(text):
    if len(text) % 4 == 1:
        raise ValueError('Base64 string length cannot be 1 modulo 4.')
    bare = text.rstrip(b'=')
    padding = b'=' * (-len(bare) % 4)
    if not _BASE64.fullmatch(text) or len(text) not in (len(bare), len(bare) + len(padding)):
        raise OpFailure('Invalid character found in base64.',
                        'the web safe form has - and _ in place of + and /.')
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
    return StringLength.apply(input, unit=one_of(unit, UNITS, 'StringLength', 'unit'), name=name)


def string_strip(input, name=None):
    """Each string without the white space at both ends. Shapes: input [*a] -> [*a]."""
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
    """The web safe Base64 form of each string, with '=' at its end if `pad`.

    Shapes: input [*a] -> [*a]. Format: RFC 4648, section 5.
    """
    return EncodeBase64.apply(input, pad=pad, name=name)


def decode_base64(input, name=None):
    """The strings that web safe Base64 forms stand for.

    Shapes: input [*a] -> [*a]. InvalidArgumentError for what is none. Format: RFC 4648, section 5.
    """
    return DecodeBase64.apply(input, name=name)
