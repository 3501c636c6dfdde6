"""Graph -> GraphDef: what `Graph.as_graph_def` and `Operation.node_def` give.

TensorFlow 1.15's node types, inputs and attributes, so TensorFlow reads the result. Nodes of
tinyflow's own are written as the nodes of TensorFlow that do the same (`_LOWERED`).
"""
from __future__ import annotations

import warnings

from tinyflow.errors import TinyflowWarning, describe, report, worded
from tinyflow.formats import tensors
from tinyflow.graphdef import attributes, functions
from tinyflow.version import GRAPH_DEF_VERSION

_FUNCTIONS_SINCE = 12           # the oldest reader that knows functions
LARGE = 32 * 2**20              # bytes; from here on a constant in a file is worth a word


def graph_def(graph, from_version=None, add_shapes=False):
    """The GraphDef of a graph, or of its nodes made since `graph.version` was `from_version`.

    `add_shapes` writes the static shapes of each node's outputs as the attribute _output_shapes.
    Warns [A19] of constants above 32 MB. Raises ValueError above 2 GB.
    """
    from tinyflow.formats.protos.graph_pb2 import GraphDef
    operations = [op for op in graph.get_operations() if op.id > (from_version or 0)]
    _check_size(graph, operations)
    proto = GraphDef()
    proto.versions.producer = GRAPH_DEF_VERSION
    for operation in operations:
        add_node(proto.node, operation, add_shapes)
    found = functions.of_operations(operations)
    if found:
        proto.versions.min_consumer = _FUNCTIONS_SINCE
        for function in found:
            functions.fill(proto.library.function.add(), function)
    return proto


def node_def(operation):
    """The NodeDef of one node (of tinyflow's own nodes, the last of those that stand for it)."""
    from tinyflow.formats.protos.graph_pb2 import GraphDef
    proto = GraphDef()
    add_node(proto.node, operation, False)
    return proto.node[-1]


def add_node(nodes, operation, add_shapes=False, input_name=None):
    """Appends the NodeDef of an operation; `input_name` words an input tensor's name."""
    lower = _LOWERED.get(operation.type)
    if lower is not None:
        lower(nodes, operation, input_name or tensor_name)
        return
    proto = nodes.add()
    proto.name, proto.op, proto.device = operation.name, operation.type, operation.device
    proto.input.extend([(input_name or tensor_name)(t) for t in operation.inputs])
    proto.input.extend(sorted('^' + c.name for c in operation.control_inputs))
    try:
        attributes.fill_attributes(proto, operation)
    except (TypeError, ValueError) as error:
        raise worded(type(error)(report(
            f"{operation.type} '{operation.name}': {error}", op=operation))) from None
    if operation.type in _LOWERED_BY_TENSORFLOW:
        proto.attr['_lower_using_switch_merge'].b = True
    if add_shapes and operation.outputs:
        attributes.fill(proto.attr['_output_shapes'], [t.shape for t in operation.outputs])


# TensorFlow runs these as nodes of the graph around them, so only what is needed of them.
_LOWERED_BY_TENSORFLOW = frozenset(('If', 'StatelessIf', 'While', 'StatelessWhile'))


def tensor_name(tensor):
    """A tensor as an input of a NodeDef: the first output has its node's name alone."""
    return tensor.name if tensor.value_index else tensor.op.name


# ---- constants that make a file big -------------------------------------------------------


def _check_size(graph, operations):
    constants = [op for op in operations if op.type == 'Const' and op.attrs['value'].nbytes > LARGE]
    if not constants:
        return
    constants.sort(key=lambda op: -op.attrs['value'].nbytes)
    total = sum(op.attrs['value'].nbytes for op in constants)
    mend = ('feed the data through a placeholder, read it with tf.data, or put it in a Variable, '
            'which goes to the checkpoint.')
    if total > tensors.LIMIT:
        raise worded(ValueError(report(
            f'GraphDef cannot be larger than 2GB: constants of {total / 2**30:.1f} GB.',
            inputs=[('constant', op.outputs[0]) for op in constants[:3]], mend=mend)))
    if not graph._warned_of_size:
        graph._warned_of_size = True
        warnings.warn(
            f'[A19] {total / 2**20:.0f} MB of constants are written with the graph; the largest: '
            f'{describe(constants[0].outputs[0])}.\n  Mend: {mend}', TinyflowWarning, stacklevel=5)


# ---- nodes of tinyflow's own --------------------------------------------------------------


def _lower_initialized_value(nodes, operation, input_name):
    """InitializedValue as TensorFlow's Switch and Merge: only the branch that is taken is run."""
    name = operation.name
    dtype = operation.outputs[0].dtype
    place, initial = [input_name(t) for t in operation.inputs]
    waits = sorted('^' + c.name for c in operation.control_inputs)

    def add(op, suffix, inputs, **attrs):
        proto = nodes.add()
        proto.name, proto.op, proto.device = name + suffix, op, operation.device
        proto.input.extend(inputs)
        for key, value in attrs.items():
            attributes.fill(proto.attr[key], value)
        return proto.name

    known = add('IsVariableInitialized', '/is_initialized', [place, *waits], dtype=dtype)
    own = add('RefSwitch', '/place', [place, known], T=dtype)
    own = add('Identity', '/value', [own + ':1'], T=dtype)
    other = add('Switch', '/initial_value', [initial, known], T=dtype)
    add('Merge', '', [other, own], T=dtype, N=2)


_LOWERED = {'InitializedValue': _lower_initialized_value}
