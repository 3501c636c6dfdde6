"""Graphs that TensorFlow 2.15's compat.v1 wrote (golden/record_newer.py): the same values here."""
from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.encoding import decode
from tinyflow.formats.graphdef.rewritten import REWRITTEN
from tinyflow.formats.wire import reading
from tinyflow.graph.op import Op
from tinyflow.ops.support.registry_loading import load_every_op

FILES = pathlib.Path(__file__).resolve().parents[1] / 'golden' / 'files' / 'newer'
PROGRAMS = sorted(path.stem for path in FILES.glob('*.meta'))


def compare(name, session):
    recorded = json.loads((FILES / f'{name}.json').read_text())
    session.run([tf.global_variables_initializer(), *tf.get_collection('first')])
    values = session.run(recorded['fetches'])
    for i, (ours, theirs) in enumerate(zip(values, decode(recorded['values']))):
        where = recorded['fetches'][i]
        assert np.shape(ours) == np.shape(theirs), where
        if ours.dtype == object:
            assert ours.tolist() == theirs.tolist(), where
        elif ours.dtype.kind in 'iu' or name == 'stateless_random':
            np.testing.assert_array_equal(ours, theirs, where)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6, err_msg=where)


def test_there_are_files():
    assert len(PROGRAMS) == 9


@pytest.mark.slow
@pytest.mark.parametrize('name', PROGRAMS)
def test_meta_graph_computes_the_same_values(name):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(str(FILES / f'{name}.meta'))
        compare(name, session)


@pytest.mark.slow
@pytest.mark.parametrize('name', PROGRAMS)
def test_the_graph_written_once_more_computes_the_same(name, tmp_path):
    path = str(tmp_path / 'again.meta')
    with tf.Graph().as_default():
        tf.train.import_meta_graph(str(FILES / f'{name}.meta'))
        tf.train.export_meta_graph(path)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(path)
        compare(name, session)


def test_rewritten_op_types_are_not_registered():
    """A rule for an op type that tinyflow has would never run, or hide it."""
    load_every_op()
    assert not REWRITTEN & set(Op.registry)


def test_keeping_a_variable_in_memory_is_passed_over():
    """DisableCopyOnRead comes before the reads that save a Variable."""
    proto = tf.GraphDef()
    with tf.Graph().as_default():
        tf.get_variable('w', initializer=[1.0, 2.0], use_resource=True)
        proto.CopyFrom(tf.get_default_graph().as_graph_def())
    proto.node.add(name='idle', op='DisableCopyOnRead', input=['w'])
    next(n for n in proto.node if n.op == 'ReadVariableOp').input.append('^idle')
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(proto, name='')
        assert graph.get_operation_by_name('idle').type == 'NoOp'
        session.run('w/Assign')
        assert session.run('w/Read/ReadVariableOp:0').tolist() == [1.0, 2.0]


def test_a_write_of_fixed_size_stays_one_node():
    with tf.Graph().as_default():
        array = tf.TensorArray(tf.float32, 2, element_shape=[]).write(1, 3.0)
        tf.identity(array.stack(), name='y')
        proto = tf.get_default_graph().as_graph_def()
    write = next(n for n in proto.node if n.op == 'TensorListSetItem')
    write.attr['resize_if_index_out_of_bounds'].b = False
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(proto, name='')
        assert len(graph.get_operations()) == len(proto.node)
        assert session.run('y:0').tolist() == [0.0, 3.0]
        write.input.pop()
    write.attr['resize_if_index_out_of_bounds'].b = True
    with tf.Graph().as_default(), pytest.raises(ValueError, match='is damaged'):
        tf.import_graph_def(proto, name='')


def test_optionals_with_and_without_a_value_do_not_add_up():
    load_every_op()
    value = Op.registry['OptionalFromValue'].apply([tf.ones([2])])
    others = [Op.registry['OptionalNone'].apply(), Op.registry['EmptyTensorList'].apply(
        [2], 3, element_dtype=tf.float32)]
    with tf.Session() as session:
        for other in others:
            for pair in ([value, other], [other, value]):
                total = Op.registry['OptionalHasValue'].apply(Op.registry['AddN'].apply(pair))
                with pytest.raises(tf.errors.InvalidArgumentError, match='AddN'):
                    session.run(total)


# ---- text with fields of newer versions -----------------------------------------------------

@pytest.mark.slow
def test_text_with_fields_that_are_newer():
    text = (FILES / 'datasets.pbtxt').read_text()
    assert 'experimental_type' in text
    proto = reading.read(FILES / 'datasets.pbtxt', tf.GraphDef)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name='')
    meta = reading.read(FILES / 'datasets.meta', tf.MetaGraphDef)
    # What is skipped in text is in a binary file, too, where it is ignored.
    assert [n.name for n in proto.node] == [n.name for n in meta.graph_def.node]
    assert len(graph.get_operations()) >= len(proto.node)


NODE = 'node { name: "a" op: "NoOp" %s }'


@pytest.mark.parametrize('more', [
    'brand_new: 3', 'brand_new { x: "}" y { z: 1 } }', 'brand_new: [1, 2]', "brand_new: '}'",
    'brand_new < x: 1 >', 'brand_new { brand_new: 1 }', 'other_news: BLUE brand_new: -1.5e3'])
def test_unknown_fields_are_passed_over(tmp_path, more):
    path = tmp_path / 'g.pbtxt'
    path.write_text(NODE % more)
    proto = reading.read(path, tf.GraphDef)
    assert [(n.name, n.op) for n in proto.node] == [('a', 'NoOp')]


@pytest.mark.parametrize('text, part', [
    (NODE % 'inputs: "b"', 'inputs'), (NODE % 'brand_new: 3 atr { }', 'atr'),
    ('nodes { name: "a" }', 'nodes'), ('brand_new: 3', 'brand_new'), ('hello world', '1:'),
    (NODE % 'device: 3', '1:'), ('node { name: "a"', '1:'), (NODE % 'brand_new { x: ', '1:')])
def test_a_wrong_text_is_an_error_that_names_file_and_place(tmp_path, text, part):
    path = tmp_path / 'g.pbtxt'
    path.write_text(text)
    with pytest.raises(tf.errors.DataLossError) as caught:
        reading.read(path, tf.GraphDef)
    assert str(path) in str(caught.value) and part in str(caught.value)


# ---- what no version that runs here makes any more -------------------------------------------

def test_nodes_of_the_first_versions():
    """TopK and BatchNormWithGlobalNormalization, which frozen graphs of 2016 have."""
    proto = tf.GraphDef()
    with tf.Graph().as_default():
        x = tf.constant(np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 2, 2, 3), name='x')
        tf.constant([3.0, 1.0, 2.0], name='best')
        for name in ('mean', 'variance', 'beta', 'gamma'):
            tf.constant([0.5, 1.0, 2.0], name=name)
        proto.CopyFrom(tf.get_default_graph().as_graph_def())
    top = proto.node.add(name='top', op='TopK', input=['best'])
    top.attr['k'].i = 2
    for name, scaled in (('scaled', True), ('plain', False)):
        node = proto.node.add(name=name, op='BatchNormWithGlobalNormalization',
                              input=['x', 'mean', 'variance', 'beta', 'gamma'])
        node.attr['variance_epsilon'].f = 0.25
        node.attr['scale_after_normalization'].b = scaled
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(proto, name='')
        values, places, scaled, plain = session.run(['top:0', 'top:1', 'scaled:0', 'plain:0'])
    v = np.float32([0.5, 1.0, 2.0])
    x = (np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 2, 2, 3) - v) / np.sqrt(v + 0.25)
    assert values.tolist() == [3.0, 2.0] and places.tolist() == [0, 2]
    np.testing.assert_allclose(scaled, x * v + v, rtol=1e-5)
    np.testing.assert_allclose(plain, x + v, rtol=1e-5)


@pytest.mark.parametrize('op_type', ['Concat', 'TopK', 'Case', 'ParallelMapDatasetV2',
                                     'BatchNormWithGlobalNormalization', 'CSVDatasetV2',
                                     'RewriteDataset'])
def test_a_damaged_node_is_named(op_type):
    proto = tf.GraphDef()
    proto.node.add(name='broken', op=op_type)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="'broken'.*damaged"):
        tf.import_graph_def(proto, name='')


def test_ragged_features_say_what_to_use_instead():
    from tinyflow.ops.imported.parsing_v2 import ParseExampleV2
    outputs = ParseExampleV2.apply(
        ['', ''], tf.zeros([0], tf.string), tf.zeros([0], tf.string), tf.zeros([0], tf.string),
        ['r'], [], num_sparse=0, sparse_types=(), Tdense=(), dense_shapes=(),
        ragged_value_types=(tf.int64,), ragged_split_types=(tf.int64,))
    refused = pytest.raises(tf.errors.InvalidArgumentError, match='SparseTensor')
    with tf.Session() as session, refused:
        session.run(outputs)
