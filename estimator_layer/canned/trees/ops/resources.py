"""Base ops of the two resources of boosted trees, and the check that they are initialized.

A handle holds an object with the attribute `made`, true once it is initialized.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support import errors


class ResourceOp(Op, abstract=True):
    """Base of ops that read or change a resource."""

    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE


class IsInitialized(ResourceOp, abstract=True):
    """True once the resource was created or restored."""

    def shape(handle):
        return ()

    def kernel(handle):
        return np.array(handle.item().made)


def initialized_resource(handle, what, it):
    """The resource of a handle. Shapes: handle [].

    FailedPreconditionError, which names it `what`, if it is not initialized.
    """
    content = handle.item()
    if not content.made:
        raise errors.op_error(errors.FailedPreconditionError,
                              f'The {what} not initialized.',
                              f'a MonitoredSession makes {it}; in a plain Session run '
                              'tf.train.Scaffold().finalize().init_op first.')
    return content


__all__ = ['IsInitialized', 'ResourceOp', 'initialized_resource']
