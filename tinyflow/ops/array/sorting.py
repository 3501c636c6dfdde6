"""sort and argsort along an axis, built on TopKV2 as in TF1."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import nodes
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, shaping

__all__ = ['argsort', 'sort']


def sort(values, axis=-1, direction='ASCENDING', name=None):
    """values in ascending or descending order along an axis.

    NaN come first in both directions; in TensorFlow 1.15 NaN leave the whole order undefined.
    Shapes: values [*a] -> [*a]. Raises ValueError for another direction, or an axis that is not
    known while the graph is built.
    """
    with name_scope(name, 'sort'):
        return _sorted(values, axis, direction, 0)


def argsort(values, axis=-1, direction='ASCENDING', stable=False, name=None):
    """The indices that would sort values along an axis; equal elements keep their order.

    NaN come first in both directions; in TensorFlow 1.15 NaN leave the whole order undefined.
    Shapes: values [*a] -> [*a] int32. Raises ValueError for another direction, or an axis that is
    not known while the graph is built.
    """
    with name_scope(name, 'argsort'):
        return _sorted(values, axis, direction, 1)


def _sorted(values, axis, direction, output):
    """Output 0 (values) or 1 (indices) of a descending TopKV2, of negated values if ascending."""
    if direction not in ('ASCENDING', 'DESCENDING'):
        raise misuse(ValueError(
            f'Direction should be one of ASCENDING, DESCENDING. Found: {direction}'))
    axis = static_value(convert_to_tensor(axis, name='axis'))
    if not isinstance(axis, int):
        raise misuse(ValueError('axis must be a constant scalar'))
    values = convert_to_tensor(values, name='values')
    if direction == 'DESCENDING':
        return _descending(values, axis, output)
    result = _descending(-values, axis, output)
    return result if output else -result


def _descending(values, axis, output):
    count = constants.shape(values)[axis]
    constants.rank(values)
    rank = None if values.raw_shape is None else len(values.raw_shape)
    if axis == -1 or axis + 1 == rank:
        return nodes.TopKV2(values, count)[output]
    if rank is None:
        raise misuse(ValueError('Sorting along another axis than the last (-1) needs values of '
                                'known rank.'))
    axis = shapes.axis(axis, rank)
    order = np.arange(rank)
    order[[axis, -1]] = order[[-1, axis]]
    exchange = constants.constant(order, name='transposition')
    result = nodes.TopKV2(shaping.transpose(values, exchange), count)[output]
    return shaping.transpose(result, exchange)
