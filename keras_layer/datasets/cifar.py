"""Shared reader of CIFAR-10 and CIFAR-100: Krizhevsky (2009)."""
from __future__ import annotations

import numpy as np

from keras_layer import backend as K
from keras_layer.datasets.safe_pickle import load_pickle
from keras_layer.utils.hdf5 import naming

__all__ = ['as_pictures', 'load_batch']


def load_batch(fpath, label_key='labels'):
    """(images [n, 3, 32, 32] uint8, labels [n]) of a file.

    ValueError or DataLossError if it is anything else.
    """
    with open(fpath, 'rb') as file:
        with naming(fpath, 'its pickle'):
            found = load_pickle(file, encoding='bytes')
            data = np.asarray(found[b'data']).view(np.ndarray)
            return data.reshape(len(data), 3, 32, 32), found[label_key.encode()]


def as_pictures(x, y):
    """(images [n, 32, 32, 3] unless channels are first, labels [n, 1])."""
    if K.image_data_format() == 'channels_last':
        x = x.transpose(0, 2, 3, 1)
    return x, np.reshape(y, (len(y), 1))
