"""Feeds: resolves the keys of feed_dict to tensors and converts the values to arrays."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import _bytes_array
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Tensor
from tinyflow.session import feed_errors


def as_feed_element(graph: Graph, key: Any) -> Tensor:
    """The tensor that a key of feed_dict refers to. TypeError or ValueError if there is none."""
    try:
        element = graph.as_graph_element(key, allow_operation=False)
        if type(key) is str:                        # the name may be inside a branch or a loop
            graph.as_graph_element(element)
        return element
    except (TypeError, ValueError, KeyError) as error:
        raise feed_errors.not_a_tensor(key, error) from None


def flat_keys(keys: Iterable[Any]) -> tuple[list, list | None]:
    """The keys of a feed_dict without nesting, and the keys as they were if some are nests.

    A key that is a tuple is replaced by its items, a SparseTensor or IndexedSlices by its tensors.
    Raises ValueError if a key occurs twice.
    """
    keys = list(keys)
    if all(_parts(key) is None for key in keys):
        return keys, None
    flat = [leaf for key in keys for leaf in _leaves(key)]
    for i, leaf in enumerate(flat):
        if any(leaf is other for other in flat[:i]):
            raise feed_errors.fed_twice(leaf)
    return flat, keys


def _parts(key: Any) -> Sequence | None:
    """The items of a key that is a nest, else None."""
    if isinstance(key, tuple):
        return key
    composite = getattr(key, '_fetch_parts', None)
    return composite()[0] if composite is not None else None


def _leaves(key: Any) -> list:
    parts = _parts(key)
    return [key] if parts is None else [leaf for part in parts for leaf in _leaves(part)]


def flat_values(keys: Iterable[Any], values: Iterable[Any]) -> list:
    """The values for the leaves of `keys`. ValueError where a tuple's value has another length."""
    flat = []
    for key, value in zip(keys, values):
        parts = _parts(key)
        if parts is None:
            flat.append(value)
            continue
        got = len(value) if isinstance(value, (list, tuple)) else 1
        if not isinstance(value, (list, tuple)) or got != len(parts):
            raise feed_errors.wrong_length(key, parts, got)
        flat += flat_values(parts, value)
    return flat


def feed_array(tensor: Tensor, value: Any) -> np.ndarray:
    """`value` as an array of the tensor's dtype; an array that has it already is not copied.

    Other numbers are converted as NumPy converts them, and so lose digits or become infinite, as
    in TF1. Raises TypeError for a Tensor, a complex number for a real one, an int too large for the
    dtype; TypeError or ValueError for a value that is not array-like.
    """
    if isinstance(value, (list, tuple)):
        node = next((item for item in value if _is_node(item)), None)
    else:
        node = value if _is_node(value) else None
    if node is not None:
        raise feed_errors.is_a_node(tensor, value, node)
    if tensor.dtype.base_dtype is dtypes.string:
        return _bytes_array(value)
    _check_int(tensor, value)
    try:
        with np.errstate(all='ignore'):
            return _numbers(value, tensor.dtype.np)
    except (TypeError, ValueError, OverflowError) as error:
        raise feed_errors.no_array(tensor, value, error) from None


def _is_node(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(type(value), '_as_graph_element')


def _check_int(tensor: Tensor, value: Any) -> None:
    """TypeError for a Python int that the dtype cannot hold."""
    if not isinstance(value, int) or isinstance(value, bool):
        return
    dtype = tensor.dtype.np
    if tensor.dtype.is_integer:
        limits = np.iinfo(dtype)
        fits = limits.min <= value <= limits.max
    else:
        fits = dtype.kind != 'b' or value in (0, 1)
    if not fits:
        raise feed_errors.int_too_large(tensor, value)


def _numbers(value: Any, dtype: np.dtype) -> np.ndarray:
    """The array, or NumPy's TypeError or ValueError."""
    array = np.asarray(value)
    if array.dtype.kind == 'O':
        if any(item is None for item in array.flat):
            raise ValueError('None is not a number')       # NumPy would convert it to NaN
        array = np.asarray(value, dtype)
    if array.dtype.kind == 'c' and dtype.kind in 'iuf':
        raise TypeError(f"can't convert complex to {'float' if dtype.kind == 'f' else 'int'}")
    if array.dtype.kind == 'f' and dtype.kind in 'iu' and not isinstance(value, np.ndarray) \
            and not np.isfinite(array).all():
        raise ValueError('cannot convert float NaN or infinity to integer')
    return array if array.dtype == dtype else array.astype(dtype)


def check_feed_shapes(feeds: Iterable[Tensor], arrays: Iterable[np.ndarray]) -> None:
    """Raises ValueError for a fed array that does not have its tensor's shape."""
    for tensor, array in zip(feeds, arrays):
        if not shapes.compatible(tensor.raw_shape, array.shape):
            raise feed_errors.wrong_shape(tensor, array)


__all__ = ['as_feed_element', 'check_feed_shapes', 'feed_array', 'flat_keys', 'flat_values']


def return_as_fed(results: list, values: Iterable[Any], nested: list | None,
                  fed_and_fetched: Iterable[tuple[int, int]]) -> None:
    """Puts strings that are both fed and fetched among the results as they were fed.

    `fed_and_fetched` are pairs (index of the result, index of the feed).
    """
    values = flat_values(nested, values) if nested else list(values)
    for fetch, feed in fed_and_fetched:
        results[fetch] = np.array(values[feed], dtype=object)


def as_feed_dict(feed_dict: Any) -> Any:
    """`feed_dict` if it is a mapping, None if it is empty. Raises TypeError otherwise."""
    if hasattr(feed_dict, 'keys'):
        return feed_dict
    if isinstance(feed_dict, (list, tuple, set)) and not feed_dict:
        return None
    raise feed_errors.not_a_dict(feed_dict)
