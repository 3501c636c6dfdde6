"""Devices and colocation of imported nodes."""
from __future__ import annotations

from tinyflow.graph import devices
from tinyflow.graph.support.errors import misuse

_PREFIX = b'loc:@'


def groups_of(node):
    """The attribute _class of a Node: [b'loc:@name', ...]."""
    proto = node.attrs.get('_class')
    return list(proto.list.s) if hasattr(proto, 'list') else []


def check_groups(nodes):
    """ValueError if a node is to be where a node is that the file does not have."""
    names = None
    for node in nodes:
        for group in groups_of(node):
            if group.startswith(_PREFIX):
                names = {n.name for n in nodes} if names is None else names
                name = group[len(_PREFIX):].decode(errors='replace')
                if name not in names:
                    raise misuse(ValueError(
                        f"Node '{node.name}' expects to be colocated with unknown node '{name}'\n"
                        '  Hint: import that node, too, or delete the attribute that names it: '
                        "del node.attr['_class']."))


def place(operation, node):
    """The device of an imported node, in the open scopes.

    If it is in groups, these are left to `join_groups`: returns its groups so far, else None.
    """
    places = operation.graph.places
    if places is not None and places.colocated:
        return None                     # the scope decides for all nodes
    known, operation.groups = operation.groups, ()
    groups = groups_of(node)
    operation.device = ''
    if not groups or groups == [_PREFIX + node.name.encode()]:      # its own, e.g. of a Variable
        devices.apply_scopes(operation, places, node.device)
    return known if groups else None


def join_groups(waiting, made, prefix):
    """Gives imported operations their groups, and the device of a node in the same group.

    `waiting` has (operation, its Node, what `place` returned). Nodes that were replaced on import
    leave no group; a Variable around a function is known from the references to it.
    """
    for operation, node, known in waiting:
        groups, device = [], operation.device
        for group in groups_of(node):
            name = group[len(_PREFIX):].decode(errors='replace')
            leader = made[name].operations[-1] if name in made and made[name].operations else \
                operation.graph._by_name.get(prefix + name)
            if not group.startswith(_PREFIX):
                groups.append(group)
            elif leader is not None:
                groups.append(_PREFIX + leader.name.encode())
                device = device or leader.device
        if groups:
            operation.groups, operation.device = tuple(groups), device
        else:
            operation.groups = known
