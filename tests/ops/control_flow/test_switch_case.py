"""tf.switch_case; values and errors are those of TensorFlow 1.15.5."""
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def run(branches, indices, **arguments):
    index = tf.placeholder(tf.int32, [])
    chosen = tf.switch_case(index, branches, **arguments)
    with tf.Session() as session:
        return [session.run(chosen, {index: i}) for i in indices]


def constants(*values):
    return [lambda value=value: tf.constant(value) for value in values]


def test_another_number_runs_the_last():
    assert run(constants(10, 11), [0, 1, 2, -1]) == [10, 11, 11, 11]


def test_default():
    assert run(dict(enumerate(constants(10, 11))), [1, 0, 2, -1],
               default=lambda: tf.constant(-1)) == [11, 10, -1, -1]


def test_structures_and_pairs():
    pairs = [(1, lambda: (tf.constant(3), tf.constant(4))),
             (0, lambda: (tf.constant(1), tf.constant(2)))]
    assert run(pairs, [0, 1]) == [(1, 2), (3, 4)]


def test_gradient():
    index, w = tf.placeholder(tf.int32, []), tf.constant(3.)
    gradient, = tf.gradients(tf.switch_case(index, [lambda: w * 2, lambda: w * w]), w)
    with tf.Session() as session:
        assert [session.run(gradient, {index: i}) for i in (0, 1)] == [2, 6]


@pytest.mark.parametrize('index, branches, kind, says', [
    (lambda: 1, constants(1, 2), TypeError, 'branch_index must a Tensor'),
    (lambda: tf.constant(1.), constants(1, 2), TypeError, 'must be an int32 Tensor'),
    (lambda: tf.constant(1), [1, 2], TypeError, 'must be a 2-tuple'),
    (lambda: tf.constant(1), [], ValueError, 'at least one item in branch_fns'),
    (lambda: tf.constant(1), 3, TypeError, 'must be a list, tuple, or dict'),
    (lambda: tf.constant(1), {0: len, 3: len}, ValueError, r'contiguous range of \[0 to 2\)')])
def test_errors(index, branches, kind, says):
    with pytest.raises(kind, match=says):
        tf.switch_case(index(), branches)
