"""InputFunction: an input_fn over arrays in memory, read in batches by a dataset.

TensorFlow's input functions fill a queue from a thread. Here a dataset reads the batches: there is
no thread to start, the order for a seed is always the same, and the position can be saved with a
checkpoint. The arrays stay in Python and are not constants of the graph.
"""
from __future__ import annotations

import numpy as np

from tinyflow.data.dataset import make
from tinyflow.data.iterators import one_shot
from tinyflow.data.ops.array_ops import ArrayBatchesDataset
from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.random import tf1_node_count as node_counts
from tinyflow.ops.random.seeds import get_seed

# The nodes of TF1's queue: the queue, close, size, summary and dequeue; and for each thread that
# fills it the number of columns plus two.
_QUEUE_NODES = 15

__all__ = ['InputFunction', 'as_column', 'batches', 'check_shuffle']


def check_shuffle(shuffle):
    """Raises ValueError unless `shuffle` is True or False."""
    if not isinstance(shuffle, bool):
        raise misuse(ValueError(
            'shuffle must be provided and explicitly set as boolean (it is recommended to set it '
            f'as True for training); got {shuffle}'))


def as_column(values, description):
    """An array [rows, ...] with a dtype of tensors; strings become bytes."""
    array = np.asarray(values)
    if array.dtype.kind in 'USO':
        return np.array([_as_bytes(value, description) for value in array.ravel().tolist()] or [],
                        object).reshape(array.shape)
    try:
        dtypes.as_dtype(array.dtype)
    except TypeError:
        raise misuse(TypeError(
            f'{description} has dtype {array.dtype}, which is not a dtype of tensors.\n  '
            "Hint: convert it to numbers (dates: column.astype('int64')) or to text: "
            'column.astype(str).'
        )) from None
    return array


def _as_bytes(value, description):
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    raise misuse(TypeError(
        f'{description} mixes {value!r} with text.\n  Hint: use one type of values in a column: '
        "column.astype(str), or fillna('') for missing texts."))


class InputFunction:
    """An input_fn over columns in memory.

    A call returns (features, labels) of the next batch as tensors of the default graph. `restore`
    builds both from a list of tensors, one per column.
    """

    def __init__(self, columns, restore, batch_size, epochs, shuffle, threads=1):
        self.columns, self.restore = columns, restore
        self.batch_size, self.epochs, self.shuffle = batch_size, epochs, shuffle
        # Counts as many nodes as TF1, so that the same seed gives the same initial weights.
        self._node_count = _QUEUE_NODES + threads * (2 + len(columns))

    def __call__(self):
        with node_counts.counted_as(self._node_count):
            return self.restore(list(one_shot(self._rows()).get_next()))

    def dataset(self):
        """The Dataset of (features, labels)."""
        return self._rows().map(lambda *columns: self.restore(list(columns)))

    def _rows(self):
        return batches(self.columns, self.batch_size, self.epochs, self.shuffle)

    @property
    def __name__(self):
        return 'input_fn'


def batches(columns, batch_size, epochs, shuffle):
    """A dataset of tuples of columns [batch, ...]; the batch size is static if it never ends."""
    seeds = [int(seed or 0) for seed in get_seed(None)] if shuffle else [0, 0]
    static = batch_size if epochs is None else None
    spec = tuple(TensorSpec([static, *column.shape[1:]], dtypes.as_dtype(column.dtype))
                 for column in columns)
    return make(ArrayBatchesDataset, spec, batch_size=batch_size, shuffle=shuffle, seed=seeds[0],
                seed2=seeds[1], _arrays=list(columns), _epochs=epochs)
