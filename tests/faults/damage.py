"""Damage to bytes, drawn from a seeded random.Random: the same numbers give the same file."""
from __future__ import annotations

import re
import struct

INTEGERS = (0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
            0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff)
WORDS = ('', '-1', '0', '9' * 12, '-' + '9' * 20, '1e999', 'nan', 'null', 'true', '"', '{', '}',
         '[', ']', ':', ',', '\\', '\n', '\t', '\x00', 'é', '\ud7ff', '*a', '&a',
         '!!python/object:os.system')
_TOKEN = re.compile(rb'-?\d[\d.]*|[A-Za-z_]+|"[^"\n]*"|[^\s\w]')


def damaged(data, chance, marks=()):
    """The bytes with one or a few kinds of damage; `marks` begin what a format keeps of itself."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if data:
            data = _damaged_once(bytearray(data), chance, marks)
    return bytes(data)


def _damaged_once(data, chance, marks):
    kind = chance.choice(('cut', 'flip', 'flip', 'put', 'zero', 'remove', 'repeat', 'number')
                         + ('near',) * (2 if marks else 0))
    place = chance.randrange(len(data))
    size = min(chance.randint(1, 40), len(data) - place)
    if kind == 'cut':
        del data[place:]
    elif kind == 'flip':
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind in ('put', 'zero'):
        data[place:place + size] = bytes(size) if kind == 'zero' else chance.randbytes(size)
    elif kind == 'remove':
        del data[place:place + size]
    elif kind == 'repeat':
        data[place:place] = data[place:place + size] * chance.choice((1, 1, 2, 50))
    elif kind == 'number':
        size = chance.choice((1, 2, 4, 8))
        order = chance.choice('<>')
        number = struct.pack(order + 'Q', chance.choice(INTEGERS) & (1 << 8 * size) - 1)
        data[place:place + size] = number[:size] if order == '<' else number[-size:]
    else:
        _overwrite_near(data, chance, marks)
    return data


def _overwrite_near(data, chance, marks):
    found = [i for mark in marks for i in places(data, mark)]
    start = (chance.choice(found) if found else 0) + chance.randrange(-64, 200)
    for _ in range(chance.randint(1, 4)):
        at = min(max(start + chance.randrange(8), 0), len(data) - 1)
        data[at] = chance.choice([0, 255, chance.randrange(256)])


def places(data, mark):
    """Where `mark` is found in `data`."""
    found = data.find(mark)
    while found >= 0:
        yield found
        found = data.find(mark, found + 1)


def damaged_text(data, chance, marks=()):
    """A text in which tokens are replaced, removed, repeated or exchanged; or any damage."""
    if chance.random() < 0.3:
        return damaged(data, chance, marks)
    tokens = list(_TOKEN.finditer(data))
    for _ in range(chance.choice((1, 1, 2))):
        if not tokens:
            return damaged(data, chance, marks)
        start, stop = chance.choice(tokens).span()
        other = chance.choice((chance.choice(tokens).group(),
                               chance.choice(WORDS).encode('utf8', 'surrogatepass')))
        new = chance.choice((b'', other, other, data[start:stop] * 2,
                             b'%d' % chance.choice(INTEGERS)))
        data = data[:start] + new + data[stop:]
        tokens = list(_TOKEN.finditer(data))
    return data
