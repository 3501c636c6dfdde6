"""tf.contrib.learn.datasets.base: CSV files as arrays."""
from __future__ import annotations

import csv
from collections import namedtuple

import numpy as np

from tinyflow.api import data_sets
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.filesystem import GFile
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['Dataset', 'Datasets', 'load_csv_with_header', 'load_csv_without_header', 'load_iris']

Dataset = namedtuple('Dataset', ['data', 'target'])
Datasets = namedtuple('Datasets', ['train', 'validation', 'test'])


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """A Dataset of a file whose first line contains the number of rows and features.

    Shapes: -> data [rows, features] of features_dtype, target [rows] of target_dtype.
    ValueError for another first line or if the number of rows or features differs from it.
    """
    header, *rows = _rows(filename)
    try:
        count, width = int(header[0]), int(header[1])
    except (ValueError, IndexError):
        raise misuse(ValueError(
            f'{filename}: the first line must begin with the numbers of rows and of features, as '
            f'in 120,4,setosa,versicolor,virginica; it is {",".join(header)!r}\n  Hint: '
            'use load_csv_without_header, if there is no header line.')) from None
    found = _dataset(filename, rows, target_dtype, features_dtype, target_column, first_line=2)
    if found.data.shape != (count, width):
        raise misuse(ValueError(
            f'{filename}: the first line declares {count} rows of {width} features and a '
            f'target; there are {found.data.shape[0]} of {found.data.shape[1]}.'))
    return found


def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
    """A Dataset of a file of rows of numbers.

    Shapes: -> data [rows, features] of features_dtype, target [rows] of target_dtype.
    ValueError for a row that is not numeric, or longer or shorter than the others.
    """
    return _dataset(filename, _rows(filename), target_dtype, features_dtype, target_column)


def load_iris(data_path=None):
    """The iris flowers as a Dataset: data float64 [150, 4], target int64 [150]."""
    if data_path is not None:
        return load_csv_with_header(data_path, np.int64, np.float64)
    measures, kinds = data_sets.load_iris()
    rounded = np.round(measures.astype(np.float64), 1)      # the table has one decimal
    return Dataset(data=rounded, target=kinds)


def _rows(filename):
    with GFile(filename) as file:
        rows = [row for row in csv.reader(file.read().splitlines()) if row]
    if not rows:
        raise misuse(ValueError(f'{filename} is empty.'))
    return rows


def _dataset(filename, rows, target_dtype, features_dtype, target_column, first_line=1):
    data, target, width = [], [], len(rows[0]) if rows else 0
    for line, row in enumerate(rows, first_line):
        if len(row) != width:
            raise misuse(ValueError(f'{filename}, line {line}: {len(row)} columns, where the '
                                    f'first row has {width}.'))
        try:
            target.append(np.asarray(row.pop(target_column)).astype(target_dtype))
            data.append(np.asarray(row).astype(features_dtype))
        except (ValueError, IndexError) as error:
            raise misuse(ValueError(f'{filename}, line {line}: {error}')) from None
    return Dataset(data=np.array(data, features_dtype), target=np.array(target, target_dtype))


__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
