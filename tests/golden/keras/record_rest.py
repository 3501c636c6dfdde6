"""Records images, callbacks and texts of TF 1.15's keras: (Python 3.7, with Pillow and pandas)

    python tests/golden/keras/record_rest.py [images] [callback_texts] [words] [optimizers]
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402
from tensorflow.python.keras.datasets import imdb, reuters  # noqa: E402

from tests.golden.keras import (  # noqa: E402
    callback_cases, dataset_cases, image_cases, optimizer_cases,
)
from tests.golden.store import write_recorded  # noqa: E402


def record(family):
    with tempfile.TemporaryDirectory() as folder:
        if family == 'images':
            return image_cases.run(tf.keras, folder)
        if family == 'callback_texts':
            return callback_cases.run(tf, folder)
        if family == 'optimizers':
            return optimizer_cases.run(tf)
        return dataset_cases.run(imdb, reuters, folder)


if __name__ == '__main__':
    for family in sys.argv[1:] or ('images', 'callback_texts', 'words', 'optimizers'):
        write_recorded('keras.' + family, record(family), sort_keys=True)
