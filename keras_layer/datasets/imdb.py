"""50000 reviews of films, good or bad: Maas et al. (2011)."""
from __future__ import annotations

import numpy as np

from keras_layer.datasets import words
from keras_layer.datasets.plain_pickle import load_npz
from keras_layer.utils.data_utils import get_file

__all__ = ['get_word_index', 'load_data']


def load_data(path='imdb.npz', num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1,
              oov_char=2, index_from=3, **kwargs):
    """((x_train, y_train), (x_test, y_test)): lists of word numbers, and 1 for praise.

    Only the `num_words` most frequent words keep their numbers, but for the `skip_top` first; the
    others are `oov_char`. Texts of `maxlen` numbers or more are left out. ValueError if that are
    all. The file's pickled lists are read as plain values, and run nothing.
    """
    num_words = words.old_argument(num_words, kwargs)
    found = load_npz(get_file(path, words.ORIGIN + 'imdb.npz', file_hash=(
        '69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f')))
    np.random.seed(seed)
    train = words.shuffled(found['x_train'], found['y_train'])
    test = words.shuffled(found['x_test'], found['y_test'])
    at = len(train[0])
    x, y = words.numbered(np.concatenate([train[0], test[0]]), np.concatenate([train[1], test[1]]),
                          num_words, skip_top, maxlen, start_char, oov_char, index_from)
    return (x[:at], y[:at]), (x[at:], y[at:])


def get_word_index(path='imdb_word_index.json'):
    """The dict from words to their ranks; `load_data` gives rank + index_from."""
    return words.word_index(path, 'imdb_word_index.json', 'bfafd718b763782e994055a2d397834f')
