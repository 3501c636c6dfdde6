"""Columns of data in memory: arrays by name, checked, and the batches that a graph draws of them.

TensorFlow's input functions fill a queue from a thread. Here a dataset draws the batches: without
a thread there is nothing to start, the order under a seed is always the same, and its position can
be saved with a checkpoint. The arrays stay in Python and are no constants of the graph.
"""
from __future__ import annotations

import numpy as np

from tinyflow.data.dataset import make
from tinyflow.data.iterators import one_shot
from tinyflow.data.ops.arrays import ArrayBatchesDataset
from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import worded
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.random import tf1_node_count as node_counts
from tinyflow.ops.random.random_functions import get_seed

# TF1's nodes of a queue: itself and its closing, size, summary and dequeueing; for each thread
# that fills it two more than columns.
_OF_A_QUEUE = 15

__all__ = ['InputFunction', 'as_column', 'batches', 'check_shuffle']


def check_shuffle(shuffle):
    """Raises ValueError unless `shuffle` was said, True or False."""
    if not isinstance(shuffle, bool):
        raise worded(ValueError(
            'shuffle must be provided and explicitly set as boolean (it is recommended to set it '
            f'as True for training); got {shuffle}'))


def as_column(values, what):
    """An array [rows, ...] of a dtype that tensors have; text becomes bytes."""
    array = np.asarray(values)
    if array.dtype.kind in 'USO':
        return np.array([_text(value, what) for value in array.ravel().tolist()] or [],
                        object).reshape(array.shape)
    try:
        dtypes.as_dtype(array.dtype)
    except TypeError:
        raise worded(TypeError(
            f'{what} has dtype {array.dtype}, which no tensor has.\n  Mend: numbers, for dates '
            "e.g. column.astype('int64'), or text: column.astype(str).")) from None
    return array


def _text(value, what):
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    raise worded(TypeError(
        f'{what} holds {value!r} beside text.\n  Mend: one kind of value in a column: '
        "column.astype(str), or fillna('') for missing texts."))


class InputFunction:
    """An input_fn over columns in memory.

    Called without arguments it gives (features, labels) of the next batch as tensors of the
    default graph. `restore` puts the two together from a list of tensors, one per column.
    """

    def __init__(self, columns, restore, batch_size, epochs, shuffle, threads=1):
        self.columns, self.restore = columns, restore
        self.batch_size, self.epochs, self.shuffle = batch_size, epochs, shuffle
        # So many nodes that the weights of the model get the numbers of TF1 from its seed.
        self._counted = _OF_A_QUEUE + threads * (2 + len(columns))

    def __call__(self):
        with node_counts.standing_for(self._counted):
            return self.restore(list(one_shot(self._rows()).get_next()))

    def dataset(self):
        """The Dataset of (features, labels) that it reads."""
        return self._rows().map(lambda *columns: self.restore(list(columns)))

    def _rows(self):
        return batches(self.columns, self.batch_size, self.epochs, self.shuffle)

    @property
    def __name__(self):
        return 'input_fn'


def batches(columns, batch_size, epochs, shuffle):
    """The dataset of tuples of columns [batch, ...]; the batch's size is known if it never ends."""
    seeds = [int(seed or 0) for seed in get_seed(None)] if shuffle else [0, 0]
    static = batch_size if epochs is None else None
    spec = tuple(TensorSpec([static, *column.shape[1:]], dtypes.as_dtype(column.dtype))
                 for column in columns)
    return make(ArrayBatchesDataset, spec, batch_size=batch_size, shuffle=shuffle, seed=seeds[0],
                seed2=seeds[1], _arrays=list(columns), _epochs=epochs)
