"""The networks of VGG: slim.nets.vgg."""
from tinyflow.api.contrib.slim_nets.plain import (
    vgg_16,
    vgg_19,
    vgg_a,
    vgg_arg_scope,
)

__all__ = ['vgg_16', 'vgg_19', 'vgg_a', 'vgg_arg_scope']
