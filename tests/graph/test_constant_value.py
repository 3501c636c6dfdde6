"""tensor_util.constant_value and what stands on it know what TensorFlow 1.15 knows, and no more."""
import pytest

import tinyflow as tf

# By name, what TensorFlow 1.15.5 gave.
KNOWN = {
    'add': (lambda: tf.constant(3) + 1, None), 'entry': (lambda: tf.constant([3, 4])[0], None),
    'product': (lambda: tf.reduce_prod(tf.shape(tf.zeros([3, 4]))), None),
    'shape': (lambda: tf.shape(tf.placeholder(tf.float32, [2, 4])), [2, 4]),
    'partly': (lambda: tf.shape(tf.placeholder(tf.float32, [None, 4])), None),
    'size': (lambda: tf.size(tf.placeholder(tf.float32, [2, 4])), 8),
    'rank': (lambda: tf.rank(tf.placeholder(tf.float32, [None, 4])), 2),
    'cast': (lambda: tf.cast(tf.constant(3), tf.float32), 3.0),
    'range': (lambda: tf.range(tf.constant(1), tf.constant(4)), [1, 2, 3]),
    'pack': (lambda: tf.stack([tf.constant(1), 2]), [1, 2]),
    'fill': (lambda: tf.fill([2], tf.constant(3)), [3, 3]),
    'equal': (lambda: tf.equal(tf.constant(1), 2), False),
    'less': (lambda: tf.constant(1) < 2, None),
    'concat': (lambda: tf.concat([tf.constant([1]), [2]], 0), [1, 2]),
    'identity': (lambda: tf.identity(tf.constant(1)), None),
}


@pytest.mark.parametrize('name', KNOWN)
def test_constant_value_is_tensorflows(graph, name):
    make, expected = KNOWN[name]
    value = tf.contrib.util.constant_value(make())
    assert (value if value is None else value.tolist()) == expected


def test_assertions_fail_while_building_only_where_tensorflow_knows_the_value(session):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.assert_positive(tf.constant(-1.0))
    later = tf.assert_positive(tf.constant(-1.0) * 2)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(later)
