"""Labels as one-hot rows, and rows of norm 1."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.support.errors import misuse

__all__ = ['normalize', 'to_categorical']


def to_categorical(y, num_classes=None, dtype='float32'):
    """Integer labels [*a] or [*a, 1] as one-hot rows [*a, num_classes].

    A negative label counts from the last class, as an index does in NumPy. ValueError for labels
    that are not integers, IndexError unless they are between -num_classes and num_classes - 1.
    """
    labels = np.array(y, dtype='int')
    if labels.size and not np.array_equal(labels, np.asarray(y)):
        raise misuse(ValueError('to_categorical needs integer labels; these have fractions.'))
    shape = labels.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = tuple(shape[:-1])
    labels = labels.ravel()
    if not num_classes:
        num_classes = int(labels.max()) + 1
    if labels.size and (labels.min() < -num_classes or labels.max() >= num_classes):
        raise misuse(IndexError(
            f'to_categorical(num_classes={num_classes}): the labels go from {labels.min()} to '
            f'{labels.max()}.\n  Hint: labels from 0 to num_classes - 1: y - y.min(), or '
            f'num_classes={labels.max() + 1}.'))
    rows = np.zeros((labels.shape[0], num_classes), dtype=dtype)
    rows[np.arange(labels.shape[0]), labels] = 1
    return rows.reshape(shape + (num_classes,))


def normalize(x, axis=-1, order=2):
    """x divided by its norm along `axis`; zeros stay zeros."""
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)
