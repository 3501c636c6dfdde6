"""Dataset transformations that only tf.contrib.data has."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinyflow.data import structure
from tinyflow.data.dataset import Dataset
from tinyflow.data.errors import refused
from tinyflow.data.experimental import get_single_element, group_by_reducer
from tinyflow.data.grouping import Reducer
from tinyflow.data.iterators import one_shot
from tinyflow.data.parsing import make_batched_features_dataset
from tinyflow.data.readers import TFRecordDataset
from tinyflow.data.transformations import Transformation
from tinyflow.ops.array import constants


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """For apply(): batch(batch_size, drop_remainder=True)."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any,
                                    padding_values: Any = None) -> Transformation:
    """For apply(): padded_batch(..., drop_remainder=True)."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values,
                                                drop_remainder=True)


def sliding_window_batch(window_size: Any, stride: Any = None, window_shift: Any = None,
                         window_stride: Any = 1) -> Transformation:
    """For apply(): batches of `window_size` elements, each `window_shift` after the last."""
    if stride is None and window_shift is None:
        window_shift = 1
    elif stride is not None and window_shift is not None:
        raise refused(ValueError('Cannot specify both `stride` and `window_shift`'))
    shift = stride if window_shift is None else window_shift

    def transformation(dataset: Dataset) -> Dataset:
        windows = dataset.window(window_size, shift, window_stride, drop_remainder=True)

        def batched(*parts: Any) -> Dataset:
            spec = dataset.element_spec
            if not structure.is_nested(spec):
                return parts[0].batch(window_size, drop_remainder=True)
            whole = parts[0] if isinstance(spec, Mapping) else parts
            return Dataset.zip(structure.map_leaves(
                lambda part: part.batch(window_size, drop_remainder=True), whole))
        return windows.flat_map(batched)
    return transformation


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """For apply(): the elements, whose components must have `expected_shapes`."""
    def checked(tensor: Any, shape: Any) -> Any:
        return constants.ensure_shape(tensor, shape)

    def transformation(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        wanted = structure.flatten_up_to(spec, expected_shapes)

        def check(element: Any) -> Any:
            return structure.pack_as(spec, [checked(t, shape) for t, shape in
                                            zip(structure.flatten(element), wanted)])
        if isinstance(spec, tuple):
            return dataset.map(lambda *parts: check(structure.pack_as(
                spec, structure.flatten(parts))))
        return dataset.map(check)
    return transformation


def read_batch_features(file_pattern: Any, batch_size: Any, features: Any,
                        reader: Any = TFRecordDataset, reader_args: Any = None,
                        randomize_input: bool = True, num_epochs: Any = None,
                        capacity: Any = 10000) -> Any:
    """The tensors of batches of parsed Examples: a dict from feature to tensor."""
    dataset = make_batched_features_dataset(
        file_pattern, batch_size, features, reader=reader, reader_args=reader_args,
        shuffle=randomize_input, num_epochs=num_epochs, shuffle_buffer_size=capacity)
    return one_shot(dataset).get_next()


def reduce_dataset(dataset: Dataset, reducer: Reducer) -> Any:
    """The tensors of the dataset reduced to one element by `reducer`."""
    def key(*element: Any) -> Any:
        return constants.constant(0, 'int64')
    return get_single_element(dataset.apply(group_by_reducer(key, reducer)))
