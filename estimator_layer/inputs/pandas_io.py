"""tf.estimator.inputs.pandas_input_fn: an input_fn over a DataFrame; pandas is not imported."""
from __future__ import annotations

import numpy as np

from estimator_layer.inputs.columns import InputFunction, as_column, check_shuffle
from tinyflow.graph.support.errors import misuse

__all__ = ['pandas_input_fn']


def pandas_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000,
                    num_threads=1, target_column='target'):
    """An input_fn that returns batches of rows of a DataFrame, a feature per column.

    Args:
      x: a DataFrame.
      y: a Series or a DataFrame with the index of x, or None.
      batch_size, num_epochs, shuffle: as in numpy_input_fn.
      queue_capacity, num_threads: for TensorFlow's queue; ignored.
      target_column: the name of the labels in TensorFlow's queue; x must not have this column.

    Returns a function without arguments that returns ({column: [batch]}, labels [batch]), or
    features if y is None. Raises ValueError if the indices differ or target_column is in x.
    """
    check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise misuse(TypeError('target_column must be a string type'))
    if not (hasattr(x, 'columns') and hasattr(x, 'index')):
        raise misuse(TypeError(
            f'x must be a pandas DataFrame; got {type(x).__name__}\n  Hint: '
            'tf.estimator.inputs.numpy_input_fn takes arrays and dicts of arrays.'))
    names = list(x.columns)
    columns = [as_column(x[name].to_numpy(), f'the column {name!r}') for name in names]
    if y is not None:
        _check_labels(x, y, target_column)
    y_is_frame = y is not None and hasattr(y, 'columns')
    targets = list(y.columns) if y_is_frame else []
    if y_is_frame:
        columns += [as_column(y[name].to_numpy(), f'the label {name!r}') for name in targets]
    elif y is not None:
        columns.append(as_column(y.to_numpy(), 'the labels'))

    def restore(tensors):
        features, rest = dict(zip(names, tensors)), tensors[len(names):]
        if y is None:
            return features
        return features, dict(zip(targets, rest)) if y_is_frame else rest[0]

    return InputFunction(columns, restore, batch_size, num_epochs, shuffle, num_threads)


def _check_labels(x, y, target_column):
    if target_column in x.columns:
        raise misuse(ValueError(
            f'Cannot use name {target_column} for target column: DataFrame already has a column '
            f"with that name: {x.columns}\n  Hint: target_column='another name'."))
    if not np.array_equal(x.index, y.index):
        raise misuse(ValueError(
            f'Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n'
            '  Hint: x.reset_index(drop=True) and y.reset_index(drop=True), if the rows match.'))
