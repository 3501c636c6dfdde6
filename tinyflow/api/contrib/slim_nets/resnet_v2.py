"""Residual networks, version 2: slim.nets.resnet_v2."""
from tinyflow.api.contrib.slim_nets.resnet_utils import resnet_arg_scope
from tinyflow.api.contrib.slim_nets.resnets import (
    bottleneck_v2 as bottleneck,
    resnet_v2,
    resnet_v2_50,
    resnet_v2_101,
    resnet_v2_152,
    resnet_v2_200,
    resnet_v2_block,
)

__all__ = ['resnet_arg_scope', 'bottleneck', 'resnet_v2', 'resnet_v2_101', 'resnet_v2_152',
           'resnet_v2_200', 'resnet_v2_50', 'resnet_v2_block']
