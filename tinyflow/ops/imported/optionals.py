"""Optionals: values that may be missing, in TensorFlow's cond_v2; only in imported graphs.

A branch passes the values that its gradient needs to the other cond as an Optional; the branch not
taken returns an empty one. An Optional is a scalar of dtype variant.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import InvalidArgumentError
from tinyflow.ops.control_flow.tensor_lists import OptionalTensor, wrapped


class _Optional(Op, abstract=True):
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE


def _components(optional):
    value = optional[()]
    if not isinstance(value, OptionalTensor):
        raise ValueError(f'expected an Optional, not {type(value).__name__}')
    return value.components


class OptionalFromValue(_Optional):
    """An Optional that has a value."""

    signature = 'components: [Toutput_types] -> optional: variant'
    attrs = {'Toutput_types': ()}

    def shape(components):
        return ()

    def kernel(components):
        return wrapped(OptionalTensor(tuple([c.copy() for c in components])))


class OptionalNone(_Optional):
    """An Optional without a value."""

    signature = '-> optional: variant'

    def shape():
        return ()

    def kernel():
        return wrapped(OptionalTensor())


class OptionalHasValue(_Optional):
    """Whether an Optional has a value."""

    signature = 'optional: variant -> has_value: bool'

    def shape(optional):
        return ()

    def kernel(optional):
        return np.array(_components(optional) is not None)


class OptionalGetValue(_Optional):
    """The value of an Optional; InvalidArgumentError if it has none."""

    signature = 'optional: variant -> components: [output_types]'
    attrs = {'output_types': REQUIRED, 'output_shapes': REQUIRED}

    def shape(optional, *, output_shapes):
        return [s.raw for s in output_shapes]

    def kernel(optional):
        components = _components(optional)
        if components is None:
            raise InvalidArgumentError(None, None, 'The given optional does not have a value.')
        return tuple([c.copy() for c in components])    # consumers may overwrite them
