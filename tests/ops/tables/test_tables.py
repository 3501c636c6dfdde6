"""Lookup tables: each Session has its own; errors; saving the tables that change."""
import subprocess
import sys

import numpy as np
import pytest

import tinyflow as tf

lookup = tf.contrib.lookup


pytestmark = pytest.mark.usefixtures('graph')


def test_each_session_has_its_own_table():
    table = lookup.index_table_from_tensor(['a', 'b'])
    ids = table.lookup(tf.constant(['b', '?']))
    with tf.Session() as first, tf.Session() as second:
        first.run(tf.tables_initializer())
        np.testing.assert_array_equal(first.run(ids), [1, -1])
        with pytest.raises(tf.errors.FailedPreconditionError, match='tables_initializer'):
            second.run(ids)


@pytest.mark.parametrize('call, error, text', [
    (lambda: lookup.index_table_from_tensor(None), ValueError, 'mapping must be specified'),
    (lambda: lookup.index_table_from_tensor([1, 2]), ValueError, 'Expected non-integer'),
    (lambda: lookup.index_table_from_tensor(['a'], -1), ValueError, 'num_oov_buckets'),
    (lambda: lookup.index_table_from_file(''), ValueError, 'vocabulary_file'),
    (lambda: lookup.index_table_from_file('x', vocab_size=0), ValueError, 'vocab_size'),
    (lambda: lookup.index_table_from_tensor(['a']).lookup(tf.constant([1])), TypeError,
     'Keys must be dtype string, got int32'),
    (lambda: lookup.HashTable(lookup.KeyValueTensorInitializer(['a'], [1]), [1, 2]), ValueError,
     'must be a scalar'),
    (lambda: lookup.TextFileInitializer('x', tf.string, -1, tf.int64, 1), ValueError,
     'Keys must be dtype int64')])
def test_arguments_that_do_not_fit(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize('content, options, text', [
    ('a 1\nb\n', {}, 'Invalid number of columns in .* line 1'),
    ('a x\n', {}, 'Field x in line 0 .* is not a valid int64'),
    ('a 1\n', {'vocab_size': 3}, 'expected 3 but got 1'),
    ('a 1\na 2\n', {}, 'different value for same key. Key a has 1')])
def test_damaged_files_name_the_line(content, options, text, tmp_path):
    path = tmp_path / 'vocabulary.txt'
    path.write_text(content)
    table = lookup.HashTable(lookup.TextFileInitializer(
        str(path), tf.string, 0, tf.int64, 1, delimiter=' ', **options), -1)
    with tf.Session() as session, pytest.raises(tf.errors.OpError, match=text):
        session.run(table.init)


def test_files(tmp_path):
    path = tmp_path / 'vocabulary.txt'
    path.write_text('a\nb\r\nc')
    table = lookup.index_table_from_file(str(path), num_oov_buckets=1)
    back = lookup.index_to_string_table_from_file(str(path), default_value='U')
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        got = session.run([table.lookup(tf.constant(['b', 'c', 'x'])), table.size(),
                           back.lookup(tf.constant([0, 7], tf.int64))])
    np.testing.assert_array_equal(got[0], [1, 2, 3])
    assert got[1] == 4 and got[2].tolist() == [b'a', b'U']


@pytest.mark.parametrize('dense', [False, True])
def test_changing_tables_are_saved_and_restored(dense, tmp_path):
    table = lookup.MutableDenseHashTable(tf.int64, tf.float32, [0.0, 0.0], 0, -1, name='t') \
        if dense else lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0], name='t')
    keys = tf.constant([5, 7], tf.int64)
    fill = table.insert(keys, [[1.0, 2.0], [3.0, 4.0]])
    other = table.insert(tf.constant([9], tf.int64), [[9.0, 9.0]])
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(fill)
        path = saver.save(session, str(tmp_path / 'model'))
    with tf.Session() as session:
        session.run(other)
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(table.lookup(keys)), [[1, 2], [3, 4]])
        assert session.run(table.size()) == 2


def test_reserved_keys_of_dense_tables():
    table = lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -9)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError,
                                                match='empty_key'):
        session.run(table.insert(tf.constant([0], tf.int64), tf.constant([1], tf.int64)))


@pytest.mark.slow
def test_a_table_of_ids_needs_no_other_module_first():
    """The choice between known ids and buckets is made by an op whose module loads late."""
    program = '''
import tinyflow as tf
table = tf.contrib.lookup.index_table_from_tensor(['a', 'b'], num_oov_buckets=2)
ids = table.lookup(tf.constant(['b', 'a', 'zebra']))
with tf.Session() as sess:
    sess.run(tf.tables_initializer())
    found = sess.run(ids).tolist()
assert found[:2] == [1, 0] and found[2] in (2, 3), found
'''
    done = subprocess.run([sys.executable, '-W', 'error', '-c', program], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
