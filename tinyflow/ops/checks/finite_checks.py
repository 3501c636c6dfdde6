"""Checks for NaN and Inf, in one tensor or in all tensors of a graph."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import (
    colocate_with,
    control_dependencies,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import identity_and_cast
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.support.arguments import renamed

__all__ = ['add_check_numerics_ops', 'verify_tensor_all_finite']


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """t, after a check that it has no NaN and no infinity; InvalidArgumentError otherwise.

    Shapes: t [*a] -> [*a]. `x` and `message` are the newer names of `t` and `msg`.
    """
    x, message = renamed('x', x, 't', t), renamed('message', message, 'msg', msg)
    with name_scope(name, 'VerifyFinite', [x]):
        x = convert_to_tensor(x, name='x')
        with colocate_with(x):
            check = identity_and_cast.check_numerics(x, message=message)
        return grouping.with_dependencies([check], x)


def add_check_numerics_ops():
    """An Operation that checks every float tensor of the default graph, in order, for NaN and Inf.

    Shapes: -> no tensor. Each check waits for those before it, so that the first one fails. Fetch
    it with the rest. ValueError if the graph has control flow, as its inner tensors are not
    checked.
    """
    checks = []
    for op in get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
                continue
            if op.type in ('If', 'StatelessIf', 'While', 'StatelessWhile'):
                raise misuse(ValueError(
                    f'`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow '
                    f"operations such as `tf.cond()` or `tf.while_loop()`: '{op.name}'.\n  Hint: "
                    'tf.check_numerics on the tensors inside.'))
            with control_dependencies(checks[-1:]):
                checks.append(identity_and_cast.check_numerics(output, message=output.name))
    return grouping.group(*checks[-1:])
