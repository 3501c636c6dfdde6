"""Where the seeds of layers come from that are not given."""
from __future__ import annotations

from collections.abc import Callable

__all__ = ['Seeds', 'layer_seed']


class Seeds:
    """`drawn`, a function, or None for the graph's; keras2/enabling.py sets it."""

    drawn: Callable[[], int] | None = None


def layer_seed(seed):
    """The seed of a layer's random op; None means that of the graph."""
    return Seeds.drawn() if seed is None and Seeds.drawn is not None else seed
