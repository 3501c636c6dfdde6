"""Arguments that have a deprecated second name in TensorFlow 1."""
from __future__ import annotations

from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report


def renamed(new_name, new, old_name, old):
    """The value of an argument that has a deprecated second name. ValueError if both are given."""
    if old is None:
        return new
    if new is not None:
        raise misuse(ValueError(f"Cannot specify both '{old_name}' and '{new_name}'"))
    return old


def refusal(kind, problem, inputs=(), hint=None):
    """An exception of class `kind` about an argument, with the user's line and a hint."""
    return misuse(kind(report(problem, inputs=inputs, site=user_site(), hint=hint)))
