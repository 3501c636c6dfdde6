"""Where the modules of Keras 2 look for a name that they have not: see private_names.py."""
from __future__ import annotations

from importlib import import_module

from tinyflow.graph.support.missing import explain_missing


def or_private(namespace, names):
    """A module's `__getattr__`: private names of Keras 2, then the explanation of a missing one."""
    missing = explain_missing(namespace, names)

    def find(name):
        if not name.startswith('__'):
            found = getattr(import_module('keras_layer.keras2.private_names'), name, None)
            if found is not None:
                return found
        return missing(name)
    return find
