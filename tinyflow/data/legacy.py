"""Functions of tf.data for methods and properties of Dataset and Iterator."""
from __future__ import annotations

from typing import Any

from tinyflow.data.dataset import Dataset
from tinyflow.data.errors import refused
from tinyflow.data.iterators import Iterator, initializable, one_shot


def make_one_shot_iterator(dataset: Dataset) -> Iterator:
    """An iterator that needs no initializer and makes one pass."""
    return one_shot(_dataset(dataset))


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Iterator:
    """An iterator whose `initializer` must be run before each pass."""
    return initializable(_dataset(dataset), shared_name)


def _dataset(value: Any) -> Dataset:
    if not isinstance(value, Dataset):
        raise refused(TypeError(f'`dataset` must be a tf.data.Dataset, but got {value!r}.'))
    return value


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The DTypes of the components, in the structure of an element."""
    return _checked(dataset_or_iterator).output_types


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The TensorShapes of the components, in the structure of an element."""
    return _checked(dataset_or_iterator).output_shapes


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the components, in the structure of an element."""
    return _checked(dataset_or_iterator).output_classes


def _checked(value: Any) -> Any:
    if not isinstance(value, (Dataset, Iterator)):
        raise refused(TypeError('`dataset_or_iterator` must be a Dataset or Iterator object, but '
                                f'got {type(value)}.'))
    return value
