"""The doctor's visit: every check on what the fetches need."""
from __future__ import annotations

from tinyflow.compiler.prune import prune
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import InvalidArgumentError, worded
from tinyflow.inspect.doctor.checks import CHECKS, Patient
from tinyflow.inspect.doctor.report import Report
from tinyflow.session.fetches import FetchPlan


def doctor(graph=None, fetches=None) -> Report:
    """What is likely wrong with a graph, found without running it.

    `graph` is a Graph (default: the default one). `fetches`, whatever Session.run accepts, are what
    is going to be run; then what they leave out is looked at, too. Looks for vectors that broadcast
    against columns (A11), tf.Print and summaries that no fetch reaches (A14), UPDATE_OPS left out
    of a training step (A15), queues that nothing fills (A18), huge constants (A19), softmax applied
    twice, logarithms that can reach zero, and Variables that no fetch uses.

    Returns a Report: iterate over its findings, or print it. Raises TypeError for what is no graph.
    """
    if graph is not None and not isinstance(graph, Graph):
        if fetches is not None:
            raise worded(TypeError(f'doctor: graph must be a tf.Graph, not {graph!r}.\n  Mend: '
                                   'tf.doctor(tf.get_default_graph(), fetches).'))
        graph, fetches = None, graph
    graph = graph or get_default_graph()
    patient = Patient(graph, _needed(graph, fetches), fetches is not None)
    findings = [finding for check in CHECKS for finding in check(patient)]
    count = len(graph.get_operations())
    looked_at = f'{count} nodes' if fetches is None else \
        f'{len(patient.kept)} of {count} nodes, which the fetches need'
    return Report(tuple(findings), looked_at)


def _needed(graph: Graph, fetches) -> list[Operation]:
    if fetches is None:
        return graph.get_operations()
    elements = FetchPlan(graph, fetches).elements
    fed = [op.outputs[0] for op in graph.get_operations() if op.type == 'Placeholder']
    try:
        return prune(elements, fed)
    except InvalidArgumentError:            # a placeholder that is itself fetched
        return [op for op in graph.get_operations() if op.outputs not in fed]
