"""Resources of a graph other than Variables: their initializers, and whether they are initialised.

A part of the library that has such a resource (e.g. a table filled during training) registers it,
and a Scaffold initialises it with the Variables.
"""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import add_to_collection, device, get_collection, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.ops.array import indexing, joining
from tinyflow.ops.array.constants import constant
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.math import logic

__all__ = ['initialize_resources', 'local_resources', 'register_resource',
           'report_uninitialized_resources', 'shared_resources']

_Resource = namedtuple('_Resource', ['handle', 'create', 'is_initialized'])


def register_resource(handle, create_op, is_initialized_op, is_shared=True):
    """Adds a resource to the collection of shared or of local resources."""
    add_to_collection(GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES,
                      _Resource(handle, create_op, is_initialized_op))


def shared_resources():
    """The resources shared by all tasks of a training job."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources():
    """The resources of one session only."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(resource_list=None, name='report_uninitialized_resources'):
    """The names of the resources that are not initialised yet. Shapes: -> [number], string."""
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with name_scope(name), device('/cpu:0'):
        if not resource_list:
            return constant([], dtypes.string, name='Const')
        missing = logic.logical_not(joining.stack([r.is_initialized for r in resource_list]))
        names = constant([r.handle.name for r in resource_list], name='Const')
        return indexing.boolean_mask(names, missing)


def initialize_resources(resource_list, name='init'):
    """An Operation that initialises all of them. Shapes: -> no tensor."""
    if resource_list:
        return grouping.group(*[r.create for r in resource_list], name=name)
    return grouping.no_op(name=name)
