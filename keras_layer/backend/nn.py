"""Dropout, in_top_k, and map and fold over the first axis."""
from __future__ import annotations

import numpy as np

import tinyflow as tf

__all__ = ['dropout', 'foldl', 'foldr', 'in_top_k', 'map_fn']


def dropout(x, level, noise_shape=None, seed=None):
    """Dropout: sets a fraction `level` of x to 0 and scales the rest by 1 / (1 - level)."""
    seed = np.random.randint(10e6) if seed is None else seed
    return tf.nn.dropout(x, rate=level, noise_shape=noise_shape, seed=seed)


def in_top_k(predictions, targets, k):
    """[batch, classes] and integers [batch] -> True where the target is among the k highest."""
    return tf.nn.in_top_k(predictions, targets, k)


def map_fn(fn, elems, name=None, dtype=None):
    """`fn` of each row of `elems`."""
    return tf.map_fn(fn, elems, name=name, dtype=dtype)


def foldl(fn, elems, initializer=None, name=None):
    """fn(fn(fn(initializer, row 0), row 1), ...); it starts with the first row by default."""
    return tf.foldl(fn, elems, initializer=initializer, name=name)


def foldr(fn, elems, initializer=None, name=None):
    """`foldl` from the last row to the first."""
    return tf.foldr(fn, elems, initializer=initializer, name=name)
