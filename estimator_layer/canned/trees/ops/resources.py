"""What the two resources of boosted trees share: what their handles hold is of use once it is made.

It is an object with the attribute `made`.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support import errors


class OnHandle(Op, abstract=True):
    """Reads or changes what a handle holds."""

    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE


class IsMade(OnHandle, abstract=True):
    """True once what the handle holds was made or restored."""

    def shape(handle):
        return ()

    def kernel(handle):
        return np.array(handle.item().made)


def held(handle, what, it):
    """What the handle holds. Shapes: handle [].

    FailedPreconditionError, which names it `what`, if it is not made.
    """
    content = handle.item()
    if not content.made:
        raise errors.op_error(errors.FailedPreconditionError,
                              f'The {what} not initialized.',
                              f'a MonitoredSession makes {it}; in a plain Session run '
                              'tf.train.Scaffold().finalize().init_op first.')
    return content


__all__ = ['IsMade', 'OnHandle', 'held']
