"""Rows of string ops."""
import base64
import re
import zlib

import numpy as np

from tests.ops.rows import row


def texts(values):
    return np.array(values, object)


def each(function):
    """`ref` of a function of each string."""
    def ref(array):
        result = np.empty(array.shape, object)
        for place in np.ndindex(array.shape):
            result[place] = function(array[place])
        return result
    return ref


def numbers(function):
    return lambda array: each(function)(array).astype(np.int64)


def parts(split):
    return [split.indices, split.values, split.dense_shape]


def sparse_parts(split):
    """`ref` of a split: entries in order, and as wide as the longest."""
    def ref(array):
        rows = [split(text) for text in array]
        indices = [[i, j] for i, row_ in enumerate(rows) for j in range(len(row_))]
        return [np.array(indices, np.int64).reshape(-1, 2),
                texts([part for row_ in rows for part in row_]),
                np.array([len(rows), max(map(len, rows))])]
    return ref


def decoded(ragged):
    return [ragged.flat_values, ragged.row_splits]


WORDS = texts([[b'Hello ', b' w'], [b'', b'\xc3\xa9t\xc3\xa9']])
LINES = texts([b'a b  c', b'', b' x'])
GRID = texts([[b'a', b'b'], [b'c', b'd']])
PACKED = texts([zlib.compress(b'abc' * 5), zlib.compress(b'')])
# Recorded from TF 1.15.5.
BUCKETS = {b'': 142163811899, b'a': 825286642172, b'hello': 798522768714}
STRONG = {b'': 231421486971, b'a': 201166748918, b'hello': 34011838614}
HASHED = texts([b'', b'a', b'hello'])


def looked_up(table):
    return lambda array: np.array([table[text] for text in array])


ROWS = [
    row('AsString', lambda tf, x: tf.as_string(x, precision=3, width=8), [(2, 3)],
        ref=lambda x: each(lambda v: b'%8.3f' % v)(x), grad=False,
        bad=[lambda tf: tf.as_string(tf.constant(['a']))],
        run_bad=[lambda tf: tf.as_string(tf.constant([1]), precision=2),
                 lambda tf: tf.as_string(tf.constant([1.0]), fill='x')]),
    row('StringLength', lambda tf, x: tf.strings.length(x), [WORDS], grad=False,
        ref=lambda x: each(len)(x).astype(np.int32)),
    row('StringStrip', lambda tf, x: tf.strings.strip(x), [WORDS], ref=each(bytes.strip),
        grad=False, bad=[lambda tf: tf.strings.strip(tf.constant(1.0))]),
    row('StringLower', lambda tf, x: tf.strings.lower(x), [WORDS], ref=each(bytes.lower),
        grad=False, run_bad=[lambda tf: tf.strings.lower(tf.constant('a'), encoding='x')]),
    row('StringUpper', lambda tf, x: tf.strings.upper(x), [WORDS], ref=each(bytes.upper),
        grad=False, run_bad=[lambda tf: tf.strings.upper(tf.constant('a'), encoding='x')]),
    row('EncodeBase64', lambda tf, x: tf.encode_base64(x, pad=True), [WORDS],
        ref=each(base64.urlsafe_b64encode), grad=False),
    row('DecodeBase64', lambda tf, x: tf.decode_base64(x), [texts([b'YWI=', b'YQ'])],
        ref=lambda x: texts([b'ab', b'a']), grad=False,
        run_bad=[lambda tf: tf.decode_base64(tf.constant('?')),
                 lambda tf: tf.decode_base64(tf.constant('Y'))]),
    row('Substr', lambda tf, x, p, n: tf.substr(x, p, n),
        [texts([b'hello', b'world']), np.array([1, -2]), np.array([2, 9])],
        ref=lambda x, p, n: texts([b'el', b'ld']), grad=False,
        bad=[lambda tf: tf.substr(['a'], [0], 1)],
        run_bad=[lambda tf: tf.substr(tf.constant(['a']), 2, 1)]),
    row('StringSplit', lambda tf, x: parts(tf.string_split(x)), [LINES],
        ref=sparse_parts(bytes.split), grad=False, static_result=False,
        bad=[lambda tf: tf.string_split(tf.constant('a b'))]),
    row('StringSplitV2', lambda tf, x: parts(tf.strings.split(x, sep=' ')), [LINES],
        ref=sparse_parts(lambda text: text.split(b' ')), grad=False, static_result=False,
        unknown=False),
    row('StaticRegexReplace', lambda tf, x: tf.regex_replace(x, '[aeiou](.)', r'<\1>'), [WORDS],
        ref=each(lambda t: re.sub(rb'[aeiou](.)', rb'<\1>', t)), grad=False,
        run_bad=[lambda tf: tf.regex_replace(tf.constant('a'), '(', ''),
                 lambda tf: tf.regex_replace(tf.constant('a'), 'a', r'\1')]),
    row('RegexReplace', lambda tf, x, p: tf.regex_replace(x, p, '-'), [WORDS, texts(b'l+')],
        ref=lambda x, p: each(lambda t: re.sub(rb'l+', b'-', t))(x), grad=False,
        bad=[lambda tf: tf.regex_replace(['a'], tf.constant(['a']), '')],
        run_bad=[lambda tf: tf.regex_replace(tf.constant('a'), tf.constant('(?=a)'), '')]),
    row('StaticRegexFullMatch', lambda tf, x: tf.strings.regex_full_match(x, '.*l+.*'), [WORDS],
        ref=lambda x: each(lambda t: b'l' in t)(x).astype(bool), grad=False,
        run_bad=[lambda tf: tf.strings.regex_full_match(tf.constant('a'), '[')]),
    row('RegexFullMatch', lambda tf, x, p: tf.strings.regex_full_match(x, p),
        [WORDS, texts(b'.*l+.*')], ref=lambda x, p: each(lambda t: b'l' in t)(x).astype(bool),
        grad=False, bad=[lambda tf: tf.strings.regex_full_match(['a'], tf.constant(['a']))]),
    row('StringToHashBucket', lambda tf, x: tf.string_to_hash_bucket(x, 2 ** 40), [HASHED],
        ref=looked_up(BUCKETS), grad=False),
    row('StringToHashBucketStrong',
        lambda tf, x: tf.string_to_hash_bucket_strong(x, 2 ** 40, [1, 2]), [HASHED],
        ref=looked_up(STRONG), grad=False,
        run_bad=[lambda tf: tf.string_to_hash_bucket_strong(tf.constant('a'), 9, [1])]),
    row('ReduceJoin', lambda tf, x: tf.reduce_join(x, [0, 1], separator='.'), [GRID],
        ref=lambda x: texts(b'a.c.b.d'), grad=False,
        bad=[lambda tf: tf.reduce_join([['a']], 2)],
        run_bad=[lambda tf: tf.reduce_join([['a']], [0, -2])]),
    row('ReduceJoin', lambda tf, x: tf.reduce_join(x, -1, keep_dims=True), [GRID],
        ref=lambda x: texts([[b'ab'], [b'cd']]), grad=False, name='kept'),
    row('UnsortedSegmentJoin', lambda tf, x, i: tf.strings.unsorted_segment_join(x, i, 3, '+'),
        [GRID, np.array([2, 2])], grad=False,
        ref=lambda x, i: texts([[b'', b''], [b'', b''], [b'a+c', b'b+d']]),
        bad=[lambda tf: tf.strings.unsorted_segment_join(['a'], [0, 1], 2)],
        run_bad=[lambda tf: tf.strings.unsorted_segment_join(['a'], [5], 2)]),
    row('UnicodeTranscode', lambda tf, x: tf.strings.unicode_transcode(x, 'UTF-8', 'UTF-16-BE'),
        [WORDS], ref=each(lambda t: t.decode().encode('utf-16-be')), grad=False,
        run_bad=[lambda tf: tf.strings.unicode_transcode(
            tf.constant('a'), 'nonsense', 'UTF-8')]),
    row('DecodeCompressed', lambda tf, x: tf.decode_compressed(x, 'ZLIB'), [PACKED],
        ref=each(zlib.decompress), grad=False,
        run_bad=[lambda tf: tf.decode_compressed(tf.constant('a'), 'LZMA')]),
    row('UnicodeDecode', lambda tf, x: decoded(tf.strings.unicode_decode(x, 'UTF-8')),
        [texts([b'h\xc3\xa9', b'', b'a'])], ref=lambda x: [np.array([104, 233, 97]),
                                                         np.array([0, 2, 2, 3])],
        grad=False, unknown=False, static_result=False,
        run_bad=[lambda tf: tf.strings.unicode_decode(b'\xff', 'UTF-8', errors='strict'),
                 lambda tf: tf.strings.unicode_decode('a', 'nonsense')]),
    row('UnicodeDecodeWithOffsets',
        lambda tf, x: decoded(tf.strings.unicode_decode_with_offsets(x, 'UTF-8')[1]),
        [texts([b'h\xc3\xa9a', b''])], ref=lambda x: [np.array([0, 1, 3]), np.array([0, 3, 3])],
        grad=False, unknown=False, static_result=False,
        run_bad=[lambda tf: tf.strings.unicode_decode_with_offsets(
            'a', 'UTF-8', replacement_char=-1)[0]]),
    row('UnicodeEncode', lambda tf, x: tf.strings.unicode_encode(x, 'UTF-8'),
        [np.array([[104, 233], [97, -1]], np.int32)], grad=False, unknown=False,
        ref=lambda x: texts([b'h\xc3\xa9', b'a\xef\xbf\xbd']),
        run_bad=[lambda tf: tf.strings.unicode_encode([-1], 'UTF-8', errors='strict')]),
    row('UnicodeScript', lambda tf, x: tf.strings.unicode_script(x),
        [np.array([[65, 1041], [33464, -1]], np.int32)], grad=False,
        ref=lambda x: np.array([[25, 8], [17, -1]], np.int32)),
    row('StringNGrams', lambda tf, x: tf.strings.ngrams(x, 2),
        [texts([b'a', b'b', b'c'])], ref=lambda x: texts([b'a b', b'b c']),
        grad=False, unknown=False, static_result=False),
]
