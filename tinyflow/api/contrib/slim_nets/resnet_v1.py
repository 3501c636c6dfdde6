"""Residual networks, version 1: slim.nets.resnet_v1."""
from tinyflow.api.contrib.slim_nets.resnet_utils import resnet_arg_scope
from tinyflow.api.contrib.slim_nets.resnets import (
    bottleneck_v1 as bottleneck,
    resnet_v1,
    resnet_v1_50,
    resnet_v1_101,
    resnet_v1_152,
    resnet_v1_200,
    resnet_v1_block,
)

__all__ = ['resnet_arg_scope', 'bottleneck', 'resnet_v1', 'resnet_v1_101', 'resnet_v1_152',
           'resnet_v1_200', 'resnet_v1_50', 'resnet_v1_block']
