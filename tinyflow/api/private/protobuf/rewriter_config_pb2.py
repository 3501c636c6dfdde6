"""tensorflow.core.protobuf.rewriter_config_pb2: `graph_options.rewrite_options` of a ConfigProto."""
from __future__ import annotations

from tinyflow.formats.protos.rewriter_config_pb2 import *  # noqa: F403
from tinyflow.session.config import RewriterConfig  # noqa: F401
