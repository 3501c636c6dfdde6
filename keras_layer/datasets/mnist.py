"""28x28 handwritten digits: LeCun, Cortes and Burges (1998)."""
from __future__ import annotations

from keras_layer.datasets.safe_pickle import load_npz
from keras_layer.utils.data_utils import get_file
from keras_layer.utils.hdf5 import naming

__all__ = ['load_data']


def load_data(path='mnist.npz'):
    """((x_train, y_train), (x_test, y_test)): images [60000 and 10000, 28, 28] uint8, labels.

    From Keras' cache, or downloaded; without a network, the OSError names the path for the file.
    """
    path = get_file(path, 'https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz',
                    file_hash='731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1')
    f = load_npz(path)
    with naming(path, 'its arrays'):
        return (f['x_train'], f['y_train']), (f['x_test'], f['y_test'])
