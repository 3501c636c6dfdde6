"""MetaGraphDefs: a graph with its collections, as a message or a file, and back."""
from __future__ import annotations

import logging

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.formats.graphdef import meta_graph, scopes
from tinyflow.formats.graphdef.collections import register_proto_function
from tinyflow.formats.protos.variable_pb2 import VariableDef

pytestmark = pytest.mark.usefixtures('graph')


def model():
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    with tf.variable_scope('net'):
        w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer(0.5))
        b = tf.get_variable('b', [2], trainable=False, initializer=tf.zeros_initializer())
    y = tf.add(tf.matmul(x, w), b, name='y')
    return x, w, b, y


def reimported(proto, **kwargs):
    with tf.Graph().as_default() as graph:
        found = meta_graph.import_meta_graph(proto, **kwargs)
    return graph, found


# ---- Variables ----------------------------------------------------------------------------


def test_variable_defs():
    _, w, b, _ = model()
    assert w.to_proto() == VariableDef(
        variable_name='net/w:0', initializer_name='net/w/Assign', snapshot_name='net/w/read:0',
        initial_value_name='net/w/Initializer/Const:0', trainable=True)
    assert not b.to_proto().trainable
    assert w.to_proto(export_scope='net').variable_name == 'w:0'
    assert w.to_proto(export_scope='other') is None
    again = tf.Variable.from_proto(w.to_proto())
    assert again.op is w.op and again.initializer is w.initializer
    assert again.value() is w.value() and again.trainable
    with tf.Session() as session:
        session.run(again.initializer)
        assert session.run(again + 1.0).tolist() == [[1.5, 1.5]] * 3
    with pytest.raises(KeyError, match='inside/net/w'):
        tf.Variable.from_proto(w.to_proto(), import_scope='inside')


def test_slices_of_variables():
    v = tf.Variable([1.0, 2.0], name='v')
    v._set_save_slice_info(tf.Variable.SaveSliceInfo('whole', [4], [2], [2]))
    proto = v.to_proto()
    assert list(proto.save_slice_info_def.var_offset) == [2]
    info = tf.Variable.from_proto(proto)._get_save_slice_info()
    assert (info.full_name, info.full_shape, info.spec) == ('whole', [4], '4 2,2')
    assert info.to_proto(export_scope='other') is None


# ---- collections --------------------------------------------------------------------------


def test_collections_come_back():
    x, w, _, y = model()
    for key, value in [('ops', y.op), ('tensors', y), ('tensors', x), ('words', 'hello'),
                       ('words', b'\xff'), ('numbers', 3), ('fractions', 0.5)]:
        tf.add_to_collection(key, value)
    graph, (_, variables, _) = reimported(tf.train.export_meta_graph())
    assert sorted(variables) == ['net/b:0', 'net/w:0']
    assert [v.name for v in graph.get_collection('trainable_variables')] == ['net/w:0']
    assert graph.get_collection('variables')[0] is graph.get_collection('trainable_variables')[0]
    assert [t.name for t in graph.get_collection('tensors')] == ['y:0', 'x:0']
    assert [o.name for o in graph.get_collection('ops')] == ['y']
    assert graph.get_collection('words') == [b'hello', b'\xff']
    assert graph.get_collection('numbers') == [3]
    assert graph.get_collection('fractions') == [0.5]


def test_entries_without_a_file_are_omitted(caplog):
    tf.add_to_collection('things', object())
    tf.add_to_collection('mixed', 3)
    tf.add_to_collection('mixed', 'three')
    tf.get_default_graph().get_collection_ref('empty')
    with caplog.at_level(logging.WARNING, 'tinyflow'):
        proto = tf.train.export_meta_graph()
    assert not proto.collection_def
    assert 'things' in caplog.text and 'mixed' in caplog.text and 'empty' not in caplog.text


def test_registered_collections():
    class Thing:
        def __init__(self, name):
            self.name = name

        def to_proto(self, export_scope=None):
            return tf.NodeDef(name=self.name)

        @staticmethod
        def from_proto(proto, import_scope=None):
            return Thing(scopes.prepend(proto.name, import_scope))
    register_proto_function('my_things', tf.NodeDef, Thing.to_proto, Thing.from_proto)
    tf.add_to_collection('my_things', Thing('a'))
    graph, _ = reimported(tf.train.export_meta_graph(), import_scope='s')
    assert [t.name for t in graph.get_collection('my_things')] == ['s/a']
    with pytest.raises(TypeError, match='callable'):
        register_proto_function('x', tf.NodeDef, 3)


def test_chosen_collections():
    _, _, _, y = model()
    tf.add_to_collection('a', y)
    tf.add_to_collection('b', y)
    proto = tf.train.export_meta_graph(collection_list=['a', 'variables'])
    assert sorted(proto.collection_def) == ['a', 'variables']
    graph, _ = reimported(proto, restore_collections_predicate=lambda key: key == 'a')
    assert graph.get_all_collection_keys() == ['a']
    with pytest.raises(TypeError, match='collection_list is a list'):
        tf.train.export_meta_graph(collection_list='a')


# ---- scopes -------------------------------------------------------------------------------


def test_import_scope():
    model()
    tf.add_to_collection('words', 'hello')
    graph, (_, variables, _) = reimported(tf.train.export_meta_graph(), import_scope='in')
    assert [v.name for v in graph.get_collection('variables')] == ['in/net/w:0', 'in/net/b:0']
    assert sorted(variables) == ['net/b:0', 'net/w:0']
    assert graph.get_collection('words') == ['in/hello']
    with graph.as_default():
        meta_graph.import_meta_graph(tf.train.export_meta_graph(export_scope='in'),
                                     import_scope='in', input_map=None)
    assert graph.get_operation_by_name('in_1/net/w').type == 'VariableV2'


def test_export_scope_and_unbound_inputs():
    x = tf.placeholder(tf.float32, [2], name='x')
    with tf.name_scope('part'):
        tf.add(x, 1.0, name='y')
    proto = tf.train.export_meta_graph(export_scope='part')
    assert [n.name for n in proto.graph_def.node] == ['y/y', 'y']
    unbound, = [v.decode() for v in proto.collection_def['unbound_inputs'].bytes_list.value]
    assert unbound == '$unbound_inputs_x'
    with pytest.raises(ValueError, match='unbound inputs: .*x'):
        reimported(proto)
    with tf.Graph().as_default(), tf.Session() as session:
        mine = tf.constant([1.0, 2.0])
        meta_graph.import_meta_graph(proto, input_map={unbound: mine})
        assert session.run('y:0').tolist() == [2, 3]


@pytest.mark.parametrize('name, scope, stripped, prepended', [
    ('a/b:0', 'a', 'b:0', 'a/a/b:0'), ('^a/b', 'a', '^b', '^a/a/b'),
    ('ab/c', 'a', 'ab/c', 'a/ab/c'),
    ('loc:@a/b', 'a/', 'loc:@b', 'loc:@a/a/b'), ('a', '', 'a', 'a'),
])
def test_names_in_scopes(name, scope, stripped, prepended):
    assert scopes.strip(name, scope) == stripped
    assert scopes.prepend(name, scope) == prepended


# ---- what else it says --------------------------------------------------------------------


def test_devices_defaults_and_versions():
    with tf.device('/cpu:0'):
        tf.nn.leaky_relu(tf.constant([1.0]), name='r')
    proto = tf.train.export_meta_graph(clear_devices=True, strip_default_attrs=True)
    node = proto.graph_def.node[-1]
    assert not node.device and 'alpha' not in node.attr and 'T' in node.attr
    assert tf.train.export_meta_graph().graph_def.node[-1].device
    info = proto.meta_info_def
    assert info.stripped_default_attrs and info.tensorflow_version == tf.__version__
    assert [o.name for o in info.stripped_op_list.op] == ['Const', 'LeakyRelu']
    leaky = info.stripped_op_list.op[1]
    assert [a.name for a in leaky.input_arg] == ['features']
    assert {a.name: a.type for a in leaky.attr} == {'T': 'type', 'alpha': 'float'}
    graph, _ = reimported(tf.train.export_meta_graph(), clear_devices=True)
    assert graph.get_operation_by_name('r').device == ''
    assert graph.get_operation_by_name('r').get_attr('alpha') == 0.2


def test_other_savers_can_be_left_out():
    tf.Variable([1.0], name='v')
    first = tf.train.Saver()
    tf.train.Saver(name='other')
    proto = tf.train.export_meta_graph(saver_def=first.as_saver_def(), clear_extraneous_savers=True)
    assert not [n.name for n in proto.graph_def.node if n.name.startswith('other/')]
    assert [n.name for n in proto.graph_def.node if n.name.startswith('save/')]
    kept = tf.train.export_meta_graph(saver_def=first.as_saver_def())
    assert [n.name for n in kept.graph_def.node if n.name.startswith('other/')]


# ---- files --------------------------------------------------------------------------------


@pytest.mark.parametrize('as_text', [False, True])
def test_training_goes_on_from_files(tmp_path, as_text):
    x, w, _, y = model()
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(y * y), name='train')
    tf.add_to_collection('train_op', train)
    saver = tf.train.Saver()
    data = {'x:0': np.float32([[1, 2, 3], [0, -1, 0.5]])}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, data)
        prefix = saver.save(session, str(tmp_path / 'model'))
        session.run(train, data)
        expected = session.run(w)
    tf.train.export_meta_graph(str(tmp_path / 'text.meta'), saver_def=saver.as_saver_def(),
                               as_text=as_text)
    with tf.Graph().as_default(), tf.Session() as session:
        again = tf.train.import_meta_graph(str(tmp_path / 'text.meta'))
        again.restore(session, prefix)
        session.run(tf.get_collection('train_op')[0], data)
        np.testing.assert_array_equal(session.run('net/w:0'), expected)


def test_damaged_and_missing_files(tmp_path):
    model()
    path = tmp_path / 'm.meta'
    tf.train.export_meta_graph(str(path))
    whole = path.read_bytes()
    with pytest.raises(OSError, match='(?s)other.meta does not exist.*m.meta'):
        tf.train.import_meta_graph(str(tmp_path / 'other.meta'))
    for cut in (1, len(whole) // 3, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with tf.Graph().as_default(), pytest.raises((tf.errors.DataLossError, ValueError)) as error:
            tf.train.import_meta_graph(str(path))
        if isinstance(error.value, tf.errors.DataLossError):
            assert 'm.meta' in str(error.value)
    with pytest.raises(TypeError, match='MetaGraphDef'):
        meta_graph.import_meta_graph(3)


def test_a_failing_write_leaves_the_old_file(tmp_path, monkeypatch):
    import os
    model()
    path = tmp_path / 'm.meta'
    tf.train.export_meta_graph(str(path))
    before = path.read_bytes()
    tf.constant(1.0)
    monkeypatch.setattr(os, 'replace', lambda *names: (_ for _ in ()).throw(OSError(28, 'full')))
    with pytest.raises(tf.errors.ResourceExhaustedError, match='full'):
        tf.train.export_meta_graph(str(path))
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ['m.meta']
