"""What ops share that give a handle of something each Session has of its own: a table, trees.

A handle is an array of no dimensions that holds the object; subclasses say by `state` which one.
"""
from __future__ import annotations

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op


class SessionHandle(Op, abstract=True):
    """Gives the handle."""

    signature = '-> resource: resource'
    attrs = {'container': '', 'shared_name': ''}
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape():
        return ()

    def kernel(handle):
        return handle
