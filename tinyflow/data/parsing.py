"""Datasets of parsed tf.train.Examples."""
from __future__ import annotations

from typing import Any

from tinyflow.data import structure
from tinyflow.data.csv_files import matching_paths, shuffled_and_repeated
from tinyflow.data.dataset import Dataset
from tinyflow.data.errors import refused
from tinyflow.data.interleaving import parallel_interleave
from tinyflow.data.readers import TFRecordDataset
from tinyflow.data.transformations import Transformation
from tinyflow.graph import dtypes
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.files.example_parsing import parse_example


def parse_example_dataset(features: Any, num_parallel_calls: Any = 1) -> Transformation:
    """For apply() to batches of serialized Examples: a dict from feature to tensor.

    Shapes: elements [batch] of strings; `features` are as in tf.parse_example.
    """
    if features is None:
        raise refused(ValueError('Missing features.'))

    def transformation(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.string
                and spec.shape.ndims in (1, None)):
            raise refused(TypeError('Input dataset should be a dataset of vectors of strings, not '
                                    f'{spec}.\n  Hint: batch() first.'))
        return dataset.map(lambda batch: parse_example(batch, features), num_parallel_calls)
    return transformation


def make_batched_features_dataset(file_pattern: Any, batch_size: Any, features: Any,
                                  reader: Any = TFRecordDataset, label_key: Any = None,
                                  reader_args: Any = None, num_epochs: Any = None,
                                  shuffle: bool = True, shuffle_buffer_size: Any = 10000,
                                  shuffle_seed: Any = None, prefetch_buffer_size: Any = None,
                                  reader_num_threads: Any = None, parser_num_threads: Any = None,
                                  sloppy_ordering: bool = False,
                                  drop_final_batch: bool = False) -> Dataset:
    """Batches of the Examples in files: dicts from feature to tensor.

    With `label_key`, pairs of (dict of the other features, that feature). Without `num_epochs` it
    repeats forever, and there are only complete batches.
    """
    paths = matching_paths(file_pattern)
    dataset = Dataset.from_tensor_slices(paths)
    if shuffle:
        dataset = dataset.shuffle(len(paths), shuffle_seed)
    more = list(reader_args or [])
    dataset = dataset.apply(parallel_interleave(
        lambda path: reader(path, *more), cycle_length=reader_num_threads or 1,
        sloppy=sloppy_ordering))
    if structure.flat_types(dataset.element_spec) == (dtypes.string, dtypes.string):
        dataset = dataset.map(lambda _, value: value)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size,
                                    shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key:
        if label_key not in features:
            raise refused(ValueError(f"The `label_key` provided ('{label_key}') must be one of the "
                                     f'`features` keys: {", ".join(features)}.'))
        dataset = dataset.map(lambda example: (example, example.pop(label_key)))
    return dataset.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)
