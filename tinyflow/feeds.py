"""What is fed: which tensor a key means, and the array that a value becomes (PAINS A5, A16)."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tinyflow.errors import report, worded
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Tensor


def as_feed_element(graph: Graph, key: Any) -> Tensor:
    """The tensor that a key of feed_dict means. TypeError or ValueError if it means none."""
    composite = getattr(key, '_fetch_parts', None)
    if composite is not None:
        raise worded(TypeError(f'feeding a {type(key).__name__} is not possible; feed its parts.'))
    try:
        return graph.as_graph_element(key, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        reason = error.args[0] if error.args else str(error)
        mend = ''
        if isinstance(key, str) and ':' not in key:
            mend = f"\n  Mend: '{key}:0' is the tensor, '{key}' the operation."
        raise worded(TypeError(f'Cannot interpret feed_dict key as Tensor: {reason}{mend}')
                     ) from None


def feed_array(tensor: Tensor, value: Any) -> np.ndarray:
    """`value` as an array of the tensor's dtype; one that has it already is used as it is.

    Other numbers are converted as NumPy converts them, and so lose digits, as in TF1. Raises
    TypeError for a Tensor, or an int too large for the dtype; ValueError for what is no array.
    """
    if isinstance(value, Tensor):
        raise worded(TypeError(report(
            'The value of a feed cannot be a tf.Tensor object. Acceptable feed values include '
            'Python scalars, strings, lists and NumPy arrays.',
            inputs=[('fed to', tensor), ('the value', value)],
            mend='sess.run(value) first and feed the result; or build the model on that tensor '
                 'instead of the placeholder.')))
    dtype = tensor.dtype.np
    if tensor.dtype.base_dtype is dtypes.string:
        return _strings(value)
    if isinstance(value, int) and not isinstance(value, bool) and tensor.dtype.is_integer:
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise worded(TypeError(f'Type of feed value {value} with type {type(value)} is not '
                                   f'compatible with Tensor type {dtype}. Try explicitly setting '
                                   'the type of the feed tensor to a larger type (e.g. int64).'))
    try:
        array = np.asarray(value)
        if array.dtype.kind == 'O':
            if any(item is None for item in array.flat):
                raise ValueError('None is no number')       # NumPy would make NaN of it
            array = np.asarray(value, dtype)
        return array if array.dtype == dtype else array.astype(dtype)
    except (TypeError, ValueError) as error:
        raise worded(ValueError(report(
            f"The value fed to '{tensor.name}' cannot become an array of {tensor.dtype.name}: "
            f'{error}', inputs=[('fed to', tensor)], mend=_mend_for_value(value)))) from None


def _strings(value: Any) -> np.ndarray:
    from tinyflow.graph.convert import _bytes_array
    array = np.asarray(value)
    return _bytes_array(array.astype(object) if array.dtype.kind in 'SU' else value)


def _mend_for_value(value: Any) -> str:
    if value is None:
        return 'the value is None: was it computed by a function that forgot its return?'
    if isinstance(value, (list, tuple)):
        return 'give all rows the same length (pad the shorter ones), and numbers only.'
    return 'feed numbers, or nested lists or arrays of them.'


def check_feed_shapes(feeds: Iterable[Tensor], arrays: Iterable[np.ndarray]) -> None:
    """Raises ValueError for a fed array that does not have its tensor's shape."""
    for tensor, array in zip(feeds, arrays):
        if not shapes.compatible(tensor.raw_shape, array.shape):
            raise worded(ValueError(report(
                f'Cannot feed value of shape {array.shape} for Tensor {tensor.name!r}, which has '
                f"shape '{tensor.shape}'", inputs=[('fed to', tensor)],
                mend=_mend_for_shape(tensor.raw_shape, array.shape))))


def _mend_for_shape(wanted: shapes.Shape, got: tuple) -> str:
    """The reshape, added axis or transposition that would make `got` fit."""
    wanted = wanted or ()
    example = '(' + ', '.join('-1' if d is None else str(d) for d in wanted) + ')'
    if len(got) + 1 == len(wanted):
        for axis in range(len(wanted)):
            if shapes.compatible(wanted, got[:axis] + (1,) + got[axis:]):
                what = 'a batch of one' if axis == 0 else 'a column'
                return f'np.expand_dims(value, {axis}) makes it {what}.'
    if len(got) == 2 and shapes.compatible(wanted, got[::-1]):
        return 'value.T has the right shape; rows and columns may be exchanged.'
    unknown = [d for d in wanted if d is None]
    size, known = int(np.prod(got)), 1
    for d in wanted:
        known *= d or 1
    if len(unknown) <= 1 and size and (size % known == 0 if unknown else size == known):
        return f'value.reshape{example}.'
    return f'the value must have shape {shapes.text(wanted)}; see where it is made.'


__all__ = ['as_feed_element', 'check_feed_shapes', 'feed_array']
