"""Every golden program's graph goes through a GraphDef and comes back as it was."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.programs import PROGRAMS
from tests.golden.programs.registry import family

# Written with other nodes than they have: initialized_value() and Variables that are assigned
# inside functions become TensorFlow's old control flow, and come back as If and While.
REWRITTEN = {'Switch', 'Enter'}
# Their loops take tensors whose shapes set_shape made more exact, which no GraphDef has.
SHAPES_SET = {'whole_translation'}


def graph_defs(name):
    """The GraphDef of a program, and that of the graph which it makes when it is imported."""
    build = PROGRAMS[name]
    with tf.Graph().as_default() as graph, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            build(tf, np)
        except (NotImplementedError, AttributeError):
            pytest.skip('uses what is not built yet')
        first = graph.as_graph_def()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(first, name='')
    return first, graph.as_graph_def()


def by_name(nodes):
    return {n.name: n.SerializeToString(deterministic=True) for n in nodes}


@pytest.mark.slow
@pytest.mark.parametrize('chosen', sorted({family(b) for b in PROGRAMS.values()}))
def test_graphs_come_back(chosen):
    for name in [n for n, b in PROGRAMS.items() if family(b) == chosen]:
        try:
            first, second = graph_defs(name)
        except pytest.skip.Exception:
            continue
        if REWRITTEN & {n.op for n in first.node}:
            continue
        if name in SHAPES_SET:
            for node in [*first.node, *second.node]:
                node.attr.pop('output_shapes', None)
        assert by_name(first.node) == by_name(second.node), name
        functions = [{f.signature.name: by_name(f.node_def) for f in d.library.function}
                     for d in (first, second)]
        assert functions[0] == functions[1], name


SOME = [name for name, build in PROGRAMS.items() if getattr(build, 'functional', False)
        and family(build) in ('control', 'gradients', 'selection', 'losses', 'rnn')][:25]


def fetch_names(fetches):
    if isinstance(fetches, (list, tuple)):
        return [n for f in fetches for n in fetch_names(f)]
    return [fetches.name] if hasattr(fetches, 'name') else []


@pytest.mark.slow
@pytest.mark.parametrize('name', SOME)
def test_values_come_back(name):
    """Programs with functions compute the same after the trip."""
    with tf.Graph().as_default() as graph, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            runs = [(fetch_names(f), {k.name: v for k, v in (feeds or {}).items()})
                    for f, feeds in PROGRAMS[name](tf, np)]
        except (NotImplementedError, AttributeError):
            pytest.skip('uses what is not built yet')
    with tf.Graph().as_default() as again:
        tf.import_graph_def(graph.as_graph_def(), name='')
    with tf.Session(graph=graph) as one, tf.Session(graph=again) as other:
        for fetches, feeds in runs:
            for mine, theirs in zip(one.run(fetches, feeds), other.run(fetches, feeds)):
                np.testing.assert_array_equal(mine, theirs)
