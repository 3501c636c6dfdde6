"""Datasets of files: TextLineDataset, TFRecordDataset, FixedLengthRecordDataset."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinyflow.data.dataset import Dataset, DatasetV1Adapter, make
from tinyflow.data.errors import refused
from tinyflow.data.interleaving import parallel_interleave
from tinyflow.data.ops import file_ops
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.array import shaping

_BUFFER = 256 * 1024
_STRING = TensorSpec((), dtypes.string)


class _FilesDataset(DatasetV1Adapter):
    """A dataset over file names: strings, a tensor of them, or a dataset of them."""

    def _read(self, filenames: Any, read_one: Callable, num_parallel_reads: Any) -> None:
        names = _names_dataset(filenames)
        if num_parallel_reads is None:
            made = names.flat_map(read_one)
        else:
            made = names.apply(parallel_interleave(
                read_one, cycle_length=num_parallel_reads, block_length=1, sloppy=False,
                prefetch_input_elements=1))
        super().__init__(made._variant_tensor, made.element_spec, [names], made._functions)


def _names_dataset(filenames: Any) -> Dataset:
    if isinstance(filenames, Dataset):
        spec = filenames.element_spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.string
                and spec.shape.raw in ((), None)):
            raise refused(TypeError('`filenames` must be a `tf.data.Dataset` of scalar `tf.string` '
                                    f'elements, not of {spec}.'))
        return filenames
    names = convert_to_tensor(filenames, dtypes.string)
    return Dataset.from_tensor_slices(shaping.reshape(names, [-1], name='flat_filenames'))


def _optional(value: Any, default: Any, dtype: Any, name: str) -> Any:
    return convert_to_tensor(default if value is None else value, dtype, name)


class TextLineDataset(_FilesDataset):
    """The lines of text files, without line ends.

    `compression_type` is '' (none), 'GZIP' or 'ZLIB'; `num_parallel_reads` files are read in turn.
    """

    def __init__(self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
                 num_parallel_reads: Any = None) -> None:
        def read_one(filename: Any) -> Dataset:
            return make(file_ops.TextLineDataset, _STRING, filename,
                        _optional(compression_type, '', dtypes.string, 'compression_type'),
                        _optional(buffer_size, _BUFFER, dtypes.int64, 'buffer_size'))
        self._read(filenames, read_one, num_parallel_reads)


class TFRecordDataset(_FilesDataset):
    """The records of TFRecord files, as strings.

    `compression_type` is '' (none), 'GZIP' or 'ZLIB'; `num_parallel_reads` files are read in turn.
    """

    def __init__(self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
                 num_parallel_reads: Any = None) -> None:
        def read_one(filename: Any) -> Dataset:
            return make(file_ops.TFRecordDataset, _STRING, filename,
                        _optional(compression_type, '', dtypes.string, 'compression_type'),
                        _optional(buffer_size, _BUFFER, dtypes.int64, 'buffer_size'))
        self._read(filenames, read_one, num_parallel_reads)


class FixedLengthRecordDataset(_FilesDataset):
    """Records of `record_bytes` bytes, between a header and a footer that are skipped."""

    def __init__(self, filenames: Any, record_bytes: Any, header_bytes: Any = None,
                 footer_bytes: Any = None, buffer_size: Any = None, compression_type: Any = None,
                 num_parallel_reads: Any = None) -> None:
        def read_one(filename: Any) -> Dataset:
            return make(file_ops.FixedLengthRecordDatasetV2, _STRING, filename,
                        _optional(header_bytes, 0, dtypes.int64, 'header_bytes'),
                        _optional(record_bytes, 0, dtypes.int64, 'record_bytes'),
                        _optional(footer_bytes, 0, dtypes.int64, 'footer_bytes'),
                        _optional(buffer_size, _BUFFER, dtypes.int64, 'buffer_size'),
                        _optional(compression_type, '', dtypes.string, 'compression_type'))
        self._read(filenames, read_one, num_parallel_reads)
