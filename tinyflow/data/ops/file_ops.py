"""The ops of datasets that read and write files: lines, records, CSV."""
from __future__ import annotations

import os

from tinyflow.data.ops.dataset_ops import OF_ELEMENTS, DatasetOp
from tinyflow.data.runtime import csv, files
from tinyflow.data.runtime.base import opened
from tinyflow.formats.wire.records import RecordWriter
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op


def _paths(filenames):
    """File names as text. ValueError unless they are a scalar or a vector."""
    if filenames.ndim > 1:
        raise ValueError('`filenames` must be a scalar or a vector.')
    return [os.fsdecode(name) for name in filenames.reshape(-1).tolist()]


class TextLineDataset(DatasetOp):
    """The lines of text files."""

    signature = ('filenames: string, compression_type: string, buffer_size: int64 '
                 '-> handle: variant')
    attrs = {}
    static = {'buffer_size': 0}

    def kernel(filenames, compression_type, buffer_size):
        return boxed(files.Lines(_paths(filenames), compression_type.item().decode(),
                                 buffer_size))


class TFRecordDataset(DatasetOp):
    """The records of TFRecord files."""

    signature = ('filenames: string, compression_type: string, buffer_size: int64 '
                 '-> handle: variant')
    attrs = {}
    static = {'buffer_size': 0}

    def kernel(filenames, compression_type, buffer_size):
        return boxed(files.Records(_paths(filenames), compression_type.item().decode(),
                                   buffer_size))


class FixedLengthRecordDatasetV2(DatasetOp):
    """Records of one length."""

    signature = ('filenames: string, header_bytes: int64, record_bytes: int64, '
                 'footer_bytes: int64, buffer_size: int64, compression_type: string '
                 '-> handle: variant')
    attrs = {}
    static = {'header_bytes': 0, 'record_bytes': 0, 'footer_bytes': 0, 'buffer_size': 0}

    def kernel(filenames, header_bytes, record_bytes, footer_bytes, buffer_size,
               compression_type):
        if header_bytes < 0 or footer_bytes < 0:
            raise ValueError('`header_bytes` and `footer_bytes` must be >= 0')
        if record_bytes <= 0:
            raise ValueError('`record_bytes` must be > 0')
        return boxed(files.Pieces(_paths(filenames), header_bytes, record_bytes, footer_bytes,
                                  buffer_size, compression_type.item().decode()))


class CSVDataset(DatasetOp):
    """The records of CSV files."""

    signature = ('filenames: string, compression_type: string, buffer_size: int64, header: bool, '
                 'field_delim: string, use_quote_delim: bool, na_value: string, '
                 'select_cols: int64, record_defaults: [output_types] -> handle: variant')
    attrs = OF_ELEMENTS
    static = {'buffer_size': 0, 'header': 0, 'use_quote_delim': 0}

    def kernel(filenames, compression_type, buffer_size, header, field_delim, use_quote_delim,
               na_value, select_cols, record_defaults, *, output_types):
        select = select_cols.tolist()
        if any(b <= a for a, b in zip(select, select[1:])):
            raise ValueError('select_cols should be strictly increasing indices')
        if any(i < 0 for i in select):
            raise ValueError('select_cols should be non-negative indices')
        if select and len(select) != len(output_types):
            raise ValueError('select_cols should match output size')
        return boxed(csv.CommaSeparated(
            _paths(filenames), compression_type.item().decode(), buffer_size, header,
            field_delim.item(), use_quote_delim, na_value.item(), select, output_types,
            [_default(d) for d in record_defaults]))


def _default(value):
    """A column's default without dimensions; None for an empty one: the field is required."""
    if value.ndim > 1 or value.size > 1:
        raise ValueError('Each record default should be at most rank 1 with at most one value')
    return value.reshape(()).copy() if value.size else None


class DatasetToTFRecord(Op):
    """Writes the elements, one string each, to a TFRecord file."""

    signature = 'input_dataset: variant, filename: string, compression_type: string ->'
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape(input_dataset, filename, compression_type):
        return ()

    def kernel(input_dataset, filename, compression_type):
        cursor = opened(input_dataset.item())
        writer = RecordWriter(os.fsdecode(filename.item()), compression_type.item().decode())
        try:
            for (record,) in cursor:
                writer.write(record.item())
        finally:
            writer.close()
            cursor.close()
        return ()
