"""tf.data.experimental: transformations for Dataset.apply(), and other functions."""
from __future__ import annotations

from typing import Any

from tinyflow.data import structure
from tinyflow.data.csv_files import CsvDataset, make_csv_dataset
from tinyflow.data.dataset import Dataset, DatasetSpec as DatasetStructure, DatasetV1Adapter
from tinyflow.data.errors import refused
from tinyflow.data.function_graphs import as_values
from tinyflow.data.grouping import (
    Reducer,
    bucket_by_sequence_length,
    group_by_reducer,
    group_by_window,
)
from tinyflow.data.interleaving import (
    RandomDataset,
    choose_from_datasets,
    parallel_interleave,
    sample_from_datasets,
)
from tinyflow.data.iterator_saveable import make_saveable_from_iterator
from tinyflow.data.ops import dataset_ops, file_ops
from tinyflow.data.options import (
    DistributeOptions,
    MapVectorizationOptions,
    OptimizationOptions,
    StatsOptions,
    ThreadingOptions,
)
from tinyflow.data.parsing import make_batched_features_dataset, parse_example_dataset
from tinyflow.data.resampling import rejection_resample
from tinyflow.data.scan import scan
from tinyflow.data.structure import SparseTensorSpec
from tinyflow.data.transformations import (
    copy_to_device,
    enumerate_dataset,
    ignore_errors,
    map_and_batch,
    map_and_batch_with_legacy_function,
    prefetch_to_device,
    shuffle_and_repeat,
    take_while,
    unbatch,
    unique,
)
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import MissingNameError, explain_missing as _explain_missing
from tinyflow.graph.tensor_spec import TensorSpec

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:   # noqa: N802
    """start, start + step, start + 2 step, ... without end."""
    with name_scope('counter'):
        first = convert_to_tensor(start, dtype, 'start')
        by = convert_to_tensor(step, dtype, 'step')
        return Dataset.from_tensors(0).repeat(None).apply(
            scan(first, lambda state, _: (state + by, state)))


def get_single_element(dataset: Dataset) -> Any:
    """The tensors of a dataset's only element; InvalidArgumentError unless there is exactly one."""
    if not isinstance(dataset, Dataset):
        raise refused(TypeError('`dataset` must be a `tf.data.Dataset` object.'))
    outputs = dataset_ops.DatasetToSingleElement.apply(dataset._variant_tensor,
                                                       **structure.of_elements(dataset.element_spec))
    return as_values(dataset.element_spec, outputs)


def cardinality(dataset: Dataset) -> Any:
    """The number of elements as an int64 scalar; -1 is infinite, -2 unknown."""
    return dataset_ops.DatasetCardinality.apply(dataset._variant_tensor)


def get_structure(dataset_or_iterator: Any) -> Any:
    """The specs of the components, in the structure of an element."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise refused(TypeError('`dataset_or_iterator` must be a Dataset or Iterator object, but '
                                f'got {type(dataset_or_iterator)}.')) from None


def TensorStructure(dtype: Any, shape: Any) -> TensorSpec:      # noqa: N802 (TF's name)
    """The spec of a component that is a tensor."""
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: Any, shape: Any) -> Any:       # noqa: N802 (TF's name)
    """The spec of a component that is a SparseTensor."""
    return SparseTensorSpec(shape, dtype)


def to_variant(dataset: Dataset) -> Any:
    """The variant tensor of a dataset."""
    return dataset._variant_tensor


def from_variant(variant: Any, structure: Any) -> Dataset:      # noqa: A002
    """The dataset of a variant tensor from to_variant, with elements of that structure."""
    return DatasetV1Adapter(variant, structure)


class TFRecordWriter:
    """Writes a dataset of strings to a TFRecord file."""

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename = convert_to_tensor(filename, dtypes.string, 'filename')
        self._compression_type = convert_to_tensor(compression_type or '', dtypes.string,
                                                   'compression_type')

    def write(self, dataset: Dataset) -> Any:
        """An Operation that writes all elements, scalars of dtype string."""
        if not isinstance(dataset, Dataset):
            raise refused(TypeError('`dataset` must be a `tf.data.Dataset` object.'))
        spec = dataset.element_spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.string
                and spec.shape.raw in ((), None)):
            raise refused(TypeError(
                '`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape '
                f'{dataset.output_shapes} and types {dataset.output_types}.\n  Hint: '
                'map(tf.io.serialize_tensor), or tf.train.Example(...).SerializeToString() as '
                'elements.'))
        return file_ops.DatasetToTFRecord.apply(dataset._variant_tensor, self._filename,
                                                self._compression_type)


__all__ = [
    'AUTOTUNE', 'Counter', 'CsvDataset', 'DatasetStructure', 'DistributeOptions',
    'INFINITE_CARDINALITY', 'MapVectorizationOptions', 'OptimizationOptions', 'RandomDataset',
    'Reducer', 'SparseTensorStructure', 'StatsOptions', 'TFRecordWriter', 'TensorStructure',
    'ThreadingOptions', 'UNKNOWN_CARDINALITY', 'bucket_by_sequence_length', 'cardinality',
    'choose_from_datasets', 'copy_to_device', 'enumerate_dataset', 'from_variant',
    'get_single_element', 'get_structure', 'group_by_reducer', 'group_by_window',
    'ignore_errors', 'make_batched_features_dataset', 'make_csv_dataset',
    'make_saveable_from_iterator', 'map_and_batch', 'map_and_batch_with_legacy_function',
    'parallel_interleave', 'parse_example_dataset', 'prefetch_to_device', 'rejection_resample',
    'sample_from_datasets', 'scan', 'shuffle_and_repeat', 'take_while', 'to_variant', 'unbatch',
    'unique',
]

# Names of TensorFlow 1.15 that tinyflow does not implement, with their replacements.
_LEFT_OUT = {
    'CheckpointInputPipelineHook': 'make_saveable_from_iterator puts an iterator into the '
                                   'checkpoints of a Saver',
    'Optional': 'tf.errors.OutOfRangeError marks the end of a dataset',
    'OptionalStructure': 'tf.errors.OutOfRangeError marks the end of a dataset',
    'SqlDataset': 'tf.data.Dataset.from_generator over a cursor of sqlite3',
    'StatsAggregator': 'sess.profile(element) shows what takes the time',
    'bytes_produced_stats': 'sess.profile(element) shows what takes the time',
    'dense_to_sparse_batch': 'padded_batch; or map to a SparseTensor, and batch',
    'get_next_as_optional': 'get_next, and tf.errors.OutOfRangeError at the end',
    'latency_stats': 'sess.profile(element) shows what takes the time',
}
_missing = _explain_missing(__name__, __all__)


def __getattr__(name: str) -> Any:
    if name in _LEFT_OUT:
        raise misuse(MissingNameError(f'tf.data.experimental.{name} is not part of tinyflow; '
                                      f'instead: {_LEFT_OUT[name]}.'))
    return _missing(name)


def __dir__() -> list[str]:
    return __all__
