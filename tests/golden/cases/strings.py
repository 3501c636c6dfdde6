"""Strings: numbers as text, parts, cases, regular expressions, hashes, joins."""
import zlib

import numpy as np

from ..op_cases import case, f32, f64, i32, i64, table


def texts(values):
    return np.array(values, object)


# --- numbers as text
NUMBERS = [1.5, -2, 1e10, 1e-10, np.nan, np.inf, -np.inf, 0, -0.0, 1 / 3.0, 123456789]
case('as_string', 'many floats', f32(NUMBERS))
case('strings.as_string', 'float64', f64(NUMBERS))
case('as_string', 'scientific', f32(NUMBERS), scientific=True)
case('as_string', 'shortest', f32(NUMBERS), shortest=True)
case('as_string', 'two digits, filled', f32(NUMBERS), precision=2, width=12, fill='0')
for fill in ('', ' ', '+', '-', '0', '#', 'x'):
    case('as_string', 'floats filled with "%s"' % fill, f32([1.5, -2]), width=9, fill=fill)
    case('as_string', 'ints filled with "%s"' % fill, i32([5, -7]), width=4, fill=fill)
case('as_string', 'bools', np.array([True, False]), width=7, fill='0')
case('as_string', 'complex', np.array([1 + 2j, -1.5j], np.complex64))
case('as_string', 'complex, wide', np.array([1 + 2j, -1.5j], np.complex128), precision=2, width=8)
case('as_string', 'int8', np.array([1, -2], np.int8))
case('as_string', 'int64', i64([2 ** 62, -1]))
case('as_string', 'ints have no digits behind the point', i32([1]), precision=2)
case('as_string', 'ints are not scientific', i32([1]), scientific=True)
case('as_string', 'both notations', f32([1]), scientific=True, shortest=True)
case('as_string', 'a long fill', f32([1]), fill='ab')
case('as_string', 'uint8', np.array([1], np.uint8))

# --- parts
EURO = u'h\u00e9llo\u20ac'.encode('utf-8')
case('substr', 'the same of all', texts(['hello', 'world']), 1, 3)
case('substr', 'from the end', texts(['hello', 'world']), -3, 2)
case('substr', 'to the end', texts(['hello', 'world']), 3, 20)
case('substr', 'a negative length', texts(['hello', 'world']), -3, -2)
case('substr', 'behind the last byte', texts(['ab']), 2, 1)
case('substr', 'each its own', texts(['hello', 'world']), i32([0, 2]), i32([1, 2]))
case('substr', 'broadcasts', texts([['hello', 'world']]), i64([[0], [2]]), i64([[1], [2]]))
case('substr', 'one string, many parts', texts('hello'), i32([0, 2]), i32([1, 2]))
case('strings.substr', 'characters', texts(EURO), i32([1, -1, 4, 2]), i32([1, 1, 9, -1]),
     unit='UTF8_CHAR')
case('substr', 'out of range', texts(['hello', 'ab']), 3, 1)
case('substr', 'out of range from the end', texts(['hello', 'ab']), -3, 1)
case('substr', 'an unknown unit', texts(['a']), 0, 1, unit='x')
table('strings.length', 'bytes', texts(['hello', '', EURO]))
table('strings.length', 'characters', texts(['hello', '', EURO, b'\x80\x80a\xff']),
      unit='UTF8_CHAR')
case('strings.length', 'an unknown unit', texts(['a']), unit='x')
table('strings.strip string_strip', 'white space', texts([b' a b \t\n\v\f\r', b'\x1cx\x00']))
table('strings.lower strings.upper', 'bytes', texts([u'\u00c9Aa'.encode('utf-8'), b' Xy']))
table('strings.lower strings.upper', 'characters', texts([u'\u00c9\u00e9Aa\u00df'.encode('utf-8')]),
      encoding='utf-8')
table('strings.lower strings.upper', 'another encoding', texts(['a']), encoding='latin1')
for pad in (False, True):
    table('encode_base64 io.encode_base64', 'pad %s' % pad, texts([b'\xff\xfe\xfd', 'ab', 'a', '']),
          pad=pad)
case('decode_base64', 'with and without padding', texts(['YWJj', 'YWI', 'YQ==', 'YWI=', '']))
for text in ('//79', 'YQ=a', 'Y', 'Y\n==', 'YW=', 'YWJj='):
    case('io.decode_base64', repr(text), texts([text]))

# --- regular expressions
for pattern, rewrite, text in (
        ('b(.)', r'<\1\0>', 'abcabc'), ('b(.)', r'<\\>', 'abcabc'), ('x*', '-', 'abc'),
        ('a*', '-', 'baac'), ('.', 'x', EURO),
        (r'[[:alpha:]]+|\pL', 'x', 'a1 B_'), ('$', 'x', 'a\nb\n'), ('.', 'x', 'a\nb'),
        ('(?s).', 'x', 'a\nb'), ('(?m)^|$', 'x', 'a\nb\n'),
        (r'\d|\w|\s', 'x', u'\u0663 5'.encode('utf-8')),
        (r'b\z', 'x', 'ab'), (r'\Q.\E', 'x', 'a.b'), ('(?U)a+', 'x', 'aaa'),
        ('(?i)b', 'x', 'aBA'), ('A(?i)b|c', 'x', 'aBA C'), ('(?P<x>B)', r'[\1]', 'aBA'),
        ('(a)|b', r'[\1]', 'b'), (r'\W|\bx', '_', 'a-x x'), (r'[\D]', '', 'a1b2'),
        (r'\x41|\x{42}|\101', 'x', 'AB'), ('a{2,3}?', 'x', 'aaaa'), ('a{,2}', 'x', 'a{,2}'),
        (r'\141', 'x', 'a1'),
        ('[]a]', 'x', ']a'), ('[a-]', 'x', 'a-b'), (r'[\]\-x]', '.', ']-x'),
        ('(', '', 'a'), (')', '', 'a'), ('a**', '', 'a'), ('a++', '', 'a'), ('*a', '', 'a'),
        ('(?=b)', '', 'a'), (r'(a)\1', '', 'a'), (r'\Z', '', 'a'), ('[a', '', 'a'),
        ('a{1001}', '', 'a'), ('(?<x>a)', '', 'a'), ('a\\', '', 'a')):
    case('regex_replace', '%r by %r in %r' % (pattern, rewrite, text), texts([text]), pattern,
         rewrite)
case('regex_replace', 'the first only', texts(['abab', 'x']), 'b', 'c', replace_global=False)
case('strings.regex_replace', 'a tensor', texts(['abab', 'x']), texts('b'), 'c')
for pattern in ('a.c', 'ab|abc', '(a|ab)(c|bcd)?', ''):
    case('strings.regex_full_match', repr(pattern), texts([['abc', 'abcd'], ['ab', '']]), pattern)
for pattern in ('.a', '[^b]a', r'\Wa', 'a'):
    case('strings.regex_full_match', 'a wrong byte and %r' % pattern, texts([b'\xffa', 'xa']),
         pattern)
case('strings.regex_full_match', 'a tensor', texts(['abc', 'b']), texts('a.c'))

# --- hashes
BYTES = texts([bytes(bytearray([(200 + i * 37) % 256 for i in range(n)])) for n in range(40)])
case('strings.to_hash_bucket', 'all lengths', BYTES, 2 ** 62)
case('string_to_hash_bucket', 'few', texts([['a'], ['b']]), 10)
case('strings.to_hash_bucket_strong', 'all lengths', BYTES, 2 ** 62, [1, 2])
case('string_to_hash_bucket_strong', 'large keys', texts(['a', '']), 2 ** 40, [-1, 2 ** 62])
case('strings.to_hash_bucket_strong', 'three keys', texts(['a']), 10, [1, 2, 3])
table('string_to_hash_bucket string_to_hash_bucket_fast', 'no buckets', texts(['a']), 0)

# --- joins
GRID = texts([['a', 'b'], ['c', 'd']])
for axis in (None, 0, -1, [0, 1], [1, 0], [], [0, 0], [0, -2], 2):
    case('reduce_join', 'axis %s' % axis, GRID, axis)
case('strings.reduce_join', 'kept, with a separator', GRID, [1], separator='.', keep_dims=True)
case('reduce_join', 'a scalar', texts('abc'))
case('reduce_join', 'nothing', texts(np.zeros([0, 2], 'S1')), 0)
case('strings.unsorted_segment_join', 'a vector', texts(['a', 'b', 'c']), i32([1, 0, 1]), 3,
     separator=',')
case('strings.unsorted_segment_join', 'rows', GRID, i32([1, 1]), 3, separator=',')
case('strings.unsorted_segment_join', 'a matrix', GRID, i64([[1, 1], [0, 1]]), 2)
case('strings.unsorted_segment_join', 'a large id', texts(['a']), i32([5]), 2)
case('strings.unsorted_segment_join', 'a negative id', texts(['a']), i32([-1]), 2)

# --- encodings
WRONG = b'a\xffb\xe2\x82c\xf0\x80\x80\x80\xed\xa0\x80'
for encoding in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE', 'UTF-7'):
    case('strings.unicode_transcode', 'to ' + encoding, texts([u'a\u4e2d'.encode('utf-8'), WRONG]),
         'UTF-8', encoding, replacement_char=63)
case('strings.unicode_transcode', 'wrong bytes', texts([EURO, WRONG]), 'UTF-8', 'UTF-8')
case('strings.unicode_transcode', 'from latin1', texts([b'a\xe9b']), 'latin1', 'UTF-8')
case('strings.unicode_transcode', 'from UTF-16', texts([b'\0a', b'\xff\xfea\0']), 'UTF-16', 'UTF-8')
case('strings.unicode_transcode', 'control characters', texts([b'a\x00\x01\n\x1f ']), 'UTF-8',
     'UTF-8', replace_control_characters=True, replacement_char=63)
case('strings.unicode_transcode', 'ignored', texts([WRONG]), 'UTF-8', 'UTF-8', errors='ignore')
case('strings.unicode_transcode', 'strict', texts([WRONG]), 'UTF-8', 'UTF-8', errors='strict')
case('strings.unicode_transcode', 'an unknown encoding', texts(['a']), 'nonsense', 'UTF-8')

# --- compression
PACKED = b'\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03'       # a gzip head without a time
SQUEEZED = PACKED + zlib.compress(b'abc' * 9)[2:-4] + \
    np.array([zlib.crc32(b'abc' * 9) & 0xffffffff, 27], '<u4').tobytes()
case('decode_compressed', 'gzip', texts([SQUEEZED]), 'GZIP')
case('io.decode_compressed', 'zlib', texts([zlib.compress(b'abc' * 9)]), 'ZLIB')
case('io.decode_compressed', 'nothing', texts(['abc']))
case('decode_compressed', 'what is not packed', texts(['abc']), 'GZIP')
case('decode_compressed', 'an unknown kind', texts(['abc']), 'LZMA')

# --- parts at spaces
for most in (-1, 0, 1, 2):
    case('strings.split', 'at most %d' % most, texts(['', '  ', ' a b ', 'a  b  c ', 'a b']),
         maxsplit=most)
