"""GraphDef -> nodes of the default graph: `tf.import_graph_def`."""
from __future__ import annotations

import contextlib
from typing import Any

from tinyflow.formats.graphdef.builder import CALLS, Builder, Made
from tinyflow.formats.graphdef.control_flow_v1.old_control_flow import OLD_CONTROL_FLOW, modernize
from tinyflow.formats.graphdef.nodes import newer_type, read_function, read_nodes, read_ref
from tinyflow.formats.graphdef.rewritten import REWRITTEN
from tinyflow.formats.wire.reading import as_message
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.support.registry_loading import load_every_op


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None,
                     producer_op_list=None) -> Any:
    """Adds the nodes of a GraphDef to the default graph, under the name scope `name`.

    input_map: names of tensors in the GraphDef -> tensors to use instead. return_elements: names
    of operations ('a') and tensors ('a:0') of the GraphDef, to be returned as a list. `name` is
    'import' by default; '' means no scope. op_dict and producer_op_list, deprecated, are not
    needed. TensorFlow 1's loops and branches (Enter, Switch, ...) become While and If.

    Raises ValueError for a GraphDef that is damaged or does not fit input_map and return_elements,
    NotFoundError for unknown op types.
    """
    from tinyflow.formats.protos.graph_pb2 import GraphDef  # start-up time
    proto = as_message(graph_def, GraphDef)
    input_map = _checked_map(input_map)
    wanted = _checked_elements(return_elements)
    graph = get_default_graph()
    with name_scope(name, 'import', list(input_map.values())) as scope:
        prefix = scope
        input_map = _tensors(input_map, name)
    with _naming_damage():
        library = _library(proto)
        nodes = read_nodes(proto.node)
    builder = Builder(graph, library, prefix)
    nodes, unused = _with_inputs(nodes, input_map, builder)
    if unused:
        raise misuse(ValueError('Attempted to map inputs that were not found in graph_def: '
                                f'[{", ".join(unused)}]'))
    with _naming_damage():
        nodes = modernize(nodes)[0]
    with graph.as_default(), graph.name_scope(None):
        builder.build(nodes)
    return None if wanted is None else [_element(text, input_map, builder) for text in wanted]


@contextlib.contextmanager
def _naming_damage():
    """Turns errors of invalid nodes into a ValueError about the GraphDef."""
    try:
        yield
    except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError,
            RecursionError) as error:
        if getattr(error, 'raised_by_tinyflow', False):
            raise
        raise misuse(ValueError(f'The GraphDef is damaged: {type(error).__name__}: '
                                f'{error}')) from error


def unknown_ops(proto):
    """Names of the nodes of a GraphDef whose op types tinyflow does not implement."""
    known = {f.signature.name for f in proto.library.function} | CALLS | OLD_CONTROL_FLOW \
        | REWRITTEN

    def unknown():
        return [node.name for node in proto.node
                if node.op not in known and newer_type(node.op) is None]
    if unknown():
        load_every_op()
    return unknown()


def _library(proto):
    """The Functions of a GraphDef by name."""
    found = {f.signature.name: read_function(f) for f in proto.library.function}
    for function in found.values():
        function.nodes, function.results = modernize(function.nodes, function.results)
    return found


def _checked_map(input_map):
    if input_map is None:
        return {}
    if not (isinstance(input_map, dict) and all(isinstance(k, (str, bytes)) for k in input_map)):
        raise misuse(TypeError('input_map must be a dictionary mapping strings to Tensor objects.'))
    return {k.decode() if isinstance(k, bytes) else k: v for k, v in input_map.items()}


def _tensors(input_map, name):
    if all(isinstance(v, Tensor) for v in input_map.values()):
        return input_map
    if name == '':
        raise misuse(ValueError(
            'tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor '
            'values.\n  Hint: tf.convert_to_tensor() of the values in `input_map`.'))
    with name_scope('_inputs'):
        return {k: convert_to_tensor(v) for k, v in input_map.items()}


def _checked_elements(elements):
    if elements is None:
        return None
    elements = tuple(elements)
    if not all(isinstance(e, (str, bytes)) for e in elements):
        raise misuse(TypeError('return_elements must be a list of strings.'))
    return [e.decode() if isinstance(e, bytes) else e for e in elements]


def _with_inputs(nodes, input_map, builder):
    """The nodes with the mapped inputs replaced; and the unused names."""
    replaced, unused = {}, []
    for i, (text, tensor) in enumerate(input_map.items()):
        key = f':{i}'                           # no node has that name
        builder.made[key] = Made((tensor,), [tensor.op])
        replaced[text if text.startswith('^') else read_ref(text)] = read_ref(key[1:])._replace(
            node=key)
    used = set()
    names = {node.name for node in nodes}
    for node in nodes:
        for i, ref in enumerate(node.inputs):
            if ref in replaced:
                used.add(ref)
                node.inputs[i] = replaced[ref]
        for i, control in enumerate(node.controls):
            if '^' + control in replaced:
                used.add('^' + control)
                node.controls[i] = replaced['^' + control].node
    for text in input_map:
        is_control = text.startswith('^')
        key = text if is_control else read_ref(text)
        if key not in used and (text[1:] if is_control else key.node) not in names:
            unused.append(text if text.startswith('^') else str(key))
    return nodes, unused


def _element(text, input_map, builder):
    ref = read_ref(text)
    if text in input_map or (':' in text and f'{ref.node}:{ref.index}' in input_map):
        return input_map.get(text, input_map.get(ref.node))
    made = builder.made.get(ref.node)
    if made is None or ':' in text and ref.index >= len(made.outputs):
        raise misuse(ValueError(f'Requested return_element {text!r} not found in graph_def.'))
    if ':' in text:
        return made.outputs[ref.index]
    return made.operations[0]


__all__ = ['Tensor', 'import_graph_def']
