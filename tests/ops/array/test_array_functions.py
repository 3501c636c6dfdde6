"""The functions around the array ops: static shapes that they carry, arguments that they refuse."""
import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def placeholder(shape, dtype=tf.float32):
    return tf.placeholder(dtype, shape)


IMAGES = [None, 28, 28]
STATIC = {
    'stack of a size': (lambda x: tf.reshape(x, tf.stack([tf.shape(x)[0], 784])), (None, 784)),
    'list of a size': (lambda x: tf.reshape(x, [tf.shape(x)[0], 784]), (None, 784)),
    'an entry of a partly known shape, unknown in TensorFlow, too':
        (lambda x: tf.reshape(x, [-1, tf.shape(x)[1]]), (None, None)),
    'concat of shapes': (lambda x: tf.reshape(x, tf.concat([tf.shape(x)[:1], [784]], 0)),
                         (None, 784)),
    'cast shape': (lambda x: tf.zeros(tf.cast(tf.shape(x, out_type=tf.int64), tf.int32)),
                   (None, 28, 28)),
    'expanded and squeezed': (
        lambda x: tf.zeros(tf.squeeze(tf.expand_dims(tf.shape(x)[1], 0))[tf.newaxis]), (None,)),
    'sliced shape': (lambda x: tf.zeros(tf.slice(tf.shape(x), [1], [2])), (28, 28)),
    'reshaped shape': (lambda x: tf.zeros(tf.reshape(tf.shape(x)[0], [-1])), (None,)),
    'identity of shape': (lambda x: tf.zeros(tf.identity(tf.shape(x))), (None, 28, 28)),
    'rank': (lambda x: tf.range(tf.rank(x)), (3,)),
    'size': (lambda x: tf.zeros([tf.size(x[0])]), (784,)),
    'minus one': (lambda x: tf.reshape(x, [-1, 784]), (None, 784)),
    'fed shape': (lambda x: tf.reshape(x, placeholder([2], tf.int32)), (None, None)),
    'fed permutation': (lambda x: tf.transpose(x, placeholder([3], tf.int32)), (None,) * 3),
    'fed begin': (lambda x: x[:, placeholder([], tf.int32):, :3], (None, None, 3)),
    'fed index': (lambda x: x[0, placeholder([], tf.int32)], (28,)),
    'concat': (lambda x: tf.concat([x, tf.zeros([2, 28, 28])], 0), (None, 28, 28)),
    'concat along the known': (lambda x: tf.concat([x, x], 2), (None, 28, 56)),
    'tile by a fed number': (lambda x: tf.tile(x, [1, placeholder([], tf.int32), 2]),
                             (None, None, 56)),
    'mask': (lambda x: tf.boolean_mask(x, placeholder([None], tf.bool)), (None, 28, 28)),
    'one_hot': (lambda x: tf.one_hot(placeholder([None], tf.int64), 10), (None, 10)),
    'gather': (lambda x: tf.gather(x, placeholder([None, 2], tf.int32)), (None, 2, 28, 28)),
    'split': (lambda x: tf.split(x, [3, -1], 1)[1], (None, 25, 28)),
    'stitch of constants': (lambda x: tf.dynamic_stitch([[0, 3], [1, 2]], [[1, 2], [3, 4]]), (4,)),
}


@pytest.mark.parametrize('what', STATIC)
def test_static_shape(what):
    build, expected = STATIC[what]
    shape = build(placeholder(IMAGES)).shape
    assert tuple(shape.as_list()) == expected


REFUSED = {
    'constant: too many elements': (lambda: tf.constant([1, 2, 3], shape=[2]), ValueError),
    'constant: kind': (lambda: tf.constant(1.5, tf.int32), TypeError),
    'constant: tensor': (lambda: tf.constant(tf.constant(1)), TypeError),
    'constant: verified shape': (lambda: tf.constant([1, 2], shape=[2, 1], verify_shape=True),
                                 TypeError),
    'zeros of None': (lambda: tf.zeros([None, 2]), TypeError),
    'bfloat16': (lambda: tf.to_bfloat16(1.0), TypeError),
    'where with two': (lambda: tf.where(True, 1.0), ValueError),
    'one_hot of two dtypes': (lambda: tf.one_hot([0], 2, on_value=True, off_value=0.0), TypeError),
    'one_hot of another dtype': (lambda: tf.one_hot([0], 2, on_value=True, dtype=tf.float32),
                                 TypeError),
    'searchsorted side': (lambda: tf.searchsorted([1.0], [1.0], side='up'), ValueError),
    'stack axis': (lambda: tf.stack([tf.zeros([2])] * 2, axis=3), ValueError),
    'unstack of unknown': (lambda: tf.unstack(placeholder(None)), ValueError),
    'unstack axis': (lambda: tf.unstack(tf.zeros([2, 3]), axis=2), ValueError),
    'split by unknown sizes': (lambda: tf.split(tf.zeros([3]), placeholder([None], tf.int32)),
                               ValueError),
    'pad mode': (lambda: tf.pad(tf.zeros([2]), [[1, 1]], 'WRAP'), ValueError),
    'scalar mask': (lambda: tf.boolean_mask(tf.zeros([2]), True), ValueError),
    'mask of unknown rank': (lambda: tf.boolean_mask(tf.zeros([2]), placeholder(None, tf.bool)),
                             ValueError),
    'mask of another length': (lambda: tf.boolean_mask(tf.zeros([2]), [True] * 3), ValueError),
    'sequence_mask maxlen': (lambda: tf.sequence_mask([1], [2]), ValueError),
    'expand_dims without axis': (lambda: tf.expand_dims(tf.zeros([2])), ValueError),
    'expand_dims with two': (lambda: tf.expand_dims(tf.zeros([2]), 0, dim=0), ValueError),
    'matrix_transpose of a vector': (lambda: tf.matrix_transpose(tf.zeros([2])), ValueError),
    'index by a float': (lambda: tf.zeros([2])[0.5], TypeError),
    'index by text': (lambda: tf.zeros([2])['a'], TypeError),
    'sort direction': (lambda: tf.sort([1.0], direction='UP'), ValueError),
    'meshgrid indexing': (lambda: tf.meshgrid([1], indexing='yx'), ValueError),
    'broadcast_static_shape': (lambda: tf.broadcast_static_shape(tf.TensorShape([2]),
                                                                 tf.TensorShape([3])), ValueError),
    'gradient prevented': (lambda: _prevented(), LookupError),
}


def _prevented():
    from tinyflow.ops.array.identity_and_cast import prevent_gradient
    x = placeholder([2])
    return tf.gradients(prevent_gradient(x, 'not today'), x)


@pytest.mark.parametrize('what', REFUSED)
def test_refused(what):
    build, error = REFUSED[what]
    with pytest.raises(error):
        build()


def test_constant_does_not_follow_the_array():
    array = np.ones(3, np.float32)
    x = tf.constant(array)
    array[:] = 7
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(x), [1, 1, 1])


def test_default_of_a_placeholder_does_not_decide_shapes():
    """It may be fed, so a shape computed from it is open."""
    n = tf.placeholder_with_default(3, [])
    x = tf.zeros([n])
    assert x.shape.as_list() == [None]
    with tf.Session() as sess:
        assert sess.run(x).shape == (3,)
        assert sess.run(x, {n: 5}).shape == (5,)


@pytest.mark.parametrize('axis', [0, 1, -1])
@pytest.mark.parametrize('direction', ['ASCENDING', 'DESCENDING'])
def test_sort_and_argsort(axis, direction):
    x = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 2.0]], np.float32)
    with tf.Session() as sess:
        values, places = sess.run([tf.sort(x, axis, direction), tf.argsort(x, axis, direction)])
    expected = np.sort(x, axis)
    if direction == 'DESCENDING':
        expected = np.flip(expected, axis)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(np.take_along_axis(x, places, axis), expected)


def test_range_adds_up_its_step():
    """Rounding errors accumulate as TF's loop lets them."""
    x, step, expected = np.float32(0), np.float32(0.1), []
    while len(expected) < 50:
        expected.append(x)
        x = np.float32(x + step)
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(tf.range(0.0, 5.0, 0.1)), expected)


def test_saturate_cast():
    with tf.Session() as sess:
        np.testing.assert_array_equal(
            sess.run(tf.saturate_cast([300.0, -5.0, 7.9], tf.uint8)), [255, 0, 7])


def test_repeat_unevenly_along_an_inner_axis():
    x = np.arange(6).reshape(2, 3)
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(tf.repeat(x, [2, 0, 1], axis=1)),
                                      np.repeat(x, [2, 0, 1], axis=1))


def test_assigning_to_a_part_of_a_variable():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    change = v[:, 1].assign([8.0, 9.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        np.testing.assert_array_equal(sess.run(change), [[1, 8], [3, 9]])
        np.testing.assert_array_equal(sess.run(v), [[1, 8], [3, 9]])


def test_required_paddings_make_blocks_fit():
    paddings, crops = tf.required_space_to_batch_paddings([4, 5], [2, 3], [[1, 0], [0, 0]])
    with tf.Session() as sess:
        paddings, crops = sess.run([paddings, crops])
    np.testing.assert_array_equal(paddings, [[1, 1], [0, 1]])
    np.testing.assert_array_equal(crops, [[0, 1], [0, 1]])


def test_shapes_are_put_together_with_plus():
    x = placeholder([None, 5, 7])
    assert (x.shape[:2] + [3]).as_list() == [None, 5, 3]
    assert (x.shape[1:] + x.shape[:1]).as_list() == [5, 7, None]
    assert ((1,) + x.shape).as_list() == [1, None, 5, 7]
    assert (tf.TensorShape(None) + [1]).ndims is None
    assert (2 + tf.TensorShape([1])).as_list() == [2, 1]


@pytest.mark.parametrize('dtype, limits', [
    (tf.uint8, (0, 255)), (tf.int8, (0, 127)), (tf.int32, (0, 2147483647)), (tf.float32, (0, 1))])
def test_limits_of_the_dtypes_of_pictures(dtype, limits):
    assert dtype.limits == limits


def test_results_with_names():
    with tf.Session() as sess:
        found = sess.run(tf.linalg.slogdet([[4., 0.], [0., -1.]]))
        parts = sess.run(tf.linalg.lu([[1., 2.], [3., 4.]]))
    assert found.sign == -1 and found.log_abs_determinant == np.float32(np.log(4))
    assert parts.p.tolist() == [1, 0] and parts.lu[0].tolist() == [3, 4]


def test_one_hot_of_no_classes_found_at_run_time(session):
    depth = tf.placeholder(tf.int32)
    assert session.run(tf.one_hot([0, 1], depth), {depth: 0}).shape == (2, 0)
