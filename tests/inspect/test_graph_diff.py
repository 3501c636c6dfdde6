"""tf.graph_diff: graphs against graphs, files, programs before and after a pass, checkpoints."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf


def network(units=3, activation='relu', scope='net'):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 4], name='x')
        with tf.variable_scope(scope):
            w = tf.get_variable('w', [4, units], initializer=tf.ones_initializer())
            y = tf.matmul(x, w, name='product')
            getattr(tf.nn, activation)(y, name='activation')
    return graph


def test_equal_graphs():
    diff = tf.graph_diff(network(), network())
    assert not diff and diff.same == len(network().get_operations())


def test_added_removed_and_changed_nodes():
    other = network(units=5)
    with other.as_default():
        tf.constant(1., name='more')
    diff = tf.graph_diff(network(), other)
    assert [line.split(':')[0] for line in diff.added] == ['more'] and not diff.removed
    names = {c.name for c in diff.changed}
    assert {'net/w', 'net/product'} <= names
    assert 'float32 [?, 3] -> float32 [?, 5]' in str(diff)
    assert f'{len(names)} changed' in str(diff) and len(names) < len(diff.changed)
    assert diff.same + len(names) == len(network().get_operations())
    assert [line.split(':')[0] for line in tf.graph_diff(other, network()).removed] == ['more']


def test_another_type_with_the_same_name():
    diff = tf.graph_diff(network(), network(activation='tanh'))
    assert [str(c) for c in diff.changed] == ['net/activation: type Relu -> Tanh']


def test_renamed_nodes():
    diff = tf.graph_diff(network(), network(scope='model'))
    assert ('net/w', 'model/w') in diff.renamed and not diff.added and not diff.removed
    assert not diff.changed


def test_values_of_constants():
    with tf.Graph().as_default() as a:
        tf.constant(np.arange(100))
    with tf.Graph().as_default() as b:
        tf.constant(np.arange(100) + 1)
    assert [c.what for c in tf.graph_diff(a, b).changed] == ['value']


def test_definitions_and_files(tmp_path):
    graph = network()
    definition = graph.as_graph_def()
    assert not tf.graph_diff(graph, definition)
    for name, text in (('g.pb', False), ('g.pbtxt', True)):
        path = tf.train.write_graph(definition, str(tmp_path), name, as_text=text)
        assert not tf.graph_diff(path, graph)
    tf.train.export_meta_graph(str(tmp_path / 'g.meta'), graph=graph)
    assert not tf.graph_diff(str(tmp_path / 'g.meta'), graph)
    (tmp_path / 'bad.pb').write_bytes(b'\x0a\xff\xff')
    with pytest.raises(tf.errors.DataLossError, match='bad.pb'):
        tf.graph_diff(str(tmp_path / 'bad.pb'), graph)


def test_before_and_after_the_passes():
    x = tf.placeholder(tf.float32, [None])
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.identity(x) * (tf.constant(2.) + 3.)
        from tinyflow.compiler.compile import graph_to_program
        before = graph_to_program((y,), (x,))
        after = tf.explain(y, {x: [1.]}).program
    diff = tf.graph_diff(before, after)
    assert {line.split(':')[0] for line in diff.removed} == {'Identity', 'Const', 'add/y', 'add'}


def test_a_graph_and_a_checkpoint(tmp_path):
    with network().as_default() as graph, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(sess, str(tmp_path / 'model'))
    assert not tf.graph_diff(graph, prefix)
    assert [str(c) for c in tf.graph_diff(network(units=5), prefix).changed] == [
        'net/w: gives float32 [4, 5] -> float32 [4, 3]']
    assert tf.graph_diff(network(scope='model'), prefix).renamed == [('model/w', 'net/w')]


def test_files_that_are_not_graphs():
    with pytest.raises(TypeError, match='graph_diff compares'):
        tf.graph_diff(3, network())
    assert '<pre>' in tf.graph_diff(network(), network())._repr_html_()


@pytest.mark.parametrize('name, hint', [
    ('nope.pb', 'is the name right'), ('nope/graph.pb', 'the directory must exist')])
def test_a_missing_file(tmp_path, name, hint):
    with pytest.raises(tf.errors.NotFoundError, match=hint):
        tf.graph_diff(str(tmp_path / name), network())
