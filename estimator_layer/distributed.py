"""A model built once for each replica of a strategy, and put together to one EstimatorSpec."""
from __future__ import annotations

from tinyflow.errors import worded

__all__ = ['distributed_spec']


def distributed_spec(estimator, input_fn, mode, config, strategy):
    raise worded(NotImplementedError('Not yet.'))
