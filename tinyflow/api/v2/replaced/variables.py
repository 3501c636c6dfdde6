"""tf.Variable of TensorFlow 2: always a resource variable, with other parameters."""
from __future__ import annotations

from typing import Any

from tinyflow.ops.variables.synchronization import VariableAggregation, VariableSynchronization
from tinyflow.ops.variables.variable import Variable as Variable1
from tinyflow.ops.variables.variable_base import VariableBase

__all__ = ['Variable']


class _Type(type):
    def __instancecheck__(cls, value):
        return isinstance(value, VariableBase)


class Variable(metaclass=_Type):
    """A value that assignments change: ``v = tf.Variable(tf.zeros([784, 10]), name='v')``."""

    def __new__(cls, initial_value=None, trainable=None, validate_shape=True, caching_device=None,
                name=None, variable_def=None, dtype=None, import_scope=None, constraint=None,
                synchronization=VariableSynchronization.AUTO,
                aggregation=VariableAggregation.NONE, shape=None) -> Any:
        return Variable1(
            initial_value, trainable=trainable, validate_shape=validate_shape,
            caching_device=caching_device, name=name, variable_def=variable_def, dtype=dtype,
            import_scope=import_scope, constraint=constraint, use_resource=True,
            synchronization=synchronization, aggregation=aggregation, shape=shape)
