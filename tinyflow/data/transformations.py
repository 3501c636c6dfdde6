"""Transformations for Dataset.apply() of a single dataset."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinyflow.data import structure
from tinyflow.data.dataset import Dataset
from tinyflow.data.dataset_seeds import seed_tensors
from tinyflow.data.errors import refused
from tinyflow.data.function_graphs import Function
from tinyflow.data.ops import dataset_ops, function_ops
from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.tensor_spec import TensorSpec

Transformation = Callable[[Dataset], Dataset]


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """For apply(): shuffle(buffer_size, seed) and repeat(count), through one buffer."""
    def transformation(dataset: Dataset) -> Dataset:
        size = convert_to_tensor(buffer_size, dtypes.int64, 'buffer_size')
        times = convert_to_tensor(-1 if count is None else count, dtypes.int64, 'count')
        return dataset._next(dataset_ops.ShuffleAndRepeatDataset, size, *seed_tensors(seed), times)
    return transformation


def map_and_batch(map_func: Callable, batch_size: Any, num_parallel_batches: Any = None,
                  drop_remainder: Any = False, num_parallel_calls: Any = None) -> Transformation:
    """For apply(): map(map_func, num_parallel_calls) and batch(batch_size)."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise refused(ValueError('The `num_parallel_batches` and `num_parallel_calls` arguments '
                                 'are mutually exclusive.'))
    calls = num_parallel_calls
    if calls is None:
        calls = batch_size if num_parallel_batches is None else batch_size * num_parallel_batches

    def transformation(dataset: Dataset) -> Dataset:
        function = Function(map_func, 'map_and_batch()', dataset.element_spec)
        size = convert_to_tensor(batch_size, dtypes.int64, 'batch_size')
        in_parallel = convert_to_tensor(calls, dtypes.int64, 'num_parallel_calls')
        drop = convert_to_tensor(drop_remainder, dtypes.bool, 'drop_remainder')
        spec = structure.batched(function.spec, static_value(size) if static_value(drop) else None)
        return dataset._calling(function_ops.MapAndBatchDataset, function, spec, size, in_parallel,
                                drop)
    return transformation


map_and_batch_with_legacy_function = map_and_batch


def take_while(predicate: Callable) -> Transformation:
    """For apply(): the elements before the first for which predicate(element) is false."""
    def transformation(dataset: Dataset) -> Dataset:
        function = dataset._predicate(predicate, 'take_while()')
        return dataset._calling(function_ops.TakeWhileDataset, function, dataset.element_spec,
                                attribute='predicate')
    return transformation


def unique() -> Transformation:
    """For apply(): the distinct elements; integer or string scalars."""
    def transformation(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or \
                spec.dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise refused(TypeError('`tf.data.experimental.unique()` only supports inputs with a '
                                    'single `tf.int32`, `tf.int64`, or `tf.string` component, not '
                                    f'{spec}.'))
        return dataset._next(dataset_ops.UniqueDataset)
    return transformation


def ignore_errors() -> Transformation:
    """For apply(): the elements without those that raise an error."""
    return lambda dataset: dataset._next(dataset_ops.IgnoreErrorsDataset)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """For apply(): (number, element), counted from `start`."""
    return lambda dataset: dataset.enumerate(start)


def unbatch() -> Transformation:
    """For apply(): the rows of the components of each element."""
    return lambda dataset: dataset.unbatch()


def prefetch_to_device(device: Any, buffer_size: Any = None) -> Transformation:
    """For apply(): prefetch; there is one device."""
    return lambda dataset: dataset.prefetch(buffer_size)


def copy_to_device(target_device: Any, source_device: Any = '/cpu:0') -> Transformation:
    """For apply(): the dataset itself; there is one device."""
    return lambda dataset: dataset
