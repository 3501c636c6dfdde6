"""clip_gradients_by_global_norm: of pairs of gradients and Variables."""
from __future__ import annotations

from tinyflow.ops.math import clip


def clip_gradients_by_global_norm(gradients_variables, clip_norm=20.0):
    """The pairs, with all gradients scaled so that their common norm is at most `clip_norm`."""
    gradients, variables = zip(*gradients_variables)
    gradients, _ = clip.clip_by_global_norm(gradients, clip_norm)
    return list(zip(gradients, variables))


__all__ = ['clip_gradients_by_global_norm']
