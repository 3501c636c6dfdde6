"""Converts TensorFlow 1's old control flow: Switch, Merge, Enter ... become If and While.

Old graphs have no functions. A branch consists of the nodes between Switch nodes, which pass a
value to one of two outputs, and Merge nodes, which take the input that is computed; a loop is a
cycle of nodes in a "frame". Here these nodes are extracted as Functions: first loops
(folded_loops.py), from the inside out, then branches (folded_branches.py), in the graph and in
every Function of a loop.
"""
from __future__ import annotations

from tinyflow.formats.graphdef.control_flow_v1.folded_branches import fold_branches
from tinyflow.formats.graphdef.control_flow_v1.folded_loops import fold_loops
from tinyflow.formats.graphdef.nodes import Ref
from tinyflow.graph.support.errors import misuse

OLD_CONTROL_FLOW = frozenset((
    'Switch', 'RefSwitch', 'Merge', 'RefMerge', 'Enter', 'RefEnter', 'Exit', 'RefExit',
    'NextIteration', 'RefNextIteration', 'LoopCond'))
# Inside a FunctionDef an output has a name, except for these ops, which use its index.
_PLACES = {'output_false': 0, 'output_true': 1, 'output': 0, 'value_index': 1}


def _check_inputs(node):
    wanted = 2 if node.op.endswith('Switch') else 1
    found = len(node.inputs)
    if node.op in OLD_CONTROL_FLOW and (
            found < wanted or found > wanted and not node.op.endswith('Merge')):
        raise misuse(ValueError(f'The node {node.name!r} is damaged: {node.op} takes {wanted} '
                                f'inputs, not {found}.'))


def modernize(nodes, results=()):
    """(nodes, results) without old control flow; `results` are the Refs that are used.

    Raises ValueError for a graph that tf.cond or tf.while_loop cannot create.
    """
    if not any(node.op in OLD_CONTROL_FLOW for node in nodes):
        return nodes, list(results)
    old = {node.name for node in nodes if node.op in OLD_CONTROL_FLOW}

    def counted(ref):
        return Ref(ref.node, _PLACES[ref.part]) if ref.part in _PLACES and ref.node in old else ref
    for node in nodes:
        _check_inputs(node)
        node.inputs = [counted(ref) for ref in node.inputs]
    return fold_branches(fold_loops(nodes)), [counted(ref) for ref in results]
