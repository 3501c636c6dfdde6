"""Records the networks of TF 1.15's keras.applications (Python 3.7).

python tests/golden/keras/record_applications.py
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.keras import utils  # noqa: E402

from tests.golden.keras import application_cases as cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402


def files():
    """For each network, with and without its top, the weight file's name and where it is."""
    asked = []

    def get_file(name, origin, **more):
        asked.append([name, origin])
        raise OSError('not downloaded')
    original, utils.get_file = utils.get_file, get_file
    for network in sorted({network for network, _ in cases.CASES.values()}):
        for top in (True, False):
            tf.keras.backend.clear_session()
            try:
                getattr(tf.keras.applications, network)(include_top=top)
            except OSError:
                pass
    utils.get_file = original
    names = sorted({network for network, _ in cases.CASES.values()})
    return {f'{name} {top}': asked[2 * i + (top == 'notop')]
            for i, name in enumerate(names) for top in ('top', 'notop')}


def preprocessing():
    """For each module what it makes of a pixel."""
    found = {}
    for name in dir(tf.keras.applications):
        module = getattr(tf.keras.applications, name)
        if hasattr(module, 'preprocess_input'):
            found[name] = module.preprocess_input(np.array(cases.PIXEL)).tolist()
    return found


def main():
    found = {'networks': {}, 'layers': {}, 'files': files(), 'preprocessing': preprocessing()}
    for case in cases.CASES:
        tf.keras.backend.clear_session()
        model = cases.make(tf.keras.applications, case)
        found['networks'][case] = cases.describe(model)
        if case in cases.IN_FULL:
            found['layers'][case] = cases.layers(model)
    write_recorded('keras.applications', found, sort_keys=True)
    print(len(found['networks']), 'networks')


if __name__ == '__main__':
    main()
