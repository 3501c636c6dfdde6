"""tf.doctor: runs every check on the part of a graph that the fetches need."""
from __future__ import annotations

from tinyflow.compiler.prune import prune
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import InvalidArgumentError, misuse
from tinyflow.inspect.doctor.checks import CHECKS, CheckedGraph
from tinyflow.inspect.doctor.report import Report
from tinyflow.session.fetches import FetchPlan
from tinyflow.session.session import BaseSession


def doctor(graph=None, fetches=None, every=50, loss=None):
    """Finds likely mistakes in a graph without running it, or in a training while it runs.

    `graph` is a Graph (default: the default one). `fetches`, whatever Session.run accepts, are what
    is going to be run; with them, ops that they do not need are reported, too. Looks for vectors
    that broadcast against columns, tf.Print and summaries that no fetch needs, UPDATE_OPS that a
    training step does not run, queues that nothing fills, large constants, softmax applied twice,
    logarithms of probabilities, and trainable Variables that the training step does not use;
    docs/warnings.md lists the ids.

    Returns a Report: iterate over its findings, or print it. Raises TypeError if `graph` is not a
    Graph or a Session.

    With a Session, watches the training inside a `with` block: dead ReLUs, saturated units,
    gradients that vanish or explode, learning rates, the scales of inputs and labels, the origin of
    a NaN. Each `every`-th step is sampled; `loss` is what was differentiated, unless it is given.
    tf.train.DoctorHook and tf.keras.callbacks.Doctor do the same elsewhere::

        with tf.doctor(session) as doctor:
            for batch in batches:
                session.run(train_op, {x: batch})
        print(doctor.report())
    """
    if isinstance(graph, BaseSession):
        from tinyflow.inspect.doctor.training import WatchedSession  # start-up time
        if fetches is not None:
            raise misuse(TypeError('doctor: a Session is watched whatever it fetches.\n  Hint: '
                                   'tf.doctor(session) for a training, tf.doctor(graph, fetches) '
                                   'for a graph.'))
        return WatchedSession(graph, every, loss)
    for method, instead in (('fit', 'model.fit(..., callbacks=[tf.keras.callbacks.Doctor()])'),
                            ('model_fn', 'estimator.train(..., hooks=[tf.train.DoctorHook()])')):
        if hasattr(graph, method):
            raise misuse(TypeError(f'doctor: {graph!r} makes its Sessions itself.\n  Hint: '
                                   f'{instead}.'))
    if graph is not None and not isinstance(graph, Graph):
        if fetches is not None:
            raise misuse(TypeError(f'doctor: graph must be a tf.Graph, not {graph!r}.\n  Hint: '
                                   'tf.doctor(tf.get_default_graph(), fetches).'))
        graph, fetches = None, graph
    graph = graph or get_default_graph()
    checked = CheckedGraph(graph, _needed(graph, fetches), fetches is not None)
    findings = [finding for check in CHECKS for finding in check(checked)]
    count = len(graph.get_operations())
    summary = f'{count} nodes' if fetches is None else \
        f'{len(checked.kept)} of {count} nodes, those that the fetches need'
    return Report(tuple(findings), summary)


def _needed(graph: Graph, fetches) -> list[Operation]:
    if fetches is None:
        return graph.get_operations()
    elements = FetchPlan(graph, fetches).elements
    fed = [op.outputs[0] for op in graph.get_operations() if op.type == 'Placeholder']
    try:
        return prune(elements, fed)
    except InvalidArgumentError:            # a placeholder that is itself fetched
        return [op for op in graph.get_operations() if op.outputs not in fed]
