"""What the two resources of boosted trees share: a handle for each Session, of use once it is made.

A handle is an array of no dimensions that holds an object with the attribute `made`.
"""
from __future__ import annotations

import numpy as np

from tinyflow import errors
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op


class Handle(Op, abstract=True):
    """Gives the handle; subclasses say by `state` what it holds."""

    signature = '-> resource: resource'
    attrs = {'container': '', 'shared_name': ''}
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape():
        return ()

    def kernel(handle):
        return handle


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
        raise errors.FailedPreconditionError(
            None, None, f'The {what} not initialized.|a MonitoredSession makes {it}; in a plain '
            'Session run tf.train.Scaffold().finalize().init_op first.')
    return content


__all__ = ['Handle', 'IsMade', 'OnHandle', 'held']
