"""tensorflow.python.ops.resources: what is neither a Variable nor a table, and is initialized."""
from __future__ import annotations

import collections

from tinyflow.graph.defaults import add_to_collection, get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.ops.control_flow.grouping import group

__all__ = ['initialize_resources', 'local_resources', 'register_resource', 'shared_resources']

_Resource = collections.namedtuple('_Resource', ('handle', 'create', 'is_initialized'))


def register_resource(handle, create_op, is_initialized_op, is_shared=True):
    """Lists a resource in the default graph, for `shared_resources` or `local_resources`."""
    add_to_collection(GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES,
                      _Resource(handle, create_op, is_initialized_op))


def shared_resources():
    """The resources that several processes share."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources():
    """The resources of this process."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def initialize_resources(resource_list, name='init'):
    """An op that creates the resources."""
    return group(*[resource.create for resource in resource_list or ()], name=name)
