"""Loads every op there is: modules of ops that few programs use are not loaded with tinyflow."""
from __future__ import annotations

import importlib
import pkgutil

# Packages that declare ops. What lies above this floor is added by name (tinyflow/__init__.py).
OP_PACKAGES = ['tinyflow.ops']


def load_every_op() -> None:
    """Imports all modules that declare ops, for a graph that was read and may hold any of them."""
    for name in OP_PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(getattr(package, '__path__', ()), f'{name}.'):
            importlib.import_module(module.name)
