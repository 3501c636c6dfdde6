"""keras.callbacks.Doctor: the training doctor in fit."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from tinyflow import keras


def trained(callbacks):
    """The losses of two calls of fit, in a graph of their own."""
    keras.backend.clear_session()
    tf.set_random_seed(1)
    rng = np.random.RandomState(0)
    x, y = rng.rand(64, 6) * 255, rng.randint(0, 2, (64, 1))
    model = keras.Sequential([keras.layers.Dense(8, 'relu', input_shape=(6,)),
                              keras.layers.Dropout(0.2), keras.layers.Dense(1, 'sigmoid')])
    model.compile('adam', 'binary_crossentropy')
    return [loss for _ in range(2) for loss in model.fit(
        x, y, epochs=2, batch_size=16, shuffle=False, verbose=0,
        callbacks=callbacks).history['loss']]


def test_it_finds_faults_and_changes_nothing():
    doctor = keras.callbacks.Doctor(every=2)
    assert trained([doctor]) == trained([])
    report = doctor.report()
    assert [finding.id for finding in report] == ['input-scale']
    assert report.observed[0].steps == 8                # of the last fit
    assert 'loss' in report.as_document()['curves']
