"""tf.grad_pass_through and tf.recompute_grad."""
from __future__ import annotations

import functools

from tinyflow.gradients.registry import custom_gradient


def grad_pass_through(f):
    """A function like `f` whose gradient is that of the identity: dy is passed on unchanged.

    Shapes: f of a tensor [*a] -> [*a]. For straight-through estimators, e.g. of tf.round.
    """
    @custom_gradient
    def passing(*args, **kwargs):
        def gradient(*dy):
            return list(dy) if len(dy) > 1 else dy[0]
        return f(*args, **kwargs), gradient
    return functools.wraps(f)(passing) if hasattr(f, '__name__') else passing


def recompute_grad(f):
    """A function like `f`. TF1 recomputes f for its gradient, to save memory; tinyflow does not.

    The results are the same.
    """
    @functools.wraps(f)
    def computed(*args, **kwargs):
        return f(*args, **kwargs)
    return computed


__all__ = ['grad_pass_through', 'recompute_grad']
