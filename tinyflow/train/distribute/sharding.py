"""Which part of a dataset a worker reads: some of its files, or a part of each batch."""
from __future__ import annotations

from tinyflow.train.distribute.inputs import rebatch

__all__ = ['of_worker']


def of_worker(dataset, workers, rank, divide=True):
    """The part of worker `rank`: its share of each batch, of the global batch size.

    Options().experimental_distribute.auto_shard = False: every worker reads all of it, for datasets
    that are sharded already; a batch is divided by the number of workers in any case.
    """
    if workers == 1:
        return dataset
    parts = rebatch(dataset, workers) if divide else dataset
    if dataset.options().experimental_distribute.auto_shard is False:
        return parts
    return parts.shard(workers, rank)
