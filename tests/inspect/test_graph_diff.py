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


# ---- values in checkpoints -------------------------------------------------------------------

def saved(path, **values):
    """The prefix of a checkpoint with these Variables."""
    with tf.Graph().as_default(), tf.Session() as sess:
        for name, value in values.items():
            tf.Variable(value, name=name)
        sess.run(tf.global_variables_initializer())
        return tf.train.Saver().save(sess, str(path), write_meta_graph=False)


def test_equal_names_and_other_values(tmp_path):
    first = saved(tmp_path / 'a', w=[1., 2.], n=[3], b=[0.])
    second = saved(tmp_path / 'b', w=[1.5, 1.], n=[5], b=[0.])
    diff = tf.graph_diff(first, second)
    assert diff and diff.same == 1 and not diff.renamed
    assert [str(change) for change in diff.changed] == [
        'n: differs: max |difference| = 2', 'w: differs: max |difference| = 1']
    assert '2 changed' in str(diff)
    assert not tf.graph_diff(first, first)


@pytest.mark.parametrize('before, after, distance', [
    ([np.nan, 1.], [np.nan, 3.], 'max |difference| = 2'),
    ([np.nan, 1.], [0., 1.], 'max |difference| = nan'),
    ([np.inf, 1.], [np.inf, 0.], 'max |difference| = 1'),
    ([True, False], [True, True], 'max |difference| = 1'),
    ([1j], [1.], 'max |difference| = 1.41421'),
    (['a'], ['b'], 'other texts'),
])
def test_how_far_values_are_apart(tmp_path, before, after, distance):
    before, after = saved(tmp_path / 'a', v=before), saved(tmp_path / 'b', v=np.array(after, type(
        before[0])) if isinstance(before[0], complex) else after)
    assert [str(c) for c in tf.graph_diff(before, after).changed] == [f'v: differs: {distance}']
    assert not tf.graph_diff(before, before)


def test_another_shape_is_one_change(tmp_path):
    diff = tf.graph_diff(saved(tmp_path / 'a', v=[1.]), saved(tmp_path / 'b', v=[1., 2.]))
    assert [str(c) for c in diff.changed] == ['v: gives float32 [1] -> float32 [2]']


def test_a_variable_of_another_name_is_the_same_only_with_the_same_values(tmp_path):
    first = saved(tmp_path / 'a', kernel=[1., 2.], bias=[0., 3.])
    second = saved(tmp_path / 'b', weights=[1., 2.], offset=[0., 4.])
    diff = tf.graph_diff(first, second)
    assert diff.renamed == [('kernel', 'weights')]
    assert [line.partition(':')[0] for line in diff.removed + diff.added] == ['bias', 'offset']


def test_data_that_were_cut_off(tmp_path):
    first, second = saved(tmp_path / 'a', v=[1., 2.]), saved(tmp_path / 'b', v=[1., 2.])
    data = tmp_path / 'b.data-00000-of-00001'
    data.write_bytes(data.read_bytes()[:-3])
    with pytest.raises(tf.errors.OpError, match='b.data-00000-of-00001'):
        tf.graph_diff(first, second)
