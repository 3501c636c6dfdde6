"""Arguments that have a deprecated second name in TensorFlow 1."""
from __future__ import annotations

from tinyflow.errors import worded


def renamed(new_name, new, old_name, old):
    """The value of an argument that has a deprecated second name. ValueError if both are given."""
    if old is None:
        return new
    if new is not None:
        raise worded(ValueError(f"Cannot specify both '{old_name}' and '{new_name}'"))
    return old
