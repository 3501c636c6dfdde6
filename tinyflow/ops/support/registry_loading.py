"""Imports all op modules; those of rarely used ops are not imported with tinyflow."""
from __future__ import annotations

import importlib
import pkgutil

# Packages that declare ops. Packages of higher layers are added in tinyflow/__init__.py.
OP_PACKAGES = ['tinyflow.ops']


def load_every_op() -> None:
    """Imports all modules that declare ops: an imported graph may contain any of them."""
    for name in OP_PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(getattr(package, '__path__', ()), f'{name}.'):
            importlib.import_module(module.name)
