"""Small TF1 programs give the graph, the collections and the numbers that TF 1.15.5 gave."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import tinyflow as tf
from tests.engine.golden_support import (
    NOT_BUILT_YET, assert_same, collections, edges, forward_nodes, hide_gradients, plain, spec,
)
from tests.golden import load_programs
from tests.golden.programs import PROGRAMS

RECORDED = load_programs()

# Programs that use what a later issue builds; the tests below say when one starts to work.
LATER: dict[str, str] = {}

NOW = [name for name in RECORDED if name not in LATER]

# Long computations multiply rounding differences; everything else keeps the plain tolerance.
SCALE: dict[str, float] = {}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', tf.errors.TinyflowWarning)
        warnings.simplefilter('ignore', DeprecationWarning)
        yield


def build(name):
    graph = tf.Graph()
    with graph.as_default():
        return graph, PROGRAMS[name](tf, np)


@pytest.mark.parametrize('name', NOW)
def test_forward_graph(name):
    """Same nodes of the same types in the same order, wired the same, with the same shapes."""
    graph, _ = build(name)
    wanted = [node for node in RECORDED[name].nodes if not node.in_gradients]
    got = forward_nodes(graph)
    assert [f'{op.name}: {op.type}' for op in got] == [f'{n.name}: {n.type}' for n in wanted]
    assert {op.name: edges(op) for op in got} == \
        {n.name: hide_gradients(n.inputs) for n in wanted}
    assert {op.name: [spec(t) for t in op.outputs] for op in got} == \
        {n.name: n.outputs for n in wanted}


@pytest.mark.parametrize('name', NOW)
def test_values(name):
    """Each run gives the recorded values, and no run adds a node."""
    graph, runs = build(name)
    with tf.Session(graph=graph) as session:
        before = len(graph.get_operations())
        got = [plain(session.run(fetches, feeds)) for fetches, feeds in runs]
    assert len(graph.get_operations()) == before
    assert len(got) == len(RECORDED[name].runs)
    for i, (value, wanted) in enumerate(zip(got, RECORDED[name].runs)):
        assert_same(value, wanted, f'run {i}', SCALE.get(name, 1.0))


@pytest.mark.parametrize('name', NOW)
def test_collections(name):
    graph, _ = build(name)
    assert collections(graph) == RECORDED[name].collections


@pytest.mark.parametrize('name', LATER)
def test_what_is_not_there_yet_says_so(name):
    """Fails as soon as the missing function exists: then its line in LATER goes."""
    with pytest.raises(NOT_BUILT_YET):
        graph, runs = build(name)
        with tf.Session(graph=graph) as session:
            for fetches, feeds in runs:
                session.run(fetches, feeds)


def test_every_recorded_program_is_known():
    assert set(RECORDED) == set(PROGRAMS)
    assert set(LATER) <= set(RECORDED)
