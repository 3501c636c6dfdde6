"""Text and sequence preprocessing, to_categorical, get_file, included datasets."""

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.keras import preprocessing_cases

RECORDED = read_recorded('keras.preprocessing')
FOUND = preprocessing_cases.run(tf.keras)


@pytest.mark.parametrize('name', RECORDED)
def test_matches_tensorflow(name):
    assert FOUND[name] == RECORDED[name]


def test_tokenizer_to_json_and_back():
    tokens = tf.keras.preprocessing.text.Tokenizer(num_words=4, oov_token='?')
    tokens.fit_on_texts(preprocessing_cases.TEXTS)
    again = tf.keras.preprocessing.text.tokenizer_from_json(tokens.to_json())
    assert again.texts_to_sequences(['the cat and the dog']) == \
        tokens.texts_to_sequences(['the cat and the dog'])


@pytest.mark.parametrize('labels, classes, error', [
    ([0, 3], 3, IndexError), ([-3, 0], 2, IndexError), ([0.5], 2, ValueError)])
def test_invalid_labels_raise(labels, classes, error):
    with pytest.raises(error, match='labels'):
        tf.keras.utils.to_categorical(labels, classes)


def test_negative_labels_count_from_the_last_class():
    rows = tf.keras.utils.to_categorical([-1, 0, 1], 3)
    assert rows.tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]


def test_a_failed_download_says_where_to_put_the_file(tmp_path):
    with pytest.raises(OSError, match='save the file manually'):
        tf.keras.utils.get_file('x.npz', 'file:///no/such/file', cache_dir=str(tmp_path))


def test_included_datasets():
    for name, shape in (('digits', (8, 8)), ('iris', (4,))):
        (x, y), (test_x, test_y) = getattr(tf.keras.datasets, name).load_data()
        assert x.shape[1:] == test_x.shape[1:] == shape
        assert len(x) == len(y) and len(test_x) == len(test_y)
        assert set(np.unique(test_y)) <= set(np.unique(y))
