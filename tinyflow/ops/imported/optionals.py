"""Values that may be missing, as the newer conds of TensorFlow have them; only imported graphs do.

A branch hands what its gradient needs to the other cond as an Optional, and the branch that is not
taken gives an empty one. An Optional is a scalar of dtype variant.
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
    found = optional[()]
    if not isinstance(found, OptionalTensor):
        raise ValueError(f'an Optional is wanted, not {type(found).__name__}')
    return found.components


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
        return tuple([c.copy() for c in components])    # whoever gets them may write over them
