"""Collections of a graph as CollectionDefs, and back.

Variables, Savers and queue runners are written as their own messages, nodes by their names, and
numbers and strings as they are.
"""
from __future__ import annotations

import importlib
import logging

from tinyflow.formats.graphdef import scopes
from tinyflow.formats.wire import reading
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.variable import Variable

_LOG = logging.getLogger('tinyflow')
UNBOUND_PREFIX = '$unbound_inputs_'     # of names of inputs outside of the exported scope
VARIABLE_KEYS = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES,
                 GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.LOCAL_VARIABLES,
                 GraphKeys.MODEL_VARIABLES, GraphKeys.METRIC_VARIABLES, GraphKeys.GLOBAL_STEP)
# TensorFlow's contexts of old loops and branches; they are If and While nodes here.
_CONTEXTS = (GraphKeys.COND_CONTEXT, GraphKeys.WHILE_CONTEXT)

# Other objects that a Scaffold creates are kept as Operations, for which there is no message.
_NEVER = (GraphKeys.RESOURCES, GraphKeys.LOCAL_RESOURCES)

# collection -> (message, where it is, class with to_proto and from_proto, where that is)
_MESSAGES: dict[str, tuple[str, str, str, str]] = {
    **dict.fromkeys(VARIABLE_KEYS, ('VariableDef', 'tinyflow.formats.protos.variable_pb2',
                                    'Variable', 'tinyflow.ops.variables.variable')),
    GraphKeys.SAVERS: ('SaverDef', 'tinyflow.formats.protos.saver_pb2',
                       'Saver', 'tinyflow.train.checkpoints.saver'),
    GraphKeys.QUEUE_RUNNERS: ('QueueRunnerDef', 'tinyflow.formats.protos.queue_runner_pb2',
                              'QueueRunner', 'tinyflow.train.queues.queue_runner'),
}
_registered: dict[str, tuple] = {}


def register_proto_function(collection_name, proto_type=None, to_proto=None, from_proto=None):
    """Registers the conversion of a collection's items to messages (proto_type) and back.

    to_proto(item, export_scope=...) returns a message or None, from_proto(message,
    import_scope=...) an item. Raises TypeError if these are not callable.
    """
    for function in (to_proto, from_proto):
        if function is not None and not callable(function):
            raise misuse(TypeError('to_proto and from_proto must be callable.'))
    _registered[collection_name] = proto_type, to_proto, from_proto


def _functions(key):
    """(message class, to_proto, from_proto) of a collection, or None."""
    if key in _registered:
        return _registered[key]
    if key not in _MESSAGES:
        return None
    message, module, owner, home = _MESSAGES[key]
    owner = getattr(importlib.import_module(home), owner)
    return getattr(importlib.import_module(module), message), owner.to_proto, owner.from_proto


# ---- writing ------------------------------------------------------------------------------


def fill(proto, key, items, export_scope=None):
    """Writes a collection into the CollectionDef `proto`.

    False if that is not possible: no message holds items of these types.
    """
    functions = _functions(key)
    try:
        if not items or key in _NEVER:
            return False
        if functions and functions[1]:
            return _fill_messages(proto, items, functions[1], export_scope)
        return _fill_plain(proto, items, export_scope)
    except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
        _LOG.warning('The collection %s is not written to the MetaGraphDef: %s', key,
                     str(error).partition('\n')[0])
        return False


def _fill_messages(proto, items, to_proto, export_scope):
    found = [to_proto(item, export_scope=export_scope) for item in items]
    proto.bytes_list.value.extend([m.SerializeToString(deterministic=True) for m in found
                                   if m is not None])
    return bool(proto.bytes_list.value)


def _fill_plain(proto, items, export_scope):
    first = items[0]
    if isinstance(first, bool):
        raise TypeError(f'{first!r} is not a number')
    if isinstance(first, (str, bytes)):
        kept = [i for i in items if isinstance(i, bytes) or i.lstrip('^').startswith(UNBOUND_PREFIX)
                or scopes.inside(i, export_scope)]
        proto.bytes_list.value.extend([i.encode() if isinstance(i, str) else i for i in kept])
        return bool(kept)
    elif getattr(first, 'DESCRIPTOR', None) is not None:        # google.protobuf.Any
        proto.any_list.value.extend(items)
    elif isinstance(first, int):
        proto.int64_list.value.extend(items)
    elif isinstance(first, float):
        proto.float_list.value.extend(items)
    else:
        names = [scopes.strip(item.name, export_scope) for item in items
                 if scopes.inside(item.name, export_scope)]
        proto.node_list.value.extend(names)
        return bool(names)
    return True


# ---- reading ------------------------------------------------------------------------------


def restore(graph, collection_defs, import_scope, skip, wanted):
    """Adds the items of CollectionDefs to the collections of a graph.

    A Variable that is in several collections becomes one object. `skip` is the name of a collection
    to leave out, `wanted(key)` selects the ones to restore.
    """
    variables: dict[bytes, Variable] = {}
    for key in sorted(collection_defs):
        if key == skip or key in _CONTEXTS or not wanted(key):
            continue
        proto = collection_defs[key]
        kind = proto.WhichOneof('kind')
        if kind is None:
            _LOG.error('Cannot identify data type for collection %s. Skipping.', key)
            continue
        functions = _functions(key)
        if functions and functions[2] and kind == 'bytes_list':
            for value in proto.bytes_list.value:
                graph.add_to_collection(
                    key, _restored(key, value, functions, import_scope, variables))
        else:
            for item in _plain(graph, key, proto, kind, import_scope):
                graph.add_to_collection(key, item)


def _restored(key, value, functions, import_scope, variables):
    message_class, _, from_proto = functions
    def made():
        message = reading.parse(value, message_class, f"an item of the collection '{key}'")
        try:
            return from_proto(message, import_scope=import_scope)
        except (KeyError, ValueError) as error:
            raise _damaged(key, error) from None
    if key not in VARIABLE_KEYS:
        return made()
    if value not in variables:
        variables[value] = made()
    return variables[value]


def _plain(graph, key, proto, kind, import_scope):
    values = getattr(proto, kind).value
    if kind == 'node_list':
        try:
            return [graph.as_graph_element(scopes.prepend(name, import_scope)) for name in values]
        except (KeyError, ValueError) as error:
            raise _damaged(key, error) from None
    if kind == 'bytes_list' and import_scope:
        return [scopes.prepend(v.decode(), import_scope) if _is_text(v) else v for v in values]
    return list(values)


def _damaged(key, error):
    problem = error.args[0] if isinstance(error, KeyError) else error
    return misuse(ValueError(f"The collection '{key}' is damaged: {problem}"))


def _is_text(value):
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
