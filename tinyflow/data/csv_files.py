"""CsvDataset and make_csv_dataset: elements from CSV files."""
from __future__ import annotations

import csv
import glob
import io
import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tinyflow.data import transformations
from tinyflow.data.dataset import Dataset, DatasetV1Adapter, make
from tinyflow.data.errors import refused
from tinyflow.data.interleaving import parallel_interleave
from tinyflow.data.ops.file_ops import CSVDataset
from tinyflow.data.runtime.files import open_bytes
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.array import constants

_BUFFER = 4 * 1024 * 1024
_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


class CsvDataset(DatasetV1Adapter):
    """One element per record of CSV files: a tuple of scalars, one for each column.

    `record_defaults` has for each selected column a dtype (the field must not be empty) or a value
    that empty fields get. `header`: the first line of each file is skipped. `select_cols` are
    the indices of the columns, increasing. Quotes are as in RFC 4180.
    """

    def __init__(self, filenames: Any, record_defaults: Any, compression_type: Any = None,
                 buffer_size: Any = None, header: Any = False, field_delim: Any = ',',
                 use_quote_delim: Any = True, na_value: Any = '', select_cols: Any = None) -> None:
        names = convert_to_tensor(filenames, dtypes.string, 'filenames')
        compression = convert_to_tensor(compression_type or '', dtypes.string, 'compression_type')
        defaults = default_tensors(record_defaults)
        settings = [convert_to_tensor(value, dtype, name) for value, dtype, name in (
            (buffer_size or _BUFFER, dtypes.int64, 'buffer_size'),
            (header, dtypes.bool, 'header'),
            (field_delim, dtypes.string, 'field_delim'),
            (use_quote_delim, dtypes.bool, 'use_quote_delim'),
            (na_value, dtypes.string, 'na_value'),
            (np.zeros([0], np.int64) if select_cols is None else select_cols, dtypes.int64,
             'select_cols'))]
        spec = tuple([TensorSpec((), d.dtype.base_dtype) for d in defaults])
        made = make(CSVDataset, spec, names, compression, *settings, defaults)
        super().__init__(made._variant_tensor, spec)


def default_tensors(record_defaults: Any) -> list[Tensor]:
    """The defaults as vectors; an empty one for a dtype, whose field is required."""
    tensors = [_required(d) for d in record_defaults]
    return [convert_to_tensor(d, name=f'record_defaults_{i}') for i, d in enumerate(tensors)]


def _required(default: Any) -> Any:
    if isinstance(default, Tensor):
        return default
    if isinstance(default, dtypes.DType) or isinstance(default, type):
        dtype = dtypes.as_dtype(default)
        if dtype not in _TYPES:
            raise refused(TypeError(f'record_defaults: a column cannot be {dtype.name}; it can be '
                                    f'{", ".join(t.name for t in _TYPES)}.'))
        return constants.constant([], dtype)
    return default


# ---- make_csv_dataset --------------------------------------------------------------------

def make_csv_dataset(file_pattern: Any, batch_size: Any, column_names: Any = None,
                     column_defaults: Any = None, label_name: Any = None,
                     select_columns: Any = None, field_delim: str = ',',
                     use_quote_delim: bool = True, na_value: str = '', header: bool = True,
                     num_epochs: Any = None, shuffle: bool = True,
                     shuffle_buffer_size: Any = 10000, shuffle_seed: Any = None,
                     prefetch_buffer_size: Any = None, num_parallel_reads: Any = None,
                     sloppy: bool = False, num_rows_for_inference: Any = 100,
                     compression_type: Any = None, ignore_errors: bool = False) -> Dataset:
    """Batches of the records of CSV files: dicts from column name to a tensor [batch].

    With `label_name`, pairs of (dict of the other columns, that column). Names come from the first
    line of the files and dtypes from the first `num_rows_for_inference` records, unless they are
    given. Without `num_epochs` it repeats forever, and there are only complete batches.
    """
    paths = matching_paths(file_pattern)
    csv_format = _Format(field_delim, use_quote_delim, compression_type or '')
    dataset = Dataset.from_tensor_slices(paths)
    if shuffle:
        dataset = dataset.shuffle(len(paths), shuffle_seed)
    if column_names is None:
        if not header:
            raise refused(ValueError('Cannot infer column names without a header line.\n  Hint: '
                                     'column_names=[...].'))
        column_names = _header(paths, csv_format)
    if len(set(column_names)) != len(column_names):
        raise refused(ValueError(f'Cannot have duplicate column names: {column_names}\n'
                                 f'  in {", ".join(paths[:3])}'))
    selected = None if select_columns is None else _numbers(select_columns, column_names)
    wanted = range(len(column_names)) if selected is None else selected
    if column_defaults is None:
        column_defaults = _inferred(paths, wanted, len(column_names), csv_format, na_value, header,
                                    num_rows_for_inference)
    names = [column_names[i] for i in wanted]
    _check_names(names, column_defaults, label_name)

    defaults = [_required(d) for d in column_defaults]

    def records(filename: Any) -> Dataset:
        made: Dataset = CsvDataset(
            filename, defaults, select_cols=selected, field_delim=field_delim,
            use_quote_delim=use_quote_delim, na_value=na_value, header=header,
            compression_type=compression_type)
        if ignore_errors:
            made = made.apply(transformations.ignore_errors())
        return made

    def named(*columns: Tensor) -> Any:
        features = OrderedDict(zip(names, columns))
        return (features, features.pop(label_name)) if label_name is not None and \
            label_name in features else features

    dataset = dataset.apply(parallel_interleave(records, cycle_length=num_parallel_reads or 1,
                                                sloppy=sloppy))
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size,
                                    shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    return dataset.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)


def shuffled_and_repeated(dataset: Dataset, num_epochs: Any, shuffle: bool, buffer_size: Any,
                          seed: Any) -> Dataset:
    if shuffle and num_epochs != 1:
        return dataset.apply(transformations.shuffle_and_repeat(buffer_size, num_epochs, seed))
    if shuffle:
        return dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def matching_paths(file_pattern: Any) -> list[str]:
    """The files that match one of the patterns, sorted."""
    patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else list(file_pattern)
    if not patterns:
        raise refused(ValueError('File pattern is empty.'))
    texts = [p.decode() if isinstance(p, bytes) else p for p in patterns]
    found = sorted({path for text in texts for path in glob.glob(text)})
    if not found:
        raise refused(ValueError(f'No files match {file_pattern}.\n  Hint: is the working '
                                 'directory the expected one?'))
    return found


class _Format(NamedTuple):
    delimiter: str
    quotes: bool
    compression: str


def _rows(paths: Sequence[str], form: _Format, header: bool) -> Iterator[list[str]]:
    """The records of several files, as Python's csv module reads them."""
    quoting = csv.QUOTE_MINIMAL if form.quotes else csv.QUOTE_NONE
    for path in paths:
        with io.TextIOWrapper(open_bytes(path, form.compression), 'utf-8', newline='') as file:
            rows = csv.reader(file, delimiter=form.delimiter, quoting=quoting)
            try:
                if header:
                    next(rows, None)
                yield from rows
            except (UnicodeDecodeError, csv.Error) as error:
                raise refused(ValueError(f'{path} is no CSV file, or is damaged: {error}')) \
                    from None


def _header(paths: Sequence[str], form: _Format) -> list[str]:
    names: list[str] | None = None
    for path in paths:
        found = next(_rows([path], form, False), None)
        if found is None:
            raise refused(ValueError(f'Received StopIteration when reading the header line of '
                                     f'{path}.  Empty file?'))
        if names is not None and found != names:
            raise refused(ValueError(f'All input CSV files should have the same column names in '
                                     f'the header row. File {path} has different column names.'))
        names = found
    return names or []


def _numbers(select_columns: Sequence[Any], names: Sequence[str]) -> list[int]:
    """The numbers of columns given by name or number, sorted."""
    numbers = []
    for column in select_columns:
        number = column
        if isinstance(column, str):
            if column not in names:
                raise refused(ValueError(f"Value '{column}' is not the name of any column: "
                                         f'{", ".join(names)}.'))
            number = list(names).index(column)
        if not 0 <= number < len(names):
            raise refused(ValueError(f'Column index {number} specified in select_columns out of '
                                     f'valid range, 0 to {len(names) - 1}.'))
        numbers.append(int(number))
    if len(set(numbers)) != len(numbers):
        raise refused(ValueError('select_columns contains duplicate columns: '
                                 f'{list(select_columns)}'))
    return sorted(numbers)


def _check_names(names: Sequence[str], defaults: Sequence[Any], label_name: Any) -> None:
    if len(names) != len(defaults):
        raise refused(ValueError(f'There are {len(names)} columns and {len(defaults)} '
                                 'column_defaults: one is needed for each selected column.'))
    if label_name is not None and label_name not in names:
        raise refused(ValueError('`label_name` provided must be one of the columns. '
                                 f"'{label_name}' is not one of {', '.join(names)}."))


def _inferred(paths: Sequence[str], wanted: Sequence[int], count: int, form: _Format,
              na_value: str, header: bool, limit: Any) -> list[Tensor]:
    """Defaults (0 or '') of the narrowest dtypes that can represent the first records."""
    found: list[int | None] = [None] * len(wanted)
    for number, row in enumerate(_rows(paths, form, header)):
        if limit is not None and number >= limit:
            break
        if len(row) != count:
            raise refused(ValueError('Problem inferring types: CSV row has different number of '
                                     f'fields than expected: {len(row)} instead of {count} in '
                                     f'record {number + 1}.'))
        for i, column in enumerate(wanted):
            if row[column] not in ('', na_value):
                found[i] = max(found[i] or 0, _kind(row[column]))
    kinds = [dtypes.string if kind is None else _KINDS[kind] for kind in found]
    return [constants.constant([b'' if k is dtypes.string else 0], k) for k in kinds]


_KINDS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


def _kind(text: str) -> int:
    """The index in _KINDS of the first dtype that can represent `text`."""
    try:
        value = int(text)
        return 0 if -2**31 <= value < 2**31 else 1 if -2**63 <= value < 2**63 else 2
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return 4
    return 2 if not math.isfinite(number) or abs(number) <= float(np.finfo(np.float32).max) else 3


__all__ = ['CsvDataset', 'make_csv_dataset']
