"""Names of nodes in and after conds, loops and TensorArrays, as TensorFlow 1.15.5 prints them."""
from __future__ import annotations

import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def names(result):
    return [t.name for t in tf.contrib.framework.nest.flatten(result)]


def flow(array):
    return array.flow.name


@pytest.fixture
def inside():
    return []


def kept(inside, *tensors):
    inside += [t.name for t in tensors]
    return tensors[-1]


def test_branches_share_their_names(inside):
    x, y = tf.placeholder(tf.float32, []), tf.constant(2.)

    def branch(combine, factor):
        z = combine(x, y)
        return kept(inside, z, tf.multiply(z, factor))
    for name in (None, 'foo'):
        result = tf.cond(x > 1., lambda: branch(lambda a, b: a + b, 2.),
                         lambda: branch(lambda a, b: a - b, 3.), name=name)
        scope = name or 'cond'
        assert inside == [f'{scope}/{n}:0' for n in ('add', 'Mul', 'sub', 'Mul_1')]
        assert result.name == f'{scope}/Merge:0'
        inside.clear()


def test_results_of_conds():
    x = tf.placeholder(tf.float32, [])
    pair = tf.cond(x > 1., lambda: [x + 1., x + 2.], lambda: [x, x * 2.])
    assert names(pair) == ['cond/Merge:0', 'cond/Merge_1:0']
    assert tf.add(x, 1.).name == 'Add:0'
    nested = tf.cond(x > 1., lambda: x + 1., lambda: tf.cond(x > 0., lambda: x, lambda: -x))
    assert nested.name == 'cond_1/Merge:0'
    assert tf.case([(x < 1., lambda: x + 1.), (x < 2., lambda: x)], default=lambda: -x).name == \
        'case/cond/Merge:0'
    assert tf.cond(x > 1., tf.no_op, tf.no_op).name == 'cond_2/Merge:0'


@pytest.mark.parametrize('limit, wanted, results', [
    (None, ['Add', 'mul'], ['Exit', 'Exit_1']), (3, ['Add_1', 'mul'], ['Exit_1', 'Exit_2'])])
def test_bodies_and_results_of_loops(inside, limit, wanted, results):
    def body(i, a):
        j, b = tf.add(i, 1), a * 2.
        kept(inside, i, j, b)
        return [j, b]
    found = tf.while_loop(lambda i, a: i < 10, body, [0, tf.ones([2])], maximum_iterations=limit)
    first = 'Identity' if limit is None else 'Identity_1'
    assert inside == [f'while/{n}:0' for n in (first, *wanted)]
    assert names(found) == [f'while/{n}:0' for n in results]
    graph = tf.get_default_graph()
    assert graph.get_tensor_by_name('while/Const:0').op.type == 'Const'         # of the 0


def test_scopes_inside_of_a_loop(inside):
    def body(i):
        with tf.name_scope('b'):
            j = kept(inside, i + 1)
        return kept(inside, tf.cond(j > 3, lambda: j + 1, lambda: j))
    with tf.name_scope('a'):
        assert tf.while_loop(lambda i: i < 10, body, [0], name='lp').name == 'a/lp/Exit:0'
    assert inside == ['a/lp/b/add:0', 'a/lp/cond/Merge:0']
    found = tf.get_default_graph().get_tensor_by_name('a/lp/cond/add/Switch:0')
    assert found.op.type == 'Placeholder'


def test_a_body_that_is_traced_again_uses_no_more_names():
    with pytest.warns(tf.errors.TinyflowWarning, match='loop-shape'):
        grown = tf.while_loop(lambda t: tf.size(t) < 4, lambda t: tf.concat([t, t], 0),
                              [tf.constant([1])])
    assert grown.name == 'while/Exit:0'
    assert tf.get_default_graph().get_tensor_by_name('while/concat:0').shape.as_list() == [None]


def test_networks_and_functional_loops():
    x = tf.placeholder(tf.float32, [None, 5, 3])
    outputs = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(4), x, dtype=tf.float32)
    assert names(outputs) == ['rnn/transpose_1:0', 'rnn/while/Exit_3:0', 'rnn/while/Exit_4:0']
    assert tf.map_fn(lambda a: a * 2., tf.ones([3, 2])).name == \
        'map/TensorArrayStack/TensorArrayGatherV3:0'
    assert tf.scan(lambda a, b: a + b, tf.ones([3, 2])).name == \
        'scan/TensorArrayStack/TensorArrayGatherV3:0'
    assert tf.foldl(lambda a, b: a + b, tf.ones([3, 2])).name == 'foldl/while/Exit_2:0'
    t = tf.placeholder(tf.bool, [])
    assert tf.layers.dropout(tf.ones([2, 3]), training=t).name == 'dropout/cond/Merge:0'


def test_tensor_arrays():
    array = tf.TensorArray(tf.float32, 3).write(0, [1., 2.])
    assert flow(array) == 'TensorArrayWrite/TensorArrayWriteV3:0'
    assert flow(array.write(1, [1., 2.], name='w')) == 'w/w:0'
    assert [t.name for t in (
        array.read(0), array.read(0, name='r'), array.stack(), array.stack(name='s'),
        array.gather([0]), array.concat(), array.size())] == [
        'TensorArrayReadV3:0', 'r:0', 'TensorArrayStack/TensorArrayGatherV3:0', 's/s:0',
        'TensorArrayGatherV3:0', 'TensorArrayConcatV3:0', 'TensorArraySizeV3:0']
    other = tf.TensorArray(tf.float32, 3, name='foo')
    assert flow(other.unstack(tf.ones([3, 2]))) == \
        'TensorArrayUnstack/TensorArrayScatter/TensorArrayScatterV3:0'
    assert flow(other.scatter([0, 1], tf.ones([2, 2]))) == \
        'TensorArrayScatter/TensorArrayScatterV3:0'


def test_functional_names():
    """As TensorFlow has them after enable_control_flow_v2()."""
    x = tf.placeholder(tf.float32, [])
    tf.enable_control_flow_v2()
    try:
        assert tf.control_flow_v2_enabled()
        assert tf.cond(x > 1., lambda: x, lambda: -x).name == 'cond/Identity:0'
        assert tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0]).name == 'while/Identity_2:0'
    finally:
        tf.disable_control_flow_v2()
    assert not tf.control_flow_v2_enabled()
