"""tensorflow.python.ops.nn_grad and its like: the gradient function of each op, as _ReluGrad.

Programs that change gradients call them, with (op, *gradients of its outputs).
"""
from __future__ import annotations

from functools import cache

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.ops.support.registry_loading import load_every_op


def __getattr__(name):
    if name.startswith('_') and not name.startswith('__') and name.endswith('Grad'):
        gradient = _gradients().get(name[1:-len('Grad')].lower())
        if gradient is not None:
            return gradient
    raise AttributeError(f'there is no gradient function {name!r}')


@cache
def _gradients():
    """{type in lower case: gradient function}; TensorFlow spells _MatMulGrad, and _BiasAddGrad."""
    load_every_op()
    return {op_type.lower(): definition.gradient for op_type, definition in Op.registry.items()
            if definition.gradient not in (None, NOT_DIFFERENTIABLE)}
