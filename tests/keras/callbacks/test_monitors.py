"""Callbacks that monitor a value: both spellings of accuracy, unknown names."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
LABELS = np.arange(16) % 3

pytestmark = pytest.mark.usefixtures('new_graph')


def classifier(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


@pytest.mark.parametrize('asked', ['acc', 'accuracy'])
@pytest.mark.parametrize('monitor', ['val_acc', 'val_accuracy'])
def test_accuracy_is_found_under_both_names(asked, monitor):
    classifier(metrics=[asked]).fit(INPUTS, LABELS, verbose=0, validation_split=.25,
                                callbacks=[keras.callbacks.EarlyStopping(monitor)])


def test_an_unknown_monitor_raises_before_the_first_epoch():
    model = classifier()
    with pytest.raises(ValueError, match='no validation'):
        model.fit(INPUTS, LABELS, verbose=0, callbacks=[keras.callbacks.EarlyStopping('val_loss')])
    with pytest.raises(ValueError, match='reports no such value'):
        model.fit(INPUTS, LABELS, verbose=0, validation_split=.25,
                  callbacks=[keras.callbacks.EarlyStopping('val_f1')])
