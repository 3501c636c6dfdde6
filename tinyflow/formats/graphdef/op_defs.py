"""Declarations of ops as OpDefs, for the ops that the nodes of a MetaGraphDef use."""
from __future__ import annotations

from tinyflow.formats.graphdef import attributes
from tinyflow.formats.wire import tensors
from tinyflow.graph.dtypes import DType
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.shapes import TensorShape

_KINDS = {'s': 'string', 'i': 'int', 'f': 'float', 'b': 'bool', 'type': 'type', 'shape': 'shape',
          'tensor': 'tensor', 'func': 'func'}


def stripped_op_list(proto, nodes):
    """Writes the OpDefs of the ops that `nodes` use into the OpList `proto`, sorted by name."""
    examples = {}
    for node in nodes:
        examples.setdefault(node.op, node)
    for name in sorted(examples):
        if name in Op.registry:
            fill_op_def(proto.op.add(), Op.registry[name], examples[name])


def fill_op_def(proto, definition, example):
    """Writes an op's declaration into an OpDef; the attributes of the node `example` have types."""
    proto.name = definition.type
    proto.is_stateful = not definition.pure
    for args, protos in ((definition.inputs, proto.input_arg),
                         (definition.outputs, proto.output_arg)):
        for arg in args:
            _fill_arg(protos.add(), arg)
    for name in sorted(example.attr):
        if not name.startswith('_'):
            _fill_attr(proto.attr.add(), name, definition, example.attr[name])


def _fill_arg(proto, arg):
    proto.name, proto.is_ref = arg.name, arg.ref
    if arg.number:
        proto.number_attr = arg.number
    if arg.fixed is not None:
        proto.type = arg.fixed.as_datatype_enum
    elif arg.any_types:
        proto.type_list_attr = arg.type
    else:
        proto.type_attr = arg.type


def _fill_attr(proto, name, definition, value):
    proto.name = name
    proto.type = _kind(value)
    default = definition.attrs.get(name, REQUIRED)
    if default is not REQUIRED and default is not None:
        attributes.fill(proto.default_value, default)
    allowed = definition.types.get(name)
    if allowed:
        proto.allowed_values.list.type.extend(sorted(d.as_datatype_enum for d in allowed))


def _kind(value):
    kind = value.WhichOneof('value')
    if kind != 'list':
        return _KINDS.get(kind, 'string')
    for field, word in _KINDS.items():
        if getattr(value.list, field):
            return f'list({word})'
    return 'list(int)'


# Attributes with a default here but not in TF, which rejects nodes without them.
_NEEDED = {'InTopK': ('k',), 'IteratorV2': ('container', 'shared_name'), 'Slice': ('Index',),
           'StridedSlice': ('Index',), 'StridedSliceAssign': ('Index',),
           'StridedSliceGrad': ('Index',),
           'UnicodeTranscode': ('input_encoding', 'output_encoding')}


def strip_defaults(nodes):
    """Removes attributes with default values from nodes, for older TensorFlow versions."""
    for node in nodes:
        definition = Op.registry.get(node.op)
        for name, default in (definition.attrs if definition else {}).items():
            needed = default == () or name in _NEEDED.get(node.op, ())
            if name in node.attr and not needed and _is_default(node.attr[name], default):
                del node.attr[name]


def _is_default(value, default):
    if default is REQUIRED or default is None or value.WhichOneof('value') == 'func':
        return False
    wanted = type(value)()
    if not isinstance(default, (str, int, float, bool, DType, TensorShape, tuple)):
        return False
    attributes.fill(wanted, default)
    return wanted == value


__all__ = ['fill_op_def', 'strip_defaults', 'stripped_op_list', 'tensors']
