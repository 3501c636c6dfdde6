"""tf.case: runs the function of the first true predicate, as a chain of tf.cond."""
from __future__ import annotations

import functools

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, shaping
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.math import logic, reduction

__all__ = ['case']


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'):
    """What the function of the first true predicate returns: a chain of tf.cond.

    `pred_fn_pairs` is a list of pairs (bool scalar, function) or a dict of them. `default` is
    called if none is true; without it that is a run-time error. With `exclusive` it is an error if
    several are true.

    Shapes: predicates [] (bool) -> the structure that the functions return.

    Raises TypeError for pairs of the wrong kind, ValueError if branches return
    different structures or dtypes.
    """
    pairs = _pairs(pred_fn_pairs)
    with name_scope(name, 'case', [p for p, _ in pairs]):
        predicates = [p for p, _ in pairs]
        if default is None:
            default, pairs = _asserted_default(pairs)
        chain = default
        for predicate, function in reversed(pairs):
            chain = functools.partial(cond, predicate, function, chain, strict=strict)
        if not exclusive:
            return chain()
        with get_default_graph().control_dependencies([
                _assert_at_most(predicates, 1, 'Input error: exclusive=True')]):
            return chain()


def _assert_at_most(predicates, count, problem):
    """An Assert that no more than `count` of the predicates are true."""
    together = shaping.stack(predicates, name='preds_c')
    true = reduction.reduce_sum(constants.cast(together, dtypes.int32), name='num_true_conds')
    names = ', '.join(p.name for p in predicates)
    return assertions.Assert(
        logic.less_equal(true, constants.constant(count, name='n_true_conds')),
        [f'{problem}: more than {count} conditions ({names}) evaluated as True:', together],
        summarize=len(predicates))


def _asserted_default(pairs):
    """(a default that runs the last pair's function if its predicate is true, the other pairs)."""
    *others, (predicate, function) = pairs
    predicates = [p for p, _ in pairs]

    def default():
        waits = []
        if others:
            waits.append(_assert_at_most([p for p, _ in others], 0, 'Implementation error'))
        waits.append(assertions.Assert(predicate, [
            'Input error: None of conditions evaluated as True:',
            shaping.stack(predicates, name='preds_c')]))
        with get_default_graph().control_dependencies(waits):
            return function()
    return default, others


def _pairs(pred_fn_pairs):
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise misuse(TypeError('fns must be a list, tuple, or dict'))
    if isinstance(pred_fn_pairs, dict):
        pairs = sorted(pred_fn_pairs.items(), key=lambda item: item[0].name)
    else:
        pairs = list(pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise misuse(TypeError('Each entry in pred_fn_pairs must be a 2-tuple'))
        predicate, function = pair
        if not isinstance(predicate, Tensor) or predicate.dtype.base_dtype is not dtypes.bool:
            raise misuse(TypeError(f'pred must be of type bool: {predicate!r}'))
        if not callable(function):
            raise misuse(TypeError(f'fn for pred {predicate.name} must be callable.'))
    if not pairs:
        raise misuse(ValueError('tf.case needs at least one pair of a predicate and a function.'))
    return pairs
