"""tf.estimator.inputs.numpy_input_fn: an input_fn over arrays."""
from __future__ import annotations

import numpy as np

from estimator_layer.inputs.columns import InputFunction, as_column, check_shuffle
from tinyflow.graph.support.errors import misuse

__all__ = ['numpy_input_fn']


def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000,
                   num_threads=1):
    """An input_fn that returns batches of rows of arrays.

    Args:
      x: features, an array [rows, ...] or a dict of them.
      y: labels, likewise, or None.
      batch_size: rows of a batch; the last batch may be smaller.
      num_epochs: how often to read all rows (None: without end).
      shuffle: whether each epoch has a new order; required.
      queue_capacity, num_threads: for TensorFlow's queue; ignored.

    Returns a function without arguments that returns (features, labels), or features if y is None.
    Raises ValueError for arrays of unequal length, a key in both x and y, an empty dict, and
    TypeError for values that are not arrays.
    """
    check_shuffle(shuffle)
    features = _named(x, 'x')
    labels = _named(y, 'y') if y is not None else {}
    _check(x, y, features, labels)
    names = sorted(features)
    targets = sorted(labels)
    columns = [as_column(features[name], f'the feature {name!r}') for name in names]
    columns += [as_column(labels[name], 'the labels') for name in targets]

    def restore(tensors):
        features = dict(zip(names, tensors)) if isinstance(x, dict) else tensors[0]
        if y is None:
            return features
        rest = tensors[len(names):]
        return features, dict(zip(targets, rest)) if isinstance(y, dict) else rest[0]

    return InputFunction(columns, restore, batch_size, num_epochs, shuffle, num_threads)


def _named(arrays, what):
    """{name: array} for an array or a dict of arrays."""
    if isinstance(arrays, dict):
        if not arrays:
            raise misuse(ValueError(f'{what} cannot be an empty dict' if what == 'x' else
                                    'y cannot be empty dict, use None instead.'))
        return arrays
    if what == 'x' and not isinstance(arrays, np.ndarray):
        raise misuse(TypeError(f'x must be a dict or array; got {type(arrays).__name__}'))
    if what == 'x' and not arrays.size:
        raise misuse(ValueError('x cannot be an empty array'))
    return {what: arrays}


def _check(x, y, features, labels):
    shared = set(features) & set(labels) if isinstance(x, dict) and isinstance(y, dict) else ()
    if shared:
        raise misuse(ValueError(
            f'{len(shared)} duplicate keys are found in both x and y: {shared}'))
    shapes = {name: np.shape(array) for name, array in features.items()}
    label_shapes = {name: np.shape(array) for name, array in labels.items()}
    for name, shape in [*shapes.items(), *label_shapes.items()]:
        if not shape:
            raise misuse(ValueError(f'{name!r} is a single value: a column has a row per example.'))
    if len({shape[0] for shape in [*shapes.values(), *label_shapes.values()]}) > 1:
        raise misuse(ValueError(
            'Length of tensors in x and y is mismatched. All elements in x and y must have the '
            f'same length.\nShapes in x: {shapes if isinstance(x, dict) else shapes["x"]}\n'
            f'Shapes in y: {label_shapes if isinstance(y, dict) else label_shapes.get("y")}'))
