"""150 irises of three species: Anderson (1935), Fisher (1936). Included."""
from __future__ import annotations

import numpy as np

from tinyflow.api import data_sets

__all__ = ['load_data']


def load_data():
    """((x_train, y_train), (x_test, y_test)): 4 lengths in cm, float32, and the species, 0 to 2."""
    def part(name):
        x, y = data_sets.load_iris(name)
        return np.asarray(x, 'float32'), np.asarray(y)
    return part('training'), part('test')
