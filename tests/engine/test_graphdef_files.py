"""Graphs that TensorFlow 1.15.5 wrote: imported, they compute what they computed there."""
from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.encoding import decode

FILES = pathlib.Path(__file__).resolve().parents[1] / 'golden' / 'files'
PROGRAMS = sorted(path.stem for path in FILES.glob('*.json')
                  if path.with_suffix('.pb').exists())


def same(ours, theirs):
    if theirs is None:
        return
    ours = np.asarray(ours)
    if ours.dtype == object or ours.dtype.kind in 'SU':
        assert ours.tolist() == theirs.tolist()
    else:
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


def run_recorded(name, session):
    for run in json.loads((FILES / f'{name}.json').read_text()):
        feeds = {k: decode(v) for k, v in run['feeds'].items()}
        for ours, theirs in zip(session.run(run['fetches'], feeds), decode(run['values'])):
            same(ours, theirs)


@pytest.mark.parametrize('name', PROGRAMS)
def test_graph_computes_what_it_did(name):
    graph_def = tf.GraphDef.FromString((FILES / f'{name}.pb').read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
    with tf.Session(graph=graph) as session:
        run_recorded(name, session)
    again = graph.as_graph_def()            # with If and While, where there was old control flow
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(again, name='')
    assert again.SerializeToString(deterministic=True) == \
        graph.as_graph_def().SerializeToString(deterministic=True)
    with tf.Session(graph=graph) as session:
        run_recorded(name, session)
