"""A reader of PNG files, for tests; independent of the writer."""
import struct
import zlib

_CHANNELS = {0: 1, 2: 3, 6: 4}


def decode(np, data):
    """The pixels, [height, width, channels] of uint8."""
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    place, packed = 8, b''
    while place < len(data):
        size, = struct.unpack('>I', data[place:place + 4])
        kind, body = data[place + 4:place + 8], data[place + 8:place + 8 + size]
        assert struct.unpack('>I', data[place + 8 + size:place + 12 + size])[0] == \
            zlib.crc32(kind + body)
        if kind == b'IHDR':
            width, height, depth, color, _, _, interlaced = struct.unpack('>IIBBBBB', body)
        packed += body if kind == b'IDAT' else b''
        place += 12 + size
    assert (depth, interlaced) == (8, 0)
    n = _CHANNELS[color]
    stream, step = zlib.decompress(packed), width * n + 1
    pixels = np.zeros([height + 1, step - 1 + n], np.int64)         # with a border of zeros
    for y in range(height):
        guess, row = stream[y * step], stream[y * step + 1:(y + 1) * step]
        for x, difference in enumerate(bytearray(row)):
            left, up, corner = pixels[y + 1, x], pixels[y, x + n], pixels[y, x]
            guesses = 0, left, up, (left + up) // 2, _nearest(left, up, corner)
            pixels[y + 1, x + n] = (difference + guesses[guess]) % 256
    return pixels[1:, n:].reshape(height, width, n).astype(np.uint8)


def _nearest(left, up, corner):
    distances = [(abs(left + up - corner - value), i) for i, value in enumerate([left, up, corner])]
    return [left, up, corner][min(distances)[1]]
