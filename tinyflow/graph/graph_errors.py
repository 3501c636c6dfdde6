"""Errors of Graph: names that mean no node, nodes of another graph, a graph that is finalized."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tinyflow.graph.control_flow_names import encloses, where_inside
from tinyflow.graph.source_location import Site
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.graph.support.keywords import close_matches

if TYPE_CHECKING:
    from tinyflow.graph.graph import Graph
    from tinyflow.graph.operation import Operation, Tensor


def is_finalized(graph: Graph, operation: Operation) -> Exception:
    """The error for a node that is added to a finalized graph."""
    return misuse(RuntimeError(report(
        f"Graph is finalized and cannot be modified: {operation.type} '{operation.name}' "
        f'cannot be added to {graph}.\n  finalized at {Site(*graph._finalized_by)}',
        op=operation,
        hint='create all nodes before the graph is finalized (a MonitoredSession finalizes it), '
             'and only run nodes afterwards.' + why('finalized-graph'))))


def of_another_graph(graph: Graph, element: Tensor | Operation, operation: Operation) -> Exception:
    """The error for a node (or a tensor of it) of another graph."""
    kind = 'Operation' if element is operation else 'Tensor'
    call = encloses(graph, operation)
    if call:
        return misuse(ValueError(report(
            f"{kind} '{element.name}' has been marked as not fetchable and not feedable: it is "
            f'inside {call}.', op=operation,
            hint='let the function return it' + (', or use a tf.TensorArray.'
                                                 if 'while' in call else '.'))))
    return misuse(ValueError(report(
        f"{kind} '{element.name}' is not an element of this graph.\n"
        f'  it belongs to {operation.graph}\n  this is {graph}', op=operation,
        hint='build and run inside one `with graph.as_default():`, and give Session that graph; '
             'after tf.reset_default_graph() make a new Session.' + why('wrong-graph'))))


def no_output_number(name: str) -> Exception:
    """The error for a name such as 'x:y'."""
    return misuse(ValueError(f"'{name}' looks like a tensor's name, but what follows the colon is "
                             "not a number (e.g. 'x:0')."))


def no_such_output(name: str, operation: Operation) -> Exception:
    """The error for a name such as 'x:1' where the operation x has one output."""
    count = len(operation.outputs)
    outputs = {0: 'no outputs', 1: '1 output'}.get(count, f'{count} outputs')
    return misuse(KeyError(f"The name '{name}' refers to a Tensor which does not exist: the "
                           f"operation '{operation.name}' has {outputs}."))


def not_an_operation_name(name: str, node: str) -> Exception:
    """The error for a tensor's name where an operation is needed."""
    return misuse(ValueError(f"'{name}' is a tensor's name (it has a colon); expected an "
                             f"operation's name, such as '{node}'."))


def not_a_tensor_name(name: str) -> Exception:
    """The error for an operation's name where a tensor is needed."""
    return misuse(ValueError(
        f"The name '{name}' looks like an (invalid) Operation name, not a Tensor; a tensor's name "
        f"ends in an output number: '{name}:0'."))


def no_such_node(graph: Graph, kind: str, name: str, node: str) -> Exception:
    """The error for the name of a node that the graph does not have; lists similar names."""
    by_name = graph._by_name
    nearest = close_matches(node, by_name, n=3) or _with_similar_last_part(node, by_name)
    if kind == 'Tensor':
        nearest = [f'{n}:0' for n in nearest if by_name[n].outputs]
    hint = f' Nearest: {", ".join(map(repr, nearest))}.' if nearest else ''
    article = 'an' if kind == 'Operation' else 'a'
    return misuse(KeyError(f"The name '{name}' refers to {article} {kind} which does not exist in "
                           f'{graph}.{hint}{where_inside(graph, name)}'))


def _with_similar_last_part(node: str, by_name: dict[str, Operation]) -> list[str]:
    """Names whose last part, without scopes, is closest to that of `node`."""
    by_last: dict[str, str] = {}
    for name in by_name:
        by_last.setdefault(name.rpartition('/')[2], name)
    near = close_matches(node.rpartition('/')[2], by_last, n=3)
    return [by_last[last] for last in near]


def not_a_scope_name(name: str) -> Exception:
    """The error for a name with characters that names cannot have; shows a valid one."""
    nearest = re.sub(r'[^A-Za-z0-9_.\-/]+', '_', name).lstrip('_-/') or 'layer'
    return misuse(ValueError(
        f"'{name}' is not a valid scope name: use letters, digits and _ . - / , and begin with a "
        f'letter, digit or dot.\n  Hint: {nearest!r}.' + why('scope-name')))
