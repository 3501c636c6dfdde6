# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from keras_layer.datasets import (
    boston_housing, california_housing, cifar10, cifar100, digits, fashion_mnist, imdb, iris, mnist,
    reuters,
)

__all__ = [
    'boston_housing', 'california_housing', 'cifar10', 'cifar100', 'digits', 'fashion_mnist',
    'imdb', 'iris', 'mnist', 'reuters',
]
