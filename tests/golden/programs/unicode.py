"""tf.strings.unicode_* and their neighbours: characters, offsets, scripts, parts, windows."""
from .ragged import parts
from .registry import program, run


def readable(tf, result):
    """Strings in Base64, since recorded files are text; anything else as it is."""
    found = parts(tf, result)
    found = found if isinstance(found, list) else [found]
    return [tf.encode_base64(r) if getattr(r, 'dtype', None) == tf.string else r for r in found]


TEXTS = [u'h\u00e9llo'.encode('utf-8'), b'', u'\U0001f388a\u4e16\u3053'.encode('utf-8')]
BROKEN = [b'a\x80b', b'\xe2\x82', b'\xf0\x9f\x98\x80\xff\xfe', b'\xed\xa0\x80', b'\xe2(\xa1',
          b'\x01\x1f\x7f\xc2\x85x', b'\xef\xbf\xbf']


@program
def unicode_characters(tf, np):
    s, results = tf.strings, []
    options = [{}, {'errors': 'ignore'}, {'replacement_char': 63},
               {'replace_control_characters': True},
               {'errors': 'ignore', 'replace_control_characters': True}]
    for kwargs in options:
        codes, offsets = s.unicode_decode_with_offsets(BROKEN, 'UTF-8', **kwargs)
        results += [codes, offsets, s.unicode_decode(BROKEN, 'UTF-8', **kwargs)]
    results += [s.unicode_decode(TEXTS[0], 'UTF-8'), s.unicode_decode([TEXTS, TEXTS], 'UTF-8'),
                s.unicode_decode(tf.ragged.constant([TEXTS[:1], [], TEXTS]), 'UTF-8'),
                s.unicode_split(TEXTS, 'UTF-8'), s.unicode_split(TEXTS[2], 'UTF-8'),
                s.unicode_split([TEXTS], 'UTF-8'),
                s.unicode_split(u'a\u00e9\U0001f388'.encode('utf-16-be'), 'UTF-16-BE'),
                s.unicode_split_with_offsets(TEXTS, 'UTF-8')[0],
                s.unicode_split_with_offsets(TEXTS, 'UTF-8')[1],
                s.unicode_split_with_offsets(BROKEN[:4], 'UTF-8', errors='ignore')[0]]
    for data in (b'\xff\xfea\0', b'\xfe\xff\0a', b'\0\0\xfe\xff\0\0\0a', b'\xd8\x00\x00a',
                 b'\xd8=\xde\n', b'\0a\xd8'):
        for encoding in ('UTF-16', 'UTF-32', 'UTF-16BE', 'UTF-16LE', 'UTF-32LE', 'latin1',
                         'US-ASCII', 'koi8-r'):
            results += list(s.unicode_decode_with_offsets(data, encoding))
    return [run([readable(tf, r) for r in results])]


@program
def unicode_strings(tf, np):
    s, results = tf.strings, []
    codes = [71, 246, 0x1f60a, -1, 0x110000, 0xd800, 65, 0]
    for encoding in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE'):
        results += [s.unicode_encode(codes, encoding), s.unicode_encode([codes, codes], encoding),
                    s.unicode_encode(codes, encoding, errors='ignore'),
                    s.unicode_encode(codes, encoding, replacement_char=63)]
    ragged = tf.ragged.constant([[99, 97], [], [100]])
    results += [s.unicode_encode(ragged, 'UTF-8'),
                s.unicode_encode(tf.ragged.constant([[[99, 97], [98]], []]), 'UTF-8'),
                s.unicode_encode(np.array([[[97, 98], [99, 100]]], np.int32), 'UTF-8'),
                s.unicode_script([65, 1041, 33464, 0x110000, -1, 0xd800, 32, 0x1f600, 0x378]),
                s.unicode_script(ragged),
                s.unicode_transcode(BROKEN, 'UTF-8', 'UTF-16-BE', errors='ignore')]
    return [run([readable(tf, r) for r in results])]


@program
def parts_of_strings(tf, np):
    s, results = tf.strings, []
    words = tf.ragged.constant([['a b', 'c'], [], ['', ' d  e f']])
    results += [s.bytes_split('ab'), s.bytes_split(TEXTS), s.bytes_split([['ab', ''], ['c', 'd']]),
                s.bytes_split(words), s.split('a b', result_type='RaggedTensor'),
                s.split(['a,b', ''], ',', result_type='RaggedTensor'),
                s.split([['a b', 'c']]).values,
                s.split(words, maxsplit=1, result_type='RaggedTensor'),
                tf.string_split(['a b', 'c'], result_type='RaggedTensor'),
                s.length(words), s.strip(words), s.substr(words, 0, 1), s.join([words, 'x'], '-'),
                s.regex_replace(words, 'b', 'c'), s.regex_full_match(words, 'c'),
                s.to_hash_bucket_fast(words, 5), tf.as_string(tf.ragged.constant([[1], []])),
                s.ngrams(['a', 'b', 'c'], 2), s.ngrams([['a', 'b', 'c']], 2, separator='')]
    rows = tf.ragged.constant([['a', 'b', 'c'], ['d'], ['e', 'f']])
    for width in (1, 2, 3, [1, 2], [2, 3], 5):
        for kwargs in ({}, {'pad_values': 'p'}, {'pad_values': ('l', 'r'), 'padding_width': 1},
                       {'preserve_short_sequences': True},
                       {'pad_values': 'p', 'padding_width': 1, 'preserve_short_sequences': True}):
            results.append(s.ngrams(rows, width, **kwargs))
    return [run([readable(tf, r) for r in results])]
