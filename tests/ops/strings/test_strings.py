"""tf.strings: regular expressions of RE2, hashes, names, messages."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.ops.strings.hashes import siphash24
from tinyflow.ops.strings.regexes import compiled

pytestmark = pytest.mark.usefixtures('graph')


def run(tensor):
    with tf.Session() as session:
        return session.run(tensor)


def test_siphash_gives_the_vectors_of_its_paper():
    """Appendix A of the paper: key 00 01 ... 0f, message 00 01 ... 0e."""
    key = tuple(int.from_bytes(bytes(range(i, i + 8)), 'little') for i in (0, 8))
    assert siphash24(bytes(range(15)), key) == 0xa129ca6149be45e5


@pytest.mark.parametrize('text', [b'', b'a', b'h\xc3\xa9', b'\xff', b'a\xffb\n', b'\xed\xa0\x80'])
def test_a_replacement_keeps_other_bytes(text):
    assert run(tf.regex_replace([text], 'never', 'x'))[0] == text


def test_a_wrong_byte_is_no_character():
    assert run(tf.regex_replace([b'\xffa\nb'], '.', 'x'))[0] == b'\xffx\nx'
    assert run(tf.regex_replace([b'\xffa'], '[^b]', 'x'))[0] == b'\xffx'


@pytest.mark.parametrize('pattern', [r'(?=a)', r'(a)\1', 'a++', r'\Z', '(?>a)', '(?<x>a)'])
def test_patterns_that_only_python_supports_are_refused(pattern):
    with pytest.raises(ValueError, match='Invalid pattern'):
        compiled(pattern.encode())


def test_a_repetition_belongs_to_the_last_quoted_character():
    assert compiled(rb'\Qab\E+').fullmatch(b'abbb')


@pytest.mark.parametrize('text, pattern, wanted', [
    ('AB', '(?i)a(?-i:B)', '<AB>'), ('\u03a9a', r'\p{Greek}', '<\u03a9>a'),
    ('a1', r'[^\PL]', '<a>1'), ('ab', '^??b', 'a<b>'),
    ('\u65e5x', '', '<>\u65e5<>x<>')])           # an empty match is not inside a character
def test_all_of_re2_is_here(text, pattern, wanted):
    """Results of TF 1.15.5."""
    assert run(tf.regex_replace([text], pattern, r'<\0>'))[0].decode() == wanted


def test_no_pattern_takes_exponential_time():
    assert not run(tf.strings.regex_full_match(['a' * 5000], '(a*)*b'))[0]


def test_a_rewrite_names_groups_that_there_are():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'\\2'):
        run(tf.regex_replace(['a'], 'a', r'\2'))


def test_all_spellings_are_one_function():
    assert tf.strings.substr is tf.substr and tf.strings.join is tf.string_join
    assert tf.strings.as_string is tf.as_string and tf.strings.strip is tf.string_strip
    assert tf.io.decode_base64 is tf.decode_base64 and tf.compat.v1.strings is tf.strings


def test_words_as_a_padded_matrix():
    """What a text model does first: split, look at the length, pad."""
    words = tf.sparse_tensor_to_dense(tf.string_split(['the cat', 'a']), default_value='')
    assert run(words).tolist() == [[b'the', b'cat'], [b'a', b'']]
    assert run(tf.string_to_hash_bucket_fast(words, 100)).shape == (2, 2)


def test_numbers_survive_the_way_through_text():
    x = np.float32([1.5, -2e-3, 3e8])
    text = tf.as_string(x, precision=9, scientific=True)
    np.testing.assert_array_equal(run(tf.string_to_number(text)), x)


def test_string_errors_have_hints():
    with pytest.raises(TypeError, match='tf.as_string'):
        tf.reduce_join([1, 2])
    with pytest.raises(tf.errors.DataLossError, match='GZIP'):
        run(tf.decode_compressed(['abc'], 'GZIP'))


def test_the_sum_of_two_strings_is_a_tensor():
    x = tf.placeholder(tf.string, [])
    both = x + x
    with tf.Session() as session:
        got = session.run([both, tf.reshape(both, [1]), tf.strings.length(both)], {x: 'ab'})
    assert got == [b'abab', [b'abab'], 4]
    count = tf.while_loop(lambda text: tf.strings.length(text) < 5, lambda text: text + x, [x])
    assert tf.Session().run(count, {x: 'ab'}) == b'ababab'
