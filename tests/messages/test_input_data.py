"""Messages about input: datasets, Examples, CSV, pictures, files."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import check_mistake, run_all

pytestmark = pytest.mark.usefixtures('graph')


def next_of(dataset):
    return dataset.make_one_shot_iterator().get_next()


def example():
    value = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    return tf.train.Example(features=tf.train.Features(feature={'a': value})).SerializeToString()


def parse(name, shape, dtype):
    return run_all(tf.parse_single_example(example(), {name: tf.FixedLenFeature(shape, dtype)}))


def drained():
    following = next_of(tf.data.Dataset.range(1))
    with tf.Session() as session:
        session.run(following)
        session.run(following)


def unready():
    run_all(tf.data.Dataset.range(3).make_initializable_iterator().get_next())


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'an iterator without its initializer': (
        unready, tf.errors.FailedPreconditionError, ['Hint: ', 'iterator.initializer']),
    'a dataset that is exhausted': (
        drained, tf.errors.OutOfRangeError,
        ['End of sequence', 'Hint: ', 'tf.errors.OutOfRangeError', 'repeat()']),
    'a feature that is not there': (
        lambda: parse('b', [], tf.int64), tf.errors.InvalidArgumentError,
        ['Feature: b', 'the example has: a int64 [2]', 'Hint: ']),
    'a feature of another type': (
        lambda: parse('a', [2], tf.float32), tf.errors.InvalidArgumentError,
        ["Data types don't match", 'Hint: ', 'tf.int64']),
    'a feature of another length': (
        lambda: parse('a', [3], tf.int64), tf.errors.InvalidArgumentError,
        ['2 values', '[3]', 'Hint: tf.FixedLenFeature([2]']),
    'a feature of int32': (
        lambda: parse('a', [2], tf.int32), TypeError, ["Feature 'a'", 'Hint: ']),
    'a number instead of a list': (
        lambda: tf.train.Int64List(value=3), TypeError, ['value is 3', 'Hint: value=[3].']),
    'a fraction among integers': (
        lambda: tf.train.Int64List(value=[3, 3.5]), TypeError,
        ['value[1] is 3.5', 'integers', 'Hint: tf.train.FloatList']),
    'text among bytes': (
        lambda: tf.train.BytesList(value=['abc']), TypeError, ["'abc'", "Hint: 'abc'.encode()"]),
    'text instead of a list of bytes': (
        lambda: tf.train.BytesList(value='abc'), TypeError, ["value is 'abc'", 'Hint: ']),
    'an array of two dimensions in a list': (
        lambda: tf.train.FloatList(value=np.zeros((2, 3))), TypeError,
        ['shape [2, 3]', 'Hint: array.ravel()']),
    'bytes that are no Example': (
        lambda: run_all(tf.parse_single_example(b'hello', {'a': tf.FixedLenFeature([], tf.int64)})),
        tf.errors.InvalidArgumentError, ["b'hello'", 'Hint: ']),
    'a row of too many fields': (
        lambda: run_all(tf.decode_csv(['1,2,3'], [[0], [0]])), tf.errors.InvalidArgumentError,
        ['Expect 2 fields but have 3', 'Hint: record 0 splits into']),
    'text in a column of numbers': (
        lambda: run_all(tf.decode_csv(['1,x'], [[0], [0]])), tf.errors.InvalidArgumentError,
        ['Field 1 in record 0', 'Hint: ', 'skip_header_lines=1']),
    'bytes of another type': (
        lambda: run_all(tf.decode_raw([b'abc'], tf.int32)), tf.errors.InvalidArgumentError,
        ['length 3', 'multiple of 4', 'Hint: out_type']),
    'bytes that are no PNG': (
        lambda: run_all(tf.image.decode_png(b'not a picture')), tf.errors.InvalidArgumentError,
        ["DecodePng 'DecodePng'", 'size 13', 'tf.read_file(name)', "b'not a pictur'"]),
    'a GIF as a PNG': (
        lambda: run_all(tf.image.decode_png(b'GIF89a')), tf.errors.InvalidArgumentError,
        ['Hint: this is a GIF']),
    'lines of a file that is not there': (
        lambda: run_all(next_of(tf.data.TextLineDataset('/no/file'))), tf.errors.NotFoundError,
        ['/no/file; No such file', 'Hint: there is no directory /no.']),
    'records of a file that is not there': (
        lambda: run_all(next_of(tf.data.TFRecordDataset(__file__[:-3] + '_.py'))),
        tf.errors.NotFoundError, ['No such file', 'Hint: the directory has test_input_data.py']),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_check_message(name):
    check_mistake(*MISTAKES[name])
