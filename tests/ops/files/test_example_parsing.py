"""tf.parse_example and the like, beyond the recorded programs: descriptions, errors, odd inputs."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def example(**features):
    kinds = {bytes: ('bytes_list', tf.train.BytesList), float: ('float_list', tf.train.FloatList),
             int: ('int64_list', tf.train.Int64List)}
    made = {}
    for key, values in features.items():
        field, kind = kinds[type(values[0])]
        made[key] = tf.train.Feature(**{field: kind(value=values)})
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


@pytest.mark.parametrize('value', [[True, False], np.array([True, False]), (True, 0)])
def test_bools_are_integers(value):
    assert list(tf.train.Int64List(value=value).value) == [1, 0]


@pytest.mark.parametrize('features, kind, what', [
    ({}, ValueError, 'Missing: features was {}'),
    (None, ValueError, 'Missing: features was None'),
    ({'x': tf.int64}, ValueError, 'Invalid feature x'),
    ({'x': tf.FixedLenFeature([2], tf.int32)}, TypeError, 'tf.cast'),
    ({'x': tf.FixedLenFeature(None, tf.int64)}, ValueError, 'Missing shape for feature x'),
    ({'x': tf.FixedLenFeature([2], None)}, ValueError, 'Missing type for feature x'),
    ({'x': tf.FixedLenFeature([None], tf.int64)}, ValueError, 'Consider using FixedLenSequence'),
    ({'x': tf.FixedLenFeature([2, None], tf.int64)}, ValueError, 'All dimensions of shape'),
    ({'x': tf.FixedLenSequenceFeature([2], tf.int64)}, ValueError, 'requires allow_missing'),
    ({'x': tf.FixedLenFeature([2], tf.int64, [1, 2, 3])}, ValueError, 'Cannot reshape'),
    ({'x': tf.VarLenFeature(tf.int64), 's': tf.SparseFeature('i', 'x', tf.float32, 3)},
     ValueError, 'Conflicting type'),
])
def test_descriptions_that_are_refused(features, kind, what):
    for parse in (tf.parse_example, tf.parse_single_example):
        with pytest.raises(kind, match=what):
            parse(example(x=[1]), features)


def test_a_missing_feature_lists_the_features(session):
    serialized = [example(label=[1], image=[b'...'])]
    parsed = tf.parse_example(serialized, {'lable': tf.FixedLenFeature([], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(parsed)
    text = str(caught.value)
    assert 'Feature: lable (data type: int64) is required but could not be found' in text
    assert 'the example has: image string [1], label int64 [1]' in text and 'default_value' in text
    assert 'test_example_parsing.py' in text


def test_errors_name_the_example(session):
    serialized = tf.placeholder(tf.string, [None])
    names = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(serialized, {'x': tf.FixedLenFeature([1], tf.int64)},
                              example_names=names)
    batch = [example(x=[1]), example(x=[1, 2])]
    with pytest.raises(tf.errors.InvalidArgumentError, match='Name: second, Key: x, Index: 1'):
        session.run(parsed, {serialized: batch, names: ['first', 'second']})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'len\(names\) == len\(serialized\)'):
        session.run(parsed, {serialized: batch, names: ['first']})


def test_bytes_that_are_no_example(session):
    for parse, given in ((tf.parse_example, [b'\xff\xff']), (tf.parse_single_example, b'\xff\xff')):
        parsed = parse(given, {'x': tf.VarLenFeature(tf.int64)})
        with pytest.raises(tf.errors.InvalidArgumentError, match='Could not parse example input'):
            session.run(parsed)


def test_an_empty_feature_counts_as_missing(session):
    message = tf.train.Example()
    message.features.feature['x'].SetInParent()
    parsed = tf.parse_single_example(message.SerializeToString(), {
        'x': tf.FixedLenFeature([2], tf.int64, [7, 8])})
    assert session.run(parsed)['x'].tolist() == [7, 8]


def test_a_scalar_default_and_a_tensor_default(session):
    parsed = tf.parse_single_example(b'', {
        'x': tf.FixedLenFeature([], tf.string, 'none'),
        'y': tf.FixedLenFeature([2], tf.float32, tf.constant([1.0, 2.0]))})
    found = session.run(parsed)
    assert found['x'] == b'none' and found['y'].tolist() == [1.0, 2.0]


def test_an_empty_batch(session):
    serialized = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(serialized, {
        'd': tf.FixedLenFeature([3], tf.float32), 's': tf.VarLenFeature(tf.string),
        'q': tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)})
    found = session.run(parsed, {serialized: np.array([], object)})
    assert found['d'].shape == (0, 3) and found['q'].shape == (0, 0, 2)
    assert found['s'].dense_shape.tolist() == [0, 0] and found['s'].indices.shape == (0, 2)


def test_padding_of_sequences(session):
    parsed = tf.parse_example([example(x=[1, 2, 3]), example(x=[4]), b''], {
        'x': tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-1)})
    assert session.run(parsed)['x'].tolist() == [[1, 2, 3], [4, -1, -1], [-1, -1, -1]]


def test_the_aliases():
    """The names of tf, tf.io and tf.compat.v1 are the same objects."""
    for name in ('FixedLenFeature', 'FixedLenSequenceFeature', 'SparseFeature', 'VarLenFeature',
                 'parse_example', 'parse_single_example', 'parse_single_sequence_example',
                 'parse_tensor', 'serialize_tensor'):
        assert getattr(tf, name) is getattr(tf.io, name) is getattr(tf.compat.v1, name)
    assert tf.io.TFRecordWriter is tf.python_io.TFRecordWriter


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int8', 'uint8', 'int16',
                                   'int32', 'int64', 'complex64', 'complex128', 'bool'])
def test_tensors_as_bytes(session, dtype):
    values = np.arange(6).reshape(2, 3).astype(dtype)
    again = tf.parse_tensor(tf.serialize_tensor(tf.constant(values)), dtype)
    np.testing.assert_array_equal(session.run(again), values)
    empty = tf.parse_tensor(tf.serialize_tensor(tf.constant(values[:0])), dtype)
    assert session.run(empty).shape == (0, 3)
