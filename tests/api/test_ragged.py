"""tf.ragged: fetching and feeding, what is refused, and that functions learn of it only then."""
from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import tinyflow as tf


def test_values_are_fetched_and_fed(session):
    x = tf.ragged.placeholder(tf.int32, 2)
    value = tf.ragged.constant_value([[[1], [2, 3]], []], dtype=tf.int32)
    got = session.run(x * 2, {x: value})
    assert got.to_list() == [[[2], [4, 6]], []]
    assert got.shape == (2, None, None) and got.ragged_rank == 2 and got.dtype == np.int32
    assert repr(tf.ragged.constant_value([[1]])) == (
        'tf.RaggedTensorValue(values=array([1]), row_splits=array([0, 1]))')
    assert session.run({'a': [tf.ragged.constant([['b']])]})['a'][0].to_list() == [[b'b']]
    assert (x + 1).eval({x: value}, session).to_list() == [[[2], [3, 4]], []]


def test_static_shapes(graph):
    assert tf.ragged.constant([[1, 2], []]).shape.as_list() == [2, None]
    assert tf.ragged.constant([[[1, 2]], []], ragged_rank=1).shape.as_list() == [2, None, 2]
    assert tf.ragged.constant([1, 2]).shape == [2]


@pytest.mark.parametrize('error, match, use', [
    (ValueError, 'same nesting depth', lambda x: tf.ragged.constant([[1], 2])),
    (ValueError, 'incompatible with ragged_rank', lambda x: tf.ragged.constant([[1]], None, 2)),
    (ValueError, 'constructor is private', lambda x: tf.RaggedTensor([1], [0, 1])),
    (ValueError, 'inner ragged dimension', lambda x: x[:, 0]),
    (ValueError, 'only supported in eager mode', lambda x: x.to_list()),
    (ValueError, 'not both', lambda x: tf.RaggedTensor.from_tensor([[1]], [1], 0)),
    (TypeError, 'RaggedTensor', lambda x: tf.convert_to_tensor(x)),
    (TypeError, 'nrows', len), (TypeError, 'bool', bool),
    (ValueError, 'keepdims', lambda x: tf.reduce_sum(x, 1, keepdims=True)),
    (NotImplementedError, 'columns with the step -1', lambda x: x[:, ::-1]),
    (NotImplementedError, 'axis=1', lambda x: tf.gather(x, [0], axis=1)),
    (ValueError, 'ragged ranks', lambda x: tf.ragged.map_flat_values(
        tf.add, x, tf.ragged.constant([[[1]]])))])
def test_what_is_refused(graph, error, match, use):
    with pytest.raises(error, match=match):
        use(tf.ragged.constant([[1, 2, 3], []]))


@pytest.mark.parametrize('error, match, use', [
    (ValueError, 'not in: "strict"', lambda s: s.unicode_decode('a', 'UTF-8', errors='x')),
    (ValueError, 'must be at least 1', lambda s: s.unicode_encode(1, 'UTF-8')),
    (ValueError, 'passed string .latin1', lambda s: s.unicode_encode([1], 'latin1')),
    (ValueError, 'statically known', lambda s: s.unicode_decode(tf.placeholder('string'), 'UTF-8')),
    (ValueError, 'greater than 0. Got 0', lambda s: s.ngrams(['a'], 0)),
    (ValueError, 'rank>0', lambda s: s.ngrams('a', 1)),
    (ValueError, 'must be provided', lambda s: s.ngrams(['a'], 1, padding_width=1)),
    (ValueError, 'must be greater', lambda s: s.ngrams(['a'], 1, padding_width=0)),
    (TypeError, 'tuple of strings', lambda s: s.ngrams(['a'], 1, pad_values=1)),
    (ValueError, 'result_type', lambda s: s.split(['a'], result_type='x'))])
def test_what_functions_of_strings_refuse(graph, error, match, use):
    with pytest.raises(error, match=match):
        use(tf.strings)


def test_the_padding_of_an_empty_row_takes_no_neighbour(session):
    """TensorFlow 1.15 reads the string before the row."""
    rows = tf.strings.ngrams(tf.ragged.constant([['a'], []]), 2, pad_values='p')
    assert session.run(rows).to_list() == [[b'p a', b'a p'], [b'p p']]


def test_rows_that_differ_are_an_error_when_run(session):
    x, y = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [2, 3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match='Unable to broadcast'):
        session.run(x + y)


@pytest.mark.slow
def test_eager_ragged_tensors_have_lists():
    program = ('import tinyflow as tf; before = tf.reduce_sum; tf.enable_eager_execution(); '
               'x = tf.ragged.constant([[1, 2], [3]]); print((x + 1).to_list(), '
               'tf.reduce_sum(x, axis=1).numpy(), before is tf.reduce_sum, '
               'tf.math.reduce_sum is tf.reduce_sum)')
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                          check=False)
    assert done.stdout == '[[2, 3], [4]] [3 3] False True\n', done.stderr


def test_a_placeholder_of_unknown_rank_is_fed_with_ragged_arrays(session):
    x = tf.ragged.placeholder(tf.int32, 1)
    sums, total = tf.reduce_sum(x, 1), tf.concat([x, x], 1)
    rows = tf.ragged.constant_value([[1, 2], [3]], np.int32)
    found = session.run([sums, total, x.to_tensor()], {x: rows})
    assert found[0].tolist() == [3, 3] and found[1].to_list() == [[1, 2, 1, 2], [3, 3]]
    assert found[2].tolist() == [[1, 2], [3, 0]]
    with pytest.raises(ValueError, match='statically known'):
        tf.reduce_sum(x, -1)


def test_ragged_arrays_have_numpys_dtypes():
    assert tf.ragged.constant_value([[1], [2, 3]]).dtype == np.int64
    assert tf.ragged.constant_value([[1.5]]).dtype == np.float64
