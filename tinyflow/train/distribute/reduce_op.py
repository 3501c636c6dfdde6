"""tf.distribute.ReduceOp: how the values of replicas are reduced."""
from __future__ import annotations

import enum

from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.variable import VariableAggregation

__all__ = ['ReduceOp']


class ReduceOp(enum.Enum):
    """SUM adds the values of all replicas, MEAN divides the sum by their number."""

    SUM = 'SUM'
    MEAN = 'MEAN'

    @staticmethod
    def from_variable_aggregation(aggregation):
        """The ReduceOp for a tf.VariableAggregation. Raises ValueError if there is none."""
        reduce_op = {VariableAggregation.SUM: ReduceOp.SUM,
                     VariableAggregation.MEAN: ReduceOp.MEAN}.get(aggregation)
        if reduce_op is None:
            raise misuse(ValueError('Could not convert from `tf.VariableAggregation` '
                                    f'{aggregation} to`tf.distribute.ReduceOp` type'))
        return reduce_op


def as_reduce_op(value):
    """The ReduceOp for a ReduceOp or its name in any case. Raises ValueError for others."""
    if isinstance(value, ReduceOp):
        return value
    try:
        return ReduceOp(str(value).upper())
    except ValueError:
        raise misuse(ValueError(f'reduce_op must be tf.distribute.ReduceOp.SUM or MEAN, not '
                                f'{value!r}.')) from None
