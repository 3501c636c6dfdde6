"""Node: a light record between a NodeDef of a file and an Operation of a Graph.

Here old op types and resource variables are converted to those of tinyflow, before anything
is built.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tinyflow.formats.wire.tensors import dtype_from
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import misuse


class Ref(NamedTuple):
    """An output of a node; in a FunctionDef counted inside the output called `part`."""

    node: str
    index: int = 0
    part: str = ''

    def __str__(self):
        return f'{self.node}:{self.part}:{self.index}' if self.part else f'{self.node}:{self.index}'


@dataclass(eq=False)
class Node:
    """A node of a GraphDef. `attrs` are AttrValues, or Python values."""

    name: str
    op: str
    inputs: list[Ref] = field(default_factory=list)
    controls: list[str] = field(default_factory=list)
    attrs: dict[str, Any] = field(default_factory=dict)
    device: str = ''


@dataclass(eq=False)
class Function:
    """A graph with parameters and results: of a FunctionDef, or extracted from a graph."""

    name: str
    parameters: list[str]
    nodes: list[Node]
    results: list[Ref]
    result_names: list[str] = field(default_factory=list)
    controls: list[str] = field(default_factory=list)       # nodes that must run, too
    parameter_types: list[Any] = field(default_factory=list)
    parameter_shapes: list[Any] = field(default_factory=list)
    graph: Any = None                   # the FuncGraph built for the declared parameters


# ---- reading ------------------------------------------------------------------------------


def read_nodes(protos):
    """The Nodes of a list of NodeDefs. Raises ValueError for a damaged one."""
    return [_read_node(proto) for proto in protos]


def _read_node(proto):
    node = Node(proto.name, proto.op, attrs=dict(proto.attr), device=proto.device)
    if not node.name or not node.op:
        raise misuse(ValueError(f"A node is damaged: its name is '{node.name}' and its op type "
                                f"'{node.op}'."))
    for text in proto.input:
        if text.startswith('^'):
            node.controls.append(text[1:])
        elif node.controls:
            raise misuse(ValueError(f"The node '{node.name}' is damaged: its input '{text}' is "
                                    'after a control input.'))
        else:
            node.inputs.append(read_ref(text, node.name))
    return node


def read_ref(text, node=''):
    """'a', 'a:1' or 'a:output:1' as a Ref."""
    name, *rest = text.split(':')
    try:
        if not rest:
            return Ref(name)
        if len(rest) == 1:
            return Ref(name, int(rest[0])) if rest[0].isdigit() else Ref(name, 0, rest[0])
        part, index = rest
        return Ref(name, int(index), part)
    except ValueError:
        raise misuse(ValueError(f"The node '{node}' is damaged: '{text}' is no input.")) from None


def read_function(proto):
    """The Function of a FunctionDef."""
    signature = proto.signature
    names = [arg.name for arg in signature.output_arg]
    missing = [name for name in names if name not in proto.ret]
    if missing:
        raise misuse(ValueError(f"The function '{signature.name}' is damaged: nothing is said of "
                                f"its result '{missing[0]}'."))
    return Function(signature.name, [arg.name for arg in signature.input_arg],
                    read_nodes(proto.node_def),
                    [read_ref(proto.ret[name], signature.name) for name in names], names,
                    list(proto.control_ret.values()), _types(signature),
                    [_known_shape(proto, i) for i in range(len(signature.input_arg))])


def _known_shape(proto, argument):
    """The shape of a parameter in a FunctionDef, if known."""
    if argument not in proto.arg_attr or '_output_shapes' not in proto.arg_attr[argument].attr:
        return None
    found = proto.arg_attr[argument].attr['_output_shapes'].list.shape
    return shapes.raw(found[0]) if len(found) == 1 else None


def _types(signature):
    where = f"The function '{signature.name}'"
    return [dtype_from(arg.type, where) for arg in signature.input_arg]


# ---- old op types and resource variables --------------------------------------------------

# Replacements for op types that tinyflow does not implement. The newer ones of TensorFlow 2 are
# equivalent to the older ones with the attributes that TensorFlow 1 programs use.
_RENAMED = {
    'Variable': 'VariableV2', 'BatchMatMul': 'BatchMatMulV2', 'BatchMatMulV3': 'BatchMatMulV2',
    'BatchMatrixInverse': 'MatrixInverse', 'BatchCholesky': 'Cholesky', 'Inv': 'Reciprocal',
    'PlaceholderV2': 'Placeholder', 'Add': 'AddV2', 'AddV2': 'Add', 'Select': 'SelectV2',
    'StatelessIf': 'If', 'StatelessWhile': 'While', 'If': 'StatelessIf', 'While': 'StatelessWhile',
    'ControlTrigger': 'NoOp', 'Iterator': 'IteratorV2',
    'IteratorFromStringHandle': 'IteratorFromStringHandleV2',
    'ParallelInterleaveDatasetV3': 'ParallelInterleaveDatasetV2',
    'CheckNumericsV2': 'CheckNumerics',
    # Handles of queues, readers and tables used to be strings.
    **{old: f'{old}V2' for old in (
        'FIFOQueue', 'RandomShuffleQueue', 'PaddingFIFOQueue', 'PriorityQueue', 'QueueEnqueue',
        'QueueEnqueueMany', 'QueueDequeue', 'QueueDequeueMany', 'QueueDequeueUpTo', 'QueueClose',
        'QueueSize', 'QueueIsClosed', 'HashTable', 'InitializeTable',
        'InitializeTableFromTextFile', 'LookupTableFind', 'LookupTableSize', 'WholeFileReader',
        'TextLineReader', 'FixedLengthRecordReader', 'TFRecordReader', 'IdentityReader',
        'ReaderRead', 'ReaderReadUpTo', 'ReaderReset', 'ReaderNumRecordsProduced',
        'ReaderNumWorkUnitsCompleted')},
    # A resource variable becomes a Variable of the default kind: the handle is its ref.
    'VarHandleOp': 'VariableV2', 'ReadVariableOp': 'Identity', 'AssignVariableOp': 'Assign',
    'AssignAddVariableOp': 'AssignAdd', 'AssignSubVariableOp': 'AssignSub',
    'VarIsInitializedOp': 'IsVariableInitialized', 'ResourceGather': 'Gather',
    'ResourceCountUpTo': 'CountUpTo', 'ResourceGatherNd': 'GatherNd',
}
# Ops that only manage the memory of a variable have no effect here.
_IDLE = frozenset(('DestroyResourceOp', 'DisableCopyOnRead'))
_RESOURCE = 'Resource'


def newer_type(op_type):
    """The op type that replaces `op_type` in tinyflow, or None."""
    if op_type in Op.registry:
        return op_type
    if op_type in _IDLE:
        return 'NoOp'
    new = _RENAMED.get(op_type)
    if new is None and op_type.startswith(_RESOURCE):
        new = op_type[len(_RESOURCE):]
    if op_type == 'ResourceGather' and new not in Op.registry:
        new = 'GatherV2'
    return new if new in Op.registry else None


def upgrade(nodes):
    """The nodes with the op types of tinyflow, where they exist."""
    result = []
    for node in nodes:
        if node.op in Op.registry:
            result.append(node)
            continue
        new = newer_type(node.op)
        if node.op == 'ResourceGather' and new == 'GatherV2':
            result.append(_axis_of_gather(node))
        elif node.op in _IDLE:
            node.inputs = []
        if new is not None:
            node.op = new
        result.append(node)
    return result


def _axis_of_gather(node):
    """Gathering from a resource has no axis; GatherV2 takes it as an input."""
    axis = Node(node.name + '/axis', 'Const',
                attrs={'value': np.array(0, np.int32), 'dtype': dtypes.int32})
    node.inputs.append(Ref(axis.name))
    return axis
