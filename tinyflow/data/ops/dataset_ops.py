"""The ops that make datasets from tensors and from other datasets.

A dataset is a tensor of dtype variant: an array of no dimensions that holds a `pipeline.Source`.
The attributes `output_types` and `output_shapes` describe the elements, with one entry per
component. Ops with functions are in function_ops.py, those of files in file_ops.py, iterators in
iterator_ops.py; the public `Dataset` is in tinyflow/data.
"""
from __future__ import annotations

import numpy as np

from tinyflow.data.runtime import (
    batching,
    caching,
    counting,
    grouping,
    prefetch,
    shuffling,
    sources,
)
from tinyflow.data.runtime.base import opened, owned
from tinyflow.graph import dtypes
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure

# The element spec: a DType and a TensorShape per component.
OF_ELEMENTS = {'output_types': REQUIRED, 'output_shapes': REQUIRED}


class DatasetOp(Op, abstract=True):
    """A node that creates a dataset. Two nodes are never merged, even if they are equal."""

    signature = 'input_dataset: variant -> handle: variant'
    attrs = OF_ELEMENTS
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(*inputs):
        return ()


def positive(what, value):
    """ValueError unless a size is positive."""
    if value <= 0:
        raise OpFailure(f'{what} must be greater than zero.', f'it is {value}.')
    return value


# ---- from tensors ----------------------------------------------------------------------

class TensorDataset(DatasetOp):
    """One element: the components."""

    signature = 'components: [Toutput_types] -> handle: variant'
    attrs = {'Toutput_types': (), 'output_shapes': REQUIRED, '_kept': ()}

    def kernel(components, *, _kept):
        return boxed(sources.Once(_own(components, _kept)))


class TensorSliceDataset(DatasetOp):
    """The rows of the components."""

    signature = 'components: [Toutput_types] -> handle: variant'
    attrs = {'Toutput_types': (), 'output_shapes': REQUIRED, '_kept': ()}

    def kernel(components, *, _kept):
        for component in components:
            if not component.ndim:
                raise OpFailure('All components must be at least 1-dimensional',
                                'rows are taken along dimension 0; from_tensors() takes all as '
                                'one element.')
        sizes = [len(c) for c in components]
        if len(set(sizes)) > 1:
            raise OpFailure(f'All components must have the same size in dimension 0: {sizes}',
                            'row i of each component makes element i.')
        return boxed(sources.Slices(_own(components, _kept)))


def _own(components, kept):
    """Copies of arrays that the next run may overwrite; `kept`: positions of constants, feeds."""
    return [c if i in kept else c.copy() for i, c in enumerate(components)]


class SparseTensorSliceDataset(DatasetOp):
    """The rows of a sparse tensor, each as indices, values and shape."""

    signature = 'indices: int64, values: Tvalues, dense_shape: int64 -> handle: variant'
    attrs = {}

    def kernel(indices, values, dense_shape):
        if indices.ndim != 2 or indices.shape != (len(values), len(dense_shape)):
            raise ValueError('indices, values and dense_shape do not form a sparse tensor')
        if len(indices) and (np.diff(indices[:, 0]) < 0).any():
            raise OpFailure('the indices must be in row-major order', 'tf.sparse_reorder(x)')
        bounds = np.searchsorted(indices[:, 0], np.arange(int(dense_shape[0]) + 1))
        return boxed(batching.Listed([
            (indices[i:j, 1:].copy(), values[i:j].copy(), dense_shape[1:].copy())
            for i, j in zip(bounds, bounds[1:])]))


class RangeDataset(DatasetOp):
    """start, start + step, ... before stop."""

    signature = 'start: int64, stop: int64, step: int64 -> handle: variant'
    static = {'start': 0, 'stop': 0, 'step': 0}

    def kernel(start, stop, step):
        if step == 0:
            raise ValueError('step must be a non-zero integer.')
        return boxed(sources.Range(start, stop, step))


class RandomDataset(DatasetOp):
    """An infinite sequence of integers in [0, 2^32)."""

    signature = 'seed: int64, seed2: int64 -> handle: variant'
    static = {'seed': 0, 'seed2': 0}

    def kernel(seed, seed2):
        return boxed(sources.RandomInts(seed, seed2))


# ---- counting ----------------------------------------------------------------------------

class RepeatDataset(DatasetOp):
    """The input `count` times, -1: forever."""

    signature = 'input_dataset: variant, count: int64 -> handle: variant'
    static = {'count': 0}

    def kernel(input_dataset, count):
        return boxed(counting.Repeated(input_dataset.item(), count))


class TakeDataset(DatasetOp):
    """The first `count` elements, -1: all."""

    signature = 'input_dataset: variant, count: int64 -> handle: variant'
    static = {'count': 0}

    def kernel(input_dataset, count):
        return boxed(counting.Taken(input_dataset.item(), count))


class SkipDataset(DatasetOp):
    """All but the first `count` elements, -1: nothing."""

    signature = 'input_dataset: variant, count: int64 -> handle: variant'
    static = {'count': 0}

    def kernel(input_dataset, count):
        return boxed(counting.Skipped(input_dataset.item(), count))


class ShardDataset(DatasetOp):
    """Every `num_shards`-th element, from number `index` on."""

    signature = 'input_dataset: variant, num_shards: int64, index: int64 -> handle: variant'
    attrs = {**OF_ELEMENTS, 'require_non_empty': False}
    static = {'num_shards': 0, 'index': 0}

    def kernel(input_dataset, num_shards, index):
        if num_shards < 1:
            raise ValueError('Number of shards must be greater than zero '
                             f'(currently num_shards = {num_shards}).')
        if not 0 <= index < num_shards:
            raise ValueError(f'Index must be between 0 and {num_shards - 1} '
                             f'(currently index = {index}).')
        return boxed(counting.Shard(input_dataset.item(), num_shards, index))


class ConcatenateDataset(DatasetOp):
    """One dataset after the other."""

    signature = 'input_dataset: variant, another_dataset: variant -> handle: variant'

    def kernel(input_dataset, another_dataset):
        return boxed(counting.Concatenated(input_dataset.item(), another_dataset.item()))


class ZipDataset(DatasetOp):
    """Tuples of elements of several datasets."""

    signature = 'input_datasets: N*variant -> handle: variant'

    def kernel(input_datasets):
        return boxed(counting.Zipped([d.item() for d in input_datasets]))


class DirectedInterleaveDataset(DatasetOp):
    """Elements of several datasets, selected by the indices in another one."""

    signature = ('selector_input_dataset: variant, data_input_datasets: N*variant '
                 '-> handle: variant')

    def kernel(selector_input_dataset, data_input_datasets):
        return boxed(counting.Chosen(selector_input_dataset.item(),
                                     [d.item() for d in data_input_datasets]))


# ---- packing -----------------------------------------------------------------------------

class BatchDatasetV2(DatasetOp):
    """`batch_size` elements at a time, stacked."""

    signature = ('input_dataset: variant, batch_size: int64, drop_remainder: bool '
                 '-> handle: variant')
    attrs = {'parallel_copy': False, **OF_ELEMENTS}
    static = {'batch_size': 0, 'drop_remainder': 0}

    def kernel(input_dataset, batch_size, drop_remainder):
        positive('Batch size', batch_size)
        return boxed(batching.Batched(input_dataset.item(), batch_size, drop_remainder))


class PaddedBatchDatasetV2(DatasetOp):
    """`batch_size` elements at a time, padded to one shape."""

    signature = ('input_dataset: variant, batch_size: int64, padded_shapes: N*int64, '
                 'padding_values: [Toutput_types], drop_remainder: bool -> handle: variant')
    attrs = {'parallel_copy': False, 'Toutput_types': (), 'output_shapes': REQUIRED}
    static = {'batch_size': 0, 'drop_remainder': 0}

    def kernel(input_dataset, batch_size, padded_shapes, padding_values, drop_remainder):
        positive('Batch size', batch_size)
        for value in padding_values:
            if value.ndim:
                raise ValueError('All padding values must be scalars')
        return boxed(batching.PaddedBatched(
            input_dataset.item(), batch_size, [s.tolist() for s in padded_shapes],
            [v.copy() for v in padding_values], drop_remainder))


class UnbatchDataset(DatasetOp):
    """The rows of the components of each element."""

    def kernel(input_dataset):
        return boxed(batching.Unbatched(input_dataset.item()))


class WindowDataset(DatasetOp):
    """Datasets of `size` elements each."""

    signature = ('input_dataset: variant, size: int64, shift: int64, stride: int64, '
                 'drop_remainder: bool -> handle: variant')
    static = {'size': 0, 'shift': 0, 'stride': 0, 'drop_remainder': 0}

    def kernel(input_dataset, size, shift, stride, drop_remainder):
        for what, value in (('Window size', size), ('Window shift', shift),
                            ('Window stride', stride)):
            positive(what, value)
        return boxed(batching.Windows(input_dataset.item(), size, shift, stride, drop_remainder))


# ---- order, memory -----------------------------------------------------------------------

class ShuffleDataset(DatasetOp):
    """Elements drawn at random from a buffer."""

    signature = ('input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64 '
                 '-> handle: variant')
    attrs = {'reshuffle_each_iteration': True, **OF_ELEMENTS}
    static = {'buffer_size': 0, 'seed': 0, 'seed2': 0}

    def kernel(input_dataset, buffer_size, seed, seed2, *, reshuffle_each_iteration):
        positive('buffer_size', buffer_size)
        return boxed(shuffling.Shuffled(input_dataset.item(), buffer_size, seed, seed2,
                                        reshuffle_each_iteration))


class ShuffleAndRepeatDataset(DatasetOp):
    """`count` passes, shuffled through one buffer."""

    signature = ('input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, '
                 'count: int64 -> handle: variant')
    static = {'buffer_size': 0, 'seed': 0, 'seed2': 0, 'count': 0}

    def kernel(input_dataset, buffer_size, seed, seed2, count):
        positive('buffer_size', buffer_size)
        check_count(count)
        return boxed(shuffling.Shuffled(input_dataset.item(), buffer_size, seed, seed2,
                                        count=count))


def check_count(count):
    """ValueError for a count that shuffle_and_repeat does not take."""
    if count != -1 and count <= 0:
        raise ValueError('count must be greater than zero or equal to -1.')


class CacheDataset(DatasetOp):
    """The input, cached in memory (filename '') or in a file."""

    signature = 'input_dataset: variant, filename: string -> handle: variant'

    def kernel(input_dataset, filename, *, output_types):
        source, prefix = input_dataset.item(), filename.item()
        if not prefix:
            return boxed(caching.Cached(source))
        return boxed(caching.CachedOnDisk(source, prefix.decode(), output_types))


class PrefetchDataset(DatasetOp):
    """The input, computed ahead on another thread."""

    signature = 'input_dataset: variant, buffer_size: int64 -> handle: variant'
    attrs = {**OF_ELEMENTS, 'slack_period': 0, 'legacy_autotune': True}
    static = {'buffer_size': 0}

    def kernel(input_dataset, buffer_size):
        if buffer_size < -1:
            raise ValueError('buffer_size must be >= -1 (-1: chosen for you).')
        return boxed(prefetch.Prefetched(input_dataset.item(), buffer_size))


# ---- filtering -------------------------------------------------------------------------

class UniqueDataset(DatasetOp):
    """Distinct scalars."""

    def kernel(input_dataset):
        return boxed(grouping.Distinct(input_dataset.item()))


class IgnoreErrorsDataset(DatasetOp):
    """The input without elements that raise an error."""

    def kernel(input_dataset):
        return boxed(grouping.Forgiving(input_dataset.item()))


# ---- whole datasets ----------------------------------------------------------------------

class DatasetCardinality(Op):
    """The number of elements, -1 for infinite, -2 for unknown."""

    signature = 'input_dataset: variant -> cardinality: int64'
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape(input_dataset):
        return ()

    def kernel(input_dataset):
        return dtypes.int64.np.type(input_dataset.item().cardinality())


class DatasetToSingleElement(Op):
    """The only element of a dataset."""

    signature = 'dataset: variant -> components: [output_types]'
    attrs = OF_ELEMENTS
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape(dataset, *, output_shapes):
        return [s.raw for s in output_shapes]

    def kernel(dataset):
        cursor = opened(dataset.item())
        try:
            for element in cursor:
                for _ in cursor:
                    raise OpFailure('Dataset had more than one element.', 'take(1) first.')
                return components_of(element)
        finally:
            cursor.close()
        raise ValueError('Dataset was empty.')


def components_of(element):
    """The arrays of an element, owned by the caller."""
    return [owned(component) for component in element]
