"""Dumps of runs: files as TensorFlow 1.15.5 lays them out, and DebugDumpDir."""
from __future__ import annotations

import os

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.inspect.debugger import tf_debug
from tinyflow.inspect.debugger.dump_dir import _plain_nodes


@pytest.fixture
def dumped(graph, tmp_path):
    """The folder of a run of z = sum(log(x * w)), and the graph."""
    x = tf.placeholder(tf.float32, [2], name='x')
    w = tf.Variable([1., 2.], name='w')
    z = tf.reduce_sum(tf.log(x * w, name='y'), name='z')
    with tf.Session() as session:
        session.run(w.initializer)
        wrapped = tf_debug.DumpingDebugWrapperSession(session, str(tmp_path / 'root'))
        assert wrapped.run(z, {x: [0., 1.]}) == -np.inf
    run, = os.listdir(tmp_path / 'root')
    return tf_debug.DebugDumpDir(str(tmp_path / 'root' / run)), tmp_path / 'root', graph


def test_files_are_tensorflows(dumped):
    """Names and sizes of the files of the same program there."""
    _, root, _ = dumped
    sizes = {}
    for folder, _, files in os.walk(root):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), root).split(os.sep, 1)[1]
            sizes[path.rpartition('_')[0]] = os.path.getsize(os.path.join(folder, name))
    device = '_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0/'
    assert {name: sizes[device + name + '_DebugIdentity'] for name in (
        'w_0', 'w/read_0', 'mul_0', 'y_0', 'z_0')} == {
            'w_0': 174, 'w/read_0': 184, 'mul_0': 178, 'y_0': 174, 'z_0': 166}
    assert sizes['_tfdbg_fetches_info'] == 44 and sizes['_tfdbg_feed_keys_info'] == 59
    assert any(name.startswith(device + '_tfdbg_graph_hash') for name in sizes)


def test_values(dumped):
    dump, _, _ = dumped
    assert [d.tensor_name for d in dump.dumped_tensor_data] == \
        ['x:0', 'w:0', 'w/read:0', 'mul:0', 'y:0', 'Const:0', 'z:0']
    assert dump.size == 7 and dump.t0 == dump.dumped_tensor_data[0].timestamp
    assert [d.node_name for d in dump.find(tf_debug.has_inf_or_nan)] == ['y', 'z']
    assert [d.node_name for d in dump.find(tf_debug.has_inf_or_nan, first_n=1)] == ['y']
    assert dump.find(tf_debug.has_inf_or_nan, exclude_node_names='y|z') == []
    value, = dump.get_tensors('y', 0, 'DebugIdentity')
    np.testing.assert_array_equal(value, np.array([-np.inf, 0.6931472], np.float32))
    assert dump.debug_watch_keys('y') == ['y:0:DebugIdentity']
    datum, = dump.watch_key_to_data('y:0:DebugIdentity')
    assert datum.device_name == dump.devices()[0] == \
        '/job:localhost/replica:0/task:0/device:CPU:0'
    assert dump.get_dump_sizes_bytes('y', 0, 'DebugIdentity') == [datum.dump_size_bytes]
    np.testing.assert_array_equal(tf_debug.load_tensor_from_event_file(datum.file_path), value)
    with pytest.raises(ValueError, match='does not exist in the debug dump(.|\n)*did you mean'):
        dump.get_tensors('y', 1, 'DebugIdentity')


def test_graph(dumped):
    dump, _, graph = dumped
    assert dump.node_op_type('y') == 'Log' and dump.node_inputs('mul') == ['x', 'w/read']
    assert dump.node_recipients('w/read') == ['mul'] and dump.node_exists('Const')
    assert set(dump.transitive_inputs('y')) == {'x', 'w', 'w/read', 'mul'}
    assert dump.node_attributes('y')['T'].type == tf.float32.as_datatype_enum
    assert dump.run_fetches_info == "<tf.Tensor 'z:0' shape=() dtype=float32>"
    assert dump.core_metadata.input_names == ['x:0']
    with pytest.raises(LookupError, match='set_python_graph'):
        dump.node_traceback('y')
    dump.set_python_graph(graph)
    assert dump.node_traceback('y')[0][0] == __file__
    with pytest.raises(ValueError, match="Node 'yy' does not exist(.|\n)*did you mean 'y'"):
        dump.node_op_type('yy')


def test_tensorflows_graphs_are_freed_of_what_its_debugger_adds():
    graph = tf.GraphDef()
    for name, op, inputs in (
            ('w', 'VariableV2', []), ('__copy_w_0', 'CopyHost', ['w']),
            ('__dbg_w:0_0_DebugIdentity', 'DebugIdentity', ['__copy_w_0']),
            ('read', 'Identity', ['__copy_w_0', '^__dbg_w:0_0_DebugIdentity'])):
        graph.node.add(name=name, op=op).input.extend(inputs)
    assert {n: list(v.input) for n, v in _plain_nodes(graph).items()} == \
        {'w': [], 'read': ['w']}


def test_watched_values_only(graph, tmp_path):
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.cast(tf.exp(x, name='e') + 1., tf.int32, name='whole')
    for number, (watch, names) in enumerate((
            (lambda fetches, feeds: tf_debug.WatchOptions(node_name_regex_whitelist='e|x'),
             ['x', 'e']),
            (lambda fetches, feeds: ('DebugIdentity', '.*', 'Cast'), ['whole']),
            (lambda fetches, feeds: tf_debug.WatchOptions(
                tensor_dtype_regex_whitelist='int'), ['whole']))):
        root = tmp_path / str(number)
        with tf_debug.DumpingDebugWrapperSession(tf.Session(), str(root), watch) as session:
            session.run(y, {x: [0., 1.]})
        dump = tf_debug.DebugDumpDir(str(root / os.listdir(root)[0]))
        assert [d.node_name for d in dump.dumped_tensor_data] == names


def test_loops(graph, tmp_path):
    end = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], name='loop')
    with tf_debug.DumpingDebugWrapperSession(tf.Session(), str(tmp_path / 'd')) as session:
        session.run(end)
    dump = tf_debug.DebugDumpDir(str(tmp_path / 'd' / os.listdir(tmp_path / 'd')[0]))
    assert dump.node_op_type('loop/body/add') == 'AddV2'
    assert [int(v) for v in dump.get_tensors('loop/body/add', 0, 'DebugIdentity')] == [1, 2, 3]


def test_wrong_folders(graph, tmp_path):
    (tmp_path / 'file').write_text('')
    (tmp_path / 'full').mkdir()
    (tmp_path / 'full' / 'run_1').write_text('')
    for name, text in (('file', 'points to a file'), ('full', 'non-empty directory')):
        with pytest.raises(ValueError, match=text):
            tf_debug.DumpingDebugWrapperSession(tf.Session(), str(tmp_path / name))
    with pytest.raises(OSError, match='does not exist'):
        tf_debug.DebugDumpDir(str(tmp_path / 'nowhere'))
    with pytest.raises(OSError, match='No debug dump(.|\n)*its runs are run_1'):
        tf_debug.DebugDumpDir(str(tmp_path / 'full'))
    with pytest.raises(TypeError, match='watch_fn must return'):
        with tf_debug.DumpingDebugWrapperSession(
                tf.Session(), str(tmp_path / 'new'), lambda fetches, feeds: 3) as session:
            session.run(tf.constant(1.))
