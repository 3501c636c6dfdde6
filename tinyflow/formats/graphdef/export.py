"""Graph -> GraphDef: `Graph.as_graph_def` and `Operation.node_def`.

TensorFlow 1.15's node types, inputs and attributes, so TensorFlow reads the result. Nodes that
only tinyflow has are written as the nodes of TensorFlow that do the same (`_LOWERED`).
"""
from __future__ import annotations

from tinyflow.formats.graphdef import attributes, functions, ordering
from tinyflow.formats.graphdef.control_flow_v1 import lowered
from tinyflow.formats.graphdef.names import NAMES, OrderedNames
from tinyflow.formats.protos.graph_pb2 import GraphDef
from tinyflow.formats.wire import tensors
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.source_location import user_site, warn_at
from tinyflow.graph.support.errors import describe, misuse, report
from tinyflow.graph.support.version import GRAPH_DEF_VERSION
from tinyflow.graph.variable_refs import handle_variable, storage_shape

_FUNCTIONS_SINCE = 12           # the oldest reader that knows functions
_KEPT, _WARNED = 'GraphDef of the finalized graph', 'warned of large constants'
LARGE = 32 * 2**20              # bytes; from here on a constant in a file causes a warning


def graph_def(graph, from_version=None, add_shapes=False):
    """The GraphDef of a graph, or of its nodes made since `graph.version` was `from_version`.

    `add_shapes` writes the static shapes of each node's outputs as the attribute _output_shapes.
    Warns [large-constants] of constants above 32 MB. Raises ValueError above 2 GB.
    """
    if not add_shapes or from_version or not graph.finalized:
        return _graph_def(graph, from_version, add_shapes)
    # A training saves the finalized graph with each checkpoint.
    shown = [op.outputs and [t.raw_shape for t in op.outputs] for op in graph._operations]
    finalized_by, known, kept = graph.annotations.get(_KEPT, (None, None, None))
    if finalized_by is not graph._finalized_by or known != shown:
        kept = _graph_def(graph, None, True)
        graph.annotations[_KEPT] = graph._finalized_by, shown, kept
    proto = GraphDef()
    proto.CopyFrom(kept)
    return proto


def _graph_def(graph, from_version, add_shapes):
    operations = [op for op in graph.get_operations() if op.id > (from_version or 0)]
    _check_size(graph, operations)
    proto = GraphDef()
    proto.versions.producer = GRAPH_DEF_VERSION
    found = functions.of_operations(operations)         # gives them unique names
    waits = ordering.waits_for(operations)
    names = OrderedNames(waits) if waits else NAMES
    for operation in operations:
        add_node(proto.node, operation, add_shapes, names)
    if found:
        proto.versions.min_consumer = _FUNCTIONS_SINCE
        for function in found:
            functions.fill(proto.library.function.add(), function, add_node)
    return proto


def node_def(operation):
    """The NodeDef of one node (of several that represent it, the last)."""
    proto = GraphDef()
    add_node(proto.node, operation, False)
    return proto.node[-1]


def add_node(nodes, operation, add_shapes=False, names=NAMES):
    """Appends the NodeDef of an operation, with the names of nodes and tensors from `names`."""
    lower = _lowering(operation)
    if lower is not None:
        lower(nodes, operation, names, add_node)
        return
    proto = nodes.add()
    proto.name, proto.op, proto.device = names.node(operation), operation.type, operation.device
    proto.input.extend([names.tensor(t) for t in operation.inputs])
    proto.input.extend(names.controls(operation))
    try:
        attributes.fill_attributes(proto, operation)
    except (TypeError, ValueError) as error:
        raise misuse(type(error)(report(
            f"{operation.type} '{operation.name}': {error}", op=operation))) from None
    if operation.type in _LOWERED_BY_TENSORFLOW:
        proto.attr['_lower_using_switch_merge'].b = True
    if add_shapes and operation.outputs:
        attributes.fill(proto.attr['_output_shapes'], [t.shape for t in operation.outputs])


# TensorFlow runs these as nodes of the enclosing graph, so only their needed part.
_LOWERED_BY_TENSORFLOW = frozenset(('If', 'StatelessIf', 'While', 'StatelessWhile'))


# ---- large constants ----------------------------------------------------------------------


def _check_size(graph, operations):
    constants = [op for op in operations if op.type == 'Const' and op.attrs['value'].nbytes > LARGE]
    if not constants:
        return
    constants.sort(key=lambda op: -op.attrs['value'].nbytes)
    total = sum(op.attrs['value'].nbytes for op in constants)
    hint = ('feed the data through a placeholder, read it with tf.data, or put it in a Variable, '
            'which goes to the checkpoint.')
    if total > tensors.LIMIT:
        raise misuse(ValueError(report(
            f'GraphDef cannot be larger than 2GB: constants of {total / 2**30:.1f} GB.',
            inputs=[('constant', op.outputs[0]) for op in constants[:3]], hint=hint)))
    if not graph.annotations.get(_WARNED):
        graph.annotations[_WARNED] = True
        warn_at(user_site(), f'[large-constants] {total / 2**20:.0f} MB of constants are written '
                f'with the graph; the largest: {describe(constants[0].outputs[0])}.\n'
                f'  Hint: {hint}')


# ---- nodes that only tinyflow has ---------------------------------------------------------


def _lower_initialized_value(nodes, operation, names, _):
    """InitializedValue as TensorFlow's Switch and Merge: only the selected branch runs."""
    add = lowered.Adder(nodes, operation, names)
    dtype = operation.outputs[0].dtype
    ref, initial = [names.tensor(t) for t in operation.inputs]
    known = add('IsVariableInitialized', '/is_initialized',
                [ref, *names.controls(operation)], dtype=dtype)
    own = add('RefSwitch', '/place', [ref, known], T=dtype)
    own = add('Identity', '/value', [own + ':1'], T=dtype)
    other = add('Switch', '/initial_value', [initial, known], T=dtype)
    add('Merge', '', [other, own], T=dtype, N=2)


def _lower_resource_initialized_value(nodes, operation, names, _):
    """The same for a resource variable, which is read in the branch."""
    add = lowered.Adder(nodes, operation, names)
    dtype = operation.outputs[0].dtype
    handle, initial = [names.tensor(t) for t in operation.inputs]
    known = add('VarIsInitializedOp', '/is_initialized', [handle, *names.controls(operation)])
    own = add('Switch', '/handle', [handle, known], T=dtypes.resource)
    own = add('ReadVariableOp', '/value', [own + ':1'], dtype=dtype)
    other = add('Switch', '/initial_value', [initial, known], T=dtype)
    add('Merge', '', [other, own], T=dtype, N=2)


def _lower_captured_variable(nodes, operation, names, _):
    """A Variable that a graph of its own only refers to, as a VarHandleOp."""
    variable = handle_variable(operation.outputs[0])
    name = names.node(operation)
    lowered.Adder(nodes, operation, names)(
        'VarHandleOp', '', [], dtype=variable.attrs['dtype'],
        shape=shapes.TensorShape(storage_shape(variable)),
        container='', shared_name=name)


def _lowering(operation):
    """The function that writes a node which TensorFlow does not have, or None.

    TensorFlow's functions cannot change a Variable of the default kind; v1 control flow can.
    """
    if operation.type == 'InitializedValue':
        return _lower_initialized_value
    if operation.type == 'Placeholder' and operation.outputs[0].dtype is dtypes.resource \
            and handle_variable(operation.outputs[0]) is not None:
        return _lower_captured_variable
    if operation.type == 'ResourceInitializedValue':
        return _lower_resource_initialized_value
    if operation.definition.functions and operation.writes:
        return {'If': lowered.lower_if, 'StatelessIf': lowered.lower_if,
                'While': lowered.lower_while}.get(operation.type)
    return None
