"""tf.train.Checkpoint: objects by the attributes that lead to them; TensorFlow's keys and graph."""
from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.wire.bundle import BundleReader
from tinyflow.train.checkpoints import object_graph

FILES = pathlib.Path(__file__).parents[1] / 'golden' / 'files' / 'ckpt'
pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / 'ckpt')


def recorded_model(start=0.0):
    """The objects of tests/golden/record_checkpoints.py, and their train step."""
    v = tf.Variable(contents.MODEL['v'] + start, name='v')
    w = tf.Variable(contents.MODEL['w'] + start, name='w')
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(v * w), global_step=step)
    checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer, step=step)
    checkpoint.inner = [w, {'again': v}]
    return checkpoint, v, w, step, train


def stored_graph(path):
    with BundleReader(path) as reader:
        return object_graph.read_graph(reader), {name: reader.get(name) for name in reader.names()
                                                 if name != object_graph.KEY}


# ---- against TensorFlow 1.15.5 -------------------------------------------------------------------

def test_keys_and_object_graph_are_tensorflows(session, folder):
    checkpoint, *_, train = recorded_model()
    session.run(tf.global_variables_initializer())
    session.run(train)
    path = checkpoint.save(f'{folder}/objects')
    assert path == f'{folder}/objects-1'
    graph, values = stored_graph(path)
    wanted_graph, wanted = stored_graph(str(FILES / 'objects-1'))
    assert graph == wanted_graph
    assert values.keys() == wanted.keys()
    for key, value in wanted.items():
        assert values[key].dtype == value.dtype
        np.testing.assert_allclose(values[key], value, rtol=1e-5, err_msg=key)


def test_restores_checkpoints_of_tensorflow(session):
    checkpoint, v, w, step, train = recorded_model(start=5.0)
    status = checkpoint.restore(tf.train.latest_checkpoint(str(FILES)))
    status.assert_consumed().run_restore_ops()
    assert session.run([step, checkpoint.save_counter]) == [1, 1]
    np.testing.assert_allclose(session.run(v), [0.9, 1.9], rtol=1e-6)
    m = checkpoint.optimizer.get_slot(w, 'm')
    np.testing.assert_allclose(session.run(m), [0.1, 0.2], rtol=1e-6)
    session.run(train)                              # everything that a step needs has a value


# ---- what is followed ----------------------------------------------------------------------------

def paths_of(checkpoint):
    return ['.'.join(path) for _, path in object_graph.walk(checkpoint)]


def test_lists_dicts_layers_and_checkpoints(session, folder):
    layer = tf.layers.Dense(3)
    layer(tf.ones([2, 4]))
    inner = tf.train.Checkpoint(a=tf.Variable(1.0))
    checkpoint = tf.train.Checkpoint(layer=layer, inner=inner)
    checkpoint.things = [1, inner, {'b': tf.Variable(2.0), 'c': 'text'}]
    checkpoint.number, checkpoint.text = 3, 'text'
    assert paths_of(checkpoint) == ['', 'inner', 'layer', 'things', 'inner.a', 'layer.kernel',
                                    'layer.bias', 'things.2', 'things.2.b']
    session.run(tf.global_variables_initializer())
    path = checkpoint.save(f'{folder}/c')
    assert [name for name, _ in tf.train.list_variables(path)] == [
        '_CHECKPOINTABLE_OBJECT_GRAPH', 'inner/a/.ATTRIBUTES/VARIABLE_VALUE',
        'layer/bias/.ATTRIBUTES/VARIABLE_VALUE', 'layer/kernel/.ATTRIBUTES/VARIABLE_VALUE',
        'save_counter/.ATTRIBUTES/VARIABLE_VALUE', 'things/2/b/.ATTRIBUTES/VARIABLE_VALUE']


def test_loops_end_and_names_are_escaped(session, folder):
    a = tf.train.Checkpoint(v=tf.Variable(1.0))
    a.me = a
    a.odd = {'x/y.z': tf.Variable(2.0)}
    session.run(tf.global_variables_initializer())
    path = a.write(f'{folder}/c')
    assert 'odd/x.Sy..z/.ATTRIBUTES/VARIABLE_VALUE' in dict(tf.train.list_variables(path))
    a.read(path).assert_consumed().run_restore_ops()


def test_objects_that_cannot_be_saved(session, folder):
    for bad in (object(), 3, [tf.Variable(1.0)], None):
        with pytest.raises(ValueError, match='expecting a trackable object'):
            tf.train.Checkpoint(x=bad)
    checkpoint = tf.train.Checkpoint()
    checkpoint.bad = {1: tf.Variable(1.0)}
    with pytest.raises(ValueError, match='strings as keys'):
        checkpoint.write(f'{folder}/c')


def test_own_state_of_other_objects(session, folder):
    """An object may say what to save of itself, as an iterator does."""
    from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec
    hidden = tf.Variable(7, collections=[])
    session.run(hidden.initializer)

    class State(SaveableObject):
        def __init__(self, name):
            super().__init__(hidden.op, [SaveSpec(hidden.value(), '', name + '-state')], name)

        def restore(self, restored_tensors, restored_shapes):
            return hidden.assign(restored_tensors[0], read_value=False)

    class Thing:
        def _gather_saveables_for_checkpoint(self):
            return {'STATE': lambda name='STATE': State(name)}

    checkpoint = tf.train.Checkpoint(thing=Thing())
    path = checkpoint.write(f'{folder}/c')
    assert dict(tf.train.list_variables(path))['thing/.ATTRIBUTES/STATE-state'] == []
    session.run(hidden.assign(0))
    checkpoint.read(path).run_restore_ops()
    assert session.run(hidden) == 7


# ---- status --------------------------------------------------------------------------------------

def test_objects_made_after_restore(session, folder):
    path = _saved(session, folder)
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.restore(path)
    checkpoint.v = tf.Variable([0.0, 0.0])
    with pytest.raises(AssertionError, match=r'Unresolved object in checkpoint \(root\)\.'):
        status.assert_consumed()
    assert status.assert_existing_objects_matched() is status
    assert status.assert_nontrivial_match() is status and status.expect_partial() is status
    checkpoint.other = tf.Variable(5.0)
    with pytest.raises(AssertionError, match='not bound to checkpointed values'):
        status.assert_existing_objects_matched()
    status.initialize_or_restore()
    assert session.run(checkpoint.v).tolist() == [1.0, 2.0] and session.run(checkpoint.other) == 5.0


def _saved(session, folder):
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(tf.reduce_sum(v))
    checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer)
    session.run(tf.global_variables_initializer())
    return checkpoint.save(f'{folder}/c')


def test_nothing_matches(session, folder):
    path = _saved(session, folder)
    checkpoint = tf.train.Checkpoint(else_=tf.Variable(0.0))
    with pytest.raises(AssertionError, match='Nothing except the root object matched'):
        checkpoint.read(path).assert_nontrivial_match()


def test_slots_that_are_not_in_the_program(session, folder):
    path = _saved(session, folder)
    checkpoint = tf.train.Checkpoint(v=tf.Variable([0.0, 0.0]),
                                     optimizer=tf.train.MomentumOptimizer(0.1, 0.9))
    with pytest.raises(AssertionError, match=r"\(root\).v.slot 'momentum'"):
        checkpoint.restore(path).assert_consumed()


def test_shape_differs(session, folder):
    path = _saved(session, folder)
    checkpoint = tf.train.Checkpoint(v=tf.Variable([0.0, 0.0, 0.0]), w=tf.Variable(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32 \[2\], the variable"):
        checkpoint.restore(path).run_restore_ops()


def test_without_a_checkpoint(session, folder):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(3.0))
    status = checkpoint.restore(tf.train.latest_checkpoint(folder))
    for check in (status.assert_consumed, status.assert_nontrivial_match, status.run_restore_ops,
                  status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match='No checkpoint specified'):
            check()
    status.initialize_or_restore()
    assert session.run(checkpoint.v) == 3.0
    with pytest.raises(tf.errors.NotFoundError, match='any matching files'):
        checkpoint.restore(f'{folder}/nowhere')


def test_a_checkpoint_of_a_saver(session, folder):
    v, w = tf.Variable(3.0, name='v'), tf.Variable(4.0, name='w')
    session.run([v.initializer, w.initializer])
    path = tf.train.Saver([v, w]).save(session, f'{folder}/m', write_meta_graph=False)
    session.run([v.assign(0.0), w.assign(0.0)])
    checkpoint = tf.train.Checkpoint(any_name=v, w=w)
    checkpoint.restore(path).assert_consumed().run_restore_ops()
    assert session.run([v, w]) == [3.0, 4.0]
    with pytest.raises(AssertionError, match=r"were not used: \['w'\]"):
        tf.train.Checkpoint(v=v).restore(path).assert_consumed()
    with pytest.raises(AssertionError, match='Object not restored: more'):
        tf.train.Checkpoint(v=v, more=tf.Variable(1.0)).restore(path).assert_consumed()


def test_other_sessions_and_graphs(folder):
    v = tf.Variable(3.0)
    checkpoint = tf.train.Checkpoint(v=v)
    with pytest.raises(ValueError, match='no default session'):
        checkpoint.write(f'{folder}/c')
    session = tf.Session()
    session.run(v.initializer)
    path = checkpoint.write(f'{folder}/c', session=session)
    with tf.Session() as other:
        checkpoint.read(path).run_restore_ops(session=other)
        assert other.run(v) == 3.0
    session.close()


def test_saving_and_restoring_add_no_nodes(session, folder):
    """But for the counter at the first save."""
    checkpoint, *_ = recorded_model()
    session.run(tf.global_variables_initializer())
    path = checkpoint.save(f'{folder}/c')
    session.graph.finalize()
    for _ in range(2):
        checkpoint.restore(path).run_restore_ops()
        path = checkpoint.write(f'{folder}/d')
        checkpoint.save(f'{folder}/c')


def test_variables_with_one_initial_value(session, folder):
    start = tf.constant(0.0)
    a, b = tf.Variable(start), tf.Variable(start)
    session.run([a.initializer, b.initializer])
    session.run([a.assign(1.0), b.assign(2.0)])
    checkpoint = tf.train.Checkpoint(a=a, b=b)
    path = checkpoint.write(f'{folder}/c')
    session.run([a.initializer, b.initializer])
    checkpoint.read(path).run_restore_ops()
    assert session.run([a, b]) == [1.0, 2.0]


# ---- CheckpointManager ---------------------------------------------------------------------------

def test_manager(session, folder):
    v = tf.Variable(1.0)
    session.run(v.initializer)
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    assert manager.latest_checkpoint is None and manager.checkpoints == []
    paths = [manager.save() for _ in range(3)]
    assert paths == [f'{folder}/ckpt-{i}' for i in (1, 2, 3)]
    assert manager.checkpoints == paths[1:] and manager.latest_checkpoint == paths[2]
    assert {n.partition('.')[0] for n in os.listdir(folder)} == {'checkpoint', 'ckpt-2', 'ckpt-3'}
    again = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    assert again.checkpoints == paths[1:]
    assert again.save(checkpoint_number=10) == f'{folder}/ckpt-10'
    assert again.checkpoints == [f'{folder}/ckpt-10'] == [tf.train.latest_checkpoint(folder)]
    with pytest.raises(ValueError, match='positive integer'):
        tf.train.CheckpointManager(checkpoint, folder, max_to_keep=0)


def test_manager_keeps_a_checkpoint_for_every_hour(session, folder, monkeypatch):
    from tinyflow.train.checkpoints.checkpoint_manager import time
    clock = [10000.0]
    monkeypatch.setattr(time, 'time', lambda: clock[0])
    v = tf.Variable(1.0)
    session.run(v.initializer)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), folder, max_to_keep=1,
                                         keep_checkpoint_every_n_hours=1)
    for _ in range(6):
        clock[0] += 1500
        manager.save()
    kept = {n.partition('.')[0] for n in os.listdir(folder)} - {'checkpoint'}
    assert kept == {'ckpt-3', 'ckpt-6'} and manager.checkpoints == [f'{folder}/ckpt-6']


# ---- iterators -----------------------------------------------------------------------------------

def test_an_iterator_goes_on_where_it_was(session, folder):
    """Its nodes are made at the first save and the first restore, and not again."""
    dataset = tf.data.Dataset.range(20).shuffle(5, seed=1).batch(3)
    iterator = dataset.make_initializable_iterator()
    following = iterator.get_next()
    session.run(iterator.initializer)
    session.run(following)
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    path = checkpoint.save(f'{folder}/c')
    wanted = [session.run(following).tolist() for _ in range(3)]
    checkpoint.restore(path).assert_consumed().run_restore_ops()
    session.graph.finalize()
    for _ in range(2):
        checkpoint.save(f'{folder}/c')
        assert [session.run(following).tolist() for _ in range(3)] == wanted
        checkpoint.restore(path).run_restore_ops()
