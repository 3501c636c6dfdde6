"""MobileNet 1: slim.nets.mobilenet_v1."""
from tinyflow.api.contrib.slim_nets.mobilenets import (
    mobilenet_v1,
    mobilenet_v1_025,
    mobilenet_v1_050,
    mobilenet_v1_075,
    mobilenet_v1_arg_scope,
    mobilenet_v1_base,
)

__all__ = ['mobilenet_v1', 'mobilenet_v1_025', 'mobilenet_v1_050', 'mobilenet_v1_075',
           'mobilenet_v1_arg_scope', 'mobilenet_v1_base']
