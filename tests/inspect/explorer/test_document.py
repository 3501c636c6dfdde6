"""The explorer's document: each kind of source, what is tied to what, hostile names, sizes."""
from __future__ import annotations

import json
import random

import numpy as np
import pytest

import tinyflow as tf
from tinyflow import keras
from tinyflow.inspect.explorer.document import document
from tinyflow.inspect.explorer.explore import explore_with_run


def by_name(made):
    return {node['n']: node for node in made['nodes']}


def name_of(made, index):
    return made['nodes'][index]['n']


@pytest.fixture(scope='module')
def network():
    """(graph, loss, training step) of a layer, a loop and a choice, trained with Adam."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name='x')
        y = tf.layers.dense(x, 2, tf.nn.relu)
        loss = tf.reduce_mean(y, name='mean')
        loss = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), [0, loss],
                             name='loop')[1]
        loss = tf.cond(loss > 1.0, lambda: tf.exp(loss), lambda: -loss, name='choose')
        tf.summary.scalar('curve', loss)
        step = tf.train.AdamOptimizer().minimize(loss)
        tf.train.Saver()
    return graph, loss, step


@pytest.fixture(scope='module')
def whole(network):
    return document(network[0])


# ---- what a node says ------------------------------------------------------------------------

def test_nodes(whole):
    nodes = by_name(whole)
    matmul = nodes['dense/MatMul']
    assert [name_of(whole, i) for i, _ in matmul['i']] == ['x', 'dense/kernel/read']
    assert matmul['t'] == [['float32', [None, 2]]] and 'a' not in matmul and 'k' not in matmul
    assert nodes['x']['k'] == 'placeholder' and nodes['dense/kernel']['k'] == 'variable'
    assert nodes['gradients/dense/MatMul_grad/MatMul_1']['a'] == [['transpose_a', 'True']]
    parts = {name: node.get('p') for name, node in nodes.items()}
    assert parts['dense/Relu'] is None and parts['gradients/dense/Relu_grad/ReluGrad'] == 'gradient'
    assert parts['Adam'] == parts['dense/kernel/Adam_1'] == 'optimizer'
    assert parts['curve'] == 'summary' and parts['save/filename'] == parts['save/Assign'] == 'save'
    assert parts['dense/kernel/Assign'] == 'init'


def test_lines_of_the_program(whole):
    file, line, function = by_name(whole)['dense/MatMul']['s']
    entry = whole['files'][file]
    assert entry['lines'][line - entry['first']].strip() == 'y = tf.layers.dense(x, 2, tf.nn.relu)'
    assert function == 'network' and entry['path'].endswith('test_document.py')


def test_gradients_are_tied_to_their_nodes(whole):
    of = {node['n']: name_of(whole, node['g']) for node in whole['nodes'] if 'g' in node}
    assert of['gradients/dense/MatMul_grad/MatMul'] == 'dense/MatMul'
    assert of['gradients/mean_grad/BroadcastTo'] == 'mean'
    branches = {name: forward for name, forward in of.items() if '/if true/' in name}
    assert set(branches.values()) == {'choose/if true/Exp'}
    bodies = {forward for name, forward in of.items()
              if '/body/' in name and '/mul_grad/' in name}
    assert bodies == {'loop/body/mul'}


def test_pieces_of_variables(whole):
    of = {node['n']: name_of(whole, node['v']) for node in whole['nodes'] if 'v' in node}
    for piece in ('read', 'Assign', 'Adam', 'Adam_1', 'Initializer/random_uniform'):
        assert of[f'dense/kernel/{piece}'] == 'dense/kernel'
    assert of['Adam/update_dense/kernel/ApplyAdam'] == 'dense/kernel'
    assert of['beta1_power/read'] == 'beta1_power' and 'beta1_power' not in of
    called = {node['n']: node['w'] for node in whole['nodes'] if 'w' in node}
    assert called['dense/kernel'] == 'kernel [3, 2]' and called['loop/body/mul/y'] == 'y = 2'


def test_scopes_and_repeats(whole):
    kinds = {name: scope['kind'] for name, scope in whole['scopes'].items()}
    assert kinds['loop'] == 'while' and kinds['choose'] == 'if'
    assert kinds['loop/body'] == kinds['choose/if true'] == 'function'
    with tf.Graph().as_default() as graph:
        y = tf.placeholder(tf.float32, [None, 4])
        for number in range(5):
            with tf.name_scope(f'block{number}'):
                y = tf.nn.relu(y * 2.0) + y if number != 2 else tf.sin(y) * 3.0
    assert document(graph)['repeats'] == [[f'block{n}' for n in (0, 1, 3, 4)]]


def test_gradient_rules(whole):
    assert 'def gradient' in whole['rules']['Relu']['source']
    assert 'none' in whole['rules']['Shape']


# ---- sources ---------------------------------------------------------------------------------

def test_keras_model():
    with tf.Graph().as_default():
        model = keras.Sequential([keras.layers.Dense(4, activation='relu', input_shape=(3,)),
                                  keras.layers.Dropout(0.5), keras.layers.Dense(2)])
        made = document(model)
    labels = {scope['label'] for scope in made['scopes'].values() if scope['kind'] == 'layer'}
    assert labels == {'Dense(4, relu)', 'Dropout(0.5)', 'Dense(2)'}
    assert made['title'].startswith('Sequential')


def test_files(network, tmp_path):
    graph, loss, _ = network
    definition = graph.as_graph_def()
    (tmp_path / 'a.pb').write_bytes(definition.SerializeToString())
    with tf.Session(graph=graph) as session:
        session.run([v.initializer for v in graph.get_collection('variables')])
        with graph.as_default():
            saved = tf.train.Saver().save(session, str(tmp_path / 'model'))
        tf.saved_model.simple_save(session, str(tmp_path / 'saved'),
                                   {'x': graph.get_tensor_by_name('x:0')}, {'loss': loss})
    for source in (definition, tmp_path / 'a.pb', saved, saved + '.meta', tmp_path / 'saved'):
        assert {'dense/MatMul', 'x'} <= by_name(document(source)).keys()
    with pytest.raises(FileNotFoundError, match='no file'):
        document('dense/MatMul')
    with pytest.raises(ValueError, match='saved_model.pb'):
        document(tmp_path)


def test_comparison():
    graphs = []
    for rate, name in ((0.1, 'a'), (0.2, 'b')):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [2], name='x')
            tf.multiply(tf.sin(x, name=name), rate, name='product')
            (tf.exp if name == 'a' else tf.sqrt)(x)
        graphs.append(graph)
    made = document(tf.graph_diff(*graphs))
    marks = {node['n']: node.get('m') for node in made['nodes']}
    assert made['kind'] == 'diff'
    assert marks == {'x': None, 'b': 'renamed', 'product/y': 'changed', 'product': None,
                     'Sqrt': 'added', 'Exp': 'removed'}
    assert by_name(made)['product/y']['a'][-1][0] == 'value was'
    assert name_of(made, by_name(made)['Exp']['i'][0][0]) == 'x'


def test_hostile_names_stay_text():
    with tf.Graph().as_default():
        bad = tf.constant(b'</script><b>' * 1000, name='a')
        made = tf.viz.explore([bad], title='</script><script>alert(1)</script>')
    assert all(len(text) <= 200 for node in made.document['nodes'] for _, text in node.get('a', ()))
    assert '</script><' not in made.html().replace('</script><script', '')
    assert '<script>alert' not in made.html() + made._repr_html_()


def test_documents_are_small():
    with tf.Graph().as_default() as graph:
        y = tf.placeholder(tf.float32, [None, 4])
        for _ in range(500):
            y = tf.nn.relu(y)
    made = document(graph)
    assert len(json.dumps(made['nodes'], separators=(',', ':'))) < 110 * len(made['nodes'])


# ---- runs ------------------------------------------------------------------------------------

def test_a_run_with_times(network):
    graph, loss, step = network
    with tf.Session(graph=graph) as session:
        session.run([v.initializer for v in graph.get_collection('variables')])
        made = tf.viz.explore(graph, fetches=[step, loss], session=session,
                              feed_dict={'x:0': [[1.0, 2.0, 3.0]]}).document
    run, = made['runs']
    names = [stage['name'] for stage in run['stages']]
    assert names[:4] == ['prune', 'schedule', 'lower', 'infer'] and names[-1] == 'codegen'
    assert 'passes/identities' in names
    index = {node['n']: str(n) for n, node in enumerate(made['nodes'])}
    lines = run['stages'][-1]['lines']
    text, nodes = lines[run['fate'][index['dense/MatMul']]['lines'][0]]
    assert 'np.dot' in text and nodes == [int(index['dense/MatMul'])]
    assert any('def f' in text for text, _ in lines)
    assert run['fate'][index['dense/kernel/read']]['into'] == int(index['dense/kernel'])
    assert run['fate'][index['Const']] == {'why': 'a constant of the program', 'pass': 'infer'}
    assert run['seconds'][index['dense/MatMul']] > 0
    assert run['bytes'][index['dense/MatMul']] == 8
    assert 'runs' in document(loss) and 'runs' not in document(graph)


def test_which_run_the_command_shows(network, tmp_path):
    graph, loss, step = network
    page = explore_with_run(graph, ['x:0', loss, step, 'no such node'], tmp_path / 'a.html')
    assert 'runs' not in page.document
    page = explore_with_run(graph, [loss, step], tmp_path / 'a.html')
    assert page.document['runs'][0]['fetches'] == [step.name]


def one_row(x):
    return tf.reshape(tf.reduce_sum(x, 0), [1, 3])


STEPS = [
    lambda x, y: x + y, lambda x, y: x * y, lambda x, y: tf.identity(x), lambda x, y: tf.nn.relu(x),
    lambda x, y: tf.transpose(tf.transpose(x)), lambda x, y: tf.reshape(x, tf.shape(x)),
    lambda x, y: tf.concat([one_row(x), one_row(y)], 0)[:1] * 0.5,
    lambda x, y: tf.reduce_sum(x, 0, True),
    lambda x, y: tf.cond(tf.reduce_sum(y) > 0, lambda: tf.abs(x), lambda: -x),
    lambda x, y: tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a + one_row(y)),
                               [0, one_row(x)])[1]]


@pytest.mark.parametrize('seed', range(12))
def test_every_node_has_a_fate(seed):
    """Of random graphs with equal nodes, constants, Variables, loops and unused results."""
    random.seed(seed)
    with tf.Graph().as_default() as graph:
        made = [tf.placeholder(tf.float32, [None, 3]), tf.constant([[1.0, 2.0, 3.0]]),
                tf.Variable(tf.ones([2, 3])) + 0.0]
        for _ in range(25):
            made.append(random.choice(STEPS)(random.choice(made), random.choice(made)))
        fetched = [made[-1], random.choice(made), *tf.gradients(made[-1], made[2])]
    result = document(graph, fetches=[f for f in fetched if f is not None])
    run = result['runs'][0]
    last = run['stages'][-1]['lines']
    assert {str(n) for n in run['order']} <= run['fate'].keys()
    for node, fate in run['fate'].items():
        assert ('lines' in fate) != ('why' in fate), node
        assert all(int(node) in last[line][1] for line in fate.get('lines', ()))
        assert fate.get('into', 0) < len(result['nodes'])


def test_recorded_runs_are_compiled_with_their_shapes_and_timed(session):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    y = tf.square(x, name='y')
    loss = tf.reduce_sum(y, name='loss')
    with tf.record(session) as r:
        for rows in (4, 4, 2):
            session.run(loss, {x: np.ones([rows, 3])})
        session.run(y, {x: np.ones([5, 3])})
    made = tf.viz.explore(session, recordings=[r]).document
    first, second = made['runs']
    names = [node['n'] for node in made['nodes']]
    assert first['fetches'] == ['loss:0'] and first['feeds'] == ['x:0 [4, 3]']
    assert second['feeds'] == ['x:0 [5, 3]']
    assert first['bytes'][str(names.index('y'))] == 4 * 3 * 4
    assert 0 < first['seconds'][str(names.index('loss'))] < 1
    other = tf.Graph()
    with other.as_default():
        tf.constant(1.0)
    assert 'runs' not in tf.viz.explore(other, recordings=[r]).document


def test_the_values_of_variables(session, tmp_path):
    w = tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3), name='w')
    tf.Variable(1.0, name='without')
    session.run(w.initializer)
    prefix = tf.train.Saver([w]).save(session, str(tmp_path / 'model'))
    x = tf.placeholder(tf.float32, [3])
    session.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(session, str(tmp_path / 'saved'), {'x': x}, {'y': w * x})
    for what, values in ((session.graph, prefix), (prefix, True), (str(tmp_path / 'saved'), True),
                         (session, True), (session.graph, session)):
        made = tf.viz.explore(what, values=values).document
        recording, = made['recordings']
        node = recording['orders'][0][0][0]
        assert made['nodes'][node]['n'] == 'w' and recording['values'][0]['n'] == [0, 1, 2, 3, 4, 5]
        assert len(recording['values']) == (1 if prefix in (what, values) else 2)
    with pytest.raises(TypeError, match='values=session'):
        tf.viz.explore(session.graph, values=True)
    by_objects = tf.train.Checkpoint(weights=w).save(str(tmp_path / 'objects'), session=session)
    recording, = tf.viz.explore(session.graph, values=by_objects).document['recordings']
    assert recording['values'][0]['n'] == [0, 1, 2, 3, 4, 5]
    with tf.Graph().as_default() as another:
        tf.Variable(1.0, name='another')
    with pytest.raises(ValueError, match='has none of the Variables'):
        tf.viz.explore(another, values=prefix)
    model = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(3,))])
    recording, = tf.viz.explore(model, values=True).document['recordings']
    assert [value['s'] for value in recording['values']] == [[3, 2]]
