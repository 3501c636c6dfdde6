"""Lazy imports: public names whose modules are imported on first access.

They keep `import tinyflow` fast; most programs use a small part of it.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from tinyflow.graph.support.missing import hide_modules


def names_of(table: dict[str, str]) -> dict[str, str]:
    """{'module': 'name other'} turned into {'name': 'module', 'other': 'module'}."""
    return {name: module for module, names in table.items() for name in names.split()}


def importing(namespace: dict[str, Any], modules: dict[str, str],
              missing: Callable[[str], Any], shown: tuple[str, ...] = ()) -> Callable[[str], Any]:
    """Returns a module-level `__getattr__` for `namespace`, the `globals()` of a module.

    It imports the module of a name and returns the attribute, or the module if it has no such
    attribute. Other names are passed to `missing`. Submodules named in `shown` are public;
    others, which an import leaves behind, are hidden.
    """
    def __getattr__(name: str) -> Any:
        module = modules.get(name)
        if module is None:
            return missing(name)
        imported = importlib.import_module(module)
        if '__path__' in namespace:             # a package: its modules became its attributes
            hide_modules(namespace, shown)
        # tf.nn.lrn is the function in ops/nn/lrn.py; tf.nn.rnn_cell is a module itself.
        value = namespace[name] = getattr(imported, name, imported)
        return value
    return __getattr__
