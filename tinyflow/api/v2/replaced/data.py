"""tf.data: the sizes of Datasets without a known end."""
from __future__ import annotations

__all__ = ['INFINITE_CARDINALITY', 'UNKNOWN_CARDINALITY']

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2
