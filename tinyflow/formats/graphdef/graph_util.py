"""tf.graph_util: extract a subgraph, convert Variables to constants, drop training nodes."""
from __future__ import annotations

import logging

from tinyflow.formats.graphdef.importing import import_graph_def
from tinyflow.formats.protos.graph_pb2 import GraphDef
from tinyflow.formats.protos.node_def_pb2 import NodeDef
from tinyflow.formats.wire import tensors
from tinyflow.graph.dtypes import as_dtype
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import close_matches
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['convert_variables_to_constants', 'extract_sub_graph', 'import_graph_def',
           'must_run_on_cpu', 'remove_training_nodes', 'tensor_shape_from_node_def_name']

_LOG = logging.getLogger('tinyflow')
_VARIABLES = ('Variable', 'VariableV2', 'VarHandleOp')


def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """True for an Operation or NodeDef that TensorFlow does not place on a GPU: int32, strings."""
    proto = node if isinstance(node, NodeDef) else node.node_def
    if pin_variables_on_cpu and (proto.op in ('Variable', 'VariableV2') or proto.op[:4] == 'Save'):
        return True
    attr = {'Const': 'dtype', 'DynamicStitch': 'T', 'DynamicPartition': 'T', 'Variable': 'dtype',
            'VariableV2': 'dtype'}.get(proto.op)
    if attr is None:
        return False
    dtype = as_dtype(proto.attr[attr].type).base_dtype.name
    return dtype == 'string' or dtype == 'int32' and proto.op in ('Const', 'DynamicStitch',
                                                                  'DynamicPartition')


def tensor_shape_from_node_def_name(graph, input_name):
    """The static shape of the tensor `input_name`, for which ':0' may be left out."""
    name = input_name if ':' in input_name else input_name + ':0'
    return graph.get_tensor_by_name(name).get_shape()


# ---- subgraphs ----------------------------------------------------------------------------


def _node_name(name):
    """The node that an input, such as '^a' or 'a:1', names."""
    return name.lstrip('^').split(':')[0]


def _check_graph_def(graph_def):
    if not isinstance(graph_def, GraphDef):
        raise misuse(TypeError('graph_def must be a GraphDef proto, such as graph.as_graph_def().'))


def _needed(nodes, dest_nodes):
    """Names of the nodes that `dest_nodes` need. AssertionError for an unknown one."""
    found, stack = set(), [_node_name(name) for name in dest_nodes]
    for name in stack:
        if name not in nodes:
            near = close_matches(name, nodes, n=3)
            raise misuse(AssertionError(f'{name} is not in graph'
                                        + (f'; nearest: {", ".join(near)}' if near else '')))
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            inputs = [_node_name(i) for i in nodes[name].input]
            missing = [i for i in inputs if i not in nodes]
            if missing:
                raise misuse(ValueError(f"Node '{name}': Unknown input node '{missing[0]}'"))
            stack += inputs
    return found


def extract_sub_graph(graph_def, dest_nodes):
    """The GraphDef of the nodes that `dest_nodes` (names) need, in the original order.

    Raises TypeError for a string in place of the list, AssertionError for an unknown name.
    """
    _check_graph_def(graph_def)
    if isinstance(dest_nodes, str):
        raise misuse(TypeError(f'dest_nodes must be a list: [{dest_nodes!r}].'))
    kept = _needed({node.name: node for node in graph_def.node}, dest_nodes)
    result = type(graph_def)()
    result.node.extend([node for node in graph_def.node if node.name in kept])
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def remove_training_nodes(input_graph, protected_nodes=None):
    """The GraphDef without nodes that only training needs: CheckNumerics, and Identity without
    effect.

    `protected_nodes` are names of nodes to keep. An Identity that has, or is, a control input is
    kept as well.
    """
    protected = set(protected_nodes or ())
    checks = {n.name: n.input[0] for n in input_graph.node
              if n.op == 'CheckNumerics' and n.name not in protected}
    waited_for = {name[1:] for n in input_graph.node if n.name not in checks
                  for name in n.input if name.startswith('^')}
    idle = {n.name: n.input[0] for n in input_graph.node
            if n.op == 'Identity' and n.name not in protected and n.name not in waited_for
            and not any(name.startswith('^') for name in n.input)}
    skipped = {**checks, **idle}

    def source(name):
        while name in skipped:
            name = skipped[name]
        return name
    result = type(input_graph)()
    for node in input_graph.node:
        if node.name in skipped:
            continue
        copy = result.node.add()
        copy.CopyFrom(node)
        copy.input[:] = [source(name) for name in node.input if name.lstrip('^') not in checks
                         or not name.startswith('^')]
    return result


# ---- Variables as constants ---------------------------------------------------------------


def convert_variables_to_constants(sess, input_graph_def, output_node_names,
                                   variable_names_whitelist=None, variable_names_blacklist=None):
    """The GraphDef of the nodes that `output_node_names` need, with Variables as constants.

    The values are those in `sess`. With variable_names_whitelist only the Variables named there
    are replaced, with variable_names_blacklist all but those. Raises AssertionError for an unknown
    output, FailedPreconditionError for a Variable without a value.
    """
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    names = [node.name for node in graph_def.node if node.op in _VARIABLES
             and _is_chosen(node.name, variable_names_whitelist, variable_names_blacklist)]
    values = dict(zip(names, sess.run([name + ':0' for name in names]))) if names else {}
    _LOG.info('Froze %d variables.', len(values))
    result = type(graph_def)()
    for node in graph_def.node:
        copy = result.node.add()
        if node.name in values:
            _fill_constant(copy, node, values[node.name])
        else:
            copy.CopyFrom(node)
            _read_constant(copy, node, values)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    _LOG.info('Converted %d variables to const ops.', len(values))
    return result


def _is_chosen(name, whitelist, blacklist):
    return (whitelist is None or name in whitelist) and \
        (blacklist is None or name not in blacklist)


def _fill_constant(proto, node, value):
    dtype = as_dtype(node.attr['dtype'].type).base_dtype
    proto.name, proto.op = node.name, 'Const'
    proto.attr['dtype'].type = dtype.as_datatype_enum
    tensors.fill_tensor(proto.attr['value'].tensor, value, dtype)


def _read_constant(proto, node, values):
    """A read of a resource variable that has become a constant is a plain Identity."""
    if node.op == 'ReadVariableOp' and node.input[0] in values:
        proto.Clear()
        proto.name, proto.op = node.name, 'Identity'
        proto.attr['T'].CopyFrom(node.attr['dtype'])
        proto.input.extend(node.input)


__getattr__ = _explain_missing('tinyflow.graph_util', __all__)


def __dir__():
    return __all__
