"""VariableSynchronization and VariableAggregation: Variables on several replicas."""
from __future__ import annotations

import enum

__all__ = ['VariableAggregation', 'VariableSynchronization']


class VariableSynchronization(enum.Enum):
    """When copies of a Variable on several workers are synchronized."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How copies of a Variable on several workers are aggregated to one value."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3
