"""The whole vocabulary. Modules of ops that few programs use are not loaded with tinyflow."""
from __future__ import annotations

import importlib
import pkgutil


def load_every_op() -> None:
    """Imports all modules of ops, for a graph that was read and may hold any of them."""
    package = importlib.import_module('tinyflow.ops')
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f'tinyflow.ops.{module.name}')
