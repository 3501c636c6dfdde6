# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from keras_layer.wrappers import scikit_learn

__all__ = [
    'scikit_learn',
]
