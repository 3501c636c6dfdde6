"""tensorflow.python.data: its Dataset by the names that it has there."""
from __future__ import annotations

from tinyflow.data import Dataset as DatasetV1, Dataset as DatasetV1Adapter

__all__ = ['DatasetV1', 'DatasetV1Adapter', 'get_legacy_output_shapes', 'get_legacy_output_types']


def get_legacy_output_shapes(dataset_or_iterator):
    """The shapes of the elements, nested as these are."""
    return dataset_or_iterator.output_shapes


def get_legacy_output_types(dataset_or_iterator):
    """The dtypes of the elements, nested as these are."""
    return dataset_or_iterator.output_types
