"""Writes small models by tf.keras 1.15 and Keras 2.1: python tests/golden/keras/record_files.py.

Runs where both are installed (Python 3.7); the files are committed, and loaded by
tests/keras/saving/test_saved_files.py.
"""
import os

import numpy as np
import tensorflow as tf

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'files',
                      'keras')


def write(keras, name):
    L = keras.layers
    rng = np.random.RandomState(3)
    mlp = keras.models.Sequential([
        L.Dense(5, activation='relu', input_shape=(4,), kernel_regularizer='l2'),
        L.BatchNormalization(), L.Dropout(0.3), L.Dense(3, activation='softmax')])
    mlp.compile('adam', 'categorical_crossentropy', metrics=['accuracy'])
    x = rng.uniform(-1, 1, (8, 4)).astype('float32')
    mlp.fit(x, np.eye(3)[np.arange(8) % 3], epochs=2, verbose=0)
    mlp.save(os.path.join(FOLDER, name + '_mlp.h5'))
    a, b = L.Input((6, 6, 2)), L.Input((3,))
    h = L.Flatten()(L.MaxPooling2D()(L.Conv2D(3, 3, activation='relu', padding='same')(a)))
    h = L.concatenate([h, L.Dense(2, activation='tanh')(b)])
    cnn = keras.models.Model([a, b], L.Dense(1, activation='sigmoid')(h))
    cnn.compile('rmsprop', 'binary_crossentropy')
    xa, xb = (rng.uniform(-1, 1, (8,) + s).astype('float32') for s in ((6, 6, 2), (3,)))
    cnn.fit([xa, xb], np.arange(8) % 2, verbose=0)
    cnn.save(os.path.join(FOLDER, name + '_cnn.h5'))
    cnn.save_weights(os.path.join(FOLDER, name + '_cnn_weights.h5'))
    words = keras.models.Sequential([
        L.Embedding(7, 3, input_length=5), L.LSTM(4, return_sequences=True),
        L.Bidirectional(L.GRU(2)), L.Dense(2)])
    words.compile('sgd', 'mse')
    w = rng.randint(0, 7, (8, 5))
    words.fit(w, rng.uniform(-1, 1, (8, 2)), verbose=0)
    words.save(os.path.join(FOLDER, name + '_lstm.h5'))
    np.savez(os.path.join(FOLDER, name + '.npz'), x=x, xa=xa, xb=xb, w=w, mlp=mlp.predict(x),
             cnn=cnn.predict([xa, xb]), lstm=words.predict(w))


if __name__ == '__main__':
    import keras as old
    os.makedirs(FOLDER, exist_ok=True)
    write(tf.keras, 'tf115')
    tf.keras.backend.clear_session()
    write(old, 'keras216')
