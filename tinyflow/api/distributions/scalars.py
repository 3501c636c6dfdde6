"""What distributions of one number share: the batch has the broadcast shape of the parameters."""
from __future__ import annotations

from tinyflow.api.distributions.distribution import Distribution
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.ops.array import constants, shape_ops


class ScalarDistribution(Distribution):
    """Base of distributions whose events are single numbers."""

    _shaping: tuple[str, ...] = ()      # the parameters that give the batch its shape

    @classmethod
    def _param_shapes(cls, sample_shape):
        return dict.fromkeys(cls._shaping, convert_to_tensor(sample_shape, dtypes.int32))

    def _batch_shape_tensor(self):
        shape, *others = [shape_ops.shape(getattr(self, name)) for name in self._shaping]
        for other in others:
            shape = shape_ops.broadcast_dynamic_shape(shape, other)
        return shape

    def _batch_shape(self):
        shape, *others = [getattr(self, name).shape for name in self._shaping]
        for other in others:
            shape = shape_ops.broadcast_static_shape(shape, other)
        return shape

    def _event_shape_tensor(self):
        return constants.constant([], dtypes.int32)

    def _event_shape(self):
        return TensorShape([])


__all__ = ['ScalarDistribution']
