"""Regular expressions of RE2, as Python's `re` wants them.

TF matches with RE2, which knows neither look-arounds nor back references, has its own escapes
(\\z, \\Q...\\E, \\pL), takes \\d, \\w and \\s for ASCII, and lets (?U) make repetitions lazy. The
texts are UTF-8; bytes that are none are no character. Python tries the alternatives one after the
other, so that a pattern like (a*)*b may take very long, which RE2 never does.
"""
from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

from tinyflow.graph.support.errors import OpFailure

# UTF-8 is decoded with 'surrogateescape': a wrong byte becomes one of these.
_WRONG = '\udc80-\udcff'
_ASCII = {'d': '0-9', 'w': '0-9A-Za-z_', 's': '\\t\\n\\f\\r '}
_POSIX = {
    'alnum': '0-9A-Za-z', 'alpha': 'A-Za-z', 'ascii': '\\x00-\\x7f', 'blank': '\\t ',
    'cntrl': '\\x00-\\x1f\\x7f', 'digit': '0-9', 'graph': '!-~', 'lower': 'a-z', 'print': ' -~',
    'punct': '!-/:-@\\[-`{-~', 'space': '\\t\\n\\v\\f\\r ', 'upper': 'A-Z', 'word': '0-9A-Za-z_',
    'xdigit': '0-9A-Fa-f',
}
_CONTROL = {'a': '\\a', 'f': '\\f', 'n': '\\n', 'r': '\\r', 't': '\\t', 'v': '\\v'}
_REPEAT = re.compile(r'\{(\d+)(,(\d*))?\}')
_FLAGS = re.compile(r'\(\?([imsU]*)(-[imsU]+)?([:)])')
_MOST = 1000                                # repetitions, in RE2


def to_bytes(pattern):
    return pattern.encode() if isinstance(pattern, str) else pattern


@lru_cache(maxsize=256)
def compiled(pattern: bytes) -> re.Pattern:
    """The Python pattern that finds what RE2 finds. ValueError if RE2 has no such pattern."""
    try:
        text = pattern.decode()
    except UnicodeDecodeError:
        raise _invalid(repr(pattern), 'invalid UTF-8') from None
    translated = _Translation(text).whole()
    try:
        return re.compile(translated)
    except (re.error, OverflowError) as error:
        raise _invalid(text, str(error)) from None


def _invalid(pattern, reason):
    return OpFailure(f'Invalid pattern: {pattern}, error: {reason}',
                     'the syntax is that of RE2: no look-arounds, no back references.')


@lru_cache(maxsize=32)
def _category(name):
    """A character class's inside for a general category of Unicode, such as L or Nd."""
    ranges, start = [], None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and not 0xd800 <= code < 0xe000 and \
            unicodedata.category(chr(code)).startswith(name)
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append(f'\\U{start:08x}-\\U{code - 1:08x}')
            start = None
    return ''.join(ranges)


class _Translation:
    """One walk over a pattern."""

    def __init__(self, pattern):
        self.pattern = pattern
        self.at = 0
        self.out = []
        self.flags = {'i': False, 'm': False, 's': False, 'U': False}
        self.outer = []             # the flags outside of each open group
        self.repeatable = False     # may a repetition stand here?

    def fail(self, reason):
        raise _invalid(self.pattern, reason)

    def whole(self):
        while self.at < len(self.pattern):
            self.step()
        if self.outer:
            self.fail('missing )')
        self.close_flag()
        return ''.join(self.out)

    def step(self):
        c = self.pattern[self.at]
        if c == '(':
            self.open_group()
        elif c == ')':
            self.close_group()
        elif c == '|':
            self.at += 1
            self.alternative()
        elif c in '*+?' or c == '{' and _REPEAT.match(self.pattern, self.at):
            self.repetition()
        elif c == '\\':
            self.emit(self.escape(in_class=False))
        elif c == '[':
            self.emit(self.char_class())
        else:
            self.at += 1
            self.emit(self.plain(c))

    def emit(self, text):
        self.out.append(text)
        self.repeatable = True

    def plain(self, c):
        if c == '.':
            return f'[^{_WRONG}]' if self.flags['s'] else f'[^\\n{_WRONG}]'
        if c == '^':
            return '(?m:^)' if self.flags['m'] else '\\A'
        if c == '$':
            return '(?m:$)' if self.flags['m'] else '\\Z'
        return re.escape(c)

    # ---- groups and flags --------------------------------------------------------------------

    def open_flag(self):
        """What (?i) asks for is a group of its own, up to the next | or )."""
        if self.flags['i']:
            self.out.append('(?i:')

    def close_flag(self):
        if self.flags['i']:
            self.out.append(')')

    def alternative(self):
        self.close_flag()
        self.out.append('|')
        self.open_flag()
        self.repeatable = False

    def open_group(self):
        rest = self.pattern[self.at:]
        named = re.match(r'\(\?P<\w+>', rest)
        flags = _FLAGS.match(rest)
        if flags and not flags.group().startswith('(?)'):
            self.at += flags.end()
            self.set_flags(flags.group(1), (flags.group(2) or '')[1:], flags.group(3) == ':')
            return
        if rest.startswith('(?') and not named:
            self.fail(f'invalid perl operator: {rest[:3]}')
        self.at += named.end() if named else 1
        self.out.append('(')
        self.outer.append(dict(self.flags))
        self.open_flag()
        self.repeatable = False

    def set_flags(self, on, off, group):
        if group:
            self.out.append('(?:')
            self.outer.append(dict(self.flags))
        else:
            self.close_flag()
        self.flags.update({**dict.fromkeys(on, True), **dict.fromkeys(off, False)})
        if group and not self.flags['i'] and self.outer[-1]['i']:
            self.fail('(?-i:...) inside of (?i) is not in this implementation')
        self.open_flag()
        self.repeatable = False

    def close_group(self):
        if not self.outer:
            self.fail('unexpected )')
        self.close_flag()
        self.flags = self.outer.pop()
        self.at += 1
        self.emit(')')

    # ---- repetitions -------------------------------------------------------------------------

    def repetition(self):
        counted = _REPEAT.match(self.pattern, self.at)
        text = counted.group() if counted else self.pattern[self.at]
        if not self.repeatable:
            before = self.pattern[:self.at]
            self.fail(f'bad repetition operator: {before[-1]}{text}' if before.endswith(
                ('*', '+', '?')) else f'no argument for repetition operator: {text}')
        if counted and any(int(n) > _MOST for n in (counted.group(1), counted.group(3)) if n):
            self.fail(f'invalid repetition size: {text}')
        self.at += len(text)
        lazy = self.flags['U']
        if self.pattern[self.at:self.at + 1] == '?':
            self.at += 1
            lazy = not lazy
        self.out.append(text + ('?' if lazy else ''))
        self.repeatable = False

    # ---- single characters -------------------------------------------------------------------

    def escape(self, in_class):
        """What a backslash and the characters behind it stand for; moves on."""
        c = self.pattern[self.at + 1:self.at + 2]
        if not c:
            self.fail('trailing \\')
        start, self.at = self.at, self.at + 2
        if c in 'dws':
            return _ASCII[c] if in_class else f'[{_ASCII[c]}]'
        if c in 'DWS' and not in_class:
            return f'[^{_ASCII[c.lower()]}{_WRONG}]'
        if c in 'DWS':
            return _without(c.lower())
        if c in 'pP':
            return self.category(c == 'P', in_class)
        if c in _CONTROL:
            return _CONTROL[c]
        if c == 'x':
            return self.code(c)
        if c == '0':
            self.at -= 1
            return self.code(c)
        if c in '1234567' and self.pattern[self.at:self.at + 1] in tuple('01234567'):
            self.at -= 1
            return self.code('0')
        if not in_class and c in 'AzbBQ':
            return {'A': '\\A', 'z': '\\Z', 'b': '(?a:\\b)', 'B': '(?a:\\B)'}.get(c) or \
                self.quoted()
        if c.isascii() and c.isalnum() or c == '_':
            self.fail(f'invalid escape sequence: {self.pattern[start:start + 2]}')
        return re.escape(c)

    def code(self, kind):
        form = r'[0-7]{0,3}' if kind == '0' else r'\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{2}'
        found = re.compile(form).match(self.pattern, self.at)
        if not found:
            self.fail('invalid escape sequence: \\x')
        self.at = found.end()
        digits = found.group().strip('{}') or '0'
        value = int(digits, 8 if kind == '0' else 16)
        if value > sys.maxunicode:
            self.fail(f'invalid escape sequence: \\x{found.group()}')
        return f'\\U{value:08x}'

    def category(self, negated, in_class):
        found = re.compile(r'\{\^?\w+\}|\w').match(self.pattern, self.at)
        if not found:
            self.fail('invalid character class range: \\p')
        self.at = found.end()
        name = found.group().strip('{}')
        if name.startswith('^'):
            negated, name = not negated, name[1:]
        inside = _category(name) if len(name) <= 2 else ''
        if not inside or negated and in_class:
            self.fail(f'\\p{{{name}}}: only the general categories are here (L, Lu, Nd, P, ...), '
                      'and not negated inside of [ ]')
        if in_class:
            return inside
        return f'[^{inside}{_WRONG}]' if negated else f'[{inside}]'

    def quoted(self):
        end = self.pattern.find('\\E', self.at)
        text = self.pattern[self.at:end] if end >= 0 else self.pattern[self.at:]
        self.at = len(self.pattern) if end < 0 else end + 2
        # A repetition behind \E repeats the last character.
        return re.escape(text[:-1]) + re.escape(text[-1:])

    def char_class(self):
        start = self.at
        self.at += 1
        negated = self.pattern[self.at:self.at + 1] == '^'
        self.at += negated
        parts = []
        first = True
        while first or self.pattern[self.at:self.at + 1] != ']':
            if self.at >= len(self.pattern):
                self.fail(f'missing ]: {self.pattern[start:]}')
            parts.append(self.class_item())
            first = False
        self.at += 1
        inside = ''.join(parts)
        if not negated:
            return f'[{inside}]'
        return f'[^{inside}{_WRONG}]'

    def class_item(self):
        posix = re.compile(r'\[:(\^?)(\w+):\]').match(self.pattern, self.at)
        if posix:
            self.at = posix.end()
            if posix.group(2) not in _POSIX:
                self.fail(f'invalid character class range: {posix.group()}')
            inside = _POSIX[posix.group(2)]
            return _complement(inside) if posix.group(1) else inside
        c = self.pattern[self.at]
        if c == '\\':
            return self.escape(in_class=True)
        self.at += 1
        if c == '-':
            is_range = self.pattern[self.at:self.at + 1] not in ('', ']') and \
                self.pattern[self.at - 2] not in '[^'
            return '-' if is_range else '\\-'
        return re.escape(c)


@lru_cache(maxsize=32)
def _complement(inside):
    """The inside of a class of all characters but those of `inside`, which are ASCII."""
    wanted = re.compile(f'[^{inside}]')
    ascii_part = ''.join(f'\\x{i:02x}' for i in range(128) if wanted.match(chr(i)))
    return ascii_part + '\\U00000080-\\U0000d7ff\\U0000e000-\\U0010ffff'


def _without(letter):
    return _complement(_ASCII[letter])
