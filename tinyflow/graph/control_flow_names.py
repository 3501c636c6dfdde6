"""TensorFlow 1's names of what a tf.cond or tf.while_loop gives, where the node is one If or While.

In TensorFlow 1.15, `tf.cond(..., name='either')` gives 'either/Merge:0' and a loop 'loop/Exit:0',
'loop/Exit_1:0'. Programs fetch and feed them by these names.
"""
from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinyflow.graph.graph import Graph
    from tinyflow.graph.operation import Operation

_RESULT = re.compile(r'(.+)/(Merge|Exit)(?:_(\d+))?')
_CALLS = {'If': 'a tf.cond', 'StatelessIf': 'a tf.cond', 'While': 'a tf.while_loop'}
_MERGES = ('If', 'StatelessIf')


def result_of(graph: Graph, name: str) -> Operation | None:
    """The operation whose output is the one that TensorFlow calls `name`, if there is one."""
    found = _RESULT.fullmatch(name)
    call = graph._by_name.get(found[1]) if found else None
    if found is None or call is None or call.type not in _CALLS:
        return None
    number = int(found[3] or 0)
    if (call.type in _MERGES) != (found[2] == 'Merge'):
        return None
    if call.type == 'While':            # its first outputs: the counter, and the limit
        limited = call.inputs[1].op.attrs.get('value') != -1
        number += 2 if not limited else number > 0
    if number >= len(call.outputs):
        return None
    return next((user for user in call.outputs[number].consumers()
                 if user.type == 'Identity' and user.name.startswith(f'{found[1]}/')), None)


def where_inside(graph: Graph, name: str) -> str:
    """A sentence about the name of a node inside a branch or a loop; empty if it is none."""
    parts = name.partition(':')[0].split('/')
    for n in range(len(parts) - 1, 0, -1):
        outer, inner = '/'.join(parts[:n]), '/'.join(parts[n:])
        call = graph._by_name.get(outer)
        if call is not None and call.type in _CALLS:
            functions = [call.attrs[f] for f in call.definition.functions]
            if any(inner in f._by_name for f in functions) or \
                    parts[-1] in ('switch_t', 'switch_f', 'pred_id', 'LoopCond') or \
                    re.fullmatch(r'(Switch|Merge|Enter|NextIteration)(_\d+)?', parts[-1]):
                return (f' It is inside {_CALLS[call.type]}, {outer!r}, and cannot be '
                        'fetched or fed: let the function return it'
                        + (', or use a tf.TensorArray.' if call.type == 'While' else '.'))
    return ''
