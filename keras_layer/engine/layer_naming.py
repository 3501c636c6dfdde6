"""Default names of layers and models: dense, dense_1, lstm, my_layer.

The numbers are in backend/names.py.
"""
from __future__ import annotations

from keras_layer import backend as K
from tinyflow.layers.layer_names import snake_case

__all__ = ['default_name', 'snake_case', 'zero_based']

zero_based = True       # dense, dense_1; False: dense_1, dense_2. keras2/enabling.py sets it.


def default_name(cls, kind=None):
    """The next free name in the graph for an object of that class: after the class, numbered.

    `kind` replaces the name of the class.
    """
    return K.unique_object_name(kind or snake_case(cls.__name__), zero_based)
