"""tf.explain_name: the scope and the source line behind each part of a node's name."""
from __future__ import annotations

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.operation import Operation
from tinyflow.graph.source_location import Site


def explain_name(obj) -> str:
    """A text with one line for each part of the name of a Tensor, Operation, Variable or name.

    Raises KeyError, ValueError or TypeError where `obj` names no node.
    """
    graph = getattr(obj, 'graph', None) or get_default_graph()
    element = graph.as_graph_element(obj)
    operation = element if isinstance(element, Operation) else element.op
    lines = [f"'{element.name}'"]
    parts = operation.name.split('/')
    for i in range(1, len(parts)):
        lines.append(_scope_line(graph, '/'.join(parts[:i]), parts[i - 1]))
    lines.append(_node_line(graph, operation, parts[-1]))
    if element is not operation:
        lines.append(f"  ':{element.value_index}'  output number {element.value_index} of the "
                     'operation')
    return '\n'.join(lines)


def _scope_line(graph, scope, part):
    requested, site = graph._scope_sites.get(scope, (None, None))
    if requested is None:
        operation = graph._by_name.get(scope)
        if operation is not None:
            return (f"  '{part}/'  part of the operation '{scope}' ({operation.type})"
                    + (f', made at {operation.site}' if operation.site else ''))
        return f"  '{part}/'  given in the name itself"
    line = f"  '{part}/'  scope" + _number(requested, part)
    return line + (f', opened at {Site(*site)}' if site else '')


def _number(requested, part):
    requested = requested.rpartition('/')[2]
    if requested == part:
        return ''
    return f" requested as '{requested}'; {part[len(requested):]!r} because that name was taken"


def _node_line(graph, operation, part):
    line = f"  '{part}'  {operation.type}"
    base = part.rstrip('0123456789').rstrip('_')
    if base != part and operation.name[:-len(part)] + base in graph._by_name:
        line += f"; '{part[len(base):]}' because '{base}' was taken"
    return line + (f', made at {operation.site}' if operation.site else '')
