"""Misspelt names and keyword arguments are answered with the nearest known name."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)

pytestmark = pytest.mark.usefixtures('new_graph')


def still_model(loss='mse', **more):
    """A model that training does not change."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.), loss, **more)
    return model


@pytest.mark.parametrize('build, meant', [
    (lambda: layers.Dense(2, activation='rellu'), 'relu'),
    (lambda: keras.optimizers.get('adamm'), 'adam'),
    (lambda: keras.losses.get('sparse_crossentropy'), 'sparse_categorical_crossentropy'),
    (lambda: layers.Dense(2, kernel_initializer='glorot_unifrom'), 'glorot_uniform')])
def test_a_misspelt_name(build, meant):
    with pytest.raises(ValueError, match=f"Unknown .*\n  Hint: .*'{meant}'"):
        build()


def test_an_unknown_name_without_a_near_one_needs_custom_objects():
    with pytest.raises(ValueError, match='custom_objects='):
        keras.activations.get('my_own_activation')


@pytest.mark.parametrize('call, meant', [
    (lambda: layers.Dense(3, activaton='relu'), 'activation'),
    (lambda: layers.LSTM(3, return_sequence=True), 'return_sequences'),
    (lambda: layers.Dense(3, input_shap=(3,)), 'input_shape'),
    (lambda: layers.Layer().add_weight('w', (2,), initialiser='zeros'), 'initializer'),
    (lambda: still_model(metric=['mae']), 'metrics'),
    (lambda: still_model().fit(X, Y, epoch=3), 'epochs'),
    (lambda: keras.Model(inputs=keras.Input((3,)), output=None, nam='m'), 'name'),
    (lambda: keras.optimizers.Adam(clip_norm=1.), 'clipnorm'),
    (lambda: keras.optimizers.SGD(learningrate=.1), 'learning_rate'),
    (lambda: keras.callbacks.ReduceLROnPlateau(patiance=3), 'patience'),
    (lambda: keras.preprocessing.text.Tokenizer(num_word=3), 'num_words')])
@pytest.mark.filterwarnings('ignore:Update your')
def test_a_misspelt_keyword_argument(call, meant):
    with pytest.raises(TypeError, match=f"did you mean '{meant}'"):
        call()


def test_a_misspelt_argument_of_input():
    with pytest.raises(ValueError, match="did you mean 'shape'"):
        keras.Input(shap=(3,))


def test_an_argument_like_no_other_has_no_hint():
    with pytest.raises(TypeError, match=r"not understood: 'zzz' \(Dense\)\.$"):
        layers.Dense(3, zzz=1)
