"""CIFAR-10: 60000 images, 32x32, in ten classes. Krizhevsky (2009)."""
from __future__ import annotations

import os

import numpy as np

from keras_layer.datasets.cifar import as_pictures, load_batch
from keras_layer.utils.data_utils import get_file

__all__ = ['load_data']


def load_data():
    """((x_train, y_train), (x_test, y_test)): images [50000 and 10000, 32, 32, 3], labels [n, 1].

    uint8. From the folder cifar-10-batches-py in Keras' cache, or downloaded. Its files are
    pickles; they are read as plain arrays, and run nothing.
    """
    path = get_file(
        'cifar-10-batches-py', 'https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz',
        untar=True, file_hash='6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce')
    parts = [load_batch(os.path.join(path, f'data_batch_{i}')) for i in range(1, 6)]
    train = as_pictures(np.concatenate([x for x, _ in parts]),
                        np.concatenate([np.array(y, 'uint8') for _, y in parts]))
    x, y = load_batch(os.path.join(path, 'test_batch'))
    return train, as_pictures(x, np.array(y, 'uint8'))
