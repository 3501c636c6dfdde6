"""smart_case: tf.case that evaluates known conditions while the graph is built."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse
from tinyflow.ops.control_flow.case import case
from tinyflow.ops.control_flow.smart_cond import smart_constant_value


def smart_case(pred_fn_pairs, default=None, exclusive=False, name='smart_case'):
    """The result of the function of the first true condition, else of `default`; see tf.case.

    Shapes: each condition [] bool, or a Python bool. A known condition creates no node.
    ValueError unless it is a list of pairs.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if any(not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs):
        raise misuse(TypeError('Each entry in pred_fn_pairs must be a 2-tuple (condition, '
                               'function).'))
    open_pairs = []
    for condition, function in pairs:
        known = smart_constant_value(condition)
        if known:
            if not open_pairs:
                return function()
            return case(open_pairs, default=function, exclusive=exclusive, name=name)
        if known is None:
            open_pairs.append((condition, function))
    if open_pairs:
        return case(open_pairs, default=default, exclusive=exclusive, name=name)
    if default is None:
        raise misuse(ValueError('smart_case: no condition is true, and there is no default.'))
    return default()


__all__ = ['smart_case']
