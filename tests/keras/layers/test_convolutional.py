"""Convolutions: transposed, dilated and locally connected."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers


pytestmark = pytest.mark.usefixtures('new_graph')


@pytest.mark.parametrize('implementation', [1, 2, 3])
def test_locally_connected_equals_convolution_where_kernels_are_equal(implementation):
    x = keras.Input((6, 5, 2))
    local = layers.LocallyConnected2D(3, (3, 2), strides=(2, 1), implementation=implementation,
                                 use_bias=False)
    both = keras.Model(x, [local(x), layers.Conv2D(3, (3, 2), strides=(2, 1), use_bias=False)(x)])
    weights = [np.ones(w.shape.as_list()) for w in both.weights]
    both.set_weights(weights)
    ours, conv = both.predict(np.random.RandomState(0).randn(2, 6, 5, 2))
    np.testing.assert_allclose(ours, conv, rtol=1e-5, atol=1e-5)


def test_locally_connected_needs_known_sizes():
    with pytest.raises(ValueError, match=r'\(None, None, 3\).*\n.*Input\(shape=...\)'):
        layers.LocallyConnected1D(2, 2)(keras.Input((None, 3)))
    with pytest.raises(ValueError, match='only "valid" is supported'):
        layers.LocallyConnected1D(2, 2, padding='same')
    with pytest.raises(ValueError, match='Unrecognized implementation mode: 4'):
        layers.LocallyConnected1D(2, 2, implementation=4)


@pytest.mark.parametrize('make, shape', [
    (layers.Conv1D, (9, 1)), (layers.Conv2D, (9, 9, 1)), (layers.Conv3D, (9, 9, 9, 1))])
def test_strides_and_dilation_together_raise(make, shape):
    with pytest.raises(ValueError, match='strides > 1 not supported in conjunction'):
        make(2, 3, strides=2, dilation_rate=2)(keras.Input(shape))


@pytest.mark.parametrize('settings, shape, total, first', [
    ({'dilation_rate': 2}, (9, 9), 0., [-1., 1., -2., 0.11764705]),
    ({'padding': 'same', 'dilation_rate': 2}, (5, 5), -496.9412,
     [-21.235294, -16.411766, -23.352942, -18.058825]),
    ({'strides': 2, 'output_padding': 1}, (12, 12), 0., [-1., 1., -1., 1.]),
])
def test_transposed_convolution_with_dilation_or_padding(settings, shape, total, first):
    """Sizes and values are those of TF 1.15.5."""
    model = keras.Sequential([keras.layers.Conv2DTranspose(2, 3, input_shape=(5, 5, 1),
                                                                 **settings)])
    model.set_weights([np.linspace(-1, 1, w.size).reshape(w.shape) for w in model.get_weights()])
    found = model.predict(np.arange(25.).reshape(1, 5, 5, 1))
    assert found.shape == (1, *shape, 2) == (1, *model.output_shape[1:])
    np.testing.assert_allclose(found.ravel()[:4], first, rtol=1e-5)
    np.testing.assert_allclose(found.sum(), total, rtol=1e-5, atol=1e-3)
    again = keras.Sequential.from_config(model.get_config())
    assert again.output_shape == model.output_shape


def test_output_padding_must_be_less_than_the_stride():
    with pytest.raises(ValueError, match='must be greater than output padding'):
        keras.layers.Conv2DTranspose(2, 3, strides=2, output_padding=2)


def test_dilated_conv3d_transpose_raises():
    with pytest.raises(NotImplementedError, match='dilation_rate'):
        layers.Conv3DTranspose(2, 2, dilation_rate=2)
