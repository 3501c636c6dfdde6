"""tf.regex_replace and tf.strings.regex_full_match, with RE2 as in TensorFlow."""
from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import ElementwiseStringOp, map_strings

__all__ = ['regex_full_match', 'regex_replace']

_ESCAPED = re.compile(rb'\\(.?)', re.DOTALL)


def _to_bytes(text):
    return text.encode() if isinstance(text, str) else text


def _text(data):
    return data.decode('utf-8', 'replace')


@lru_cache(maxsize=256)
def compiled(pattern: bytes):
    """The compiled RE2 pattern. ValueError for an invalid one."""
    import re2  # start-up time
    options = re2.Options()
    options.log_errors = False              # the error below has the message
    try:
        expression = re2.compile(pattern, options)
    except re2.error as error:
        raise _invalid(pattern, _text(error.args[0])) from None
    if any(b'(?P<%b>' % name not in pattern for name in expression.groupindex):
        raise _invalid(pattern, 'invalid perl operator: (?<')       # newer than TF 1.15's RE2
    return expression


def _invalid(pattern, reason):
    return OpFailure(f'Invalid pattern: {_text(pattern)}, error: {reason}',
                     'the syntax is that of RE2: no look-arounds, no back references.')


def _matches(input, pattern):
    pattern = compiled(_to_bytes(pattern))
    found = [pattern.fullmatch(text) is not None for text in input.reshape(-1).tolist()]
    return np.array(found, bool).reshape(input.shape)


def _replaced(input, pattern, rewrite, everywhere):
    pattern = compiled(_to_bytes(pattern))
    pieces = _pieces(_to_bytes(rewrite), pattern)
    return map_strings(lambda text: _rewritten(text, pattern, pieces, everywhere), input)


def _pieces(rewrite, pattern):
    """The rewrite split into literal texts and group numbers."""
    pieces, at = [], 0
    for escape in _ESCAPED.finditer(rewrite):
        pieces.append(rewrite[at:escape.start()])
        at = escape.end()
        what = escape.group(1)
        if what == b'\\':
            pieces.append(b'\\')
        elif what.isdigit() and int(what) <= pattern.groups:
            pieces.append(int(what))
        else:
            raise OpFailure(f'Invalid rewrite pattern: {_text(rewrite)}: \\{_text(what)}',
                            '\\0 is the whole match, \\1 its first group (there are '
                            f'{pattern.groups}), \\\\ a backslash.')
    return [*pieces, rewrite[at:]]


def _rewritten(text, pattern, pieces, everywhere):
    """`text` with the matches rewritten.

    As in RE2::GlobalReplace, an empty match right after another match does not count, and no match
    begins inside the character that follows an empty match.
    """
    parts, end, resume = [], 0, 0
    for match in pattern.finditer(text):
        start, stop = match.span()
        if start == stop:
            if start < resume:
                continue
            resume = start + _character_length(text, start)
            if parts and start == end:
                continue
        parts.append(text[end:start])
        parts += [piece if isinstance(piece, bytes) else match[piece] or b'' for piece in pieces]
        end = stop
        if not everywhere:
            break
    return b''.join(parts) + text[end:]


def _character_length(text, at):
    """The number of bytes of the UTF-8 character at a position; 1 if it is invalid."""
    head = text[at:at + 1]
    length = 1 if head < b'\xc0' else 2 if head < b'\xe0' else 3 if head < b'\xf0' else 4
    try:
        text[at:at + length].decode('utf-8', 'surrogatepass')       # RE2 takes surrogates
    except UnicodeDecodeError:
        return 1
    return length


def _scalar(value, what):
    if value.ndim:
        raise ValueError(f'{what} must be a scalar, but received {shapes.text(value.shape)}')
    return value.item()


class StaticRegexReplace(ElementwiseStringOp):
    """Replaces matches of a constant pattern."""

    signature = 'input: string -> output: string'
    attrs = {'pattern': REQUIRED, 'rewrite': REQUIRED, 'replace_global': True}

    def kernel(input, *, pattern, rewrite, replace_global):
        return _replaced(input, pattern, rewrite, replace_global)


def _check_scalars(**scalars):
    for name, shape in scalars.items():
        if shape not in (None, ()):
            raise ValueError(f'Shape must be rank 0 but is rank {len(shape)}: {name} must '
                             'be a scalar')


class RegexReplace(Op):
    """Replaces matches of a pattern that is a tensor."""

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


class StaticRegexFullMatch(ElementwiseStringOp):
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
    """Replaces all matches of `pattern` (or the first) by `rewrite`, where \\1 is a group.

    Shapes: input [*a], pattern and rewrite [] -> [*a]. InvalidArgumentError for an
    invalid pattern or rewrite.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return StaticRegexReplace.apply(input, pattern=pattern, rewrite=rewrite,
                                        replace_global=replace_global, name=name)
    return RegexReplace.apply(input, pattern, rewrite, replace_global=replace_global, name=name)


def regex_full_match(input, pattern, name=None):
    """Whether `pattern` matches the whole of each string.

    Shapes: input [*a], pattern [] -> [*a] bool. InvalidArgumentError for an invalid
    pattern.
    """
    if isinstance(pattern, (str, bytes)):
        return StaticRegexFullMatch.apply(input, pattern=pattern, name=name)
    return RegexFullMatch.apply(input, pattern, name=name)
