"""Files of weights: checkpoints read later, long names, missing files, TF SavedModels."""
import pathlib

import h5py
import numpy as np
import pytest

import tinyflow as tf
from keras_layer.saving import hdf5
from keras_layer.utils.hdf5 import SavedGroup

keras = tf.keras
FOLDER = pathlib.Path(__file__).parents[2] / 'golden' / 'files' / 'keras'
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)

pytestmark = pytest.mark.usefixtures('new_graph')


class Own(keras.Model):
    """Its `training` is False unless it is passed."""

    def __init__(self):
        super().__init__()
        self.first = layers.Dense(4, kernel_initializer='ones')
        self.norm = layers.BatchNormalization()
        self.last = layers.Dense(1, kernel_initializer='ones')

    def call(self, x, training=False):
        return self.last(self.norm(self.first(x), training=training))


@pytest.mark.parametrize('begin', [
    lambda model: model.build((None, 3)), lambda model: model.predict(X),
    lambda model: model(tf.ones((2, 3)))])
def test_a_checkpoint_is_read_when_the_weights_are_made(tmp_path, begin):
    saved = Own()
    saved.build((None, 3))
    saved.set_weights([np.full(w.shape, .5) for w in saved.get_weights()])
    saved.save_weights(str(tmp_path / 'weights'))
    model = Own()
    status = model.load_weights(str(tmp_path / 'weights'))
    with pytest.raises(AssertionError, match='has not been read'):
        status.assert_consumed()
    begin(model)
    status.assert_consumed()
    assert all(np.all(w == .5) for w in model.get_weights())


def test_a_missing_file_of_weights():
    model = keras.Sequential([layers.Dense(3, input_shape=(6,))])
    with pytest.raises(OSError, match="no file of weights at 'nowhere.h5'"):
        model.load_weights('nowhere.h5')


def test_names_too_long_for_one_attribute(tmp_path):
    names = [f'{"layer" * 20}_{i}/kernel:0' for i in range(1000)]
    with h5py.File(tmp_path / 'names.h5', 'w') as file:
        hdf5._set_names(file, 'weight_names', names)
        assert len(file.attrs) > 1
        assert SavedGroup(file).texts('weight_names') == names


def test_a_saved_model_of_tensorflow():
    data = np.load(FOLDER / 'tf115_saved.npz')
    model = keras.models.load_model(str(FOLDER / 'tf115_saved'))
    np.testing.assert_allclose(model.predict(data['x']), data['p'], rtol=1e-5)
    assert type(model.optimizer).__name__ == 'Adam'
    loss = model.fit(data['x'], data['y'], shuffle=False, verbose=0).history['loss']
    np.testing.assert_allclose(loss, data['loss'][:1], rtol=1e-5)
