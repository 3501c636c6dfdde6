"""What tf.contrib.data has beside tf.data.experimental."""
from __future__ import annotations

from typing import Any

from tinyflow.data import structure
from tinyflow.data.dataset import Dataset
from tinyflow.data.experimental import get_single_element, group_by_reducer
from tinyflow.data.grouping import Reducer
from tinyflow.data.interleaving import Transformation
from tinyflow.data.refusal import refused
from tinyflow.ops import constants


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
            whole = parts[0] if isinstance(parts[0], dict) else parts
            return Dataset.zip(structure.map_leaves(
                lambda part: part.batch(window_size, drop_remainder=True), whole))
        return windows.flat_map(batched)
    return transformation


def reduce_dataset(dataset: Dataset, reducer: Reducer) -> Any:
    """The tensors of the one element that `reducer` makes of the whole dataset."""
    def key(*element: Any) -> Any:
        return constants.constant(0, 'int64')
    return get_single_element(dataset.apply(group_by_reducer(key, reducer)))
