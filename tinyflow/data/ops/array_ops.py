"""The op of a dataset of arrays that stay in Python instead of becoming constants."""
from __future__ import annotations

from tinyflow.data.ops.dataset_ops import OF_ELEMENTS, DatasetOp
from tinyflow.data.runtime.array_batches import ArrayBatches
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import REQUIRED


class ArrayBatchesDataset(DatasetOp):
    """Batches of rows of `_arrays`; its graph runs only in the process that built it."""

    signature = '-> handle: variant'
    attrs = {**OF_ELEMENTS, 'batch_size': REQUIRED, 'shuffle': REQUIRED, 'seed': 0, 'seed2': 0,
             '_arrays': REQUIRED, '_epochs': None}

    def kernel(*, batch_size, shuffle, seed, seed2, _arrays, _epochs):
        return boxed(ArrayBatches(_arrays, batch_size, _epochs, shuffle, (seed, seed2)))
