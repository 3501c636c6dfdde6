"""Pictures of the graphs inside conds, loops and dataset functions."""
import xml.etree.ElementTree as ElementTree

import pytest

import tinyflow as tf
from tinyflow.inspect import viz

pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def x():
    return tf.placeholder(tf.float32, [], name='x')


def full_names(picture):
    return {'/'.join((*n.path, n.name)) for n in picture.model.nodes}


def edges(picture, style=None):
    called = {n.key: '/'.join((*n.path, n.name)) for n in picture.model.nodes}
    return {(called[e.tail], called[e.head]) for e in picture.model.edges
            if style in (None, e.style)}


def boxes(picture):
    return {'/'.join(b.path): b.kind for b in picture.model.boxes}


def counting_loop(x, **more):
    return tf.while_loop(lambda i, v: i < 5., lambda i, v: (i + x, v * tf.exp(x)),
                         [tf.constant(0.), tf.constant(1., name='first')], name='loop', **more)


# ---- cond ------------------------------------------------------------------------------------

def test_a_cond_is_a_box_with_a_box_for_each_branch(x):
    y = tf.cond(x > 0, lambda: tf.sqrt(x), lambda: tf.exp(x), name='choose')
    picture = viz.draw(tf.negative(y, name='result'))
    assert boxes(picture) == {'choose': 'if', 'choose/if true': 'function',
                              'choose/if false': 'function'}
    assert edges(picture, 'data') == {
        ('x', 'Greater'), ('Greater', 'choose/choose'),
        ('x', 'choose/if true/Sqrt'), ('x', 'choose/if false/Exp'),
        ('choose/if true/Sqrt', 'choose/Merge'), ('choose/if false/Exp', 'choose/Merge'),
        ('choose/Merge', 'result')}
    assert picture.model.node('choose').kind == 'choice'
    chosen = {e.label: e.into for e in picture.model.edges if e.style == 'choice'}
    keys = {'/'.join(b.path): b.key for b in picture.model.boxes}
    assert chosen == {'true': keys['choose/if true'], 'false': keys['choose/if false']}


def test_ops_made_outside_a_branch_are_drawn_outside(x):
    outside = tf.sqrt(x, name='outside')
    picture = viz.draw(tf.cond(x > 0, lambda: outside * 2., lambda: tf.exp(x), name='choose'))
    assert ('outside', 'choose/if true/mul') in edges(picture)


def test_assignments_in_branches_reach_the_variable_outside(x):
    v = tf.Variable(1.0, name='v')
    y = tf.cond(x > 0, lambda: tf.assign_add(v, x), lambda: tf.identity(v), name='choose')
    picture = viz.draw(y)
    assert ('v', 'choose/if true/AssignAdd') in edges(picture, 'update')
    assert ('v', 'choose/if false/Identity') in edges(picture, 'data')


def test_a_branch_that_hands_a_tensor_through(x):
    picture = viz.draw(tf.cond(x > 0, lambda: x, lambda: tf.zeros([]), name='choose'))
    assert picture.model.node('choose/if true/x').kind == 'parameter'
    assert {('x', 'choose/if true/x'), ('choose/if true/x', 'choose/Merge'),
            ('choose/if false/zeros', 'choose/Merge')} <= edges(picture)


def test_control_dependencies_on_a_cond_wait_for_its_effects(x):
    v = tf.Variable(1.0, name='v')
    done = tf.cond(x > 0, lambda: tf.assign(v, x).op, lambda: tf.no_op(), name='choose')
    with tf.control_dependencies([done]):
        after = tf.identity(x, name='after')
    picture = viz.draw(after)
    assert 'choose/if true/Assign' in full_names(picture)
    assert any(head == 'after' and tail.startswith('choose/')
               for tail, head in edges(picture, 'control'))


def test_an_edge_into_a_closed_branch_ends_at_its_node(x):
    y = tf.cond(x > 0, lambda: tf.sqrt(x), lambda: tf.exp(x), name='choose')
    picture = viz.draw(y, close='choose/if true')
    assert ('x', 'choose/if true') in edges(picture)
    assert ('choose/choose', 'choose/if true') in edges(picture, 'choice')
    assert [e.into for e in picture.model.edges if e.label == 'true'] == ['']
    closed = viz.draw(y, depth=0)
    assert closed.model.node('choose').details[0] == 'choice: 4 nodes'
    assert boxes(closed) == {}


# ---- loops -----------------------------------------------------------------------------------

def test_a_loop_has_its_variables_its_condition_and_its_body(x):
    picture = viz.draw(tf.identity(counting_loop(x)[1], name='result'))
    assert boxes(picture) == {'loop': 'while', 'loop/condition': 'function',
                              'loop/body': 'function'}
    assert edges(picture, 'data') == {
        ('loop/variable 1', 'loop/condition/Less'),
        ('loop/variable 1', 'loop/body/add'), ('x', 'loop/body/add'),
        ('x', 'loop/body/Exp'), ('first', 'loop/variable 2'),
        ('loop/variable 2', 'loop/body/mul'), ('loop/body/Exp', 'loop/body/mul'),
        ('loop/body/mul', 'loop/Exit_1'), ('loop/Exit_1', 'result')}
    assert edges(picture, 'next') == {('loop/body/add', 'loop/variable 1'),
                                      ('loop/body/mul', 'loop/variable 2')}
    assert {e.label for e in picture.model.edges if e.style == 'next'} == {'next iteration'}
    assert edges(picture, 'choice') == {('loop/condition/Less', 'loop/body/Exp')} or \
        edges(picture, 'choice') == {('loop/condition/Less', 'loop/body/add')}
    assert picture.model.node('loop/variable 1').details == ['scalar', 'starts at 0']


def test_variables_that_change_places(x):
    a, _ = tf.while_loop(lambda a, b: a < 3., lambda a, b: (b, a), [x, x * 2.], name='loop')
    assert edges(viz.draw(a), 'next') == {('loop/variable 2', 'loop/variable 1'),
                                          ('loop/variable 1', 'loop/variable 2')}


def test_the_counter_is_drawn_only_where_it_limits_the_loop(x):
    assert 'loop/loop_counter' not in full_names(viz.draw(counting_loop(x)[0]))
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name='x')
        picture = viz.draw(counting_loop(x, maximum_iterations=9)[0])
    assert picture.model.node('loop/iteration_counter').details == ['int32 scalar', 'starts at 0']
    assert 'y = 9' in {d for n in picture.model.nodes for d in n.details}


def test_accumulators_are_drawn_with_the_gradient(x):
    y = counting_loop(x)[1]
    before = full_names(viz.draw(y))
    grad, = tf.gradients(y, x)
    assert full_names(viz.draw(y)) == before
    both = viz.draw([y, grad], limit=None)
    assert {'loop/accumulator', 'loop/loop_counter'} <= full_names(both)
    assert boxes(both)['gradients/loop_grad'] == 'while'
    inside = [n for n in both.model.nodes if n.path[:2] == ('gradients', 'loop_grad')]
    assert inside and {n.part for n in inside} == {'gradient'}


def rungs(picture):
    """{operation: its gradient}, by the names in the picture."""
    nodes = {n.key: n for n in picture.model.nodes}
    return {nodes[e.tail].name: nodes[e.head] for e in picture.model.edges if e.style == 'gradient'}


def test_the_gradients_of_a_loops_body_are_next_to_it():
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    w = tf.get_variable('w', [3, 3])
    _, y = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, tf.tanh(tf.matmul(a, w)) + x),
                         [0, x], name='loop')
    loss = tf.reduce_sum(tf.square(y))
    picture = viz.draw([loss, *tf.gradients(loss, w)])
    found = rungs(picture)
    body = ('gradients', 'loop_grad', 'body')           # and no box 'gradients' in it
    for name in ('MatMul', 'Tanh', 'add_1'):
        assert (found[name].name, found[name].path) == (f'{name}_grad', body)
    assert found['Square'].name == 'Square_grad'        # although the loop starts with it
    start, = [n for n in picture.model.nodes if n.name == 'start']
    assert {op.type for op in start.ops} == {'ZerosLike'}
    lists, = [n for n in picture.model.nodes if n.name == 'accumulators']
    assert 'EmptyTensorList' in {op.type for op in lists.ops}


def test_the_gradients_of_branches_are_next_to_them():
    x = tf.placeholder(tf.float32, [2, 3])
    w = tf.get_variable('w', [3, 3])
    choice = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.tanh(tf.matmul(x, w)),
                     lambda: tf.sigmoid(tf.matmul(x, w) * 2.0), name='choice')
    grad, = tf.gradients(tf.reduce_sum(tf.square(choice)), w)
    picture = viz.draw([choice, grad])
    found = rungs(picture)
    assert found['Tanh'].path == ('gradients', 'choice_grad', 'if true')
    assert found['Sigmoid'].path == ('gradients', 'choice_grad', 'if false')
    names = {n.key: n.name for n in picture.model.nodes}
    edges = {(names[e.tail], names[e.head]) for e in picture.model.edges}
    assert ('Sigmoid', 'Tanh_grad') not in edges and ('Tanh', 'Sigmoid_grad') not in edges


def test_nested_functions_are_nested_boxes(x):
    def body(i):
        inner = tf.while_loop(lambda j: j < i, lambda j: tf.cond(
            j > x, lambda: j + 1., lambda: j + 2.), [i * 0.5], name='inner')
        return inner + 1.
    picture = viz.draw(tf.while_loop(lambda i: i < x, body, [tf.constant(0.)], name='outer'))
    assert boxes(picture) == {
        'outer': 'while', 'outer/condition': 'function', 'outer/body': 'function',
        'outer/body/inner': 'while', 'outer/body/inner/condition': 'function',
        'outer/body/inner/body': 'function', 'outer/body/inner/body/cond': 'if',
        'outer/body/inner/body/cond/if true': 'function',
        'outer/body/inner/body/cond/if false': 'function'}
    assert {('x', 'outer/body/inner/body/Greater'),
            ('outer/variable 1', 'outer/body/inner/condition/Less'),
            ('outer/variable 1', 'outer/body/mul')} <= edges(picture)
    half = viz.draw(picture._what, depth=3)
    assert half.model.node('outer/body/inner/body').details[0] == 'function: 5 nodes'


def test_nodes_of_equal_number_in_several_graphs_stay_apart(x):
    y = tf.cond(x > 0, lambda: tf.sqrt(x), lambda: tf.exp(x))
    picture = viz.draw(y)
    assert len({n.key for n in picture.model.nodes}) == len(picture.model.nodes)
    assert sum(len(n.ops) for n in picture.model.nodes) == len(
        {op for n in picture.model.nodes for op in n.ops})


def test_a_scope_of_the_name_of_a_functions_box_is_another_box(x):
    with tf.name_scope('loop/body/'):
        tf.sqrt(x, name='mine')
    counting_loop(x)
    picture = viz.draw(tf.get_default_graph(), limit=None)
    paths = {n.name: n.path for n in picture.model.nodes}
    assert paths['mine'] != paths['mul'] and 'function' in boxes(picture).values()


def test_a_large_loop_is_closed(x):
    def body(v):
        for _ in range(40):
            a = tf.exp(v)
            v = tf.sin(v) + a
        return v
    picture = viz.draw(tf.while_loop(lambda v: v < x, body, [x], name='loop'), limit=20)
    node = picture.model.node('loop/body')
    assert node.details[0] == 'function: 120 nodes' and len(picture.model.nodes) <= 20
    assert viz.draw(picture._what, depth=0).model.node('loop').details[0] == 'loop: 123 nodes'


def test_map_fn_shows_the_users_function():
    v = tf.placeholder(tf.float32, [None, 3], name='v')
    picture = viz.draw(tf.map_fn(lambda row: tf.exp(row), v))
    assert 'map/while/body/Exp' in full_names(picture)


# ---- datasets --------------------------------------------------------------------------------

def test_the_function_of_a_dataset_is_a_box_at_its_node():
    k = tf.placeholder(tf.int64, [], name='k')
    data = tf.data.Dataset.range(9).map(lambda v: v * k)
    iterator = tf.data.make_initializable_iterator(data)
    picture = viz.draw(iterator.initializer, show_init=True)
    assert boxes(picture)['MapDataset'] == 'call' and boxes(picture)['MapDataset/f'] == 'function'
    assert {('RangeDataset', 'MapDataset/f/element'), ('MapDataset/f/element', 'MapDataset/f/mul'),
            ('k', 'MapDataset/f/mul'), ('MapDataset/f/mul', 'MapDataset/MapDataset'),
            ('RangeDataset', 'MapDataset/MapDataset')} <= edges(picture)
    assert ('k', 'MapDataset/MapDataset') not in edges(picture)


# ---- the ways out ----------------------------------------------------------------------------

def test_networkx_export_has_the_inner_graphs(graph, x):
    import networkx
    y = tf.cond(counting_loop(x)[1] > 0, lambda: tf.sqrt(x), lambda: x, name='choose')
    tf.gradients(y, x)
    whole = viz.to_networkx(graph)
    assert networkx.is_directed_acyclic_graph(whole)
    assert {op.name for op in graph.get_operations()} <= set(whole)
    node = whole.nodes['loop/body/mul']
    assert (node['type'], node['function'], node['part']) == ('Mul', 'loop/body', 'forward')
    assert whole.nodes['loop']['function'] == ''
    assert whole.edges['x', 'choose/if true/Sqrt', 0]['argument'] == 'x'
    assert {d['kind'] for d in whole.get_edge_data('loop/body/mul', 'loop').values()} == {'result'}
    assert networkx.has_path(whole, 'x', 'choose')


def test_files_and_legend(x, tmp_path):
    y = tf.cond(counting_loop(x)[1] > 0, lambda: tf.sqrt(x), lambda: x, name='choose')
    picture = viz.draw(y, tmp_path / 'y.svg')
    texts = {t.text for t in ElementTree.parse(tmp_path / 'y.svg').iter(
        '{http://www.w3.org/2000/svg}text')}
    assert {'if true', 'if false', 'condition', 'body', 'next iteration', 'while true',
            'value in the next iteration', 'loop variable, argument',
            'choice of a branch'} <= {(t or '').strip() for t in texts}
    assert '"loop/body/' in picture.html()


def test_highlight_goes_through_a_loop(x):
    y = counting_loop(x)[1]
    path = viz.path_between(x, y)
    picture = viz.draw(y, highlight=path)
    assert {'Exp', 'mul'} <= {n.name for n in picture.model.nodes if n.highlighted}


# ---- comparisons -----------------------------------------------------------------------------

def network(units=3, activation=tf.tanh, scope='net', more=True):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name='x')
        with tf.variable_scope(scope):
            w = tf.get_variable('w', [4, units])
            y = activation(tf.matmul(x, w, name='product'), name='activation')
        if more:
            y = tf.square(y, name='square')
        tf.reduce_sum(y, axis=0 if more else 1, name='sum')
    return graph


def test_a_comparison_marks_what_differs_and_draws_ghosts(tmp_path):
    diff = tf.graph_diff(network(), network(5, tf.sigmoid, more=False))
    picture = diff.draw(tmp_path / 'diff.svg')
    assert {n.name: n.mark for n in picture.model.nodes} == {
        'x': '', 'w': 'changed', 'product': 'changed', 'activation': 'changed', 'sum': 'changed',
        'square': 'removed'}
    assert edges(picture, 'removed') == {('net/activation', 'square'), ('square', 'sum')}
    assert 'type: was Tanh' in picture.model.node('net/activation').details
    assert 'value: was int32 0' in picture.model.node('sum').details
    assert '>removed<' in (tmp_path / 'diff.svg').read_text()
    back = tf.graph_diff(network(5, more=False), network(5)).draw()
    assert back.model.node('square').mark == 'added'


def test_a_comparison_of_renamed_nodes():
    picture = tf.graph_diff(network(), network(scope='model')).draw()
    node = picture.model.node('model/product')
    assert node.mark == 'renamed' and 'was net/product' in node.details
    assert not edges(picture, 'removed') and picture.model.node('x').mark == ''


def test_a_comparison_sums_up_closed_scopes():
    model = tf.graph_diff(network(), network(5)).draw(depth=0).model
    assert model.node('net').mark == 'changed'
    assert any(d.endswith(' changed') for d in model.node('net').details)


def test_graphs_that_cannot_be_compared_in_a_picture(tmp_path, graph):
    tf.get_variable('w', [2], initializer=tf.zeros_initializer())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / 'model'))
    with pytest.raises(ValueError, match='needs two graphs'):
        tf.graph_diff(graph, path).draw()
    with pytest.raises(ValueError, match='ends in'):
        tf.graph_diff(graph, graph).draw('picture.jpg')


def test_titles_do_not_overlap_edges(x):
    from tinyflow.inspect.viz import title_placement
    y = tf.cond(x > 0, lambda: tf.sqrt(x), lambda: tf.exp(x), name='choose')
    picture = viz.draw(tf.negative(y))
    svg = picture.svg().encode()
    crossed, best = title_placement.sides(picture.model.boxes, svg)
    assert crossed == 0 and set(best) == {b.key for b in picture.model.boxes}
    assert all(picture.dot.count(f'labeljust={s}') for s in {b.title_side
                                                            for b in picture.model.boxes})


def test_a_title_moves_to_where_no_edge_is():
    from tinyflow.inspect.viz import title_placement
    from tinyflow.inspect.viz.model import Box
    frame = ('<g id="c1" class="cluster"><title>c</title><path d="M0,0C0,0 200,0 200,0L200,90 0,90"'
             '/><text x="8" y="14">body</text></g><!-- -->')

    def edge(x):
        return f'<g id="e{x}" class="edge"><path d="M{x},-99C{x},-50 {x},40 {x},80"/></g>\n</g>'
    box = Box('c1', ('body',), 'forward')
    assert title_placement.sides([box], (frame + edge(20)).encode())[1] == {'c1': 'r'}
    assert title_placement.sides([box], (frame + edge(190)).encode()) == (0, {'c1': 'l'})
    crossed, best = title_placement.sides([box], (frame + edge(20) + edge(190)).encode())
    assert crossed > 0 and best == {'c1': 'c'}
