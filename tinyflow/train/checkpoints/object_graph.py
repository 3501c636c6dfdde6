"""The object graph: the objects that own Variables, which tf.train.Checkpoint saves and restores.

An object is followed if it is a Variable, an optimizer, a layer, a Checkpoint, a list or dict, or
if it declares its dependencies (`_checkpoint_dependencies`, pairs of name and object) or its
saveable parts (`_gather_saveables_for_checkpoint`). An object's name is the path of
attributes that leads to it; slots of an optimizer are below the Variable that they belong to.
"""
from __future__ import annotations

from collections import deque

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.support.errors import DataLossError, misuse
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.optimizers.optimizer import Optimizer

KEY = '_CHECKPOINTABLE_OBJECT_GRAPH'
_ATTRIBUTES = '.ATTRIBUTES'
_SLOT = '.OPTIMIZER_SLOT'
VALUE = 'VARIABLE_VALUE'


def is_trackable(value):
    """True for an object that can be part of a Checkpoint."""
    return isinstance(value, (Variable, Optimizer, list, dict)) or _is_layer(value) or \
        hasattr(type(value), '_checkpoint_dependencies') or \
        hasattr(type(value), '_gather_saveables_for_checkpoint')


def _is_layer(value):
    return hasattr(value, 'add_weight') and hasattr(value, 'weights')


def children(value):
    """{name: object} of the dependencies of an object, in order."""
    if isinstance(value, Variable):
        return {}
    if isinstance(value, list):
        return {str(i): item for i, item in enumerate(value) if is_trackable(item)}
    if isinstance(value, dict):
        return _of_dict(value)
    if isinstance(value, Optimizer):
        return _of_optimizer(value)
    if hasattr(value, '_checkpoint_dependencies'):
        return {_name(item): _object(item) for item in value._checkpoint_dependencies}
    return _of_layer(value) if _is_layer(value) else {}


def _name(item):
    return item.name if hasattr(item, 'name') and hasattr(item, 'ref') else item[0]


def _object(item):
    return item.ref if hasattr(item, 'ref') else item[1]


def _of_dict(value):
    found = {key: item for key, item in value.items() if is_trackable(item)}
    wrong = [key for key in found if not isinstance(key, str)]
    if wrong:
        raise misuse(ValueError(f'A Checkpoint saves dicts with strings as keys, not {wrong[0]!r} '
                                'in a dict that contains trackable objects.'))
    return found


def _of_optimizer(optimizer):
    graph = get_default_graph()
    return {name: variable for (name, of), variable in
            sorted(optimizer._non_slot_dict.items(), key=lambda item: item[0][0]) if of is graph}


def _of_layer(layer):
    """Attributes that are trackable, and the weights that no attribute names."""
    found = {}
    for name, item in vars(layer).items():
        if isinstance(item, (Variable, Optimizer)) or _is_layer(item) or \
                isinstance(item, (list, dict)) and name[:1] != '_':
            found[name] = item
    known = {id(v) for v in found.values()}
    for variable in layer.weights:
        name = variable.op.name.rpartition('/')[2]
        if id(variable) not in known and name not in found and not _owned(found, variable):
            found[name] = variable
    return found


def _owned(found, variable):
    """True for a weight of an inner layer."""
    return any(_is_layer(item) and any(w is variable for w in item.weights)
               for item in found.values())


def attributes(value):
    """{name: Variable or SaveableObject factory} of the values that an object itself saves."""
    if isinstance(value, Variable):
        return {VALUE: value}
    gather = getattr(value, '_gather_saveables_for_checkpoint', None)
    return gather() if gather else {}


# ---- traversal
# ------------------------------------------------------------------------------------


def walk(root):
    """[(object, path)] in breadth-first order; `path` is a tuple of names; each object once."""
    found, seen, queue = [], {id(root)}, deque([(root, ())])
    while queue:
        value, path = queue.popleft()
        found.append((value, path))
        for name, child in children(value).items():
            if id(child) not in seen:
                seen.add(id(child))
                queue.append((child, (*path, name)))
    return found


def _escaped(name):
    return name.replace('.', '..').replace('/', '.S')


def _path_text(path):
    return '/'.join(map(_escaped, path))


def key_of_value(path):
    """The key of the value of the Variable at `path`."""
    return f'{_path_text(path)}/{_ATTRIBUTES}/{VALUE}'


def _has_slots(value):
    """True for an optimizer of tf.train or of Keras."""
    return hasattr(value, 'get_slot') and hasattr(value, 'get_slot_names')


def _slot(optimizer, variable, name):
    """The slot Variable, or None: tf.train's get_slot gives None, that of Keras a KeyError."""
    try:
        return optimizer.get_slot(variable, name)
    except KeyError:
        return None


def slots(walked):
    """[(optimizer's index, Variable's index, slot name, slot Variable)] of the walked objects."""
    found = []
    for i, (optimizer, _) in enumerate(walked):
        if not _has_slots(optimizer):
            continue
        for name in optimizer.get_slot_names():
            for j, (variable, _) in enumerate(walked):
                slot = _slot(optimizer, variable, name) if isinstance(variable, Variable) \
                    else None
                if slot is not None:
                    found.append((i, j, name, slot))
    return found


def describe(root):
    """(TrackableObjectGraph, {key: (object, its saved value)}) of all objects below `root`."""
    from tinyflow.formats.protos import trackable_object_graph_pb2  # start-up time
    proto, values = trackable_object_graph_pb2.TrackableObjectGraph(), {}
    walked = walk(root)
    numbers = {id(value): i for i, (value, _) in enumerate(walked)}
    for value, path in walked:
        node = proto.nodes.add()
        for name, child in children(value).items():
            node.children.add(node_id=numbers[id(child)], local_name=name)
        _describe_attributes(node, value, _path_text(path), values)
    for optimizer, variable, name, slot in slots(walked):
        key = f'{_path_text(walked[variable][1])}/{_SLOT}/{_path_text(walked[optimizer][1])}/' \
              f'{_escaped(name)}'
        proto.nodes[optimizer].slot_variables.add(
            original_variable_node_id=variable, slot_name=name,
            slot_variable_node_id=len(proto.nodes))
        _describe_attributes(proto.nodes.add(), slot, key, values)
    return proto, values


def _describe_attributes(node, value, path, values):
    for name, item in attributes(value).items():
        prefix = f'{path}/' if path else ''
        key = f'{prefix}{_ATTRIBUTES}/{_escaped(name)}'
        attribute = node.attributes.add(name=name, checkpoint_key=key)
        if isinstance(item, Variable):
            attribute.full_name = item.op.name
        values[key] = value, item


# ---- stored graphs -------------------------------------------------------------------------------


def read_graph(reader):
    """The TrackableObjectGraph of a checkpoint; None if it is not object-based."""
    from google.protobuf.message import DecodeError  # start-up time

    from tinyflow.formats.protos import trackable_object_graph_pb2  # start-up time
    if KEY not in reader:
        return None
    try:
        graph = trackable_object_graph_pb2.TrackableObjectGraph.FromString(reader.get(KEY)[()])
    except (DecodeError, TypeError):
        graph = None
    if graph is None or not graph.nodes or not _numbers_fit(graph):
        raise DataLossError(None, None, f'{reader.prefix}: the object graph ({KEY}) is damaged')
    return graph


def _numbers_fit(graph):
    count = len(graph.nodes)
    return all(0 <= number < count for node in graph.nodes for number in [
        *(c.node_id for c in node.children),
        *(s.original_variable_node_id for s in node.slot_variables),
        *(s.slot_variable_node_id for s in node.slot_variables)])


def full_names_to_keys(reader):
    """{name of a Variable: the key of its value}; {} if the checkpoint is not object-based."""
    graph = read_graph(reader)
    if graph is None:
        return {}
    return {tensor.full_name: tensor.checkpoint_key
            for node in graph.nodes for tensor in node.attributes if tensor.full_name}


def match(graph, root):
    """{node number: object} of the stored nodes that are reachable from `root` by equal names."""
    bound, queue = {0: root}, deque([0])
    while queue:
        number = queue.popleft()
        there = children(bound[number])
        for reference in graph.nodes[number].children:
            child = there.get(reference.local_name)
            if child is not None and reference.node_id not in bound:
                bound[reference.node_id] = child
                queue.append(reference.node_id)
    for number, node in enumerate(graph.nodes):
        optimizer = bound.get(number)
        for slot in node.slot_variables if _has_slots(optimizer) else ():
            variable = bound.get(slot.original_variable_node_id)
            found = None if variable is None else _slot(optimizer, variable, slot.slot_name)
            if found is not None:
                bound[slot.slot_variable_node_id] = found
    return bound


def stored_path(graph, number):
    """The name of a stored node, such as '(root).opt.beta1_power'."""
    parents = {}
    for i, node in enumerate(graph.nodes):
        for child in node.children:
            parents.setdefault(child.node_id, (i, child.local_name))
        for slot in node.slot_variables:
            parents.setdefault(slot.slot_variable_node_id,
                               (slot.original_variable_node_id, f"slot '{slot.slot_name}'"))
    names, seen = [], set()
    while number and number in parents and number not in seen:
        seen.add(number)
        number, name = parents[number]
        names.append(name)
    return '.'.join(['(root)', *reversed(names)])
