"""tf.train.Saver: names, lists of checkpoints, state files, and errors that help."""
from __future__ import annotations

import importlib
import os
import pathlib

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.wire import checkpoint_v1
from tinyflow.ops.files import saving_v1

saver_module = importlib.import_module('tinyflow.train.checkpoints.saver')
FILES = pathlib.Path(__file__).parents[1] / 'golden' / 'files' / 'ckpt'
pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / 'ckpt')


def names_in(folder):
    return sorted(os.listdir(folder))


def model(session, scope=''):
    with tf.variable_scope(scope or tf.get_variable_scope()):
        w = tf.get_variable('w', initializer=[[1.0, 2.0]])
        step = tf.get_variable('step', initializer=7)
    session.run(tf.global_variables_initializer())
    return w, step


# ---- save and restore ----------------------------------------------------------------------------

def test_there_and_back(session, folder):
    w, step = model(session)
    saver = tf.train.Saver()
    assert saver.save(session, f'{folder}/model') == f'{folder}/model'
    assert names_in(folder) == ['checkpoint', 'model.data-00000-of-00001', 'model.index',
                                'model.meta']
    session.run([w.assign([[0.0, 0.0]]), step.assign(0)])
    saver.restore(session, f'{folder}/model')
    assert session.run(w).tolist() == [[1.0, 2.0]] and session.run(step) == 7


def test_restores_into_a_session_without_initial_values(session, folder):
    w, _ = model(session)
    path = tf.train.Saver().save(session, f'{folder}/model')
    with tf.Session() as other:
        tf.train.Saver().restore(other, path)
        assert other.run(w).tolist() == [[1.0, 2.0]]


def in_parts(count):
    """A [10, 4] variable 'parts', whole or in `count` parts, that starts as zeros."""
    partitioner = tf.fixed_size_partitioner(count) if count > 1 else None
    return tf.get_variable('parts', contents.WHOLE.shape, initializer=tf.zeros_initializer(),
                           partitioner=partitioner)


OLD = str(FILES / 'old_parts-?????-of-00001')


@pytest.mark.parametrize('path', [str(FILES / 'parts'), OLD])
@pytest.mark.parametrize('count', [1, 2, 3, 5])
def test_restores_into_other_partitions(session, path, count):
    variable = in_parts(count)
    tf.train.Saver().restore(session, path)
    assert session.run(tf.convert_to_tensor(variable)).tolist() == contents.WHOLE.tolist()


@pytest.mark.parametrize('sharded', [False, True])
@pytest.mark.parametrize('version', [1, 2])
@pytest.mark.parametrize('before, after', [(1, 3), (3, 1), (2, 5)])
def test_saves_and_restores_in_other_partitions(folder, version, sharded, before, after):
    os.mkdir(folder)
    with tf.Graph().as_default(), tf.Session() as session:
        parts = in_parts(before)
        whole = tf.constant(contents.WHOLE)
        for part, value in zip(parts if before > 1 else [parts], tf.split(whole, before)
                               if 10 % before == 0 else tf.split(whole, [4, 3, 3])):
            session.run(part.initializer)
            session.run(part.assign(value))
        path = tf.train.Saver(write_version=version, sharded=sharded).save(session, f'{folder}/m')
    assert tf.train.latest_checkpoint(folder) == path
    assert ('?' in path) == (sharded and version == 1)
    with tf.Graph().as_default(), tf.Session() as session:
        variable = in_parts(after)
        tf.train.Saver().restore(session, path)
        assert session.run(tf.convert_to_tensor(variable)).tolist() == contents.WHOLE.tolist()


def test_restores_an_object_based_checkpoint_into_partitions(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        variable = in_parts(1)
        session.run(variable.assign(contents.WHOLE))
        path = tf.train.Checkpoint(v=variable).save(f'{folder}/m', session=session)
    with tf.Graph().as_default(), tf.Session() as session:
        variable = in_parts(3)
        tf.train.Saver().restore(session, path)
        assert session.run(tf.convert_to_tensor(variable)).tolist() == contents.WHOLE.tolist()


def test_the_graph_of_a_saver_of_the_first_format(session, folder):
    """TensorFlow's: it restores what it was saved with, and saves again."""
    os.mkdir(folder)
    saver = tf.train.import_meta_graph(str(FILES / 'old_parts.meta'))
    types = {op.type for op in session.graph.get_operations()}
    assert 'SaveSlices' in types and 'SaveV2' not in types
    saver.restore(session, OLD)
    again = saver.save(session, f'{folder}/again')
    assert names_in(folder) == ['again-00000-of-00001', 'again.meta', 'checkpoint']
    for path in (OLD, again):
        assert tf.train.load_variable(path, 'parts').tolist() == contents.WHOLE.tolist()


def test_a_missing_value_of_an_old_graph_is_in_the_table(session, folder):
    os.mkdir(folder)
    with tf.Graph().as_default(), tf.Session() as other:
        model(other)
        path = tf.train.Saver(write_version=1).save(other, f'{folder}/m')
    saver = tf.train.import_meta_graph(str(FILES / 'old_parts.meta'))
    with pytest.raises(tf.errors.NotFoundError, match='Key parts not found') as caught:
        saver.restore(session, path)
    assert 'missing' in str(caught.value) and 'unused' in str(caught.value)


def test_strings_are_not_in_the_first_format(session, folder):
    session.run(tf.Variable('text', name='s').initializer)
    with pytest.raises(tf.errors.UnimplementedError, match="cannot hold 's'"):
        tf.train.Saver(write_version=1).save(session, folder)


@pytest.mark.parametrize('name', contents.TENSORS)
def test_restores_checkpoints_of_tensorflow(session, name):
    value = contents.TENSORS[name]
    variable = tf.Variable(np.zeros_like(value) if value.dtype != object else np.full_like(
        value, b''), name=name, dtype=tf.string if value.dtype == object else None)
    tf.train.Saver().restore(session, str(FILES / 'tensors'))
    got = np.asarray(session.run(variable))
    np.testing.assert_array_equal(got, value)


def test_restores_a_checkpoint_of_the_first_format(session):
    v = tf.Variable(tf.zeros([2, 3]), name='a/float32')
    s = tf.Variable([['', ''], ['', '']], name='d/string')
    tf.train.Saver().restore(session, str(FILES / 'old'))
    np.testing.assert_array_equal(session.run(v), contents.TENSORS['a/float32'])
    np.testing.assert_array_equal(session.run(s), contents.TENSORS['d/string'])


def test_a_file_of_the_first_format_is_read_once_for_all_tensors(session, folder, monkeypatch):
    a, b = [tf.Variable([float(i)] * 3, name=f'v{i}') for i in range(2)]
    saver = tf.train.Saver(write_version=tf.train.SaverDef.V1)
    session.run(tf.global_variables_initializer())
    opened, open_it = [], checkpoint_v1.ReaderV1._open
    monkeypatch.setattr(checkpoint_v1.ReaderV1, '_open',
                        lambda self, path: opened.append(path) or open_it(self, path))
    os.makedirs(folder)
    path = f'{folder}/model'
    names = ['v0', 'v1'] * 2
    restored = [saving_v1.Restore.apply(path, name, dt=tf.float32) for name in names]
    for factor in (1, 5):
        session.run([v.assign(v * 5.) for v in (a, b)] if factor > 1 else [])
        saver.save(session, path)
        opened.clear()
        assert [v[0] for v in session.run(restored)] == [0, factor, 0, factor]
        assert len(opened) == 1


def test_restores_an_object_based_checkpoint_by_names(session):
    v = tf.Variable([0.0, 0.0], name='v')
    slot = tf.Variable([0.0, 0.0], name='w/Adam')
    tf.train.Saver().restore(session, str(FILES / 'objects-1'))
    np.testing.assert_allclose(session.run(v), [0.9, 1.9], rtol=1e-6)
    np.testing.assert_allclose(session.run(slot), [0.1, 0.2], rtol=1e-6)


def test_restores_a_part_of_a_partitioned_variable(session):
    """A RestoreV2 node reads the rows that its specification names."""
    from tinyflow.ops.files.saving import RestoreV2
    part, = RestoreV2.apply(str(FILES / 'parts'), ['parts'], ['10 4 3,4:1,2'], dtypes=(tf.float32,))
    assert part.shape.as_list() == [4, 2]
    np.testing.assert_array_equal(session.run(part), contents.WHOLE[3:7, 1:3])


def test_sharded_and_overwritten(session, folder):
    with tf.device('/device:CPU:0'):
        a = tf.Variable([1.0], name='a')
    b = tf.Variable([2.0, 3.0], name='b')
    session.run(tf.global_variables_initializer())
    saver = tf.train.Saver(sharded=True)
    os.makedirs(folder)
    for _ in range(2):
        path = saver.save(session, f'{folder}/model', write_meta_graph=False)
        assert names_in(folder) == ['checkpoint', 'model.data-00000-of-00002',
                                    'model.data-00001-of-00002', 'model.index']
        session.run([a.assign([0.0]), b.assign([0.0, 0.0])])
        saver.restore(session, path)
        assert session.run([a, b])[1].tolist() == [2.0, 3.0]


def test_restoring_reshaped(session, folder):
    model(session)
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    with tf.Graph().as_default(), tf.Session() as other:
        w = tf.get_variable('w', [2])
        tf.train.Saver(reshape=True).restore(other, path)
        assert other.run(w).tolist() == [1.0, 2.0]


def test_import_meta_graph(session, folder):
    w, _ = model(session)
    tf.add_to_collection('double', tf.multiply(w, 2, name='double'))
    path = tf.train.Saver().save(session, f'{folder}/m')
    for scope in (None, 'inner'):
        with tf.Graph().as_default(), tf.Session() as other:
            saver = tf.train.import_meta_graph(path + '.meta', import_scope=scope)
            saver.restore(other, path)
            assert other.run(tf.get_collection('double')[0]).tolist() == [[2.0, 4.0]]
            assert other.run(f'{scope}/double:0' if scope else 'double:0').tolist() == [[2.0, 4.0]]


def test_saving_adds_no_nodes(session, folder):
    """A loop that saves does not make the graph grow."""
    model(session)
    saver = tf.train.Saver()
    session.graph.finalize()
    for i in range(3):
        saver.restore(session, saver.save(session, f'{folder}/m', global_step=i))


# ---- names of files ------------------------------------------------------------------------------

def test_global_step_in_the_name(session, folder):
    _, step = model(session)
    saver = tf.train.Saver(pad_step_number=True)
    assert saver.save(session, f'{folder}/m', step).endswith('/m-00000007')
    assert tf.train.Saver().save(session, f'{folder}/m', np.int64(12)).endswith('/m-12')


def test_old_checkpoints_go(session, folder):
    model(session)
    saver = tf.train.Saver(max_to_keep=2)
    for i in range(4):
        saver.save(session, f'{folder}/m', i)
    assert [os.path.basename(p) for p in saver.last_checkpoints] == ['m-2', 'm-3']
    assert {n.partition('.')[0] for n in names_in(folder)} == {'checkpoint', 'm-2', 'm-3'}
    assert tf.train.latest_checkpoint(folder) == f'{folder}/m-3'
    state = tf.train.get_checkpoint_state(folder)
    assert list(state.all_model_checkpoint_paths) == [f'{folder}/m-2', f'{folder}/m-3']


def test_a_checkpoint_for_every_hour_is_kept(session, folder, monkeypatch):
    model(session)
    clock = [1000.0]
    monkeypatch.setattr(saver_module.time, 'time', lambda: clock[0])
    saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1)
    for i in range(6):
        clock[0] += 1500
        saver.save(session, f'{folder}/m', i, write_meta_graph=False)
    kept = {n.partition('.')[0] for n in names_in(folder)} - {'checkpoint'}
    assert kept == {'m-2', 'm-4', 'm-5'}


def test_max_to_keep_none_keeps_all(session, folder):
    model(session)
    saver = tf.train.Saver(max_to_keep=None)
    for i in range(7):
        saver.save(session, f'{folder}/m', i, write_meta_graph=False)
    assert len(names_in(folder)) == 15 and saver.last_checkpoints == []


def test_recover_last_checkpoints(session, folder):
    model(session)
    paths = [tf.train.Saver().save(session, f'{folder}/m', i) for i in range(2)]
    saver = tf.train.Saver(max_to_keep=2)
    saver.recover_last_checkpoints([*paths, f'{folder}/gone'])
    assert saver.last_checkpoints == paths
    saver.save(session, f'{folder}/m', 2)
    assert not tf.train.checkpoint_exists(paths[0]) and tf.train.checkpoint_exists(paths[1])


def test_relative_paths(session, tmp_path, monkeypatch):
    model(session)
    monkeypatch.chdir(tmp_path)
    tf.train.Saver().save(session, 'here/m')
    assert (tmp_path / 'here' / 'checkpoint').read_text().startswith('model_checkpoint_path: "m"')
    assert tf.train.latest_checkpoint('here') == 'here/m'
    tf.train.Saver().save(session, './n')
    assert tf.train.latest_checkpoint('.') == './n'
    tf.train.Saver(save_relative_paths=True).save(session, str(tmp_path / 'r' / 'm'))
    (tmp_path / 'r').rename(tmp_path / 'moved')
    assert tf.train.latest_checkpoint(str(tmp_path / 'moved')) == str(tmp_path / 'moved' / 'm')


def test_state_file(tmp_path):
    folder = str(tmp_path)
    assert tf.train.get_checkpoint_state(folder) is None
    assert tf.train.latest_checkpoint(folder) is None
    tf.train.update_checkpoint_state(folder, f'{folder}/b', [f'{folder}/a', f'{folder}/b'],
                                     all_model_checkpoint_timestamps=[1.0, 2.0],
                                     last_preserved_timestamp=0.5)
    state = tf.train.get_checkpoint_state(folder)
    assert state.model_checkpoint_path == f'{folder}/b'
    assert list(state.all_model_checkpoint_timestamps) == [1.0, 2.0]
    assert tf.train.latest_checkpoint(folder) is None           # the files are not there
    (tmp_path / 'checkpoint').write_bytes(b'\xff no text at all {')
    assert tf.train.get_checkpoint_state(folder) is None
    with pytest.raises(ValueError, match='must match checkpoint paths'):
        tf.train.generate_checkpoint_state_proto(folder, 'b', ['a', 'b'], [1.0])


def test_reads_the_state_file_of_tensorflow():
    assert tf.train.latest_checkpoint(str(FILES)) == str(FILES / 'objects-1')


# ---- Saver as a message --------------------------------------------------------------------------

def test_saver_def(session, folder):
    w, _ = model(session, 'scope')
    saver = tf.train.Saver({'other': w}, max_to_keep=3, name='keep')
    saver_def = saver.to_proto()
    assert saver_def.restore_op_name == 'keep/restore_all' and saver_def.max_to_keep == 3
    assert saver.to_proto('elsewhere') is None
    assert saver.to_proto('keep').restore_op_name == 'restore_all'
    again = tf.train.Saver.from_proto(saver_def)
    path = again.save(session, f'{folder}/m')
    assert [name for name, _ in tf.train.list_variables(path)] == ['other']
    assert tf.train.Saver(saver_def=saver_def).last_checkpoints == []


def test_deferred_build(session, folder):
    saver = tf.train.Saver(defer_build=True)
    with pytest.raises(RuntimeError, match='build'):
        saver.save(session, f'{folder}/m')
    model(session)
    saver.build()
    saver.restore(session, saver.save(session, f'{folder}/m'))
    with pytest.raises(ValueError, match='build cannot be deferred'):
        tf.train.Saver([tf.Variable(1.0)], defer_build=True)


def test_no_variables(session, folder):
    with pytest.raises(ValueError, match='No variables to save'):
        tf.train.Saver()
    saver = tf.train.Saver(allow_empty=True)
    tf.constant(1.0)
    os.makedirs(folder)
    assert saver.save(session, f'{folder}/m') is None and names_in(folder) == ['m.meta']
    saver.restore(session, 'anything')


def test_own_kinds_of_saveables(session, folder):
    """A subclass of SaveableObject in the SAVEABLE_OBJECTS collection is saved with the rest."""
    from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec
    model(session)
    hidden = tf.Variable([1, 2], collections=[], name='hidden')
    session.run(hidden.initializer)

    class Doubled(SaveableObject):
        def __init__(self):
            spec = SaveSpec(hidden.value() * 2, '', 'doubled')
            super().__init__(hidden.op, [spec], 'doubled')

        def restore(self, restored_tensors, restored_shapes):
            return hidden.assign(restored_tensors[0] // 2, read_value=False)

    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, Doubled())
    saver = tf.train.Saver()
    path = saver.save(session, f'{folder}/m', write_meta_graph=False)
    assert tf.train.load_variable(path, 'doubled').tolist() == [2, 4]
    session.run(hidden.assign([0, 0]))
    saver.restore(session, path)
    assert session.run(hidden).tolist() == [1, 2]


# ---- errors --------------------------------------------------------------------------------------

def test_objects_that_cannot_be_saved(session):
    w, step = model(session)
    for bad, what in ((3, 'in a dict or a list'), ([w * 2], 'not a Variable'),
                      ([w, w], 'At least two variables have the same name: w'),
                      ({1: w}, 'Name is not a string'), ({'a': w * 2}, 'Not a variable|not a Var'),
                      ({'a': w, 'b': w}, 'two names'), ([1.0], 'not a Variable')):
        with pytest.raises((TypeError, ValueError), match=what):
            tf.train.Saver(bad)
    with pytest.raises(RuntimeError, match='Unexpected write_version: 3'):
        tf.train.Saver(write_version=3)


def test_arguments_of_save(session, folder):
    model(session)
    saver = tf.train.Saver()
    with pytest.raises(ValueError, match='must not contain path components'):
        saver.save(session, f'{folder}/m', latest_filename='a/b')
    with pytest.raises(ValueError, match='collides'):
        saver.save(session, f'{folder}/checkpoint')
    with pytest.raises(TypeError, match="'sess' must be a Session"):
        saver.save('session', f'{folder}/m')
    with pytest.raises(ValueError, match=r"doesn't exist, can't save.\n  Hint: os.makedirs"):
        saver.save(session, f'{folder}/no/such/m')


def test_a_slot_is_no_renamed_weight(session, folder):
    with tf.variable_scope('hiddenlayer_0'):
        tf.get_variable('bias', [4])
        tf.get_variable('bias/t_0/Adagrad', [4])
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    with tf.Graph().as_default(), tf.Session() as other:
        for name in ('hiddenlayer_0/bias', 'hiddenlayer_1/bias'):
            tf.get_variable(name, [4])
        with pytest.raises(tf.errors.NotFoundError) as caught:
            tf.train.Saver().restore(other, path)
        assert 'missing  hiddenlayer_1/bias' in str(caught.value)
        assert 'likely renamed' not in str(caught.value)
    with tf.Graph().as_default(), tf.Session() as other:        # a slot may be a renamed slot
        for name in ('hiddenlayer_0/bias', 'hiddenlayer_0/bias/t_1/Adagrad'):
            tf.get_variable(name, [4])
        with pytest.raises(tf.errors.NotFoundError, match='likely renamed: .*/t_0/Adagrad'):
            tf.train.Saver().restore(other, path)


def test_missing_and_renamed(session, folder):
    """One table of what is missing, unused, of another shape, and likely renamed."""
    with tf.variable_scope('net'):
        tf.get_variable('dense/kernel', [3, 2])
        tf.get_variable('dense/bias', [2])
        tf.get_variable('old', [5])
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    with tf.Graph().as_default(), tf.Session() as other:
        tf.get_variable('net/dense_1/kernel', [3, 2])
        bias = tf.get_variable('net/dense/bias', initializer=[0.0, 0.0, 0.0])
        other.run(bias.initializer)
        saver = tf.train.Saver()
        with pytest.raises(tf.errors.NotFoundError) as caught:
            saver.restore(other, path)
        text = str(caught.value)
        assert f'Key net/dense_1/kernel not found in checkpoint {path}' in text
        rows = [line.split('  ') for line in text.splitlines()]
        rows = [[cell.strip() for cell in row if cell.strip()] for row in rows]
        assert ['missing', 'net/dense_1/kernel', 'float32 [3,2]',
                'likely renamed: net/dense/kernel'] in rows
        assert ['shape differs', 'net/dense/bias', 'float32 [3]', 'in the checkpoint [2]'] in rows
        assert ['unused', 'net/old', 'float32 [5]'] in rows
        assert 'tf.train.matching_variables' in text
        assert other.run(bias).tolist() == [0.0, 0.0, 0.0]       # nothing was half restored


def test_renamed_names_show_the_new_name(session, folder):
    tf.get_variable('dense/kernel', [3, 2])
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    with tf.Graph().as_default(), tf.Session() as other:
        kernel = tf.get_variable('dense_1/kernel', [3, 2])
        with pytest.raises(tf.errors.NotFoundError, match="{'dense/kernel': <the Variable"):
            tf.train.Saver().restore(other, path)
        tf.train.Saver({'dense/kernel': kernel}).restore(other, path)


def test_shape_and_dtype(session, folder):
    model(session)
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    for shape, dtype, what in (([3, 1], tf.float32, r'lhs shape= \[3,1\] rhs shape= \[1,2\]'),
                               ([1, 2], tf.float64, 'expected dtype float64')):
        with tf.Graph().as_default(), tf.Session() as other:
            tf.get_variable('w', shape, dtype)
            with pytest.raises(tf.errors.InvalidArgumentError, match=what):
                tf.train.Saver().restore(other, path)


def test_partial_restore(session, folder):
    """What the message offers works."""
    model(session)
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    with tf.Graph().as_default(), tf.Session() as other:
        w = tf.get_variable('w', [1, 2])
        tf.get_variable('step', initializer=[1, 2])
        new = tf.get_variable('new', initializer=3.0)
        fitting = tf.train.matching_variables(path)
        assert fitting == [w]
        other.run(tf.global_variables_initializer())
        tf.train.Saver(fitting).restore(other, path)
        assert other.run([w, new])[0].tolist() == [[1.0, 2.0]]


def test_a_long_table_is_cut(session, folder):
    model(session)
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    with tf.Graph().as_default(), tf.Session() as other:
        for i in range(50):
            tf.get_variable(f'v{i}', [1])
        with pytest.raises(tf.errors.NotFoundError, match=r'missing +\.\.\. 30 more'):
            tf.train.Saver().restore(other, path)


def test_a_path_that_is_no_checkpoint(session, folder):
    model(session)
    saver = tf.train.Saver()
    path = saver.save(session, f'{folder}/m-1')
    for given, what in ((f'{folder}/m-2', 'there are: m-1'), (folder, 'latest_checkpoint'),
                        (path + '.index', 'without that ending'), ('/no/where', 'is no directory')):
        with pytest.raises(ValueError, match='not a valid checkpoint') as caught:
            saver.restore(session, given)
        assert what in str(caught.value)
    with pytest.raises(ValueError, match="Can't load save_path when it is None"):
        saver.restore(session, tf.train.latest_checkpoint('/no/where'))


def test_a_session_of_another_graph(session, folder):
    model(session)
    saver = tf.train.Saver()
    path = saver.save(session, f'{folder}/m')
    with tf.Graph().as_default(), tf.Session() as other:
        tf.constant(1.0)
        with pytest.raises(ValueError, match='a Session of the graph'):
            saver.restore(other, path)


def test_uninitialized_variables_are_named(session, folder):
    tf.get_variable('w', [2])
    os.makedirs(folder)
    with pytest.raises(tf.errors.FailedPreconditionError, match='uninitialized value w'):
        tf.train.Saver().save(session, f'{folder}/m')
    assert names_in(folder) == []


# ---- inspection ----------------------------------------------------------------------------------

def test_reader():
    reader = tf.train.NewCheckpointReader(str(FILES / 'tensors'))
    assert reader.has_tensor('c/int32') and not reader.has_tensor('c')
    shapes = reader.get_variable_to_shape_map()
    assert shapes['a/float32'] == [2, 3] and shapes['c/int64'] == []
    assert reader.get_variable_to_dtype_map()['d/string'] is tf.string
    assert reader.get_tensor('c/int64') == -2 ** 62 and not hasattr(reader.get_tensor('c/int64'),
                                                                    '__len__')
    assert b'a/float32 (DT_FLOAT) [2,3]\n' in reader.debug_string()
    with pytest.raises(tf.errors.NotFoundError, match='nope'):
        reader.get_tensor('nope')


def test_list_and_load():
    shapes = tf.train.list_variables(str(FILES / 'tensors'))
    assert shapes[0] == ('a/float32', [2, 3]) and len(shapes) == len(contents.TENSORS)
    assert ('step/.ATTRIBUTES/VARIABLE_VALUE', []) in tf.train.list_variables(str(FILES))
    assert tf.train.load_variable(str(FILES / 'tensors'), 'c/uint8:0').tolist() == [0, 255]
    assert tf.train.load_checkpoint(str(FILES / 'old')).has_tensor('a/float64')


def test_nothing_to_inspect(tmp_path):
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError, match='any matching files'):
        tf.train.list_variables(str(tmp_path / 'x'))


def test_checkpoints_iterator(session, folder):
    model(session)
    saver = tf.train.Saver()
    first = saver.save(session, f'{folder}/m', 1)
    found = tf.train.checkpoints_iterator(folder, timeout=0)
    assert next(found) == first
    second = saver.save(session, f'{folder}/m', 2)
    assert next(found) == second
    assert list(found) == []
    ended = tf.train.checkpoints_iterator('/no/where', timeout=0, timeout_fn=lambda: True)
    assert list(ended) == []


def test_mtimes_and_removal(session, folder):
    model(session)
    path = tf.train.Saver().save(session, f'{folder}/m')
    when, = tf.train.get_checkpoint_mtimes([path, f'{folder}/gone'])
    assert abs(when - os.path.getmtime(path + '.index')) < 1
    tf.train.remove_checkpoint(path)
    assert names_in(folder) == ['checkpoint']


# ---- warm starts ---------------------------------------------------------------------------------

def test_init_from_checkpoint_errors(session, folder):
    model(session, 'old')
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    with tf.Graph().as_default():
        w = tf.get_variable('new/w', [2, 2])
        for mapping, what in (({'old/w': w}, "doesn't match with shape"),
                              ({'zz': w}, 'Tensor zz is not found'),
                              ({'old/w': 'nope/'}, "Should be 'scope/': 'other_scope/'"),
                              ({'old/ww': 'new/w'}, 'nearest there: old/w')):
            with pytest.raises(ValueError, match=what):
                tf.train.init_from_checkpoint(path, mapping)


def test_init_from_the_root(session, folder):
    model(session)
    path = tf.train.Saver().save(session, f'{folder}/m', write_meta_graph=False)
    with tf.Graph().as_default(), tf.Session() as other:
        with tf.variable_scope('in'):
            w = tf.get_variable('w', [1, 2])
        tf.train.init_from_checkpoint(os.path.dirname(path), {'/': 'in/'})
        other.run(tf.global_variables_initializer())
        assert other.run(w).tolist() == [[1.0, 2.0]]


def test_errors_of_warm_starts_by_words(tmp_path):
    """What cannot be carried over is said, not skipped."""
    with pytest.raises(ValueError, match='axis argument are 0 and 1'):
        tf.train.VocabInfo('new', 5, 0, 'old', axis=2)
    assert tf.train.VocabInfo('new', 5, 0, 'old')[3:] == ('old', -1, None, 0)
    words = tmp_path / 'words'
    words.write_text('a\nb\n')
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('w', [2, 3])
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / 'm'))
    for shape, settings, what in (
            ([3, 3], {}, 'which would exceed expected total row count'),
            ([2], {}, 'Expected 2-dim shape'),
            ([3, 3], {'axis': 1}, 'Expected 2nd dim of shape to be'),
            ([2, 3], {'backup_initializer': 3.0}, 'initializer must be callable'),
            ([2, 3], {'backup_initializer': tf.constant_initializer(7.)}, 'lambda shape: tf.fill'),
            ([2, 3], None, 'not warm-started: .*zz')):
        info = tf.train.VocabInfo(str(words), 2, 0, str(words), **(settings or {}))
        with tf.Graph().as_default():
            tf.get_variable('w', shape)
            with pytest.raises((ValueError, TypeError), match=what):
                tf.train.warm_start(path, None, {'zz' if settings is None else 'w': info})


def test_saving_over_the_same_name_does_not_count_as_several(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(1.)
        saver = tf.train.Saver(max_to_keep=2)
        sess.run(v.initializer)
        for _ in range(4):
            path = saver.save(sess, str(tmp_path / 'model'))
        assert saver.last_checkpoints == [path]
        saver.restore(sess, path)


def test_resource_variables_are_restored_all_or_none(tmp_path):
    """A shape that differs is in the table, before the first variable has changed."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable('a', initializer=[9.], use_resource=True)
        tf.get_variable('b', initializer=[1., 2., 3.], use_resource=True)
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, str(tmp_path / 'model'))
    with tf.Graph().as_default(), tf.Session() as sess:
        a = tf.get_variable('a', initializer=[0.], use_resource=True)
        b = tf.get_variable('b', initializer=[0., 0.], use_resource=True)
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match=r'shape differs +b .*\[3\]'):
            tf.train.Saver().restore(sess, path)
        assert sess.run(a).tolist() == [0.] and sess.run(b).tolist() == [0., 0.]
        assert [v.name for v in tf.train.matching_variables(path)] == ['a:0']


def test_files_of_the_first_format_are_listed_and_removed(tmp_path):
    """Format 1 is one file, or one for each shard; what is not there is left out of the list."""
    first, second = tmp_path / 'm-0', tmp_path / 'm-1-00000-of-00001'
    for path in (first, second, tmp_path / 'm-0.meta'):
        path.write_text('x')
    pattern = str(tmp_path / 'm-1-?????-of-?????')
    tf.Variable(1.)
    saver = tf.train.Saver()
    saver.recover_last_checkpoints([str(first), str(tmp_path / 'none'), pattern])
    assert saver.last_checkpoints == [str(first), pattern]
    assert len(tf.train.get_checkpoint_mtimes([pattern])) == 1
    tf.train.remove_checkpoint(str(first), checkpoint_format_version=1)
    tf.train.remove_checkpoint(pattern, checkpoint_format_version=1)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize('form', [lambda w: {'w': w}, lambda w: {'w': list(w)}, lambda w: [w],
                                  list])
def test_the_parts_of_a_variable_are_saved_as_one(session, tmp_path, form):
    w = tf.get_variable('w', [6, 2], partitioner=tf.fixed_size_partitioner(3))
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver(form(w)).save(session, str(tmp_path / 'm'))
    assert tf.train.list_variables(path) == [('w', [6, 2])]


def test_a_list_of_parts_under_another_name(graph, tmp_path):
    parts = list(tf.get_variable('v', [4, 2], partitioner=tf.fixed_size_partitioner(2)))
    whole = tf.get_variable('w', [4, 2])
    saver = tf.train.Saver({'a': parts, 'w': whole})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path, wanted = saver.save(sess, str(tmp_path / 'm')), sess.run(parts)
        sess.run(tf.global_variables_initializer())
        saver.restore(sess, path)
        np.testing.assert_array_equal(sess.run(parts), wanted)
    assert tf.train.list_variables(path) == [('a', [4, 2]), ('w', [4, 2])]
    other = list(tf.get_variable('u', [4, 2], partitioner=tf.fixed_size_partitioner(2)))
    with pytest.raises(ValueError, match='Slices must all be from the same tensor: v != u'):
        tf.train.Saver({'a': [parts[0], other[1]]})


def test_another_shape_than_the_checkpoint_has(graph, tmp_path):
    with graph.as_default():
        tf.get_variable('weight', [])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = tf.train.Saver().save(sess, str(tmp_path / 'm'))
    with tf.Graph().as_default():
        tf.get_variable('weight', [1])
        with tf.Session() as sess, pytest.raises(
                tf.errors.InvalidArgumentError,
                match='Restoring from checkpoint failed.*a mismatch between.*shapes of both'):
            tf.train.Saver().restore(sess, path)


def test_an_estimator_saves_the_tables_of_its_model(tmp_path):
    """By a Saver for each device, as all Estimators have."""
    def model_fn(features, labels, mode):
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.float32, 0., name='seen')
        if mode == 'train':
            step = tf.assign_add(tf.train.get_global_step(), 1)
            with tf.control_dependencies([step]):
                train_op = table.insert(features, tf.constant([30.]))
            return tf.estimator.EstimatorSpec(mode, loss=tf.constant(1.), train_op=train_op)
        return tf.estimator.EstimatorSpec(mode, {'y': table.lookup(features)})

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    estimator.train(lambda: tf.constant(['a']), steps=1)
    assert next(estimator.predict(lambda: tf.constant(['a'])))['y'] == 30.
