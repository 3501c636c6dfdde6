"""Devices and colocation of nodes; the expected strings are what TensorFlow 1.15.5 gives."""
from contextlib import ExitStack

import pytest
from hypothesis import given, strategies as st

import tinyflow as tf
from tinyflow.graph.devices import merge_device


@pytest.mark.parametrize('text, canonical', [
    ('', ''), ('/', ''), ('/cpu:0', '/device:CPU:0'), ('cpu:0', '/device:CPU:0'),
    ('/gpu', '/device:GPU:*'), ('/GPU:*', '/device:GPU:*'), ('/Cpu:1', '/device:CPU:1'),
    ('/device:cpu:0', '/device:CPU:0'), ('/device:TPU:*', '/device:TPU:*'),
    ('/job:ps/task:1/cpu:2', '/job:ps/task:1/device:CPU:2'), ('/task:0/job:w', '/job:w/task:0'),
    ('/job:', '/job:'), ('/job:ps/job:w', '/job:w'), ('/replica:01', '/replica:1')])
def test_device_strings(text, canonical):
    assert tf.DeviceSpec.from_string(text).to_string() == canonical
    with tf.device(text):
        assert tf.no_op().device == canonical


@pytest.mark.parametrize('text, problem', [
    ('/device:GPU', "Unknown attribute: 'device' in '/device:GPU'"), ('/job', 'Unknown attribute'),
    ('/foo:1', "Unknown attribute: 'foo'"), ('/JOB:ps', 'Unknown attribute'),
    ('/job:a:b', 'Unknown attribute'), ('/cpu:0/gpu:1', 'Cannot specify multiple device types'),
    ('/task:x', 'are numbers'), ('/device:CPU:', 'are numbers')])
def test_strings_that_are_no_devices(text, problem):
    with pytest.raises(ValueError, match=problem):
        tf.DeviceSpec.from_string(text)
    with pytest.raises(ValueError, match=problem):
        tf.device(text).__enter__()


def test_device_spec():
    spec = tf.DeviceSpec(job='a', task='3', device_type='gpu')
    assert spec.to_string() == '/job:a/task:3/device:GPU:*' and spec.device_index is None
    spec.device_index = '1'
    spec.merge_from(tf.DeviceSpec(task=2))
    assert spec.to_string() == '/job:a/task:2/device:GPU:1'
    assert spec.make_merged_spec(tf.DeviceSpec(job='z')).job == 'z' and spec.job == 'a'
    assert spec.replace(task=None).to_string() == '/job:a/device:GPU:1'
    assert spec.parse_from_string('/job:q') is spec
    assert spec == tf.DeviceSpec(job='q') and hash(spec) == hash(tf.DeviceSpec(job='q'))
    assert spec != '/job:q' and spec != tf.DeviceSpec()
    assert repr(spec) == "<tf.DeviceSpec '/job:q'>"
    with pytest.raises(TypeError):
        spec.replace(device='x')


def device_inside(*scopes):
    """The device of a node inside these scopes, the first of them outermost."""
    with ExitStack() as stack:
        for scope in scopes:
            stack.enter_context(tf.device(scope))
        return tf.constant(1.0, name='c').device


@pytest.mark.parametrize('scopes, device', [
    ([None], ''), (['/cpu:0', '/gpu:1'], '/device:GPU:1'),
    (['/job:a', '/cpu:0'], '/job:a/device:CPU:0'), (['/job:a', None, '/cpu:0'], '/device:CPU:0'),
    (['/job:a', '/job:b/task:1', '/task:2'], '/job:b/task:2'),
    ([lambda op: '/job:f/cpu:0', '/gpu:1'], '/job:f/cpu:0'),        # a function has the last word
    (['/gpu:1', lambda op: '/job:f/cpu:0'], '/job:f/device:CPU:0'),
    ([lambda op: '/cpu:0'], '/cpu:0'), ([lambda op: b'/cpu:0'], '/cpu:0'), ([lambda op: ''], ''),
    ([lambda op: tf.DeviceSpec(job='k')], '/job:k'),
    ([merge_device('/job:m'), '/job:n'], '/job:n'), ([merge_device('/cpu:0')], '/device:CPU:0'),
    ([tf.DeviceSpec(job='u'), '/cpu:*'], '/job:u/device:CPU:*'),
    ([lambda op: op.device + '/task:1', '/job:a'], '/job:a/task:1'),
    ([lambda op: f'/job:{op.type}', ''], '/job:Const'),
    ([lambda op: f'/job:{op.node_def.op}', lambda op: f'/task:{len(op.name)}'], '/job:Const')])
def test_scopes_merge(graph, scopes, device):
    assert device_inside(*scopes) == device


PARTS = {'/job:': st.sampled_from('ab'), '/replica:': st.integers(0, 2),
         '/task:': st.integers(0, 2), '/device:': st.sampled_from(['CPU:0', 'CPU:1', 'GPU:1'])}


def text(parts):
    return ''.join(f'{key}{parts[key]}' for key in PARTS if key in parts)


@pytest.mark.slow
@given(st.lists(st.none() | st.fixed_dictionaries({}, optional=PARTS), max_size=5))
def test_each_part_is_that_of_the_innermost_scope_that_has_it(scopes):
    wanted = {}
    for parts in scopes:
        wanted = {} if parts is None else {**wanted, **parts}
    strings = [None if parts is None else text(parts) for parts in scopes]
    with tf.Graph().as_default():
        assert device_inside(*strings) == text(wanted)
        assert device_inside(*[s and merge_device(s) for s in strings]) == text(wanted)
        specs = [s if s is None else tf.DeviceSpec.from_string(s) for s in strings]
        assert device_inside(*specs) == text(wanted)


def test_a_device_function_must_give_a_device():
    with tf.device(lambda op: None), pytest.raises(TypeError, match='returned None'):
        tf.constant(1.0)
    with pytest.raises(AttributeError, match='not 5'):
        tf.device(5)


def colocated(graph):
    """A graph of colocated constants: a and b lead, c to h follow."""
    a = tf.constant(1.0, name='a')
    with graph.device('/job:q'), tf.device('/cpu:1'):
        b = tf.constant(2.0, name='b')
    with graph.colocate_with(a), tf.device('/gpu:3'):
        tf.constant(2.0, name='c')
        with tf.colocate_with(b):
            d = tf.constant(2.0, name='d')
        with graph.colocate_with(b, ignore_existing=True):
            tf.constant(2.0, name='e')
        with graph.colocate_with(None, ignore_existing=True):
            tf.constant(2.0, name='f')
        with graph.colocate_with(d), tf.device('/job:z'):
            tf.constant(2.0, name='h')
    return graph


B = '/job:q/device:CPU:1'


def places(graph):
    return {op.name: (op.device, [g.decode() for g in op.colocation_groups()])
            for op in graph.get_operations()}


def test_colocation(graph):
    assert places(colocated(graph)) == {
        'a': ('', ['loc:@a']), 'b': (B, ['loc:@b']), 'c': ('/device:GPU:3', ['loc:@a']),
        'd': (B, ['loc:@a', 'loc:@b']), 'e': (B, ['loc:@b']), 'f': ('', ['loc:@f']),
        'h': (B, ['loc:@a', 'loc:@b'])}
    d, f = [graph.get_operation_by_name(name) for name in 'df']
    assert d.get_attr('_class') == [b'loc:@a', b'loc:@b']
    with pytest.raises(ValueError, match="no attr named '_class'"):
        f.get_attr('_class')
    assert list(d.node_def.attr['_class'].list.s) == [b'loc:@a', b'loc:@b']
    f._set_device(tf.DeviceSpec(job='x'))
    assert f.device == '/job:x'


def test_colocation_with_none_must_reset(graph):
    with pytest.raises(ValueError, match='ignore_existing is not True'):
        graph.colocate_with(None)


def test_import_keeps_devices_and_groups(graph):
    graph_def = colocated(graph).as_graph_def()
    with tf.Graph().as_default() as again, again.device('/task:4'):
        tf.import_graph_def(graph_def, name='p')
    moved = '/job:q/task:4/device:CPU:1'
    assert places(again) == {
        'p/a': ('/task:4', ['loc:@p/a']), 'p/b': (moved, ['loc:@p/b']),
        'p/c': ('/task:4', ['loc:@p/a']), 'p/d': ('/task:4', ['loc:@p/a', 'loc:@p/b']),
        'p/e': (moved, ['loc:@p/b']), 'p/f': ('/task:4', ['loc:@p/f']),
        'p/h': ('/task:4', ['loc:@p/a', 'loc:@p/b'])}
    with tf.Graph().as_default() as again:
        with again.colocate_with(tf.constant(1.0, name='z')):
            tf.import_graph_def(graph_def, name='')
    assert {groups[0] for _, groups in places(again).values()} == {'loc:@z'}


def test_a_variable_that_a_function_changes_keeps_its_group(graph):
    """TensorFlow refuses groups that name a parameter of the function."""
    variable = tf.Variable(1.0, name='v')
    tf.cond(tf.placeholder(tf.bool, []), lambda: tf.assign(variable, 2.0),
            lambda: tf.assign_add(variable, 3.0), name='c')
    tf.while_loop(lambda i: i < 3, lambda i: tf.assign_add(variable, 1.0) * 0 + i + 1,
                  [tf.constant(0.0)], name='w')
    for graph_def in graph.as_graph_def(), imported_again(graph.as_graph_def()):
        nodes = [n for n in graph_def.node if n.op in ('Assign', 'AssignAdd')]
        assert len(nodes) == 4
        assert all(n.attr['_class'].list.s == [b'loc:@v'] for n in nodes)


def imported_again(graph_def):
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
    return graph.as_graph_def()
