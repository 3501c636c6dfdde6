"""A GraphDef as text, as text_format writes it, but many times faster.

Most attributes of a graph are equal (types, shapes): the text of each distinct one is created once.
"""
from __future__ import annotations


def graph_text(graph_def):
    """The text of a GraphDef, attributes in the order of their names."""
    from google.protobuf import text_format  # start-up time

    from tinyflow.formats.protos.graph_pb2 import GraphDef  # start-up time
    rest = GraphDef(version=graph_def.version)
    for field in ('versions', 'library'):
        if graph_def.HasField(field):
            getattr(rest, field).CopyFrom(getattr(graph_def, field))
    known: dict = {}
    lines = [_node(node, known, text_format.MessageToString) for node in graph_def.node]
    return ''.join([*lines, text_format.MessageToString(rest)])


def _node(node, known, written):
    if node.HasField('experimental_debug_info') or node.HasField('experimental_type') \
            or '"' in node.name:
        return f'node {{\n{written(node, indent=2)}}}\n'
    parts = ['node {\n']
    for field, value in (('name', node.name), ('op', node.op), *[('input', i) for i in node.input],
                         ('device', node.device)):
        if value:
            parts.append(f'  {field}: "{value}"\n')
    attributes = node.attr
    for name in sorted(attributes):
        value = attributes[name]
        key = value.SerializeToString(deterministic=True)
        text = known.get(key)
        if text is None:
            text = known[key] = written(value, indent=6)
        parts.append(f'  attr {{\n    key: "{name}"\n    value {{\n{text}    }}\n  }}\n')
    parts.append('}\n')
    return ''.join(parts)
