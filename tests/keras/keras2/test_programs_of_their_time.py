"""What programs for Keras 2 do with its inner parts: layers and optimizers of their own, layers cut
off a model, private functions. The numbers are those of Keras 2.1.6."""
from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

from keras_layer.keras2 import (
    backend as K,
    engine,
    initializers,
    interfaces,
    layers,
    models,
    optimizers,
    private_names,
)
from keras_layer.preprocessing import image
from tinyflow.api.aliases import _target

NAMES = {
    'keras.applications.imagenet_utils': '_obtain_input_shape',
    'keras.applications.mobilenet': 'relu6 DepthwiseConv2D',
    'keras.backend': 'py_all',
    'keras.backend.common': 'floatx epsilon image_data_format image_dim_ordering',
    'keras.backend.tensorflow_backend': '_to_tensor _preprocess_padding',
    'keras.engine.saving': 'load_weights_from_hdf5_group_by_name save_weights_to_hdf5_group',
    'keras.engine.topology': '_to_list load_weights_from_hdf5_group_by_name',
    'keras.engine.training': '_make_batches _batch_shuffle',
    'keras.initializers': '_compute_fans',
    'keras.layers.convolutional_recurrent': 'ConvLSTM2DCell',
    'keras.layers.merge': '_Merge concatenate',
    'keras.layers.pooling': '_GlobalPooling2D',
    'keras.layers.recurrent': '_generate_dropout_mask',
    'keras.legacy.interfaces': 'generate_legacy_interface legacy_recurrent_support',
    'keras.optimizers': 'clip_norm',
    'keras.preprocessing.image': 'apply_transform transform_matrix_offset_center flip_axis',
    'keras.utils.layer_utils': 'count_params convert_kernel',
    'keras.utils.training_utils': 'multi_gpu_model',
}
X, Y = np.ones((4, 5)), np.ones((4, 2))


@pytest.mark.parametrize('module', sorted(NAMES))
def test_names(module):
    found = importlib.import_module(_target(module))
    for name in NAMES[module].split():
        assert getattr(found, name) is not None


class Scale(engine.Layer):
    def build(self, input_shape):
        self.w = self.add_weight((input_shape[-1],), initializer='glorot_uniform',
                                 name=f'{self.name}_w')
        self.built = True

    def call(self, inputs):
        return inputs * self.w


def test_weights_are_added_by_their_shape_first(like_keras2):
    np.random.seed(7)
    model = models.Sequential([Scale(input_shape=(4,))])
    assert model.weights[0].name == 'scale_1/scale_1_w:0'
    np.testing.assert_allclose(model.get_weights()[0], [0.4399, 0.46108, -0.43596, -0.08599],
                               atol=1e-5)


def test_inputs_and_outputs_that_initializers_count():
    assert initializers.fans((4,)) == (2, 2)
    assert initializers.fans((3, 3, 4, 5)) == (36, 45)
    assert initializers.fans((5, 4, 3, 3), 'channels_first') == (36, 45)


class DoubleSteps(optimizers.SGD):
    def get_updates(self, loss, params):
        gradients = self.get_gradients(loss, params)
        self.updates = [K.update_add(self.iterations, 1)]
        self.weights = [self.iterations]
        for p, g in zip(params, gradients):
            self.updates.append(K.update(p, p - self.lr * 2 * g))
        return self.updates


class Momentum(optimizers.Optimizer):
    def __init__(self, lr=0.1, decay=0., **kwargs):
        super().__init__(**kwargs)
        self.iterations = K.variable(0, dtype='int64', name='iterations')
        self.lr = K.variable(lr, name='lr')
        self.initial_decay = decay

    @interfaces.legacy_get_updates_support
    def get_updates(self, loss, params):
        gradients = self.get_gradients(loss, params)
        sums = [K.zeros(K.int_shape(p), dtype=K.dtype(p)) for p in params]
        self.weights = [self.iterations, *sums]
        self.updates = [K.update_add(self.iterations, 1)]
        for p, g, m in zip(params, gradients, sums):
            new = m * 0.5 + g
            self.updates += [K.update(m, new), K.update(p, p - self.lr * new)]
        return self.updates

    def get_config(self):
        return {'lr': float(K.get_value(self.lr)), **super().get_config()}


def line(optimizer):
    model = models.Sequential([layers.Dense(1, input_dim=2, kernel_initializer='ones')])
    model.compile(optimizer, 'mse')
    return model


def test_an_optimizer_derived_from_one_of_keras(like_keras2):
    model = line(DoubleSteps(lr=.1))
    model.train_on_batch(np.ones((1, 2)), np.zeros((1, 1)))
    np.testing.assert_allclose(model.get_weights()[0].ravel(), [.2, .2], atol=1e-6)
    assert isinstance(model.optimizer, optimizers.Optimizer)
    assert [int(v) for v in model.optimizer.get_weights()] == [1]


def test_an_optimizer_of_the_program_is_trained_saved_and_loaded(like_keras2, tmp_path):
    model = line(Momentum(lr=.05, clipnorm=100.))
    for _ in range(2):
        model.train_on_batch(np.ones((1, 2)), np.zeros((1, 1)))
    model.save(str(tmp_path / 'a.h5'))
    loaded = models.load_model(str(tmp_path / 'a.h5'), {'Momentum': Momentum})
    assert loaded.optimizer.get_config() == {'lr': pytest.approx(.05), 'clipnorm': 100.}
    for one, other in zip(loaded.optimizer.get_weights(), model.optimizer.get_weights()):
        np.testing.assert_allclose(one, other)
    for each in (model, loaded):
        each.train_on_batch(np.ones((1, 2)), np.zeros((1, 1)))
    np.testing.assert_allclose(loaded.get_weights()[0], model.get_weights()[0])
    with pytest.raises(TypeError, match='rate'):
        Momentum(rate=3)


def test_updates_are_asked_for_as_in_keras_1(like_keras2):
    w = K.variable([1.])
    updates = Momentum().get_updates([w], [], K.sum(w * 3))
    K.get_session().run(updates)
    assert K.get_value(w) == pytest.approx([.7])


def test_layers_are_taken_off_the_list(like_keras2):
    model = models.Sequential([layers.Dense(4, input_dim=5), layers.Dense(3, name='b'),
                               layers.Dense(1, name='c')])
    model.layers.pop()
    model.outputs = [model.layers[-1].output]
    model.layers[-1].outbound_nodes = []
    model.add(layers.Dense(2, name='d'))
    assert [layer.name for layer in model.layers][1:] == ['b', 'd']
    assert model.output_shape == (None, 2) and len(model.get_weights()) == 6
    model.compile('sgd', 'mse')
    assert len(model.fit(X, Y, verbose=0).history['loss']) == 1

    x = layers.Input((5,))
    whole = models.Model(x, layers.Dense(2)(layers.Dense(4, name='features')(x)))
    whole.layers.pop()
    features = models.Model(whole.inputs, whole.layers[-1].output)
    assert features.output_shape == (None, 4)


def test_history_begins_with_the_validation(like_keras2):
    model = models.Sequential([layers.Dense(2, input_dim=5)])
    model.compile('sgd', 'mse', metrics=['mae'])
    history = model.fit(X, Y, validation_split=.5, verbose=0).history
    assert list(history) == ['val_loss', 'val_mean_absolute_error', 'loss', 'mean_absolute_error']


def test_an_added_loss_is_no_layer(like_keras2):
    x = layers.Input((3,))
    y = layers.Dense(3, kernel_initializer='ones')(layers.Dense(2, kernel_initializer='ones')(x))
    model = models.Model(x, y)
    model.add_loss(K.mean(K.square(x - y)))
    model.compile('sgd', loss=None)
    assert model.train_on_batch(np.ones((2, 3)), None) == pytest.approx(25)
    assert model.train_on_batch(np.ones((2, 3)), None) == pytest.approx(13.2982, rel=1e-4)
    assert len(model.layers) == len(models.model_from_json(model.to_json()).layers) == 3


def test_what_fit_prints(like_keras2, capsys):
    model = models.Sequential([layers.Dense(2, input_dim=5)])
    model.compile('sgd', 'mse')
    model.fit(X, Y, verbose=1)
    shown = capsys.readouterr().out
    assert 'Epoch 1/1\n' in shown and '/step' in shown and '/sample' not in shown


def test_a_merge_layer_of_the_program(like_keras2):
    class Between(private_names._Merge):
        def _merge_function(self, inputs):
            return .25 * inputs[0] + .75 * inputs[1]
    a, b = layers.Input((2,)), layers.Input((2,))
    model = models.Model([a, b], Between()([a, b]))
    assert model.predict([np.zeros((1, 2)), np.ones((1, 2))]).tolist() == [[.75, .75]]


def test_decorators_take_the_arguments_of_keras_1():
    class Own:
        @interfaces.legacy_dense_support
        def __init__(self, units, kernel_initializer='zeros'):
            self.found = units, kernel_initializer

        @interfaces.generate_legacy_interface(
            conversions=[('kind', 'mode')], value_conversions={'kind': {'a': 'b'}},
            preprocessor=lambda args, kwargs: (args, {**kwargs, 'more': 1}, []))
        def call(self, mode, more):
            return mode, more
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        assert Own(output_dim=3, init='ones').found == (3, 'ones')
    assert Own(4).found == (4, 'zeros') and Own(4).call(kind='a') == ('b', 1)


def test_weights_of_an_open_file(tmp_path):
    h5py = pytest.importorskip('h5py')
    model, other = (models.Sequential([layers.Dense(2, input_dim=3, name='a'),
                                       layers.Dense(1, name=name)]) for name in 'bc')
    with h5py.File(tmp_path / 'w.h5', 'w') as file:
        engine.topology.save_weights_to_hdf5_group(file, model.layers)
        engine.saving.load_weights_from_hdf5_group_by_name(file, other.layers)
        assert np.array_equal(other.get_weights()[0], model.get_weights()[0])
        assert not np.array_equal(other.get_weights()[2], model.get_weights()[2])
        engine.topology.load_weights_from_hdf5_group(file, other.layers)
        assert np.array_equal(other.get_weights()[2], model.get_weights()[2])


def test_private_functions():
    assert private_names.make_batches(10, 4) == [(0, 4), (4, 8), (8, 10)]
    shuffled = private_names._batch_shuffle(np.arange(7), 3)
    assert shuffled[6] == 6 and sorted(shuffled[:3]) in ([0, 1, 2], [3, 4, 5])
    value = K.constant([3., 4.])
    assert np.allclose(K.get_value(private_names.clip_norm(value, 1., K.constant(5.))), [.6, .8])
    assert np.allclose(K.get_value(private_names.clip_norm(value, 10., K.constant(5.))), [3, 4])
    assert len(private_names._generate_dropout_mask(value, .5, training=True, count=4)) == 4
    x = np.zeros((1, 3, 8, 9))
    moved, order = private_names._preprocess_conv2d_input(K.constant(x), 'channels_first')
    assert K.int_shape(moved) == (1, 8, 9, 3) and order == 'NHWC'
    network = importlib.import_module('keras_layer.applications.imagenet_utils')
    assert network._obtain_input_shape(None, 224, 32, 'channels_last', True) == (224, 224, 3)
    with pytest.raises(ValueError, match='at least 48x48'):
        network._obtain_input_shape((32, 32, 3), 224, 48, require_flatten=False)


def test_transforms_of_images():
    picture = np.arange(12.).reshape(2, 2, 3)
    turn = image.transform_matrix_offset_center(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.]]), 2, 2)
    assert image.apply_transform(picture, turn, 2).ravel().tolist() == [
        6, 7, 8, 6, 7, 8, 9, 10, 11, 9, 10, 11]
    assert np.array_equal(image.flip_axis(picture, 1), picture[:, ::-1])
