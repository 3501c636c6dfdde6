"""tf.keras.utils."""
from __future__ import annotations

import random

import numpy as np

from tinyflow.api.v2.replaced.random import set_seed

__all__ = ['set_random_seed']


def set_random_seed(seed):
    """Seeds Python's `random`, NumPy and tinyflow."""
    random.seed(seed)
    np.random.seed(seed)
    set_seed(seed)
