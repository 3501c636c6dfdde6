"""The properties of docs/keras2.md: here as in Keras 2.1.6, and as in tf.keras 1.15.5."""
import warnings
from pathlib import Path

import pytest

import keras_layer
from keras_layer import keras2
from tests.golden.keras.property_cases import PROPERTIES, table
from tests.golden.store import read_recorded

RECORDED = read_recorded('keras.properties')


@pytest.mark.parametrize('title', PROPERTIES)
@pytest.mark.parametrize('name', ['keras', 'tf.keras'])
def test_property(request, name, title):
    if name == 'keras':
        request.getfixturevalue('like_keras2')
    module = keras2 if name == 'keras' else keras_layer
    module.backend.clear_session()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        assert PROPERTIES[title](module) == RECORDED[name][title]


def test_there_are_sixty_and_the_table_shows_them():
    assert len(PROPERTIES) >= 60
    text = Path(__file__).parents[3].joinpath('docs', 'keras2.md').read_text(encoding='utf8')
    assert table(RECORDED) in text
