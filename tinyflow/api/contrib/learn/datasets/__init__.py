"""tf.contrib.learn.datasets: MNIST and iris, and tables in CSV files."""
from tinyflow.api.contrib.learn.datasets import base
from tinyflow.api.contrib.learn.datasets.base import Dataset, Datasets, load_iris
from tinyflow.api.examples.tutorials.mnist import input_data as mnist
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import (
    MissingNameError as _MissingNameError,
    explain_missing as _explain_missing,
)

__all__ = ['Dataset', 'Datasets', 'base', 'load_dataset', 'load_iris', 'mnist']
_missing = _explain_missing(__name__, __all__)


def load_dataset(name, size='small', test_with_fake_data=False):
    """The data set 'mnist' (parts train, validation and test) or 'iris'.

    MNIST is read from the files in MNIST-data; missing ones are replaced by the digits
    included in tinyflow. ValueError for another name.
    """
    if name == 'mnist':
        return mnist.read_data_sets('MNIST-data')
    if name == 'iris':
        return load_iris()
    raise _misuse(ValueError(f"Name of dataset is not found: {name}; there are 'iris' and 'mnist'."
                             '\n  Hint: sklearn.datasets has other tables; '
                             'base.load_csv_with_header reads your own file.'))


def __getattr__(name):
    if name == 'load_boston':
        raise _misuse(_MissingNameError(
            'tf.contrib.learn.datasets.load_boston: tinyflow does not include this data set. '
            'tf.keras.datasets.boston_housing reads it from a file; base.load_csv_with_header '
            'reads your own file.'))
    return _missing(name)


def __dir__():
    return __all__
