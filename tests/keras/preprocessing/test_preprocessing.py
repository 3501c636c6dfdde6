"""Preprocessing and helpers give what TF 1.15's give."""

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.keras import preprocessing_cases

RECORDED = read_recorded('keras.preprocessing')
FOUND = preprocessing_cases.run(tf.keras)


@pytest.mark.parametrize('name', RECORDED)
def test_gives_what_tensorflow_gives(name):
    assert FOUND[name] == RECORDED[name]


def test_tokenizer_survives_json():
    tokens = tf.keras.preprocessing.text.Tokenizer(num_words=4, oov_token='?')
    tokens.fit_on_texts(preprocessing_cases.TEXTS)
    again = tf.keras.preprocessing.text.tokenizer_from_json(tokens.to_json())
    assert again.texts_to_sequences(['the cat and the dog']) == \
        tokens.texts_to_sequences(['the cat and the dog'])


@pytest.mark.parametrize('labels, classes', [([0, 3], 3), ([-1, 0], 2), ([0.5], 2)])
def test_labels_that_do_not_fit_are_refused(labels, classes):
    with pytest.raises(ValueError, match='labels'):
        tf.keras.utils.to_categorical(labels, classes)


def test_a_file_that_cannot_be_downloaded_says_where_to_put_it(tmp_path):
    with pytest.raises(OSError, match='put the file there by hand'):
        tf.keras.utils.get_file('x.npz', 'file:///no/such/file', cache_dir=str(tmp_path))


def test_shipped_data():
    for name, shape in (('digits', (8, 8)), ('iris', (4,))):
        (x, y), (test_x, test_y) = getattr(tf.keras.datasets, name).load_data()
        assert x.shape[1:] == test_x.shape[1:] == shape
        assert len(x) == len(y) and len(test_x) == len(test_y)
        assert set(np.unique(test_y)) <= set(np.unique(y))
