"""tf.contrib.learn.datasets: MNIST, read from its files."""
from collections import namedtuple

from tinyflow.absent import AbsentError as _AbsentError, absent as _absent
from tinyflow.errors import worded as _worded
from tinyflow.examples.tutorials.mnist import input_data as mnist

Dataset = namedtuple('Dataset', ['data', 'target'])
Datasets = namedtuple('Datasets', ['train', 'validation', 'test'])

__all__ = ['Dataset', 'Datasets', 'mnist']
_missing = _absent(__name__, __all__)


def __getattr__(name):
    if name in ('load_iris', 'load_boston', 'load_dataset'):
        raise _worded(_AbsentError(
            f'tf.contrib.learn.datasets.{name}: tinyflow brings no copy of these tables; '
            'sklearn.datasets has them, tf.data_sets what tinyflow has.'))
    return _missing(name)


def __dir__():
    return __all__
