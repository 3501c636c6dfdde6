"""numpy_input_fn: features and labels in arrays."""
from __future__ import annotations

import numpy as np

from estimator_layer.inputs.columns import InputFunction, as_column, check_shuffle
from tinyflow.graph.support.errors import worded

__all__ = ['numpy_input_fn']


def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000,
                   num_threads=1):
    """An input_fn that gives batches of rows of arrays.

    Args:
      x: features, an array [rows, ...] or a dict of them.
      y: labels, likewise, or None.
      batch_size: rows of a batch; the last one may have fewer.
      num_epochs: how often all rows are given (None: without end).
      shuffle: True gives each epoch another order; it must be said.
      queue_capacity, num_threads: of TensorFlow's queue; taken and not needed.

    Returns a function of no arguments; it gives (features, labels), or only features without y.
    Raises ValueError for arrays of unequal length, a key in both x and y, an empty dict, and
    TypeError for what is no array.
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
        found = dict(zip(names, tensors)) if isinstance(x, dict) else tensors[0]
        if y is None:
            return found
        rest = tensors[len(names):]
        return found, dict(zip(targets, rest)) if isinstance(y, dict) else rest[0]

    return InputFunction(columns, restore, batch_size, num_epochs, shuffle, num_threads)


def _named(given, what):
    """{name: array} of an array or a dict of arrays."""
    if isinstance(given, dict):
        if not given:
            raise worded(ValueError(f'{what} cannot be an empty dict' if what == 'x' else
                                    'y cannot be empty dict, use None instead.'))
        return given
    if what == 'x' and not isinstance(given, np.ndarray):
        raise worded(TypeError(f'x must be a dict or array; got {type(given).__name__}'))
    return {what: given}


def _check(x, y, features, labels):
    shared = set(features) & set(labels) if isinstance(x, dict) and isinstance(y, dict) else ()
    if shared:
        raise worded(ValueError(
            f'{len(shared)} duplicate keys are found in both x and y: {shared}'))
    shapes = {name: np.shape(array) for name, array in features.items()}
    of_labels = {name: np.shape(array) for name, array in labels.items()}
    for name, shape in [*shapes.items(), *of_labels.items()]:
        if not shape:
            raise worded(ValueError(f'{name!r} is a single value: a column has a row per example.'))
    if len({shape[0] for shape in [*shapes.values(), *of_labels.values()]}) > 1:
        raise worded(ValueError(
            'Length of tensors in x and y is mismatched. All elements in x and y must have the '
            f'same length.\nShapes in x: {shapes if isinstance(x, dict) else shapes["x"]}\n'
            f'Shapes in y: {of_labels if isinstance(y, dict) else of_labels.get("y")}'))
