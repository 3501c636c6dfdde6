"""What `import keras` does otherwise than tf.keras, besides what test_three_ways.py has."""
import pickle
import warnings

import numpy as np
import pytest

import tinyflow as tf
from keras_layer import callbacks, preprocessing
from keras_layer.keras2 import backend as K, conv_utils, layers, metrics, models, optimizers, utils
from keras_layer.keras2.engine import preprocess_weights_for_loading, topology, training_utils


@pytest.fixture(autouse=True)
def as_keras_2(graph, like_keras2):
    """Inside of it `import keras` means Keras 2.1."""


def line(**settings):
    model = models.Sequential([layers.Dense(2, input_shape=(3,), **settings)])
    model.compile('sgd', 'mse')
    return model


X, Y = np.ones((6, 3)), np.zeros((6, 2))


def test_files_and_configurations_give_models_of_keras2(tmp_path):
    model = line()
    model.compile('adadelta', 'mse')
    model.fit(X, Y, verbose=0)
    model.save(tmp_path / 'model.h5')
    x = layers.Input((3,))
    nested = models.Model(x, model(x))
    for found in (models.load_model(tmp_path / 'model.h5'), models.model_from_json(model.to_json()),
                  models.clone_model(model), models.clone_model(nested).layers[1],
                  models.model_from_json(nested.to_json()).layers[1]):
        assert type(found) is models.Sequential
    optimizer = models.load_model(tmp_path / 'model.h5').optimizer
    assert type(optimizer) is optimizers.Adadelta and optimizer.get_config()['lr'] == 1.
    assert type(tf.keras.models.load_model(tmp_path / 'model.h5')) is tf.keras.Sequential


def test_a_pickled_model_is_as_it_was_saved():
    model = line()
    model.fit(X, Y, verbose=0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(again.predict(X), model.predict(X))
    assert again.train_on_batch(X, Y) == pytest.approx(model.train_on_batch(X, Y))


def test_validation_data_of_a_generator_are_not_given():
    given = []

    class Reader(callbacks.Callback):
        def on_train_end(self, logs=None):
            given.append(self.validation_data)

    def batches():
        while True:
            yield X, Y
    line().fit_generator(batches(), 2, validation_data=batches(), validation_steps=1,
                         callbacks=[Reader()], verbose=0)
    assert given == [None]
    with pytest.raises(ValueError, match='validation_data must be provided'):
        line().fit(X, Y, verbose=0, callbacks=[callbacks.TensorBoard(histogram_freq=1)])


@pytest.mark.parametrize('distribution, scale', [
    ('normal', .87962566103423978), ('untruncated_normal', 1.)])
def test_only_what_is_cut_off_is_not_widened(distribution, scale):
    wanted = tf.keras.initializers.VarianceScaling(scale ** 2, 'fan_in', distribution, seed=3)
    model = models.Sequential([layers.Dense(
        4, input_shape=(3,), kernel_initializer=tf.keras.initializers.VarianceScaling(
            1., 'fan_in', distribution, seed=3))])
    np.testing.assert_array_equal(model.get_weights()[0], K.eval(wanted([3, 4], 'float32')))


def test_trainable_that_was_changed_since_compile_is_a_warning():
    model = line()
    model.layers[0].trainable = False
    with pytest.warns(UserWarning, match='Discrepancy between trainable weights'):
        model.fit(X, Y, verbose=0)
    model.compile('sgd', 'mse')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        model.fit(X, Y, verbose=0)


def test_variables_of_the_program_are_initialized():
    given = tf.Variable(np.ones((4, 3), np.float32))
    x = layers.Input(tensor=given)
    model = models.Model(x, layers.Dense(2)(x))
    model.compile('sgd', 'mse')
    assert model.train_on_batch({}, np.zeros((4, 2))) > 0


def test_updates_and_losses_are_those_for_the_models_own_inputs():
    model = models.Sequential([layers.Dense(2, input_shape=(3,), activity_regularizer='l1'),
                               layers.BatchNormalization()])
    x = layers.Input((3,))
    outer = models.Model(x, model(x))
    assert len(model.updates) == len(outer.updates) == 2
    assert len(model.losses) == len(outer.losses) == 1


def test_stateful_models_need_their_batch_size():
    model = models.Sequential([layers.LSTM(2, stateful=True, batch_input_shape=(3, 2, 1))])
    model.compile('sgd', 'mse')
    with pytest.raises(ValueError, match='batch_size'):
        model.fit(np.ones((6, 2, 1)), Y, verbose=0)
    model.fit(np.ones((6, 2, 1)), Y, batch_size=3, verbose=0)
    assert model.predict(np.ones((3, 2, 1))).shape == (3, 2)


def test_weights_by_name_that_do_not_fit(tmp_path):
    model = line(name='a')
    model.save_weights(tmp_path / 'weights.h5')
    other = models.Sequential([layers.Dense(3, input_shape=(3,), name='a')])
    with pytest.raises(ValueError, match='has shape .*, but the saved weight has shape'):
        other.load_weights(tmp_path / 'weights.h5', by_name=True)
    with pytest.warns(UserWarning, match='Skipping .* for layer a due to mismatch in'):
        other.load_weights(tmp_path / 'weights.h5', by_name=True, skip_mismatch=True)
    wide = models.Sequential([layers.Conv1D(2, 3, input_shape=(3, 1), name='a')])
    wide.load_weights(tmp_path / 'weights.h5', reshape=True)
    np.testing.assert_array_equal(wide.get_weights()[0].ravel(), model.get_weights()[0].ravel())


def test_target_tensors_with_sample_weights():
    x = layers.Input((3,))
    model = models.Model(x, [layers.Dense(2, name='a')(x), layers.Dense(2, name='b')(x)])
    model.compile('sgd', 'mse', target_tensors=[K.variable(Y), K.variable(Y)])
    plain = model.test_on_batch(X, None)
    weighted = model.test_on_batch(X, None, sample_weight={'a': np.full(6, 3.)})
    assert weighted[1] == pytest.approx(3 * plain[1]) and weighted[2] == pytest.approx(plain[2])


def test_cells_know_the_shapes_of_constants():
    class Cell(layers.Layer):
        state_size = 2

        def build(self, input_shape):
            assert input_shape == [(None, 4), (None, 3)]
            self.kernel = self.add_weight('kernel', (3, 2), initializer='ones')
            self.built = True

        def call(self, inputs, states, constants):
            outputs = K.dot(constants[0], self.kernel) + states[0]
            return outputs, [outputs]
    x, constant = layers.Input((5, 4)), layers.Input((3,))
    model = models.Model([x, constant], layers.RNN(Cell())(x, constants=constant))
    assert model.predict([np.ones((1, 5, 4)), np.ones((1, 3))]).tolist() == [[15., 15.]]


@pytest.mark.parametrize('axis, shape', [(-1, (4, 3)), (1, (4, 3, 5)), (-1, (4, 2, 2, 3))])
def test_batch_normalization_in_training_and_use(axis, shape):
    x = np.random.RandomState(0).normal(2, 3, shape)
    layer = layers.BatchNormalization(axis=axis, input_shape=shape[1:])
    model = models.Sequential([layer])
    model.compile(optimizers.SGD(0.), 'mse')
    model.train_on_batch(x, x)
    axes = tuple(i for i in range(len(shape)) if i != axis % len(shape))
    size = np.prod([shape[i] for i in axes])
    np.testing.assert_allclose(model.get_weights()[2], x.mean(axes), rtol=1e-4)
    of_size = size / (size - 1.001) * (size / (size - 1) if len(shape) == 4 else 1)
    np.testing.assert_allclose(model.get_weights()[3], x.var(axes) * of_size, rtol=1e-4)
    shaped = [v.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))])
              for v in model.get_weights()[2:]]
    np.testing.assert_allclose(model.predict(x), (x - shaped[0]) / np.sqrt(shaped[1] + 1e-3),
                               rtol=1e-3, atol=1e-4)


def test_shapes_are_tuples():
    assert layers.Bidirectional(layers.LSTM(2)).compute_output_shape((None, 4, 3)) == (None, 4)
    assert layers.TimeDistributed(layers.Dense(2)).compute_output_shape((None, 4, 3)) == \
        (None, 4, 2)
    assert line().compute_output_shape((None, 3)) == (None, 2)


def test_weights_of_keras_1():
    rng = np.random.RandomState(0)
    layer = layers.ConvLSTM2D(2, 3, input_shape=(None, 5, 5, 1))
    models.Sequential([layer])
    gates = [w for _ in range(4) for w in (rng.rand(3, 3, 1, 2), rng.rand(3, 3, 2, 2), rng.rand(2))]
    kernel, recurrent, bias = preprocess_weights_for_loading(layer, gates, '1')
    np.testing.assert_array_equal(kernel[..., 2:4], gates[6])           # i, f, c, o
    assert recurrent.shape == (3, 3, 2, 8) and bias.shape == (8,)
    model = models.Sequential([layers.Conv2DTranspose(2, 3, input_shape=(5, 5, 4))])
    old = [np.transpose(model.get_weights()[0], (0, 1, 3, 2)), model.get_weights()[1]]
    found = preprocess_weights_for_loading(model, old, '1')
    np.testing.assert_array_equal(found[0], model.get_weights()[0])
    assert topology is training_utils


def test_rows_of_a_dense_layer_behind_flatten():
    maps = np.arange(24.).reshape(2, 3, 4)                              # rows, columns, channels
    dense = layers.Dense(1, input_shape=(24,))
    models.Sequential([dense])
    dense.set_weights([maps.reshape(24, 1), np.zeros(1)])
    utils.layer_utils.convert_dense_weights_data_format(dense, (4, 2, 3), 'channels_first')
    np.testing.assert_array_equal(dense.get_weights()[0].ravel(), maps.transpose(2, 0, 1).ravel())


def test_helpers(tmp_path):
    assert utils.slice_arrays([np.arange(4), None], 1, 3)[0].tolist() == [1, 2]
    assert utils.slice_arrays(np.arange(4), [0, 3]).tolist() == [0, 3]
    assert utils.slice_arrays(None) == [None]
    assert utils.object_list_uid([X]) == str(id(X)) and utils.to_list(1) == [1]
    (tmp_path / 'file').write_bytes(b'a')
    assert utils.validate_file(tmp_path / 'file', '0cc175b9c0f1b6a831c399e269772661')
    assert not utils.validate_file(tmp_path / 'file', '0' * 64)
    assert conv_utils.deconv_length(32, 2, 5, 'valid', 1) == 68
    assert K.eval(K.arange(K.constant(-2, dtype='int32'))).tolist() == []
    assert metrics.mse is not None and metrics.get('mae') is metrics.mae


def test_get_updates_in_the_order_of_keras_1():
    model = line()
    params, loss = model.trainable_weights, model.total_loss
    for args, named in (((params, [], loss), {}), ((params, {}), {'loss': loss}),
                        ((loss, params), {}), ((loss,), {'params': params})):
        assert optimizers.SGD().get_updates(*args, **named)


def test_a_rate_of_dropout_is_brought_into_its_range():
    assert [layers.Dropout(rate).rate for rate in (-1, .5, 3)] == [0., .5, 1.]


def test_subsets_of_images_may_have_different_classes():
    images = preprocessing.image.ImageDataGenerator(validation_split=.5)
    batches = images.flow(np.zeros((4, 2, 2, 1)), np.arange(4), subset='training', shuffle=False)
    assert batches[0][1].tolist() == [2, 3]


def test_sparse_data_may_have_a_validation_split():
    x = layers.Input((3,), sparse=True)
    model = models.Model(x, layers.Dense(2)(x))
    model.compile('sgd', 'mse')
    rows = tf.SparseTensorValue([[0, 1], [3, 2]], [1., 2.], [6, 3])
    assert len(model.fit(rows, Y, validation_split=.5, verbose=0).history['val_loss']) == 1
    assert model.predict(rows).shape == (6, 2)
