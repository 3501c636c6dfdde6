"""Sequential models whose shapes come later; clones."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
LABELS = np.arange(16) % 3

pytestmark = pytest.mark.usefixtures('new_graph')


def classifier(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


def test_weights_of_a_model_without_input_shape():
    model = keras.Sequential([layers.Dense(3)])
    with pytest.raises(ValueError, match='have not yet been created'):
        model.get_weights()
    model.build((None, 4))
    assert [w.shape for w in model.get_weights()] == [(4, 3), (3,)]


@pytest.mark.parametrize('workers', [1, 2])
def test_shapes_come_from_the_first_batch_of_a_generator(workers):
    model = keras.Sequential([layers.Dense(3), layers.Dense(1)])
    model.compile('sgd', 'mse')
    seen = []

    def batches():
        for number in range(100):
            seen.append(number)
            yield X, Y
    history = model.fit_generator(batches(), steps_per_epoch=3, verbose=0, workers=workers)
    assert len(history.history['loss']) == 1
    if workers == 1:
        assert seen == [0, 1, 2]


def test_a_clone_has_its_own_weights():
    model = classifier()
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    np.testing.assert_array_equal(clone.predict(INPUTS), model.predict(INPUTS))
    model.fit(INPUTS, LABELS, verbose=0)
    assert not np.array_equal(clone.get_weights()[0], model.get_weights()[0])


def test_an_empty_sequential_is_cloned():
    assert keras.models.clone_model(keras.Sequential()).layers == []
