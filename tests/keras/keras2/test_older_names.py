"""Names and layers that `import keras` has, and tf.keras has not."""
from __future__ import annotations

import importlib

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.keras2 import backend as K, conv_utils, layers, models, utils
from tinyflow.api.aliases import _target

NAMES = {
    'keras.backend': 'get_variable_shape has_arg tf tensorflow_backend set_session',
    'keras.backend.tensorflow_backend': '_get_available_gpus get_session',
    'keras.engine': 'Container Node topology training',
    'keras.engine.topology': 'Layer InputSpec Input get_source_inputs',
    'keras.layers': 'Dense Deconv2D Deconv3D Highway MaxoutDense Merge Recurrent',
    'keras.layers.recurrent': 'Recurrent LSTM',
    'keras.legacy.layers': 'Merge Highway',
    'keras.utils': 'has_arg conv_utils print_summary np_utils to_categorical',
    'keras.utils.generic_utils': 'Progbar func_dump func_load has_arg custom_object_scope',
    'keras.utils.io_utils': 'ask_to_proceed_with_overwrite HDF5Matrix',
    'keras.utils.layer_utils': 'print_summary convert_all_kernels_in_model',
    'keras.utils.conv_utils': 'convert_kernel normalize_padding conv_output_length',
}


@pytest.mark.parametrize('module, name, says', [
    (layers, 'Densse', 'there is no keras.layers.Densse; nearest: keras.layers.Dense.'),
    (layers, 'TimeDistributedDense', 'keras.layers.TimeDistributedDense is not part of tinyflow'),
    (utils, 'has_argument', 'there is no keras.utils.has_argument; nearest: keras.utils.has_arg.')])
def test_names_that_are_missing(module, name, says):
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert str(caught.value).startswith(says)


@pytest.mark.parametrize('module', sorted(NAMES))
def test_names(module):
    found = importlib.import_module(_target(module))
    for name in NAMES[module].split():
        assert getattr(found, name) is not None
    with pytest.raises(AttributeError):
        found.no_such_name  # noqa: B018


def with_weights(layer):
    model = models.Sequential([layer])
    rng = np.random.RandomState(0)
    model.set_weights([rng.randn(*w.shape) for w in model.get_weights()])
    return model


@pytest.mark.parametrize('layer, expected', [       # recorded from Keras 2.1.6
    (lambda: layers.Highway(input_dim=3, activation='tanh'),
     [0.9999499917030334, 0.8617100119590759, -0.43546000123023987]),
])
def test_layers_of_keras_1(layer, expected):
    model = with_weights(layer())
    np.testing.assert_allclose(model.predict(np.ones((2, 3)))[1], expected, atol=1e-5)
    again = models.Sequential.from_config(model.get_config(), {'Highway': layers.Highway})
    assert [w.shape for w in again.get_weights()] == [w.shape for w in model.get_weights()]


def test_maxout():
    model = with_weights(layers.MaxoutDense(2, 3, input_dim=4))
    w, b = model.get_weights()
    x = np.random.RandomState(1).randn(5, 4).astype(np.float32)
    expected = (np.einsum('bn,fno->bfo', x, w) + b).max(1)
    np.testing.assert_allclose(model.predict(x), expected, rtol=1e-5)
    assert model.output_shape == (None, 2) and model.layers[0].get_config()['nb_feature'] == 3


class Sums(layers.Recurrent):
    """Adds up x W."""

    def __init__(self, units, **kwargs):
        self.units = units
        super().__init__(**kwargs)

    def build(self, input_shape):
        self.W = self.add_weight(shape=(input_shape[-1], self.units), initializer='ones', name='W')
        self.built = True

    def step(self, inputs, states):
        output = K.dot(inputs, self.W) + states[0]
        return output, [output]


@pytest.mark.parametrize('settings, expected', [
    ({}, [[12.0, 12.0]]),
    ({'return_sequences': True}, [[[3.0, 3.0], [6.0, 6.0], [9.0, 9.0], [12.0, 12.0]]]),
    ({'unroll': True, 'go_backwards': True}, [[12.0, 12.0]]),
])
def test_recurrent(settings, expected):
    model = models.Sequential([Sums(2, input_dim=3, input_length=4, **settings)])
    assert model.predict(np.ones((1, 4, 3))).tolist() == expected
    assert model.output_shape == (None, *np.shape(expected)[1:])
    with pytest.raises(NotImplementedError, match='stateful'):
        Sums(2, stateful=True)


@pytest.mark.parametrize('mode, expected', [
    ('sum', [3.0, 5.0]), ('mul', [2.0, 6.0]), ('ave', [1.5, 2.5]), ('max', [2.0, 3.0]),
    ('concat', [1.0, 2.0, 2.0, 3.0]), ('dot', [8.0]),
])
def test_merge(mode, expected):
    a, b = layers.Input((2,)), layers.Input((2,))
    model = models.Model([a, b], layers.Merge(mode=mode)([a, b]))
    found = model.predict([np.array([[1.0, 2.0]]), np.array([[2.0, 3.0]])])
    np.testing.assert_allclose(found, [expected])
    merged = models.Model([a, b], layers.merge([a, b], mode=mode))
    assert models.Model.from_config(merged.get_config()).get_config() == merged.get_config()
    with pytest.raises(TypeError, match='at least 2'):
        layers.Merge([model])
    with pytest.raises(ValueError, match='Invalid merge mode'):
        layers.Merge(mode='average')


def test_merge_of_models_and_by_a_function():
    left, right = (models.Sequential([layers.Dense(2, input_shape=(n,))]) for n in (3, 4))
    model = models.Sequential([layers.Merge([left, right], mode='concat'), layers.Dense(1)])
    model.compile('sgd', 'mse')
    x = [np.ones((8, 3)), np.ones((8, 4))]
    losses = model.fit(x, np.ones(8), epochs=3, verbose=0).history['loss']
    assert losses[2] < losses[0]
    again = models.Sequential.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(x), model.predict(x), rtol=1e-6)
    a, b = layers.Input((2,)), layers.Input((2,))
    function = models.Model([a, b], layers.merge([a, b], mode=lambda pair: pair[0] - 2 * pair[1]))
    assert function.predict([np.ones((1, 2)), np.ones((1, 2))]).tolist() == [[-1, -1]]


def test_attributes_of_tensors(like_keras2):
    x = layers.Input((3,))
    y = layers.Dropout(0.5)(x)
    assert x._keras_shape == (None, 3) and layers.Dense(2)(y)._keras_shape == (None, 2)
    assert y._uses_learning_phase and not x._uses_learning_phase
    assert layers.Dense(2)(y)._uses_learning_phase
    x._keras_shape = (None, 4)
    assert x._keras_shape == (None, 4)
    assert not hasattr(tf.constant(1.0), '_keras_history')


LENGTHS = [     # recorded from Keras 2.1.6
    (conv_utils.conv_output_length, (10, 3, 'same', 2), 5),
    (conv_utils.conv_output_length, (10, 3, 'valid', 2), 4),
    (conv_utils.conv_output_length, (10, 3, 'valid', 1, 2), 6),
    (conv_utils.conv_output_length, (None, 3, 'valid', 1), None),
    (conv_utils.conv_input_length, (5, 3, 'valid', 2), 11),
    (conv_utils.deconv_length, (5, 2, 3, 'same'), 10),
    (conv_utils.deconv_length, (5, 2, 3, 'valid'), 11),
    (conv_utils.normalize_tuple, (2, 2, 'k'), (2, 2)),
    (conv_utils.normalize_padding, ('SAME',), 'same'),
    (conv_utils.normalize_data_format, (None,), 'channels_last'),
]


@pytest.mark.parametrize('function, arguments, expected', LENGTHS)
def test_arguments_of_convolutions(function, arguments, expected):
    assert function(*arguments) == expected


@pytest.mark.parametrize('function, arguments', [
    (conv_utils.normalize_tuple, ((1, 2, 3), 2, 'k')), (conv_utils.normalize_tuple, ('ab', 2, 'k')),
    (conv_utils.normalize_padding, ('wide',)), (conv_utils.normalize_data_format, ('nchw',)),
    (conv_utils.convert_kernel, (np.zeros((2, 2)),)),
])
def test_wrong_arguments_of_convolutions(function, arguments):
    with pytest.raises(ValueError):
        function(*arguments)


def test_kernels_are_turned_around():
    kernel = np.arange(24).reshape(2, 3, 2, 2)
    turned = conv_utils.convert_kernel(kernel)
    assert np.array_equal(turned[0, 0], kernel[1, 2]) and np.array_equal(turned[1, 2], kernel[0, 0])


def test_functions_as_text():
    y = 3
    text = utils.func_dump(lambda x, k=2: x * k + y)
    assert utils.func_load(text)(4) == utils.func_load(*text)(4) == 11


def test_overwriting_is_asked(monkeypatch):
    answers = iter(['what', 'y', 'n'])
    monkeypatch.setattr('builtins.input', lambda prompt: next(answers))
    assert utils.ask_to_proceed_with_overwrite('model.h5')
    assert not utils.ask_to_proceed_with_overwrite('model.h5')
