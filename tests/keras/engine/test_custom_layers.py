"""Custom layers: constructor arguments in files, Variables in attributes, super()."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')

pytestmark = pytest.mark.usefixtures('new_graph')


class Scale(layers.Layer):
    """Without get_config."""

    def __init__(self, factor, offset=0., **kwargs):
        super().__init__(**kwargs)
        self.factor, self.offset = factor, offset

    def build(self, input_shape):
        self.gain = self.add_weight('gain', shape=(int(input_shape[-1]),), initializer='ones')
        super().build(input_shape)

    def call(self, inputs):
        return inputs * self.gain * self.factor + self.offset


class Narrow(layers.Layer):
    """Whose constructor takes nothing that a layer usually takes."""

    def __init__(self, factor):
        super().__init__()
        self.times = factor

    def call(self, inputs):
        return inputs * self.times


class Doubling(layers.Layer):
    def __init__(self, times=2., **kwargs):
        super().__init__(**kwargs)
        self.times = times

    def call(self, inputs):
        return inputs * self.times


def test_a_layer_without_get_config_is_saved_and_loaded(tmp_path):
    pytest.importorskip('h5py')
    model = keras.Sequential([
        layers.Dense(3, input_shape=(2,)), Scale(2., offset=1., name='scale')])
    value = np.ones((1, 2))
    path = str(tmp_path / 'm.h5')
    model.layers[1].set_weights([np.array([1., 2., 3.])])
    model.save(path)
    loaded = keras.models.load_model(path, custom_objects={'Scale': Scale}, compile=False)
    np.testing.assert_allclose(loaded.predict(value), model.predict(value))
    assert (loaded.layers[1].factor, loaded.layers[1].offset) == (2., 1.)
    assert loaded.layers[1].name == 'scale'
    with keras.utils.CustomObjectScope({'Scale': Scale}):
        loaded = keras.models.load_model(path, compile=False)
    np.testing.assert_allclose(loaded.predict(value), model.predict(value))


def test_an_unknown_class_in_a_file_is_named(tmp_path):
    pytest.importorskip('h5py')
    path = str(tmp_path / 'm.h5')
    keras.Sequential([Scale(2., input_shape=(2,))]).save(path)
    with pytest.raises(ValueError, match=r"Unknown layer: Scale\n.*m.h5.*\n.*objects=\{'Scale': "
                                         r'Scale\}'):
        keras.models.load_model(path)


def test_a_constructor_without_the_common_arguments():
    model = keras.Sequential([layers.Dense(3, input_shape=(2,)), Narrow(factor=4)])
    again = keras.Sequential.from_config(model.get_config(), custom_objects={'Narrow': Narrow})
    assert again.layers[1].times == 4


def test_a_file_keeps_the_constructor_arguments(tmp_path):
    model = keras.Sequential([layers.Dense(2, input_shape=(4,)), Doubling(times=3.)])
    path = str(tmp_path / 'm.h5')
    model.save(path)
    with pytest.raises(ValueError, match='Unknown layer: Doubling'):
        keras.models.load_model(path)
    with pytest.warns(UserWarning, match='compile'):
        again = keras.models.load_model(path, custom_objects={'Doubling': Doubling})
    assert again.layers[1].times == 3.
    np.testing.assert_array_equal(again.predict(INPUTS), model.predict(INPUTS))


def test_a_forgotten_super_init_is_named():
    class Net(keras.Model):
        def __init__(self):
            self.dense = layers.Dense(2)

    class Scale(layers.Layer):
        def __init__(self):
            self.units = 2

        def call(self, x):
            return x

    with pytest.raises(RuntimeError, match='forgot to call'):
        Net()
    with pytest.raises(AttributeError, match='subclassing `Layer` and you forgot to call'):
        Scale()(keras.Input([3]))


def test_variables_in_attributes_lists_and_dicts_are_weights_and_initialised():
    class Scaled(layers.Layer):
        def __init__(self):
            super().__init__()
            self.one = tf.Variable(2., use_resource=True)
            self.several = [tf.Variable(3., use_resource=True)]
            self.named = {'b': [tf.Variable(4., use_resource=True, trainable=False)]}
            self.several.append(tf.Variable(5., use_resource=True))

        def call(self, inputs):
            return inputs * self.one * self.several[0] * self.several[1] + self.named['b'][0]

    layer = Scaled()
    model = keras.Sequential([layers.InputLayer((2,)), layer])
    assert len(layer.trainable_weights) == 3 and len(layer.non_trainable_weights) == 1
    model.compile('sgd', 'mse')
    assert model.predict(np.ones((1, 2))).tolist() == [[34., 34.]]
    model.train_on_batch(np.ones((1, 2)), np.ones((1, 2)))
    assert all(before != after for before, after in zip([2., 3., 5.], layer.get_weights()))


def test_variables_in_loss_weights_are_not_weights_of_the_model():
    x = keras.Input((3,))
    model = keras.Model(x, [layers.Dense(1)(x), layers.Dense(1)(x)])
    model.compile('sgd', 'mse', loss_weights=[keras.backend.variable(.3), 1.])
    assert len(model.weights) == 4


@pytest.mark.parametrize('loss', [2, np.float64(2.), np.int64(2), lambda: 2])
def test_added_losses_may_be_numbers_of_any_type(loss):
    class Costly(layers.Layer):
        def call(self, inputs):
            self.add_loss(loss)
            return inputs
    x = keras.Input((4,))
    model = keras.Model(x, layers.Dense(1, kernel_initializer='zeros',
                                        kernel_regularizer=lambda kernel: 1)(Costly()(x)))
    assert [t.dtype for t in model.losses] == [tf.float32] * 2
    model.compile('sgd', 'mse')
    assert model.evaluate(INPUTS, np.zeros((16, 1)), verbose=0) == 3.
