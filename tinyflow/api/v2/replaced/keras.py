"""tf.keras: its version."""
from __future__ import annotations

__all__ = ['__version__']

__version__ = '2.15.0'
