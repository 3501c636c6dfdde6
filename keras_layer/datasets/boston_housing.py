"""Prices of houses in Boston: Harrison and Rubinfeld (1978)."""
from __future__ import annotations

import numpy as np

from keras_layer.datasets.safe_pickle import load_npz
from keras_layer.utils.data_utils import get_file
from keras_layer.utils.hdf5 import naming

__all__ = ['load_data']


def load_data(path='boston_housing.npz', test_split=0.2, seed=113):
    """((x_train, y_train), (x_test, y_test)): 13 features and a price for each of 506 houses."""
    path = get_file(
        path, 'https://storage.googleapis.com/tensorflow/tf-keras-datasets/boston_housing.npz',
        file_hash='f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5')
    found = load_npz(path)
    with naming(path, 'its arrays'):
        x, y = found['x'], found['y']
        order = np.arange(len(x))
        np.random.seed(seed)                # as in Keras: later random numbers depend on it
        np.random.shuffle(order)
        x, y = x[order], y[order]
    at = int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])
