"""What is made of gradients: tf.grad_pass_through, tf.recompute_grad, tf.hessians."""
from __future__ import annotations

import functools
from typing import Any

from tinyflow.gradients.diagnose import why_no_gradient
from tinyflow.gradients.registry import custom_gradient
from tinyflow.gradients.reverse import UnconnectedGradients, as_list, gradients, target
from tinyflow.graph import dtypes
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import known, size, text
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.variable_refs import shape_behind


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


def hessians(ys: Any, xs: Any, name: str = 'hessians', colocate_gradients_with_ops: bool = False,
             gate_gradients: bool = False, aggregation_method: int | None = None) -> list[Tensor]:
    """The Hessians (second derivatives) of sum(ys), one for each of xs.

    Adds one gradient for every element of x, so xs must be small and of known shape.

    Shapes: ys [*any], xs [*s] -> a list with a tensor [*s, *s] for each x.

    Raises ValueError if the shape of an x is unknown, or no y depends on it.
    """
    settings = {'colocate_gradients_with_ops': colocate_gradients_with_ops,
                'gate_gradients': gate_gradients, 'aggregation_method': aggregation_method}
    return [_hessian(ys, target(x, 'x', i), settings) for i, x in enumerate(as_list(xs))]


def _hessian(ys: Any, x: Tensor, settings: dict[str, Any]) -> Tensor:
    shape = shape_behind(x) if x.dtype is dtypes.resource else x.raw_shape
    if not known(shape):
        raise misuse(ValueError(report(
            f"hessians: the static shape of '{x.name}' is {text(shape)}, and every element "
            'needs a separate gradient.', inputs=[('x', x)],
            hint='x.set_shape([...]) if you know it; tf.gradients of (tf.gradients(y, x)[0] * v) '
                 'is the product of the Hessian and v for any shape.')))
    dx, = gradients(ys, x, **settings)
    if dx is None:
        raise misuse(ValueError(report(why_no_gradient(ys, x), inputs=[('x', x)])))
    flat = nodes.Reshape(dx, [size(shape)])
    rows = [gradients(element, x, unconnected_gradients=UnconnectedGradients.ZERO, **settings)[0]
            for element in nodes.Unpack(flat, num=size(shape), axis=0)]
    return nodes.Reshape(nodes.Pack(rows), [*shape, *shape])


__all__ = ['hessians', 'grad_pass_through', 'recompute_grad']
