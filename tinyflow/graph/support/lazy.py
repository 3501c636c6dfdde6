"""Public names whose modules are imported when somebody asks for them.

`import tinyflow` is on the way of every program; most of them use a small part of it.
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
    """The `__getattr__` of a namespace whose `globals()` are given: finds a name in its module.

    A name that the module lacks means the module itself. `missing` is asked for any other
    name. The modules named in `shown` are public; those that an import leaves behind are not.
    """
    def __getattr__(name: str) -> Any:
        module = modules.get(name)
        if module is None:
            return missing(name)
        found = importlib.import_module(module)
        if '__path__' in namespace:             # a package: its modules became its attributes
            hide_modules(namespace, shown)
        # tf.nn.lrn is the function in ops/nn/lrn.py; tf.nn.rnn_cell is a module itself.
        value = namespace[name] = getattr(found, name, found)
        return value
    return __getattr__
