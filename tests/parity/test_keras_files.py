"""Keras models saved here load in TensorFlow 1.15.5 and 2.15.1 and predict equally."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.parity.interpreters import interpreter, run_script

pytestmark = pytest.mark.parity


@pytest.mark.parametrize('version', ['TINYFLOW_TF115_PYTHON', 'TINYFLOW_TF215_PYTHON'])
def test_tensorflow_reads_models_saved_here(version, tmp_path):
    interpreter(version)                # skips at once where there is none
    keras = tf.keras
    layers = keras.layers
    with tf.Graph().as_default():
        a, b = layers.Input((8, 8, 2), name='a'), layers.Input((3,), name='b')
        h = layers.MaxPooling2D()(layers.Conv2D(4, 3, activation='relu')(a))
        h = layers.Concatenate()([layers.Flatten()(h), layers.Dense(4, activation='tanh')(b)])
        h = layers.Dropout(.3)(layers.BatchNormalization()(h))
        model = keras.Model([a, b], layers.Dense(2, activation='softmax')(h))
        model.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
        rng = np.random.RandomState(0)
        xa, xb = (rng.uniform(size=(6, *s)).astype('float32') for s in ((8, 8, 2), (3,)))
        model.fit([xa, xb], np.eye(2)[[0, 1, 0, 1, 1, 0]], epochs=2, verbose=0)
        model.save(str(tmp_path / 'whole.h5'))
        model.save_weights(str(tmp_path / 'weights.h5'))
        model.save_weights(str(tmp_path / 'ckpt'))
        model.save(str(tmp_path / 'saved'), save_format='tf')
        (tmp_path / 'model.json').write_text(model.to_json())
        np.savez(tmp_path / 'data.npz', xa=xa, xb=xb, p=model.predict([xa, xb]))
    printed = run_script(version, 'keras_models.py', tmp_path)
    assert printed.split('\n')[:-1] == ['whole', 'saved as a model', 'weights.h5', 'ckpt', 'saved']
