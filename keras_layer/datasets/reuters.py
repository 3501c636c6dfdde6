"""11228 newswires on 46 topics."""
from __future__ import annotations

import numpy as np

from keras_layer.datasets import text_numbers as texts
from keras_layer.datasets.safe_pickle import load_npz
from keras_layer.utils.data_utils import get_file
from keras_layer.utils.hdf5 import naming

__all__ = ['get_word_index', 'load_data']


def load_data(path='reuters.npz', num_words=None, skip_top=0, maxlen=None, test_split=0.2,
              seed=113, start_char=1, oov_char=2, index_from=3, **kwargs):
    """((x_train, y_train), (x_test, y_test)): lists of word indices, and topics 0 to 45.

    The arguments are those of `imdb.load_data`, and the fraction for the test set.
    """
    num_words = texts.legacy_num_words(num_words, kwargs)
    path = get_file(path, texts.ORIGIN + 'reuters.npz', file_hash=(
        'd6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916'))
    found = load_npz(path)
    with naming(path, 'its arrays'):
        np.random.seed(seed)
        x, y = texts.numbered(*texts.shuffled(found['x'], found['y']), num_words, skip_top, maxlen,
                              start_char, oov_char, index_from)
    at = int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])


def get_word_index(path='reuters_word_index.json'):
    """The dict from words to their ranks; `load_data` gives rank + index_from."""
    return texts.word_index(path, 'reuters_word_index.json', '4d44cc38712099c9e383dc6e5f11a921')
