"""The argument of Session.set_positions, checked."""
from __future__ import annotations

from typing import Any

from tinyflow.graph.support.errors import misuse

__all__ = ['as_positions']


def as_positions(value: Any) -> dict[str, Any]:
    """Positions by names of operations, of what `positions()` returned or of its first part.

    TypeError for anything else.
    """
    found = value[0] if isinstance(value, tuple) and len(value) == 2 else value
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise misuse(TypeError(
            'set_positions takes what positions() returned, or its first part, a dict by names of '
            f'operations; not {value!r:.60}.'))
    return dict(found)
