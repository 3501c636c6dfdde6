# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from keras_layer.preprocessing import image, sequence, text

__all__ = [
    'image', 'sequence', 'text',
]
