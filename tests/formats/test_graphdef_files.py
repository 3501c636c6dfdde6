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


def test_there_are_files():
    assert len(PROGRAMS) >= 22


@pytest.mark.slow
@pytest.mark.parametrize('name', PROGRAMS)
def test_graph_computes_the_same_values(name):
    graph_def = tf.GraphDef.FromString((FILES / f'{name}.pb').read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
    with tf.Session(graph=graph) as session:
        run_recorded(name, session)
    again = graph.as_graph_def()            # with If and While, where there was old control flow
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(again, name='')
    if not name.endswith('assigns'):        # those are written as old control flow once more
        assert again.SerializeToString(deterministic=True) == \
            graph.as_graph_def().SerializeToString(deterministic=True)
    with tf.Session(graph=graph) as session:
        run_recorded(name, session)


def read_graph(name):
    return tf.GraphDef.FromString((FILES / f'{name}.pb').read_bytes())


def test_values_that_leave_a_loop_must_exist_after_it():
    graph_def = read_graph('old_while_training')
    for node in graph_def.node:
        if node.op == 'Exit' and node.name == 'while/Exit_1':
            node.input[0] = 'while/add_1'       # of one iteration
    text = "'while/While' is damaged.*only while it goes on"
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        tf.import_graph_def(graph_def, name='')


def test_a_merge_of_two_values_that_always_come_is_refused():
    graph_def = read_graph('old_gather_in_cond_training')
    merge = next(n for n in graph_def.node if n.name.endswith('cond_grad/Merge_2'))
    always = [i for i in merge.input if i.endswith('Cast')]
    merge.input[:] = always * 2
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Merge_2' merges values"):
        tf.import_graph_def(graph_def, name='')


# ---- a model ------------------------------------------------------------------------------

MODEL = json.loads((FILES / 'model.json').read_text())
X, Y = decode(MODEL['x']), decode(MODEL['y'])


def test_frozen_graph():
    graph_def = tf.GraphDef.FromString((FILES / 'frozen.pb').read_bytes())
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        y, = tf.import_graph_def(graph_def, {'x': x}, ['y:0'], name='frozen')
        assert y.name == 'frozen/y:0' and y.shape.as_list() == [None, 2]
        same(session.run(y, {x: X}), Y)


def test_text_graph():
    from tinyflow.formats.wire.reading import read
    graph_def = read(FILES / 'model.pbtxt', tf.GraphDef)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
    assert [op.name for op in graph.get_operations()] == [n.name for n in graph_def.node]
    again = graph.as_graph_def()
    assert len(again.node) == len(graph_def.node)
    for ours, theirs in zip(again.node, graph_def.node):
        if theirs.op != 'Const':
            assert ours == theirs


def test_meta_graph():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        saver = tf.train.import_meta_graph(str(FILES / 'model.meta'))
        assert [v.name for v in tf.trainable_variables()] == ['net/w:0', 'net/b:0']
        assert len(tf.global_variables()) == 4
        assert tf.global_variables()[0] is tf.trainable_variables()[0]
        assert tf.get_collection('word') == [b'hello']
        assert tf.get_collection('number') == [3] and tf.get_collection('fraction') == [1.5]
        train, = set(tf.get_collection('train_op'))
        y, = tf.get_collection('ys')
        session.run(tf.global_variables_initializer())
        for _ in range(5):
            session.run(train, {'x:0': X})
        same(session.run(y, {'x:0': X}), Y)
        saver.restore(session, str(FILES / 'saved_model' / 'variables' / 'variables'))
        same(session.run(y, {'x:0': X}), Y)
        assert graph.get_tensor_by_name('loss:0').shape == []


def test_saved_model():
    folder = str(FILES / 'saved_model')
    with tf.Graph().as_default(), tf.Session() as session:
        meta_graph = tf.saved_model.loader.load(session, ['serve'], folder)
        signature = meta_graph.signature_def['serving_default']
        same(session.run(signature.outputs['y'].name, {signature.inputs['x'].name: X}), Y)
    with tf.saved_model.load(folder) as model:
        same(model.signatures['serving_default'](x=X)['y'], Y)
        same(model.signatures['serving_default'](X)['y'], Y)
