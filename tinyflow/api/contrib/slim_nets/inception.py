"""Inception 1, 2 and 3: slim.nets.inception."""
from tinyflow.api.contrib.slim_nets.inceptions import (
    inception_v1,
    inception_v1_arg_scope,
    inception_v1_base,
    inception_v2,
    inception_v2_arg_scope,
    inception_v2_base,
    inception_v3,
    inception_v3_arg_scope,
    inception_v3_base,
)

__all__ = ['inception_v1', 'inception_v1_arg_scope', 'inception_v1_base', 'inception_v2',
           'inception_v2_arg_scope', 'inception_v2_base', 'inception_v3',
           'inception_v3_arg_scope', 'inception_v3_base']
