"""imdb and reuters on small files of their kind. Python 3.7, too."""
import os

import numpy as np

from tests.golden.keras.preprocessing_cases import plain


def texts(seed, count):
    random = np.random.RandomState(seed)
    made = np.empty(count, object)
    made[:] = [random.randint(1, 40, size).tolist() for size in random.randint(2, 9, count)]
    return made, random.randint(0, 2, count)


SETTINGS = {'plain': {}, 'some': {'num_words': 20, 'skip_top': 5}, 'short': {'maxlen': 7},
            'dropped': {'num_words': 25, 'oov_char': None}, 'bare': {
                'start_char': None, 'index_from': 0, 'seed': 4},
            'old': {'nb_words': 15}, 'no start': {'start_char': None}}


def run(imdb, reuters, folder):
    """`imdb` and `reuters` are the modules; what they would download is made here."""
    first, second = os.path.join(folder, 'imdb.npz'), os.path.join(folder, 'reuters.npz')
    x, y = texts(1, 12)
    test_x, test_y = texts(2, 6)
    np.savez(first, x_train=x, y_train=y, x_test=test_x, y_test=test_y)
    np.savez(second, x=x, y=y)
    found = {}
    for name, module, path in (('imdb', imdb, first), ('reuters', reuters, second)):
        kept = module.get_file
        module.get_file = lambda *_, path=path, **__: path
        try:
            for case, settings in SETTINGS.items():
                (x, y), (test_x, test_y) = module.load_data(**dict(settings))
                found['%s %s' % (name, case)] = [
                    [list(map(int, one)) for one in x], y,
                    [list(map(int, one)) for one in test_x], test_y, np.random.randint(100)]
        finally:
            module.get_file = kept
    return plain(found)
