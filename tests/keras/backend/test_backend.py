"""keras.backend, constraints, regularizers: TF 1.15.5's values, gradients and nodes."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from keras_layer import backend as K, constraints
from tests.golden import read_recorded
from tests.golden.compare import assert_same, functional_names, plain
from tests.golden.encoding import decode
from tests.golden.keras.backend_cases import CASES
from tests.golden.keras.building import build

RECORDED = read_recorded('keras.backend')

# Known differences; the tests fail when one disappears.
_MASK = 'TF selects the labels in a loop over the examples, tinyflow by one mask'
_RINGS = 'TF fills a Variable in a loop, which has no gradient'
GRAPH_DIFFERS = {
    'constraint_radial': _RINGS,
    'constraint_radial_even': _RINGS,
    'conv_2d_transpose_dilated': 'TF computes known sizes in the graph',
    'ctc_losses': _MASK,
    'ctc_sparse_labels': _MASK,
}
GRADIENTS_DIFFER = {
    'constraint_radial': _RINGS,
    'constraint_radial_even': _RINGS,
}


def _gradients_agree(session, gradients, feeds, wanted):
    assert [g is None for g in gradients] == [w is None for w in wanted]
    for got, want in zip(gradients, wanted):
        if want is not None:
            assert_same(plain(session.run(got, feeds)), decode(want), 'gradient', 50)


def test_every_case_is_recorded():
    assert sorted(CASES) == sorted(RECORDED)


@pytest.mark.parametrize('name', sorted(CASES))
def test_matches_tensorflow(name):
    wanted = RECORDED[name]
    with tf.Graph().as_default():
        with functional_names():
            outputs, gradients, feeds, nodes = build(CASES[name], tf, np)
        session = K.get_session()
        assert_same(plain(session.run(outputs, feeds)), decode(wanted['values']), name, 10)
        if name in GRADIENTS_DIFFER:
            with pytest.raises(AssertionError):
                _gradients_agree(session, gradients, feeds, wanted['gradients'])
        elif wanted['gradients'] is not None:
            _gradients_agree(session, gradients, feeds, wanted['gradients'])
        if name in GRAPH_DIFFERS:
            assert nodes != wanted['nodes']
        else:
            assert nodes == wanted['nodes']


@pytest.mark.parametrize('call, words', [
    (lambda x: K.conv2d(x, x, padding='full'), 'Invalid padding'),
    (lambda x: K.conv2d(x, x, data_format='NHWC'), 'Unknown data_format'),
    (lambda x: K.pool2d(x, (2, 2), pool_mode='sum'), 'Invalid pooling mode'),
    (lambda x: K.pool2d(x, (2,)), 'tuple of 2 integers'),
    (lambda x: K.separable_conv2d(x, x, x, strides=(1,)), 'tuple of 2 integers'),
    (lambda x: K.bias_add(x, K.placeholder((2, 2))), 'Unexpected bias dimensions'),
    (lambda x: K.conv2d_transpose(x, x, (1, 2, 2, 2), dilation_rate=(1, 2)), 'dilation rate'),
    (lambda x: K.switch(K.equal(x, x), x[0], x[0]), 'Rank of `condition`'),
    (lambda x: K.repeat(x, 2), 'repeat needs'),
])
def test_invalid_arguments_raise(call, words):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        call(K.placeholder((1, 2, 2, 2)))


def test_moving_average_is_bias_corrected():
    """The first update gives the value itself, the second the weighted mean of the two."""
    with tf.Graph().as_default():
        average, value = K.zeros((2,)), K.placeholder((2,))
        update = K.moving_average_update(average, value, .9)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(update, {value: [1, 2]})
            np.testing.assert_allclose(session.run(average), [1, 2], rtol=1e-5)
            session.run(update, {value: [3, 4]})
            np.testing.assert_allclose(session.run(average),
                                       (np.array([1, 2]) * .9 + [3, 4]) / 1.9, rtol=1e-5)


def test_depthwise_and_separable_of_sequences_agree_with_their_definition():
    rng = np.random.RandomState(0)
    x, deep = rng.rand(2, 7, 3).astype('f'), rng.rand(3, 3, 2).astype('f')
    point = rng.rand(1, 6, 4).astype('f')
    with tf.Graph().as_default(), tf.Session() as session:
        got, first = session.run([
            K.separable_conv1d(K.constant(x), K.constant(deep), K.constant(point), strides=2),
            K.separable_conv1d(K.constant(x.transpose(0, 2, 1)), K.constant(deep),
                               K.constant(point), strides=2, data_format='channels_first')])
    windows = np.stack([x[:, i:i + 3] for i in range(0, 5, 2)], 1)   # [batch, position, width, ch]
    wanted = np.einsum('bpwc,wcm->bpcm', windows, deep).reshape(2, 3, 6) @ point[0]
    np.testing.assert_allclose(got, wanted, rtol=1e-5)
    np.testing.assert_allclose(first.transpose(0, 2, 1), wanted, rtol=1e-5)


def test_radial_constraint_uses_the_points_of_tensorflow():
    """Odd and even windows: one value per ring, innermost first, as in TF 1.15.5."""
    seen = {2: [0], 3: [0, 4], 4: [5, 15], 5: [6, 12, 18], 6: [14, 28, 35], 7: [16, 24, 32, 40]}
    for rows, numbers in seen.items():
        with tf.Graph().as_default(), tf.Session() as session:
            w = np.arange(rows * rows, dtype='f').reshape(rows, rows, 1, 1)
            got = session.run(constraints.RadialConstraint()(K.constant(w)))[:, :, 0, 0]
        assert list(got[rows // 2, rows // 2:]) == numbers
        np.testing.assert_array_equal(got, got.T)
        np.testing.assert_array_equal(got, got[::-1])


def test_arange_of_tensors():
    with tf.Graph().as_default(), tf.Session() as session:
        rows = K.placeholder((None, 3))
        count = K.arange(K.shape(rows)[0])
        even = K.arange(K.constant(4, 'int32'), dtype='float32')
        found = session.run([count, even], {rows: np.zeros((5, 3))})
    assert (found[0].tolist(), found[1].tolist()) == ([0, 1, 2, 3, 4], [0., 1., 2., 3.])
    assert (count.dtype, even.dtype) == (tf.int32, tf.float32)
