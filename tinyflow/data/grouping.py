"""Transformations by a key: group_by_window, bucket_by_sequence_length, group_by_reducer."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinyflow.data import structure
from tinyflow.data.dataset import Dataset, DatasetSpec, make
from tinyflow.data.errors import refused
from tinyflow.data.function_graphs import Function
from tinyflow.data.ops import function_ops
from tinyflow.data.reduce import carried, types_of
from tinyflow.data.transformations import Transformation
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.array import constants, indexing
from tinyflow.ops.checks import value_checks
from tinyflow.ops.math import logic, reduction

_KEY = TensorSpec((), dtypes.int64)


def _key_function(dataset: Dataset, key_func: Callable) -> Function:
    function = Function(key_func, 'key_func', dataset.element_spec)
    if function.spec != _KEY:
        raise refused(TypeError(
            '`key_func` must return a single tf.int64 scalar tensor. Got '
            f'{function.spec}.\n  Hint: tf.cast(key, tf.int64), and a scalar.'))
    return function


def group_by_window(key_func: Callable, reduce_func: Callable, window_size: Any = None,
                    window_size_func: Callable | None = None) -> Transformation:
    """For apply(): elements of equal key, `window_size` at a time, reduced to a dataset.

    key_func(element) is an int64 scalar; reduce_func(key, dataset of the window) gives the dataset
    whose elements come out; windows may also be of window_size_func(key) elements.
    """
    if (window_size is not None) == (window_size_func is not None):
        raise refused(ValueError('Must pass either window_size or window_size_func, and not both.'))

    def size_of(key: Any) -> Any:
        if window_size_func is None:
            return convert_to_tensor(window_size, dtypes.int64)
        return window_size_func(key)

    def transformation(dataset: Dataset) -> Dataset:
        key = _key_function(dataset, key_func)
        reduce = Function(reduce_func, 'reduce_func', _KEY, DatasetSpec(dataset.element_spec),
                          unpack=False)
        if not isinstance(reduce.spec, DatasetSpec):
            raise refused(TypeError('`reduce_func` must return a `Dataset` object, e.g. '
                                    f'dataset.batch(n), but it returns {reduce.result!r}.'))
        size = Function(size_of, 'window_size_func', _KEY)
        if size.spec != _KEY:
            raise refused(TypeError('`window_size_func` must return a single tf.int64 scalar '
                                    f'tensor. Got {size.spec}.'))
        return make(
            function_ops.GroupByWindowDataset, reduce.spec.element_spec, dataset._variant_tensor,
            key.captured, reduce.captured, size.captured, inputs=[dataset],
            functions=[key, reduce, size], key_func=key.graph, reduce_func=reduce.graph,
            window_size_func=size.graph, Tkey_func_other_arguments=types_of(key.captured),
            Treduce_func_other_arguments=types_of(reduce.captured),
            Twindow_size_func_other_arguments=types_of(size.captured))
    return transformation


class Reducer:
    """A state per key: init_func(key), reduce_func(state, element), finalize_func(state)."""

    def __init__(self, init_func: Callable, reduce_func: Callable,
                 finalize_func: Callable) -> None:
        self._functions = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable:
        return self._functions[0]

    @property
    def reduce_func(self) -> Callable:
        return self._functions[1]

    @property
    def finalize_func(self) -> Callable:
        return self._functions[2]


def group_by_reducer(key_func: Callable, reducer: Reducer) -> Transformation:
    """For apply(): one element per key, after a pass over the whole dataset.

    key_func(element) is an int64 scalar; the element is the result of `reducer` for the
    elements of that key, in order of the keys.
    """
    def transformation(dataset: Dataset) -> Dataset:
        key = _key_function(dataset, key_func)
        init = Function(reducer.init_func, 'init_func', _KEY)
        reduce = carried(reducer.reduce_func, 'reduce_func', init.spec, dataset.element_spec,
                         lambda spec: spec)
        final = Function(reducer.finalize_func, 'finalize_func',
                         structure.relaxed(init.spec, reduce.spec))
        return make(
            function_ops.GroupByReducerDataset, final.spec, dataset._variant_tensor, key.captured,
            init.captured, reduce.captured, final.captured, inputs=[dataset],
            functions=[key, init, reduce, final], key_func=key.graph, init_func=init.graph,
            reduce_func=reduce.graph, finalize_func=final.graph,
            Tkey_func_other_arguments=types_of(key.captured),
            Tinit_func_other_arguments=types_of(init.captured),
            Treduce_func_other_arguments=types_of(reduce.captured),
            Tfinalize_func_other_arguments=types_of(final.captured))
    return transformation


def bucket_by_sequence_length(element_length_func: Callable, bucket_boundaries: Sequence[int],
                              bucket_batch_sizes: Sequence[int], padded_shapes: Any = None,
                              padding_values: Any = None, pad_to_bucket_boundary: bool = False,
                              no_padding: bool = False,
                              drop_remainder: bool = False) -> Transformation:
    """For apply(): batches of elements of similar length, padded to the longest of the batch.

    element_length_func(element) is an int32 scalar; bucket i takes lengths from boundary i-1 up to
    (but without) boundary i, and has batches of bucket_batch_sizes[i].
    """
    with name_scope('bucket_by_seq_length'):
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise refused(ValueError('len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1'
                                     f', but they are {len(bucket_batch_sizes)} and '
                                     f'{len(bucket_boundaries)}.'))
        sizes = constants.constant(bucket_batch_sizes, dtypes.int64)

    limits = np.iinfo(np.int32)
    low = np.array([limits.min, *bucket_boundaries], np.int32)
    high = np.array([*bucket_boundaries, limits.max], np.int32)

    def bucket_of(*element: Any) -> Any:
        length = element_length_func(*element)
        inside = logic.logical_and(logic.less_equal(low, length), logic.less(length, high))
        return reduction.reduce_min(indexing.where(inside))

    def batches_of(bucket: Any, dataset: Dataset) -> Dataset:
        size = sizes[bucket]
        if no_padding:
            return dataset.batch(size, drop_remainder=drop_remainder)
        filler = _boundary(bucket, bucket_boundaries) if pad_to_bucket_boundary else None
        wanted = padded_shapes or dataset.output_shapes
        spec = dataset.element_spec
        filled = structure.pack_as(spec, [_filled(s, filler) for s in
                                          structure.flatten_up_to(spec, wanted)])
        return dataset.padded_batch(size, filled, padding_values, drop_remainder=drop_remainder)

    return group_by_window(bucket_of, batches_of, window_size_func=lambda bucket: sizes[bucket])


def _boundary(bucket: Any, bucket_boundaries: Sequence[int]) -> Any:
    """The largest length that belongs to a bucket."""
    last = constants.constant(len(bucket_boundaries), dtypes.int64)
    check = value_checks.assert_less(
        bucket, last, message='When pad_to_bucket_boundary=True, elements must have length < '
                              'max(bucket_boundaries).')
    with control_dependencies([check]):
        return constants.constant(bucket_boundaries, dtypes.int64)[bucket] - 1


def _filled(shape: Any, filler: Any) -> Any:
    raw = shapes.as_shape(shape).raw
    if filler is None or raw is None or None not in raw:
        return shape
    return convert_to_tensor([filler if n is None else constants.constant(n, dtypes.int64)
                              for n in raw], dtypes.int64)
