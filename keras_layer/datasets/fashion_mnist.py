"""Fashion-MNIST: 28x28 images of clothes. Xiao et al. (2017)."""
from __future__ import annotations

import gzip

import numpy as np

from keras_layer.utils.data_utils import get_file

__all__ = ['load_data']

_FILES = ('train-labels-idx1-ubyte.gz', 'train-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte.gz',
          't10k-images-idx3-ubyte.gz')


def load_data():
    """((x_train, y_train), (x_test, y_test)): images [60000 and 10000, 28, 28] uint8, labels."""
    base = 'https://storage.googleapis.com/tensorflow/tf-keras-datasets/'
    arrays = []
    for i, name in enumerate(_FILES):
        path = get_file(name, base + name, cache_subdir='datasets/fashion-mnist')
        with gzip.open(path, 'rb') as file:
            offset = 16 if i % 2 else 8
            data = np.frombuffer(file.read(), np.uint8, offset=offset)
        arrays.append(data.reshape(-1, 28, 28) if i % 2 else data)
    return (arrays[1], arrays[0]), (arrays[3], arrays[2])
