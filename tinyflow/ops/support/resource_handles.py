"""Base class of ops that output a handle of a per-Session resource: a table, a tree ensemble.

A handle is a 0-d object array that holds the resource; subclasses create it in `state`.
"""
from __future__ import annotations

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op


class SessionHandle(Op, abstract=True):
    """Outputs the handle."""

    signature = '-> resource: resource'
    attrs = {'container': '', 'shared_name': ''}
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape():
        return ()

    def kernel(handle):
        return handle
