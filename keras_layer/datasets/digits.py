"""1797 handwritten digits of 8x8 pixels: Alpaydin and Kaynak (1998). Included."""
from __future__ import annotations

import numpy as np

from tinyflow.api import data_sets

__all__ = ['load_data']


def load_data(test_split=0.2, seed=113):
    """((x_train, y_train), (x_test, y_test)): images [*, 8, 8] from 0 to 16, labels 0 to 9."""
    x, y = data_sets.load_digits()
    order = np.random.RandomState(seed).permutation(len(x))
    x, y = np.asarray(x).reshape(-1, 8, 8)[order], np.asarray(y)[order]
    at = int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])
