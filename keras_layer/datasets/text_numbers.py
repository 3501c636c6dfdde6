"""Texts as word indices, for imdb and reuters."""
from __future__ import annotations

import itertools
import json
import warnings

import numpy as np

from keras_layer.utils.data_utils import get_file
from keras_layer.utils.hdf5 import naming
from tinyflow.graph.support.errors import misuse

__all__ = ['ORIGIN', 'numbered', 'legacy_num_words', 'shuffled', 'word_index']

ORIGIN = 'https://storage.googleapis.com/tensorflow/tf-keras-datasets/'


def legacy_num_words(num_words, kwargs):
    """`num_words`, or its old name `nb_words`. TypeError for any other argument."""
    if 'nb_words' in kwargs:
        warnings.warn('The `nb_words` argument in `load_data` has been renamed `num_words`.',
                      stacklevel=3)
        num_words = kwargs.pop('nb_words')
    if kwargs:
        raise misuse(TypeError(f'Unrecognized keyword arguments: {kwargs}'))
    return num_words


def shuffled(*arrays):
    """The arrays in one random order, by NumPy's global random numbers, as in Keras."""
    order = np.arange(len(arrays[0]))
    np.random.shuffle(order)
    return [array[order] for array in arrays]


def numbered(texts, labels, num_words, skip_top, maxlen, start_char, oov_char, index_from):
    """(texts as lists of numbers in an object array, labels).

    Each text begins with `start_char`; words are `index_from` higher than their ranks. Numbers from
    `num_words` on and below `skip_top` become `oov_char`, or are dropped if that is None. Texts of
    `maxlen` or more are dropped.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    words = np.fromiter(itertools.chain.from_iterable(texts), np.int64, int(lengths.sum()))
    if start_char is not None or index_from:
        words = words + (index_from or 0)
    if start_char is not None:
        starts = np.cumsum(lengths) - lengths
        words = np.insert(words, starts, start_char)
        lengths = lengths + 1
    if maxlen:
        short = lengths < maxlen
        words, lengths, labels = words[np.repeat(short, lengths)], lengths[short], labels[short]
        if not len(lengths):
            raise misuse(ValueError(f'After filtering for sequences shorter than maxlen={maxlen}, '
                                    'no sequence was kept. Increase maxlen.'))
    if not num_words:
        num_words = int(words.max())
    known = (words >= skip_top) & (words < num_words)
    if oov_char is not None:
        words = np.where(known, words, oov_char)
    else:
        lengths = np.diff(np.concatenate([[0], np.cumsum(known)[np.cumsum(lengths) - 1]]))
        words = words[known]
    return _lists(words, lengths), labels


def _lists(words, lengths):
    flat, found, start = words.tolist(), np.empty(len(lengths), object), 0
    for i, stop in enumerate(np.cumsum(lengths).tolist()):
        found[i] = flat[start:stop]
        start = stop
    return found


def word_index(path, name, file_hash):
    """The dict from words to ranks, from 1 on."""
    path = get_file(path, ORIGIN + name, file_hash=file_hash)
    with naming(path, 'its JSON'), open(path, encoding='utf8') as file:
        return json.load(file)
