"""Calls of keras.preprocessing and keras.utils whose results are compared. Python 3.7, too."""
import random

import numpy as np

TEXTS = ['The cat sat on the mat.', 'The dog ate my homework, the dog!', '', 'A cat']


def run(keras):
    S, T, U = keras.preprocessing.sequence, keras.preprocessing.text, keras.utils
    rows = [[1, 2, 3, 4], [5], [], [6, 7]]
    found = {}
    for padding in ('pre', 'post'):
        for truncating in ('pre', 'post'):
            for maxlen in (None, 2, 6):
                found['pad %s %s %s' % (padding, truncating, maxlen)] = S.pad_sequences(
                    rows, maxlen, padding=padding, truncating=truncating, value=-1)
    found['pad floats'] = S.pad_sequences([[[1., 2.]], [[3., 4.], [5., 6.]]], dtype='float32')
    found['sampling'] = S.make_sampling_table(10)
    random.seed(3)
    found['skipgrams'] = S.skipgrams([1, 2, 3, 0, 4, 5], 6, window_size=2, seed=7)
    random.seed(3)
    found['skipgrams categorical'] = S.skipgrams([1, 2, 3, 4], 6, categorical=True, shuffle=False)
    data = np.arange(40).reshape(20, 2)
    for name, kwargs in (('plain', {}), ('strided', {'stride': 2, 'sampling_rate': 2}),
                         ('reversed', {'reverse': True, 'start_index': 2, 'end_index': 15})):
        series = S.TimeseriesGenerator(data, np.arange(20), length=4, batch_size=3, **kwargs)
        found['series ' + name] = [len(series), series[0][0], series[0][1], series[len(series) - 1][1]]
    for name, kwargs in (('plain', {}), ('some', {'num_words': 4}),
                         ('unknown', {'num_words': 4, 'oov_token': '?'}),
                         ('characters', {'char_level': True, 'num_words': 6})):
        tokens = T.Tokenizer(**kwargs)
        tokens.fit_on_texts(TEXTS)
        found['tokenizer ' + name] = [tokens.word_index, tokens.texts_to_sequences(TEXTS),
                                      tokens.sequences_to_texts([[1, 2], [3, 9]])]
        for mode in ('binary', 'count', 'tfidf'):
            found['matrix %s %s' % (name, mode)] = tokens.texts_to_matrix(TEXTS[:2], mode)
    found['words'] = T.text_to_word_sequence('Hello, World! a_b', lower=False)
    found['hashed'] = T.hashing_trick('the cat sat', 50, hash_function='md5')
    found['categorical'] = U.to_categorical([[0], [2], [1]])
    found['categorical 4'] = U.to_categorical([[0, 3], [2, 1]], 4)
    found['normalized'] = U.normalize(np.array([[3., 4.], [0., 0.]]))
    return plain(found)


def plain(x):
    if isinstance(x, np.ndarray):
        return plain(x.tolist())
    if isinstance(x, np.generic):
        return plain(x.item())
    if isinstance(x, float):
        return float('%.6g' % x)
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return x
