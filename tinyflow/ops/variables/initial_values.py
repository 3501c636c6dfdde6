"""Initial values that read other Variables, made safe to run before these are initialized."""
from __future__ import annotations

from tinyflow.graph.defaults import get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.ops.random import tf1_node_count
from tinyflow.ops.variables.variable_base import VariableBase

NODES_OF_INITIALIZED_VALUE = 9         # of the cond that TF1 builds for it
_STORAGE = {'VariableV2', 'VarHandleOp'}
_INITIALIZED_VALUES = {'InitializedValue', 'ResourceInitializedValue'}
_LEFT_ALONE = {'ReadVariableOp', 'IsVariableInitialized', 'VarIsInitializedOp'}


def with_initialized_variables(initial, scope):
    """`initial` with every Variable that it reads replaced by that Variable's initialized_value.

    So `b = tf.Variable(a + 1)` can be initialised in the same run as `a`. The nodes between are
    copied, with names from the new Variable as in TF1.
    """
    ancestors = _reachable(initial.op, lambda op: () if _is_leaf(op) else _sources(op))
    if not any(op.type in _STORAGE or op.type in _INITIALIZED_VALUES for op in ancestors):
        return initial
    variables = {v.op: v for v in get_collection(GraphKeys.GLOBAL_VARIABLES)
                 + get_collection(GraphKeys.LOCAL_VARIABLES) if isinstance(v, VariableBase)}
    with tf1_node_count.counted_as(_nodes_of_guard(initial.op, variables)):
        return _replaced(initial, {op for op in ancestors if not _is_leaf(op)}, variables, scope)


def _replaced(initial, ancestors, variables, scope):
    replaced: dict[Tensor, Tensor] = {}
    for op in sorted(ancestors, key=lambda op: op.id):
        if op in variables:
            # Of a resource variable, its reads are replaced.
            readings = [op.outputs[0]] if op.type == 'VariableV2' else [
                t.outputs[0] for t in op.outputs[0].consumers()
                if t in ancestors and t.type == 'ReadVariableOp']
            if readings:
                value = variables[op].initialized_value()
                replaced.update(dict.fromkeys(readings, value))
        elif op.outputs and op.outputs[0] in replaced:
            continue
        elif any(t in replaced for t in op.inputs):
            again = _copy_with_inputs(op, [replaced.get(t, t) for t in op.inputs], scope)
            replaced.update(zip(op.outputs, again.outputs))
    return replaced.get(initial, initial)


def _nodes_of_guard(initial, variables):
    """How many nodes TF1 creates for an initial value in `with_initialized_variables`.

    There an initialized_value is a cond, whose nodes are copied, too: a Switch of the Variable, a
    read and a Merge, and a Switch of its initial value if that has changed. Reads of resource
    variables are not copied.
    """
    def sources(op):
        if op.type in _LEFT_ALONE:
            return []
        if op.type in _INITIALIZED_VALUES and op.inputs[0].op in variables:
            storage = op.inputs[0].op
            value = variables[storage].initial_value      # before it was guarded itself
            return [storage, (op.inputs[1] if value is None else value).op]
        return _sources(op)
    nodes, changed = 0, set()
    ancestors = _reachable(initial, sources)
    if any(op.type == 'While' for op in ancestors):     # TF1 skips graphs with a cycle
        return 0
    for op in sorted(ancestors, key=lambda op: op.id):
        which = [source in changed for source in sources(op)]
        if op.type == 'VariableV2':
            again = NODES_OF_INITIALIZED_VALUE if op in variables else 0
        elif op.type in _INITIALIZED_VALUES and any(which):
            again = 2 * which[0] + which[1] + 1
        else:
            again = int(any(which))
        if again:
            nodes += again
            changed.add(op)
    return nodes


def _is_leaf(op):
    """True for assignments and is-initialized tests, whose inputs are not replaced."""
    return op.writes or op.definition.takes_storage


def _sources(op):
    return [t.op for t in op.inputs]


def _reachable(op, sources):
    """The operation, its `sources`, theirs and so on."""
    found, stack = set(), [op]
    while stack:
        op = stack.pop()
        if op not in found:
            found.add(op)
            stack += sources(op)
    return found


def _copy_with_inputs(op, inputs, scope):
    definition = op.definition
    if definition.has_lists:
        inputs = definition.nest(inputs)
    return definition.make(inputs, dict(op.attrs), f'{op.name}_{scope}')
