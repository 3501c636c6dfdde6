"""What `import keras` keeps of a layer's calls, and what it refuses, otherwise than tf.keras."""
import warnings

import numpy as np
import pytest

import tinyflow as tf
from keras_layer import activations
from keras_layer.callbacks import TensorBoard as BoardOfTfKeras
from keras_layer.keras2 import backend as K, callbacks, enabling, initializers, layers, models


@pytest.fixture(autouse=True)
def as_keras_2(graph, like_keras2):
    """Inside of it `import keras` means Keras 2.1."""


X = np.linspace(0., 1., 8).reshape(4, 2)


def test_nodes_have_lists_of_tensors_masks_and_shapes():
    x = layers.Input((2,))
    dense = layers.Dense(3)
    y = dense(x)
    of_input, node = x._keras_history[0].inbound_nodes[0], dense.inbound_nodes[0]
    assert of_input.input_tensors == of_input.output_tensors == node.input_tensors == [x]
    assert node.output_tensors == [y]
    assert node.input_shapes == of_input.output_shapes == [(None, 2)]
    assert node.output_shapes == [(None, 3)]
    assert node.input_masks == node.output_masks == [None]
    assert dense.input is x and dense.output is y and x._keras_history[0].input_shape == (None, 2)
    enabling.disable()
    assert node.input_tensors is x and node.output_shapes == (None, 3)
    assert of_input.input_tensors == [x]


def test_a_layer_that_was_called_twice_has_no_single_input():
    dense = layers.Dense(3)
    dense(layers.Input((2,)))
    dense(layers.Input((2,)))
    for name in ('input', 'output', 'input_mask', 'output_mask'):
        with pytest.raises(AttributeError, match='called 2 times'):
            getattr(dense, name)
    assert dense.input_shape == (None, 2)


def test_numbers_stay_numbers_as_losses_and_updates():
    x = layers.Input((2,))
    dense = layers.Dense(1)
    for add, get in ((dense.add_loss, dense.get_losses_for),
                     (dense.add_update, dense.get_updates_for)):
        add(5, inputs=x)
        add(7)
        assert get(x) == [5] and get(None) == [7]


def test_numbers_are_added_to_the_loss():
    x = layers.Input((2,))
    dense = layers.Dense(1, kernel_initializer='zeros')
    model = models.Model(x, dense(x))
    dense.add_loss(2)
    model.compile('sgd', 'mse')
    assert model.losses == [2]
    assert model.evaluate(X, np.ones((4, 1)), verbose=0) == 3.


def test_all_outputs_of_a_model_with_dropout_use_the_learning_phase():
    x = layers.Input((2,))
    plain = layers.Dense(2)(x)
    model = models.Model(x, [plain, layers.Dropout(.5)(x)])
    first, second = model(layers.Input((2,)))
    assert not plain._uses_learning_phase
    assert first._uses_learning_phase and second._uses_learning_phase
    assert layers.Dense(1)(first)._uses_learning_phase


def test_a_layer_as_an_activation_is_warned_about():
    dense = layers.Dense(2)
    with pytest.warns(UserWarning, match=dense.name):
        assert activations.get(dense) is dense
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert activations.get('relu') is activations.relu
        with pytest.raises(ValueError, match='Could not interpret'):
            activations.get(6)


def test_identity_is_repeated_along_the_longer_side():
    made = K.eval(initializers.Identity(2.)((4, 2)))
    np.testing.assert_array_equal(made, 2. * np.vstack([np.eye(2)] * 2))
    wide = layers.SimpleRNN(2, kernel_initializer='identity')
    models.Sequential([layers.InputLayer((3, 1)), wide])
    np.testing.assert_array_equal(K.eval(wide.cell.kernel), [[1., 1.]])
    with pytest.raises(ValueError, match='multiple'):
        initializers.identity()((3, 2))
    with pytest.raises(ValueError, match='2D'):
        initializers.identity()((2, 2, 2))


class WithConstant(layers.Layer):
    """A cell that adds a constant, whose shape it is given."""

    state_size = 2

    def build(self, input_shape):
        step, constant = input_shape
        self.kernel = self.add_weight(shape=(step[-1] + constant[-1], 2), name='kernel',
                                      initializer='ones')
        self.built = True

    def call(self, inputs, states, constants):
        both = tf.concat([inputs, constants[0]], -1)
        return K.dot(both, self.kernel), states


def test_stacked_cells_are_built_with_the_shapes_of_constants():
    x, constant = layers.Input((3, 1)), layers.Input((4,))
    rnn = layers.RNN([layers.SimpleRNNCell(5, kernel_initializer='zeros'), WithConstant()])
    model = models.Model([x, constant], rnn(x, constants=constant))
    found = model.predict([np.ones((1, 3, 1)), np.ones((1, 4))])
    np.testing.assert_allclose(found, [[4., 4.]])


def test_states_of_a_stack_are_flat_and_begin_with_those_of_the_last_cell():
    cells = [layers.LSTMCell(2), layers.GRUCell(3), layers.LSTMCell(4)]
    x, rnn = layers.Input((3, 2)), layers.RNN(cells, return_state=True)
    assert rnn.cell.state_size == (4, 4, 3, 2, 2)
    model = models.Model(x, rnn(x))
    rng = np.random.RandomState(1)
    model.set_weights([rng.randn(*w.shape) * .3 for w in model.get_weights()])
    output, *states = model.predict(np.ones((1, 3, 2)))
    np.testing.assert_array_equal(output, states[0])
    for state, expected in zip(states[1:], [            # recorded from Keras 2.1.6
            [-.2766, .241, .145, -.1688], [.0021, -.2051, -.1633], [-.1069, -.1564],
            [-.1392, -.3779]]):
        np.testing.assert_allclose(state[0], expected, atol=1e-4)
    first = [layers.Input((n,)) for n in (4, 4, 3, 2, 2)]
    further = layers.RNN(cells)(x, initial_state=first)
    found = models.Model([x, *first], further).predict([np.ones((1, 3, 2)), *states])
    np.testing.assert_allclose(found, [[-.1674, .1295, .1239, -.1352]], atol=1e-4)
    enabling.disable()
    assert layers.RNN(cells).cell.state_size == ([2, 2], 3, [4, 4])


@pytest.mark.parametrize('shape', [(3, 4), (3,)])
def test_inputs_of_an_embedding_have_the_length_that_was_given(shape):
    with pytest.raises(ValueError, match='input_length'):
        models.Sequential([layers.Embedding(6, 2, input_length=2, input_shape=shape)])
    assert models.Sequential([layers.Embedding(6, 2, input_length=3, input_shape=(3,))])


@pytest.mark.parametrize('kind', ['Add', 'Concatenate'])
def test_each_call_of_a_merge_layer_has_two_inputs(kind):
    x, layer = layers.Input((3,)), getattr(layers, kind)()
    layer([x, x])
    with pytest.raises(ValueError, match='at least 2'):
        layer([x])
    enabling.disable()
    assert layer([x]).shape.as_list() == [None, 3]


def two_outputs():
    x = layers.Input((2,))
    model = models.Model(x, [layers.Dense(1, name='a')(x), layers.Dense(1, name='b')(x)])
    model.compile('sgd', 'mse')
    return model


def test_sample_weights_by_unknown_names_are_ignored_and_tuples_refused():
    model, y, ones = two_outputs(), [np.ones((4, 1))] * 2, np.ones(4)
    plain = model.test_on_batch(X, y)
    half = model.test_on_batch(X, y, sample_weight={'a': 0.5 * ones, 'c': ones, model.input: ones})
    np.testing.assert_allclose(half[1:], [plain[1] / 2, plain[2]], rtol=1e-6)
    with pytest.raises(TypeError, match='not a tuple'):
        model.test_on_batch(X, y, sample_weight=(ones, ones))
    for weight, loss in ((1., 1.), (.5, .5)):           # of a model that its data build
        model = models.Sequential([layers.Dense(1, kernel_initializer='zeros', name='a')])
        model.compile('sgd', 'mse')
        assert model.train_on_batch(X, y[0], sample_weight={'a': weight * ones}) == loss


@pytest.mark.parametrize('kernel, loss, after', [       # recorded from Keras 2.1.6 and 2.2.4
    (30., 15.942385, (30., 0.)), (3., 3.0485876, (2.0474257, -0.9525742))])
def test_binary_crossentropy_is_cut_off_and_then_has_no_gradient(kernel, loss, after):
    model = models.Sequential([layers.Dense(1, activation='sigmoid', input_shape=(1,),
                                            kernel_initializer=initializers.Constant(kernel))])
    model.compile(tf.keras.optimizers.SGD(1.), 'binary_crossentropy')
    one = np.ones((2, 1))
    assert model.train_on_batch(one, 0 * one) == pytest.approx(loss)
    kernel, bias = model.get_weights()
    np.testing.assert_allclose([kernel[0, 0], bias[0]], after, rtol=1e-5)


@pytest.mark.parametrize('loss, target', [
    ('categorical_crossentropy', [[0., 1.]]), ('sparse_categorical_crossentropy', [[1.]])])
def test_crossentropy_of_a_softmax_is_cut_off(loss, target):
    model = models.Sequential([layers.Dense(2, activation='softmax', input_shape=(1,),
                                            weights=[np.array([[30., 0.]]), np.zeros(2)])])
    model.compile(tf.keras.optimizers.SGD(1.), loss)
    assert model.train_on_batch(np.ones((1, 1)), np.array(target)) == pytest.approx(16.118095)
    np.testing.assert_array_equal(model.get_weights()[0], [[30., 0.]])


class Positives(layers.Layer):
    """Counts outputs above one half: a metric with a state, as of Keras 2.1."""

    def __init__(self):
        super().__init__(name='positives')
        self.stateful = True
        self.count = K.variable(0, dtype='int32')

    def reset_states(self):
        K.set_value(self.count, 0)

    def __call__(self, y_true, y_pred):
        new = K.sum(K.cast(y_pred > 0.5, 'int32'))
        before = self.count * 1
        self.add_update(K.update_add(self.count, new))
        return before + new


@pytest.mark.parametrize('metrics', [lambda m: [m], lambda m: {'out': ['mae', m]}])
def test_a_metric_that_keeps_a_state_gives_its_last_value(metrics):
    model = models.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(1,),
                                            name='out')])
    model.compile(tf.keras.optimizers.SGD(0.), 'mse', metrics=metrics(Positives()))
    x = np.array([[0.], [1.], [1.], [0.], [1.]])
    fitted = model.fit(x, x, batch_size=2, epochs=2, verbose=0, validation_data=(x[:3], x[:3]))
    assert fitted.history['positives'] == [3, 3] and fitted.history['val_positives'] == [2, 2]
    assert model.evaluate(x, x, batch_size=1, verbose=0)[-1] == 3
    assert model.train_on_batch(x, x)[-1] == 6 and model.test_on_batch(x, x)[-1] == 9


def tags(folder):
    return [value.tag for path in folder.iterdir() if 'tfevents' in path.name
            for event in tf.train.summary_iterator(str(path)) for value in event.summary.value]


def test_tensorboard_names_the_logs_as_they_are_and_saves_weights(tmp_path):
    model = models.Sequential([layers.Embedding(6, 2, input_length=2), layers.Flatten()])
    model.compile('sgd', 'mse')
    words = np.arange(6).reshape(3, 2)
    board = callbacks.TensorBoard(tmp_path, embeddings_freq=1, embeddings_metadata='words.tsv')
    model.fit(words, np.ones((3, 4)), epochs=2, verbose=0, callbacks=[board])
    assert tags(tmp_path) == ['loss', 'loss']
    weight = model.weights[0]
    kept = tf.train.load_checkpoint(tf.train.latest_checkpoint(str(tmp_path)))
    np.testing.assert_allclose(kept.get_tensor(weight.op.name), model.get_weights()[0])
    assert f'tensor_name: "{weight.name}"' in (tmp_path / 'projector_config.pbtxt').read_text()
    other = callbacks.TensorBoard(tmp_path / 'none', embeddings_freq=1,
                                  embeddings_layer_names=['no_such_layer'])
    model.fit(words, np.ones((3, 4)), verbose=0, callbacks=[other])
    with pytest.raises(ValueError, match='embeddings_data'):
        model.fit(words, np.ones((3, 4)), callbacks=[BoardOfTfKeras(tmp_path, embeddings_freq=1)])


class Scale(layers.Layer):
    """A layer in the style of Keras 1: its weights are Variables that it lists."""

    def build(self, input_shape):
        self.scale, self.temperature = K.variable([1., 1.]), K.variable(2.)
        self.trainable_weights = [self.scale]
        self.built = True

    def call(self, inputs):
        return inputs * self.scale * self.temperature


@pytest.mark.parametrize('optimizer', ['sgd', 'rmsprop', 'adagrad', 'adadelta', 'adam', 'adamax',
                                       'nadam'])
def test_a_layer_lists_its_weights_and_they_are_trained(optimizer):
    scale = Scale(input_shape=(2,))
    model = models.Sequential([scale])
    model.compile(optimizer, 'mse')
    assert model.trainable_weights == [scale.scale] and model.non_trainable_weights == []
    model.fit(np.ones((4, 2)), np.zeros((4, 2)), verbose=0)
    assert (K.get_value(scale.scale) < 1.).all() and K.get_value(scale.temperature) == 2.
    scale.non_trainable_weights = [scale.scale]
    assert scale.trainable_weights == [] and scale.weights == [scale.scale]
    enabling.disable()
    with pytest.raises(AttributeError):
        scale.trainable_weights = []


def test_a_mask_of_merged_tensors_is_a_function_of_their_masks():
    a, b = (layers.Masking()(layers.Input((2, 3))) for _ in range(2))
    merged = layers.merge([a, b], mode=lambda pair: K.concatenate(pair, axis=1),
                          output_mask=lambda masks: K.concatenate(masks))
    assert K.int_shape(merged._keras_mask) == (None, 4)
