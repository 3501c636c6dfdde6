"""tf.version."""
from __future__ import annotations

from tinyflow.api.v2.replaced.basics import __version__ as VERSION  # noqa: N812

__all__ = ['VERSION']
