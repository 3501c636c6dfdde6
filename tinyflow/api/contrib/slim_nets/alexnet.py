"""AlexNet: slim.nets.alexnet."""
from tinyflow.api.contrib.slim_nets.plain import (
    alexnet_v2,
    alexnet_v2_arg_scope,
)

__all__ = ['alexnet_v2', 'alexnet_v2_arg_scope']
