"""Pictures of large networks: blocks of layers, repeated blocks, and their gradients."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tinyflow.inspect import viz
from tinyflow.inspect.viz import select

pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def draw(graph):
    def draw(**options):
        return viz.draw(graph, **options).model
    return draw


def layer(x, name, kind=tf.nn.relu, width=4):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [int(x.shape[-1]), width])
        return kind(tf.matmul(x, w))


def added(x, y, name):
    with tf.name_scope(name):
        return tf.add(x, y)


def named_net(stages=(3, 4, 6)):
    """Residual blocks whose layers are called block1_1_a, block1_1_b, block1_1_add ..."""
    h = layer(tf.placeholder(tf.float32, [None, 4], name='x'), 'entry')
    for stage, blocks in enumerate(stages, 1):
        h = layer(h, f'stage{stage}', tf.tanh)
        for block in range(1, blocks + 1):
            begin = f'stage{stage}_block{block}'
            inner = layer(layer(h, f'{begin}_a'), f'{begin}_b', tf.identity)
            h = added(h, inner, f'{begin}_add')
    return tf.reduce_mean(layer(h, 'exit'), name='loss')


def anonymous_net(blocks=25):
    """Residual blocks with plain names, as Keras numbers layers: dense_7, add_3, activation_3."""
    h, number = layer(tf.placeholder(tf.float32, [None, 4], name='x'), 'entry'), 0
    for block in range(blocks):
        inner = h
        for _ in range(2):
            number += 1
            inner = layer(inner, f'dense_{number}')
        h = added(h, inner, f'add_{block}')
        with tf.name_scope(f'activation_{block}'):
            h = tf.nn.relu(h)
    return tf.reduce_mean(layer(h, 'exit'), name='loss')


def chain(model):
    """The names along the longest way through the picture, where there is only one."""
    after = {e.tail: e.head for e in model.edges if e.style == 'data'}
    called = {n.key: n.name for n in model.nodes}
    key = next(n.key for n in model.nodes if n.kind == 'placeholder')
    found = [called[key]]
    while key in after:
        key = after[key]
        found.append(called[key])
    return found


def test_blocks_have_the_beginning_of_their_layers_names(draw):
    named_net()
    model = draw(limit=20)
    assert chain(model) == [
        'x', 'entry', 'stage1', 'stage1_block1 … stage1_block3', 'stage2',
        'stage2_block1 … stage2_block4', 'stage3', 'stage3_block1 … stage3_block6', 'exit', 'loss']
    block = model.node('stage2_block3_a/MatMul')
    assert block.details[0] == 'block ×4: 3 scopes, 7 nodes, 2 variables each'
    assert block.details[1] == 'MatMul ×2, Relu, Add'
    assert any('blocks of scopes are one node' in note for note in model.notes)


def test_repeated_blocks_are_found_by_their_structure(draw):
    anonymous_net()
    model = draw()
    assert len(model.nodes) == 5
    block = model.node('dense_9/MatMul')
    assert block.details[0].startswith('block ×25: 4 scopes')
    assert block.name == 'dense_1 … activation_24'
    assert chain(model) == ['x', 'entry', block.name, 'exit', 'loss']


def test_layers_in_a_row_that_repeat_are_a_block(draw):
    h = tf.placeholder(tf.float32, [None, 4], name='x')
    for number in range(40):
        h = layer(layer(h, f'dense_{number}'), f'squash_{number}', tf.tanh)
    model = draw(limit=30)
    assert [n.details[0] for n in model.nodes if n.kind == 'run'] == [
        'block ×40: 2 scopes, 6 nodes, 2 variables each']


def test_small_pictures_have_no_blocks(draw):
    named_net((1, 2))
    assert not any(n.kind == 'run' for n in draw().nodes)
    named = {n.name for n in draw(depth=0).nodes}
    assert {'entry', 'stage1_block1_a', 'stage2_block2_add'} <= named


def test_a_fetched_layer_stays_outside_of_blocks():
    loss = named_net()
    fetch = loss.graph.get_tensor_by_name('stage3_block3_a/Relu:0')
    model = viz.draw([loss, fetch], limit=20).model
    node, = [n for n in model.nodes if n.name == 'stage3_block3_a']
    assert node.fetched and node.kind == 'scope'


def test_gradients_of_blocks_are_blocks_next_to_them(draw):
    tf.gradients(named_net(), tf.trainable_variables())
    model = draw(show_gradients=True, limit=40)
    called = {n.key: n for n in model.nodes}
    tied = {called[a].name: called[b] for a, b in model.ties}
    assert {b.part for b in tied.values()} == {'gradient'}
    for name in ('stage1_block1 … stage1_block3', 'stage2', 'stage3_block1 … stage3_block6'):
        assert tied[name].name == name and tied[name].path == ('gradients',)
    assert {(a.name, b.path) for a, b in [(called[e.tail], called[e.head]) for e in model.edges
                                          if e.style == 'gradient']} >= {('exit', ('gradients',))}


def test_a_switch_that_many_layers_use_has_no_edges(draw):
    switch = tf.placeholder_with_default(False, [], name='training')
    h = tf.placeholder(tf.float32, [None, 4], name='x')
    for number in range(12):
        with tf.name_scope(f'layer{number}'):
            h = tf.where(tf.logical_and(switch, True), tf.exp(h), tf.sin(h))
    model = draw(depth=0)
    node = model.node('training')
    assert 'used by 12 nodes' in node.details
    assert not [e for e in model.edges if e.tail == node.key]


def test_a_closed_optimizer_takes_its_gradients_by_one_edge(draw):
    tf.train.AdamOptimizer().minimize(named_net())
    model = draw(show_gradients=True, show_optimizer=True, limit=40)
    adam = model.node('Adam')
    assert adam.kind == 'scope' and any(d.startswith('gradients of ') for d in adam.details)
    assert len([e for e in model.edges if e.head == adam.key]) == 1


def test_lists_that_a_loop_keeps_for_its_gradient_are_one_node(graph):
    x = tf.placeholder(tf.float32, [], name='x')
    _, y = tf.while_loop(lambda i, v: i < 5., lambda i, v: (i + x, tf.sin(v) * tf.exp(v * x)),
                         [tf.constant(0.), x], name='loop')
    model = viz.draw(tf.gradients(y, x)).model
    kept, = [n for n in model.nodes if n.name == 'accumulators']
    assert kept.path == ('loop',) and kept.details[0].endswith('lists, for the gradient')
    taken, = [n for n in model.nodes if n.name == 'kept values']
    assert taken.part == 'gradient'


def test_the_hyperparameters_of_a_keras_optimizer_are_not_forward(graph):
    loss = named_net((1,))
    with tf.name_scope('training/Adam'):
        rate = tf.Variable(0.1, trainable=False, name='learning_rate', use_resource=True)
        tf.multiply(rate, 2., name='left_over')
        updates = tf.train.GradientDescentOptimizer(rate, name='Adam').minimize(loss)
    assert updates.name == 'training/Adam/Adam'
    parts = select.parts(graph)
    assert {parts[op] for op in graph.get_operations()
            if op.name.startswith('training/Adam/left_over')} == {'optimizer'}
