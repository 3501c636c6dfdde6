"""CIFAR-100: 60000 images, 32x32, in 100 classes and 20 superclasses. Krizhevsky (2009)."""
from __future__ import annotations

import os

from keras_layer.datasets.cifar import as_pictures, load_batch
from keras_layer.utils.data_utils import get_file
from tinyflow.graph.support.errors import misuse

__all__ = ['load_data']


def load_data(label_mode='fine'):
    """((x_train, y_train), (x_test, y_test)): images [50000 and 10000, 32, 32, 3], labels [n, 1].

    `label_mode` is 'fine' for the 100 classes or 'coarse' for the 20 superclasses. Read as
    `cifar10` is. ValueError for another mode.
    """
    if label_mode not in ('fine', 'coarse'):
        raise misuse(ValueError('`label_mode` must be one of `"fine"`, `"coarse"`.'))
    path = get_file(
        'cifar-100-python', 'https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz',
        untar=True, file_hash='85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7')
    train, test = (as_pictures(*load_batch(os.path.join(path, part), f'{label_mode}_labels'))
                   for part in ('train', 'test'))
    return train, test
