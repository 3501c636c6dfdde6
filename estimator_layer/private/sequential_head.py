"""tensorflow_estimator.python.estimator.head.sequential_head: a head for each step."""
from __future__ import annotations

from estimator_layer.canned.rnn.sequential_head import (
    SequentialHead as _SequentialHead,
    SequentialHeadWrapper,
    flatten_steps as _flatten_tensor,
)

__all__ = ['SequentialHeadWrapper', '_SequentialHead', '_flatten_tensor']
