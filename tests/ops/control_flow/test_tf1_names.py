"""Results of tf.cond and tf.while_loop by the names that TensorFlow 1.15 gives them."""
from __future__ import annotations

import pytest

import tinyflow as tf


@pytest.fixture
def x(graph):
    return tf.placeholder(tf.float32, [], name='x')


def test_results_of_cond(session, x):
    y = tf.cond(x > 0, lambda: x * 2, lambda: x - 1, name='either') + 0
    with tf.name_scope('scope'):
        tf.cond(x > 1, lambda: (x, x + 1), lambda: (x * 3, x), name='pair')
    assert session.run(['either/Merge:0', 'scope/pair/Merge:0', 'scope/pair/Merge_1:0'],
                       {x: 2}) == [4, 2, 3]
    assert session.run('either/Merge', {x: 2}) is None
    assert session.run(y, {'either/Merge:0': 100}) == 100
    assert tf.get_default_graph().get_operation_by_name('scope/pair/Merge_1').outputs[0] is \
        tf.get_default_graph().get_tensor_by_name('scope/pair/Merge_1:0')


@pytest.mark.parametrize('limit, wanted', [(None, [3, 6]), (2, [2, 2])])
def test_results_of_loops(session, x, limit, wanted):
    w = tf.while_loop(lambda i, w: i < 3, lambda i, w: (i + 1, w + x), [0, 0.0], name='loop',
                      maximum_iterations=limit)[1] + 0
    assert session.run(['loop/Exit:0', 'loop/Exit_1:0'], {x: 2}) == wanted
    names = {None: 'loop/Exit_1:0', 2: 'loop/Exit_2:0'}     # a limit adds TensorFlow's counter
    assert session.run(w, {names[limit]: 7}) == 7


@pytest.fixture
def calls(x):
    tf.cond(x > 0, lambda: tf.multiply(x, 2, name='double'), lambda: x - 1, name='either')
    tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name='inside'), [0], name='loop')


@pytest.mark.parametrize('name, place', [
    ('either/double:0', 'a tf.cond'), ('either/double/Switch:0', 'a tf.cond'),
    ('loop/inside:0', 'a tf.while_loop'), ('loop/Identity:0', 'a tf.while_loop')])
def test_nodes_inside_are_found_and_cannot_be_fetched(session, x, calls, name, place):
    graph = tf.get_default_graph()
    tensor = graph.get_tensor_by_name(name)
    assert tensor.name == name and not graph.is_fetchable(tensor)
    assert graph.get_operation_by_name(name[:-2]) is tensor.op
    with pytest.raises(ValueError, match=f'not fetchable.*inside {place}'):
        session.run(name, {x: 1})
    with pytest.raises(TypeError, match=f'not feedable.*inside {place}'):
        session.run('either/Merge:0', {x: 1, name: 0})


def test_the_predicate_of_a_cond(session, x, calls):
    assert session.run(['either/pred_id:0', 'either/Merge:0'], {x: 3}) == [True, 6]


@pytest.mark.parametrize('name', ['either/Switch:1', 'loop/Enter:0', 'loop/LoopCond:0'])
def test_what_has_no_node_here(session, x, calls, name):
    with pytest.raises(ValueError, match=r'In TensorFlow it is a part of a tf.* one node here'):
        session.run(name, {x: 1})


@pytest.mark.parametrize('name', ['either/Exit:0', 'either/Merge_1:0', 'none/Merge:0', 'x/Merge:0'])
def test_names_that_tensorflow_does_not_have(session, x, name):
    tf.cond(x > 0, lambda: x, lambda: x - 1, name='either')
    with pytest.raises(ValueError, match='does not exist'):
        session.run(name, {x: 1})
