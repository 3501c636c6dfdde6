"""tf.regex_replace and tf.strings.regex_full_match: RE2's syntax, by Python's `re`."""
from __future__ import annotations

import re

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import OfStrings, mapped
from tinyflow.ops.strings.regex_syntax import compiled, to_bytes

__all__ = ['regex_full_match', 'regex_replace']

_ESCAPED = re.compile(r'\\(.?)', re.DOTALL)


def _unicode(text):
    return text.decode('utf-8', 'surrogateescape')


def _matches(input, pattern):
    pattern = compiled(to_bytes(pattern))
    found = [pattern.fullmatch(_unicode(text)) is not None for text in input.reshape(-1).tolist()]
    return np.array(found, bool).reshape(input.shape)


def _replaced(input, pattern, rewrite, everywhere):
    pattern = compiled(to_bytes(pattern))
    rewrite = _unicode(to_bytes(rewrite))
    pieces = _pieces(rewrite, pattern)

    def replaced(text):
        return _rewritten(_unicode(text), pattern, pieces, everywhere).encode(
            'utf-8', 'surrogateescape')
    return mapped(replaced, input)


def _pieces(rewrite, pattern):
    """The rewrite as texts and numbers of groups, by turns."""
    pieces, at = [], 0
    for escape in _ESCAPED.finditer(rewrite):
        pieces.append(rewrite[at:escape.start()])
        at = escape.end()
        what = escape.group(1)
        if what == '\\':
            pieces[-1] += '\\'
            pieces.append(None)
        elif what.isdecimal() and what.isascii() and int(what) <= pattern.groups:
            pieces.append(int(what))
        else:
            raise OpFailure(f'Invalid rewrite pattern: {rewrite}: \\{what}',
                            '\\0 is the whole match, \\1 its first group (there are '
                            f'{pattern.groups}), \\\\ a backslash.')
    return [*pieces, rewrite[at:]]


def _rewritten(text, pattern, pieces, everywhere):
    """`text` with the matches rewritten. An empty match right behind another one is none."""
    parts, at, end = [], 0, -1
    while at <= len(text):
        match = pattern.search(text, at)
        if match is None:
            break
        if match.start() == end and match.end() == end:
            parts.append(text[at:at + 1])
            at += 1
            continue
        parts.append(text[at:match.start()])
        parts += [piece if isinstance(piece, str) else match[piece] or '' for piece in pieces
                  if piece is not None]
        at = end = match.end()
        if not everywhere:
            break
    return ''.join(parts) + text[at:]


def _scalar(value, what):
    if value.ndim:
        raise ValueError(f'{what} must be a scalar, but received {shapes.text(value.shape)}')
    return value.item()


class StaticRegexReplace(OfStrings):
    """What matches the pattern, rewritten."""

    signature = 'input: string -> output: string'
    attrs = {'pattern': REQUIRED, 'rewrite': REQUIRED, 'replace_global': True}

    def kernel(input, *, pattern, rewrite, replace_global):
        return _replaced(input, pattern, rewrite, replace_global)


def _check_scalars(**scalars):
    for name, shape in scalars.items():
        if shape not in (None, ()):
            raise ValueError(f'Shape must be rank 0 but is rank {len(shape)}: {name} is one '
                             'string for all')


class RegexReplace(Op):
    """What matches the pattern, rewritten; the pattern is a tensor."""

    signature = 'input: string, pattern: string, rewrite: string -> output: string'
    attrs = {'replace_global': True}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(input, pattern, rewrite):
        _check_scalars(pattern=pattern, rewrite=rewrite)
        return input

    def kernel(input, pattern, rewrite, *, replace_global):
        return _replaced(input, _scalar(pattern, 'Pattern'), _scalar(rewrite, 'Rewrite'),
                         replace_global)


class StaticRegexFullMatch(OfStrings):
    """Whether the pattern matches the whole of each string."""

    signature = 'input: string -> output: bool'
    attrs = {'pattern': REQUIRED}

    def kernel(input, *, pattern):
        return _matches(input, pattern)


class RegexFullMatch(Op):
    """Whether the pattern, a tensor, matches the whole of each string."""

    signature = 'input: string, pattern: string -> output: bool'
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(input, pattern):
        _check_scalars(pattern=pattern)
        return input

    def kernel(input, pattern):
        return _matches(input, _scalar(pattern, 'Pattern'))


# ---- public functions ------------------------------------------------------------------------

def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    """Each string with what matches `pattern` (or its first match) rewritten: \\1 is a group.

    Shapes: input [*a], pattern and rewrite [] -> [*a]. InvalidArgumentError for a pattern or a
    rewrite that is none. Syntax: RE2's, by Python's re, so some patterns take very long.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return StaticRegexReplace.apply(input, pattern=pattern, rewrite=rewrite,
                                        replace_global=replace_global, name=name)
    return RegexReplace.apply(input, pattern, rewrite, replace_global=replace_global, name=name)


def regex_full_match(input, pattern, name=None):
    """Whether `pattern` matches the whole of each string.

    Shapes: input [*a], pattern [] -> [*a] bool. InvalidArgumentError for a pattern that is none.
    Syntax: RE2's, by Python's re, so some patterns take very long.
    """
    if isinstance(pattern, (str, bytes)):
        return StaticRegexFullMatch.apply(input, pattern=pattern, name=name)
    return RegexFullMatch.apply(input, pattern, name=name)
