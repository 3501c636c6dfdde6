"""tensorflow.core.protobuf.config_pb2: the settings of Sessions that `tf` has, and other messages."""
from __future__ import annotations

from tinyflow.formats.protos.config_pb2 import *  # noqa: F403
from tinyflow.session.config import (  # noqa: F401
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)
