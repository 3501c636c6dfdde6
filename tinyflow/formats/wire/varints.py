"""Numbers of variable length, seven bits to a byte, lowest first; as in protocol buffers."""
from __future__ import annotations


def put(out, number):
    """Appends a number that is not negative to a bytearray."""
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)


def take(data, position):
    """(the number at `position`, the position after it). IndexError at the end of the data."""
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7f) << shift
        if byte < 0x80:
            return number, position
        shift += 7
        if shift > 63:
            raise IndexError('a number of more than 64 bits')
