"""smart_cond: a Python `if` for predicates known at graph construction, else tf.cond."""
from __future__ import annotations

from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.control_flow.cond import cond


def smart_constant_value(pred):
    """The bool that `pred` is known to be (a bool, 0, 1 or a constant tensor), or None.

    Shapes: pred [] if it is a tensor. Raises TypeError for anything else.
    """
    if isinstance(pred, Tensor):
        value = constant_value(pred)
        return None if value is None else bool(value)
    if isinstance(pred, bool) or pred in (0, 1):
        return bool(pred)
    raise misuse(TypeError('`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: '
                           f'{pred!r}'))


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """true_fn() or false_fn(): called directly if `pred` is known statically, else tf.cond.

    Shapes: pred [] -> whatever the functions return.
    """
    if hasattr(pred, 'initializer'):                # a Variable: known to a Session only
        known = None
    else:
        known = smart_constant_value(pred)
    if known is not None:
        return true_fn() if known else false_fn()
    return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)


__all__ = ['smart_cond', 'smart_constant_value']
