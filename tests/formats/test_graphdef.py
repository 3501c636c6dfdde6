"""GraphDefs: what is written, what is read, and what a damaged one gives."""
from __future__ import annotations

import warnings

import numpy as np
import pytest
from google.protobuf import text_format
from hypothesis import HealthCheck, given, settings, strategies as st

import tinyflow as tf
from tinyflow.formats.protos import function_pb2, node_def_pb2

pytestmark = pytest.mark.usefixtures('graph')


def exported():
    return tf.get_default_graph().as_graph_def()


def imported(graph_def, *args, **kwargs):
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, *args, **kwargs)
    return graph


def small():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.Variable(np.float32([[1, 2], [3, 4]]), name='w')
    y = tf.matmul(x, w, transpose_b=True, name='y')
    return x, w, y


# ---- writing ------------------------------------------------------------------------------


def test_node_defs_are_tensorflows():
    small()
    expected = text_format.Parse("""
        name: "y" op: "MatMul" input: "x" input: "w/read"
        attr { key: "T" value { type: DT_FLOAT } }
        attr { key: "transpose_a" value { b: false } }
        attr { key: "transpose_b" value { b: true } }""", tf.NodeDef())
    assert tf.get_default_graph().get_operation_by_name('y').node_def == expected
    nodes = {n.name: n for n in exported().node}
    assert nodes['w'].attr['shape'].shape.dim[1].size == 2
    assert sorted(nodes['w'].attr) == ['container', 'dtype', 'shape', 'shared_name']
    assert nodes['x'].attr['shape'].shape.dim[0].size == -1
    assert exported().versions.producer == tf.GRAPH_DEF_VERSION == 134
    assert tf.get_default_graph().graph_def_versions.producer == 134


def test_control_inputs_are_sorted_and_devices_kept():
    b, a = tf.no_op('b'), tf.no_op('a')
    with tf.device('/cpu:0'), tf.control_dependencies([b, a]):
        tf.constant(1, name='c')
    node = exported().node[-1]
    assert list(node.input) == ['^a', '^b'] and node.device == '/device:CPU:0'
    graph = imported(exported(), name='')
    c = graph.get_operation_by_name('c')
    assert [o.name for o in c.control_inputs] == ['a', 'b'] and c.device == '/device:CPU:0'


def test_part_of_a_graph_and_shapes():
    graph = tf.get_default_graph()
    tf.constant(1.0, name='a')
    version = graph.version
    tf.placeholder(tf.float32, [None, 3], name='b')
    part = graph.as_graph_def(from_version=version, add_shapes=True)
    assert [n.name for n in part.node] == ['b']
    shape = part.node[0].attr['_output_shapes'].list.shape[0]
    assert [d.size for d in shape.dim] == [-1, 3]


def test_session_has_a_graph_def():
    small()
    with tf.Session() as session:
        assert session.graph_def == exported()


def test_large_constants_warn_once_and_share_memory(monkeypatch):
    from tinyflow.formats.graphdef import export
    monkeypatch.setattr(export, 'LARGE', 1000)
    value = np.arange(1000, dtype=np.float32)
    constant = tf.constant(value, name='data')
    with pytest.warns(tf.errors.TinyflowWarning,
                      match=r'(?s)\[large-constants\].*data:0.*Hint: feed'):
        exported()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        exported()
    assert constant.op.attrs['value'] is constant.op.get_attr('value')


def test_more_than_2_gb_is_refused(monkeypatch):
    from tinyflow.formats.graphdef import export
    from tinyflow.formats.wire import tensors
    monkeypatch.setattr(export, 'LARGE', 1000)
    monkeypatch.setattr(tensors, 'LIMIT', 3000)
    tf.constant(np.arange(1000.0), name='data')
    with pytest.raises(ValueError, match='(?s)cannot be larger than 2GB.*data:0.*Hint'):
        exported()


def test_initialized_value_is_written_as_old_control_flow():
    v = tf.Variable(3.0)
    w = tf.Variable(v.initialized_value() * 2, name='w')
    ops = {n.op for n in exported().node}
    assert {'Switch', 'Merge', 'RefSwitch'} <= ops and 'InitializedValue' not in ops
    graph = imported(exported(), name='')
    with tf.Session(graph=graph) as session:
        session.run(w.initializer.name)
        assert session.run('w:0') == 6.0
        session.run(session.graph.get_operation_by_name('Variable/Assign'))


def test_functions_are_written_and_read():
    p = tf.placeholder(tf.bool, [], name='p')
    x = tf.constant([1.0, 2.0])
    y = tf.cond(p, lambda: x * 2.0, lambda: tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, t + x), [0, x])[1], name='choice')
    graph_def = exported()
    names = {f.signature.name for f in graph_def.library.function}
    assert {'choice_true', 'choice_false'} <= names and len(names) == 4
    assert graph_def.versions.min_consumer == 12
    graph = imported(graph_def, name='')
    with tf.Session(graph=graph) as session:
        assert session.run(y.name, {'p:0': True}).tolist() == [2, 4]
        assert session.run(y.name, {'p:0': False}).tolist() == [4, 8]


def test_gradients_of_an_imported_cond():
    w = tf.Variable([1.0, 2.0])
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: tf.reduce_sum(w * w), lambda: tf.reduce_sum(tf.exp(w)))
    graph = imported(exported(), name='')
    with graph.as_default(), tf.Session() as session:
        grad, = tf.gradients(graph.get_tensor_by_name(y.name),
                             graph.get_tensor_by_name('Variable/read:0'))
        session.run('Variable/Assign')
        assert session.run(grad, {'p:0': True}).tolist() == [2, 4]
        np.testing.assert_allclose(session.run(grad, {'p:0': False}), np.exp([1, 2]), rtol=1e-6)


def test_a_variable_assigned_inside_a_branch_or_loop():
    v = tf.Variable(1.0, name='v')
    p = tf.placeholder(tf.bool, [], name='p')
    step = tf.cond(p, lambda: tf.assign_add(v, 10.0), lambda: tf.assign(v, v * 2.0))

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return i + 1
    loop = tf.while_loop(lambda i: i < 4, body, [0])
    graph_def = exported()
    assert {'RefSwitch', 'RefEnter', 'NextIteration'} <= {n.op for n in graph_def.node}
    for _ in range(2):
        graph = imported(graph_def, name='')
        with tf.Session(graph=graph) as session:
            session.run('v/Assign')
            assert session.run(step.name, {'p:0': True}) == 11
            assert session.run(step.name, {'p:0': False}) == 22
            assert session.run(loop.name) == 4
            assert session.run('v:0') == 26
        graph_def = graph.as_graph_def()


def test_updates_wait_for_what_reads_their_variables():
    """TensorFlow would change w while the gradient of v still reads it."""
    w, v = tf.Variable(2.0, name='w'), tf.Variable(3.0, name='v')
    tf.train.GradientDescentOptimizer(0.1).minimize(w * v, name='train')
    nodes = {n.name: n for n in exported().node}
    for name, other in (('w', 'v'), ('v', 'w')):
        update = nodes[f'train/update_{name}/ApplyGradientDescent']
        waits = [i[1:] for i in update.input if i.startswith('^')]
        gradient_of_other = nodes[f'train/update_{other}/ApplyGradientDescent'].input[2]
        assert gradient_of_other in waits
        assert f'{name}/read' in nodes[gradient_of_other].input
    again = imported(exported(), name='').as_graph_def()
    assert [n.name for n in again.node] == list(nodes)
    assert again == exported()


def test_a_reading_of_a_variable_goes_into_functions():
    v = tf.Variable([1.0, 2.0], name='v')
    read = v.read_value()
    total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + read), [0, read])[1]
    for graph in (tf.get_default_graph(), imported(exported(), name='')):
        with tf.Session(graph=graph) as session:
            session.run('v/Assign')
            assert session.run(total.name).tolist() == [4, 8]


def test_write_graph(tmp_path):
    small()
    text = tf.io.write_graph(tf.get_default_graph(), str(tmp_path / 'new'), 'g.pbtxt')
    binary = tf.train.write_graph(exported(), str(tmp_path), 'g.pb', as_text=False)
    assert text == str(tmp_path / 'new' / 'g.pbtxt')
    from tinyflow.formats.wire.reading import read
    assert read(text, tf.GraphDef) == read(binary, tf.GraphDef) == exported()
    assert sorted(p.name for p in tmp_path.iterdir()) == ['g.pb', 'new']


# ---- reading ------------------------------------------------------------------------------


def test_names_are_put_into_a_scope():
    small()
    graph_def = exported()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def)
        tf.import_graph_def(graph_def)
        tf.import_graph_def(graph_def, name='mine')
        tf.import_graph_def(graph_def, name='')
        tf.import_graph_def(graph_def, name='')
    for name in ('import/y', 'import_1/y', 'mine/y', 'y', 'y_1'):
        assert graph.get_operation_by_name(name).type == 'MatMul'
    assert graph.get_operation_by_name('y_1').inputs[0].name == 'x_1:0'


def test_input_map_and_return_elements():
    small()
    graph_def = exported()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        mine = tf.constant([[1.0, 1.0]])
        table = tf.constant([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
        y, op, w = tf.import_graph_def(graph_def, {'x': mine, 'w/read:0': table},
                                       ['y:0', 'y', 'w/read:0'], name='part')
        assert op is y.op and op.inputs == (mine, table) and w is table
        assert session.run(y).tolist() == [[1, 1, 4]]
        scalar, = tf.import_graph_def(graph_def, {'x:0': [[5.0, 6.0]]}, ['y:0'], name='values')
        assert scalar.op.inputs[0].name == 'values/_inputs/Const:0'
        with pytest.raises(ValueError, match='non-empty `name`'):
            tf.import_graph_def(graph_def, {'x:0': [[5.0, 6.0]]}, name='')
        assert tf.import_graph_def(graph_def, name='nothing') is None
    assert graph.get_operation_by_name('part/x')


def test_open_scopes_apply():
    small()
    graph_def = exported()
    with tf.Graph().as_default() as graph:
        with tf.control_dependencies([tf.no_op('before')]), tf.device('/cpu:0'), \
                tf.name_scope('s'):
            tf.import_graph_def(graph_def)
        x = graph.get_operation_by_name('s/import/x')
        assert [c.name for c in x.control_inputs] == ['before'] and x.device == '/device:CPU:0'
        assert graph.get_operation_by_name('s/import/y').control_inputs == ()


@pytest.mark.parametrize('kwargs, error, message', [
    ({'input_map': {'nothing:0': 1.0}}, ValueError, r'not found in graph_def: \[nothing:0\]'),
    ({'input_map': ['x']}, TypeError, 'input_map must be a dictionary'),
    ({'input_map': {3: 1.0}}, TypeError, 'input_map must be a dictionary'),
    ({'return_elements': ['z']}, ValueError, "'z' not found"),
    ({'return_elements': ['y:7']}, ValueError, "'y:7' not found"),
    ({'return_elements': [3]}, TypeError, 'list of strings'),
])
def test_refused_arguments(kwargs, error, message):
    small()
    graph_def = exported()
    with tf.Graph().as_default(), pytest.raises(error, match=message):
        tf.import_graph_def(graph_def, **kwargs)


def test_not_a_graph_def():
    for value in ('text', 3, None, tf.get_default_graph()):
        with pytest.raises(TypeError, match='graph_def must be a GraphDef proto'):
            tf.import_graph_def(value)


def node(name, op, *inputs, **attrs):
    return node_def_pb2.NodeDef(name=name, op=op, input=inputs, attr=attrs)


@pytest.mark.parametrize('nodes, error, message', [
    ([node('a', 'NoOp'), node('a', 'NoOp')], ValueError, "Node 'a' is not unique"),
    ([node('a', 'NoOp', '^b')], ValueError, "Node 'a': Unknown input node 'b'"),
    ([node('a', 'Identity', 'b')], ValueError, "Node 'a': Unknown input node 'b'"),
    ([node('a', 'NoOp', '^b'), node('b', 'NoOp', '^a')], ValueError, 'wait for each other'),
    ([node('a', 'NoOp', '^b'), node('b', 'NoOp', '^c')], ValueError, "Unknown input node 'c'"),
    ([node('a', 'Nonsense'), node('b', 'Nonsense'), node('c', 'Other')],
     tf.errors.NotFoundError, r"(?s)Nonsense \(nodes 'a', 'b'\); Other \(nodes 'c'\).*Hint"),
    ([node('a', 'Const')], (ValueError, TypeError), 'a'),
    ([node('', 'NoOp')], ValueError, 'damaged'),
    ([node('a', 'NoOp'), node('b', 'Identity', 'a')], ValueError, 'has 0 outputs'),
    ([node('a b', 'NoOp')], ValueError, 'invalid characters'),
    ([node('a', 'NoOp', '^b', 'c')], ValueError, 'after a control input'),
    ([node('m', 'Merge', 'a', 'a'), node('a', 'NoOp'), node('s', 'Switch', 'a', 'a')],
     ValueError, "'m' merges values"),
])
def test_damaged_graphs(nodes, error, message):
    graph_def = tf.GraphDef(node=nodes)
    with tf.Graph().as_default(), pytest.raises(error, match=message):
        tf.import_graph_def(graph_def)


def test_wrong_dtypes_and_shapes_name_the_node():
    a = tf.placeholder(tf.float32, [2, 3], name='a')
    tf.matmul(a, a, transpose_b=True, name='product')
    graph_def = exported()
    graph_def.node[-1].attr['transpose_b'].b = False
    with tf.Graph().as_default(), pytest.raises(ValueError, match='product'):
        tf.import_graph_def(graph_def, name='')
    graph_def.node[-1].attr['T'].type = tf.int32.as_datatype_enum
    with tf.Graph().as_default(), pytest.raises((ValueError, TypeError), match='product'):
        tf.import_graph_def(graph_def, name='')


def test_missing_attributes_have_their_defaults():
    tf.nn.leaky_relu(tf.constant([-1.0]), name='r')
    graph_def = exported()
    for n in graph_def.node:
        if n.op == 'LeakyRelu':
            del n.attr['alpha']
    graph = imported(graph_def, name='')
    assert graph.get_operation_by_name('r').get_attr('alpha') == 0.2


def test_foreign_attributes_survive():
    tf.constant(1.0, name='a')
    graph_def = exported()
    graph_def.node[0].attr['_class'].list.s.append(b'loc:@b')
    graph_def.node[0].attr['_mine'].i = 3
    graph = imported(graph_def, name='')
    assert graph.as_graph_def() == graph_def


def test_old_op_types():
    x = tf.constant([[1.0, 2.0]])
    tf.Variable([[1.0], [2.0]], name='v')
    tf.add(x, x, name='sum')
    graph_def = exported()
    for n in graph_def.node:
        n.op = {'VariableV2': 'Variable'}.get(n.op, n.op)
    graph = imported(graph_def, name='')
    assert graph.get_operation_by_name('v').type == 'VariableV2'
    with tf.Session(graph=graph) as session:
        session.run('v/Assign')
        assert session.run('v/read:0').tolist() == [[1], [2]]


def test_calls_of_functions_are_put_in_their_place():
    function = function_pb2.FunctionDef()
    function.signature.name = 'twice_plus'
    for name in ('a', 'b'):
        function.signature.input_arg.add(name=name, type=1)
    function.signature.output_arg.add(name='out', type=1)
    for n in (node('d', 'AddV2', 'a', 'a'), node('s', 'AddV2', 'd:z:0', 'b')):
        function.node_def.add().CopyFrom(n)
    function.ret['out'] = 's:z:0'
    tf.constant(2.0, name='x')
    graph_def = exported()
    graph_def.library.function.add().CopyFrom(function)
    call = graph_def.node.add(name='call', op='twice_plus', input=['x', 'x'])
    other = graph_def.node.add(name='other', op='PartitionedCall', input=['call', 'x'])
    other.attr['f'].func.name = 'twice_plus'
    graph = imported(graph_def, name='')
    with tf.Session(graph=graph) as session:
        assert session.run(['call:0', 'other:0']) == [6, 14]
    call.op = 'nothing'
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError, match="'call'"):
        tf.import_graph_def(graph_def)
    function.node_def.add().CopyFrom(node('again', 'twice_plus', 'a', 'b'))
    call.op = 'twice_plus'
    graph_def.library.function[0].CopyFrom(function)
    with tf.Graph().as_default(), pytest.raises(ValueError, match='calls itself'):
        tf.import_graph_def(graph_def)


# ---- anything at all ----------------------------------------------------------------------


def _sample():
    with tf.Graph().as_default() as graph:
        x, _, y = small()
        z = tf.cond(y[0, 0] > 0, lambda: y + 1.0, lambda: tf.nn.softmax(y))
        tf.strided_slice(tf.concat([z, x], 1), [0, 0], [1, 2], name='end')
        tf.constant(['a', 'bc'], name='words')
        return graph.as_graph_def().SerializeToString(deterministic=True)


SAMPLE = _sample()


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damaged_bytes_are_an_error_or_a_graph(data):
    """Truncated or changed anywhere: TensorFlow's errors, with a message, and never a crash."""
    damaged = bytearray(SAMPLE)
    if data.draw(st.booleans()):
        del damaged[data.draw(st.integers(0, len(damaged) - 1)):]
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, max(0, len(damaged) - 1)))
        if damaged:
            damaged[place] ^= 1 << data.draw(st.integers(0, 7))
    with tf.Graph().as_default() as graph, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            tf.import_graph_def(bytes(damaged), name='')
        except (tf.errors.OpError, ValueError, TypeError, NotImplementedError) as error:
            assert isinstance(error, (tf.errors.OpError, NotImplementedError)) or \
                getattr(error, 'raised_by_tinyflow', False), repr(error)
            return
        graph.get_operations()


# ---- tf.graph_util ------------------------------------------------------------------------


def test_extract_sub_graph():
    small()
    tf.constant(1.0, name='other')
    part = tf.graph_util.extract_sub_graph(exported(), ['y'])
    assert [n.name for n in part.node] == ['x', 'w', 'w/read', 'y']
    with pytest.raises(AssertionError, match="nothing is not in graph"):
        tf.graph_util.extract_sub_graph(exported(), ['nothing'])
    with pytest.raises(TypeError, match='must be a list'):
        tf.graph_util.extract_sub_graph(exported(), 'y')
    with pytest.raises(TypeError, match='GraphDef proto'):
        tf.graph_util.extract_sub_graph('graph', ['y'])


def test_convert_variables_to_constants():
    _, w, y = small()
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            tf.graph_util.convert_variables_to_constants(session, exported(), ['y'])
        session.run(tf.global_variables_initializer())
        session.run(w.assign([[5.0, 6.0], [7.0, 8.0]]))
        frozen = tf.graph_util.convert_variables_to_constants(session, exported(), ['y'])
        kept = tf.graph_util.convert_variables_to_constants(session, exported(), ['y'],
                                                            variable_names_blacklist=['w'])
    assert [(n.name, n.op) for n in frozen.node] == [
        ('x', 'Placeholder'), ('w', 'Const'), ('w/read', 'Identity'), ('y', 'MatMul')]
    assert {n.op for n in kept.node} >= {'VariableV2'}
    with tf.Session(graph=imported(frozen, name='')) as session:
        assert session.run('y:0', {'x:0': [[1, 0]]}).tolist() == [[5, 7]]


def test_remove_training_nodes():
    x = tf.placeholder(tf.float32, [2], name='x')
    checked = tf.check_numerics(tf.identity(x, name='idle'), 'bad', name='check')
    with tf.control_dependencies([tf.identity(x, name='waited_for')]):
        tf.negative(checked, name='y')
    tf.identity(checked, name='kept')
    result = tf.graph_util.remove_training_nodes(exported(), protected_nodes=['kept'])
    assert {n.name: list(n.input) for n in result.node} == {
        'x': [], 'waited_for': ['x'], 'y': ['x', '^waited_for'], 'kept': ['x']}
    with tf.Session(graph=imported(result, name='')) as session:
        assert session.run('y:0', {'x:0': [1, 2]}).tolist() == [-1, -2]


def test_small_questions():
    x, _, _ = small()
    assert tf.graph_util.must_run_on_cpu(tf.constant(1).op)
    assert not tf.graph_util.must_run_on_cpu(tf.constant(1.0).op)
    assert tf.graph_util.tensor_shape_from_node_def_name(x.graph, 'x').as_list() == [None, 2]


@pytest.mark.slow
def test_private_modules_that_programs_import():
    """from tensorflow.core.framework import graph_pb2, and their like."""
    import subprocess
    import sys
    code = """
import tinyflow
tinyflow.install_as_tensorflow()
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.core.protobuf import meta_graph_pb2, saver_pb2
from tensorflow.python.framework import graph_util, tensor_util
from tensorflow.python.framework.graph_util import extract_sub_graph
from tensorflow.python.saved_model import signature_constants, tag_constants
from tensorflow.saved_model import Builder
assert graph_pb2.GraphDef is tf.GraphDef and NodeDef is tf.NodeDef
assert meta_graph_pb2.MetaGraphDef is tf.MetaGraphDef
assert graph_util.extract_sub_graph is tf.graph_util.extract_sub_graph is extract_sub_graph
assert tensor_util.make_tensor_proto is tf.make_tensor_proto
assert tag_constants.SERVING == 'serve' and Builder is tf.saved_model.Builder
"""
    subprocess.run([sys.executable, '-W', 'error', '-c', code], check=True)
