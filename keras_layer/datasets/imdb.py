"""IMDB: 50000 movie reviews with sentiment labels. Maas et al. (2011)."""
from __future__ import annotations

import numpy as np

from keras_layer.datasets import text_numbers as texts
from keras_layer.datasets.safe_pickle import load_npz
from keras_layer.utils.data_utils import get_file
from keras_layer.utils.hdf5 import naming

__all__ = ['get_word_index', 'load_data']


def load_data(path='imdb.npz', num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1,
              oov_char=2, index_from=3, **kwargs):
    """((x_train, y_train), (x_test, y_test)): lists of word indices, and 1 for positive.

    Only the `num_words` most frequent words, without the first `skip_top`, keep their index; the
    others become `oov_char`. Texts of `maxlen` words or more are dropped. ValueError if none is
    left. The file's pickled lists are read as plain values, and run nothing.
    """
    num_words = texts.legacy_num_words(num_words, kwargs)
    path = get_file(path, texts.ORIGIN + 'imdb.npz', file_hash=(
        '69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f'))
    found = load_npz(path)
    with naming(path, 'its arrays'):
        np.random.seed(seed)
        train = texts.shuffled(found['x_train'], found['y_train'])
        test = texts.shuffled(found['x_test'], found['y_test'])
        at = len(train[0])
        x, y = texts.numbered(
            np.concatenate([train[0], test[0]]), np.concatenate([train[1], test[1]]),
            num_words, skip_top, maxlen, start_char, oov_char, index_from)
    return (x[:at], y[:at]), (x[at:], y[at:])


def get_word_index(path='imdb_word_index.json'):
    """The dict from words to their ranks; `load_data` gives rank + index_from."""
    return texts.word_index(path, 'imdb_word_index.json', 'bfafd718b763782e994055a2d397834f')
