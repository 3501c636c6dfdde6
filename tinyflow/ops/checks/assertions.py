"""tf.Assert: a node that fails unless a condition holds while the graph runs."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Tensor
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import OpFailure, misuse, report
from tinyflow.ops.checks.value_text import first_values
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.control_flow.grouping import no_op

_SHOWN = 3              # values of each tensor in the error message, by default


class AssertOp(Op, type='Assert'):
    """Fails, with the data in its message, unless the condition is true."""

    signature = 'condition: bool, data: [T] ->'
    attrs = {'T': (), 'summarize': _SHOWN}
    pure = False
    partial_rank = True

    def shape(condition, data):
        return ()

    def kernel(condition, data, *, summarize):
        if condition.ndim:
            raise OpFailure('the condition must be a scalar, and has shape '
                            f'{shapes.text(condition.shape)}',
                            'tf.reduce_all(condition) is true if all elements are.')
        if not condition:
            raise ValueError(f'assertion failed: {_shown(data, summarize)}')
        return ()

    def gradient(op):
        return [None] * len(op.inputs)


def _shown(data, summarize):
    """The data in brackets; a message about a range is followed by the first value outside."""
    texts = [f'[{first_values(np.asarray(value), summarize)}]' for value in data]
    wrong = _first_wrong(data) if ' must be in [' in texts[0] else None
    if wrong is not None:
        texts[0] = f'{texts[0][1:-1]}, got {wrong}'
    return ' '.join(texts)


def _first_wrong(data):
    """The first element of x of a failed `x <= y` or `x >= 0`, from the data of the check, as text.

    None for the data of other checks.
    """
    numbers = [np.asarray(value) for value in data]
    text = b' '.join([n.item() for n in numbers if n.dtype.hasobject and not n.ndim])
    numbers = [n for n in numbers if not n.dtype.hasobject]
    if b'Condition x <= y' in text and len(numbers) == 2 and not numbers[1].ndim:
        wrong = numbers[0][~(numbers[0] <= numbers[1])]
    elif b'Condition x >= 0' in text and len(numbers) == 1:
        wrong = numbers[0][~(numbers[0] >= 0)]
    else:
        return None
    return first_values(wrong[:1], 1) if wrong.size else None


def Assert(condition, data, summarize=None, name=None):
    """An Operation that fails with InvalidArgumentError and `data` unless the condition holds.

    Shapes: condition [] bool, data a list of tensors -> no tensor. It must be run, or be
    a control dependency: `with tf.control_dependencies([tf.Assert(...)]):`. `summarize` is how many
    values of each tensor the message has (3; -1 for all).
    """
    data = _listed(data)
    summarize = _SHOWN if summarize is None else summarize
    with name_scope(name, 'Assert', [condition, data]):
        tensors = [convert_to_tensor(item) for item in data]
        if all(t.dtype.base_dtype in (dtypes.string, dtypes.int32) for t in tensors):
            return AssertOp.apply(condition, data, summarize=summarize, name='Assert')
        condition = convert_to_tensor(condition, name='Condition')
        guard = cond(
            condition, no_op,
            lambda: AssertOp.apply(condition, data, summarize=summarize, name='Assert'),
            name='AssertGuard')
        return guard.op if isinstance(guard, Tensor) else guard     # it has run


def _listed(data):
    if isinstance(data, (list, tuple)):
        return list(data)
    if nest.is_nested(data) or isinstance(data, (str, bytes)) or not hasattr(data, '__iter__') \
            or hasattr(data, 'op'):
        raise misuse(TypeError(report(
            f'tf.Assert: data must be a list of values for the message, not {data!r}.',
            site=user_site(), hint='[...] around it.')))
    return list(data)


__all__ = ['Assert']
