"""OverFeat: slim.nets.overfeat."""
from tinyflow.api.contrib.slim_nets.plain import (
    overfeat,
    overfeat_arg_scope,
)

__all__ = ['overfeat', 'overfeat_arg_scope']
