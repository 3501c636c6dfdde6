"""Prices of houses in 20640 districts of California: Pace and Barry (1997)."""
from __future__ import annotations

import numpy as np

from keras_layer.datasets.safe_pickle import load_npz
from keras_layer.utils.data_utils import get_file
from keras_layer.utils.hdf5 import naming
from tinyflow.graph.support.errors import misuse

__all__ = ['load_data']


def load_data(version='large', path='california_housing.npz', test_split=0.2, seed=113):
    """((x_train, y_train), (x_test, y_test)): 8 features and a median price for each district.

    `version` 'small' has 600 districts near San Francisco. Not in Keras 2.2: added later.
    """
    if version not in ('large', 'small'):
        raise misuse(ValueError(f"version is 'large' or 'small', not {version!r}."))
    path = get_file(
        path, 'https://storage.googleapis.com/tensorflow/tf-keras-datasets/california_housing.npz',
        file_hash='1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f')
    found = load_npz(path)
    with naming(path, 'its arrays'):
        x, y = found['x'], found['y']
        if version == 'small':
            x, y = x[:600], y[:600]
        order = np.arange(len(x))
        np.random.RandomState(seed).shuffle(order)
        x, y = x[order], y[order]
    at = int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])
