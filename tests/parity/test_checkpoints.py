"""Checkpoints, records and Examples between tinyflow and an installed TensorFlow, both ways.

TINYFLOW_TF115_PYTHON and TINYFLOW_TF215_PYTHON name Python interpreters that have TensorFlow; a
test is skipped for each that is not named.
"""
from __future__ import annotations

import os
import pathlib
import subprocess
import textwrap

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.wire import slices
from tinyflow.formats.wire.bundle_writer import BundleWriter
from tinyflow.graph import dtypes

pytestmark = pytest.mark.parity
ROOT = pathlib.Path(__file__).parents[2]
VERSIONS = ['TINYFLOW_TF115_PYTHON', 'TINYFLOW_TF215_PYTHON']

BEGIN = '''
import os, sys, warnings
warnings.simplefilter('ignore')
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
sys.path.insert(0, 'tests')
from golden import checkpoint_contents as contents
folder = sys.argv[1]

def same(got, want):
    got = np.asarray(got)
    assert got.shape == want.shape and (got == want).all(), (got, want)

def model():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('dense/w', initializer=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = tf.get_variable('dense/b', initializer=[0.5, -0.5, 0.0])
    y = tf.tanh(tf.matmul(x, w) + b, name='y')
    tf.add_to_collection('y', y)
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(y), global_step=step)
    tf.add_to_collection('train', train)
    return train

def objects():
    v, w = [tf.Variable(contents.MODEL[name], name=name) for name in 'vw']
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(v * w), global_step=step)
    checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer, step=step)
    checkpoint.inner = [w, {'again': v}]
    return checkpoint, v, w, train
'''


@pytest.fixture(params=VERSIONS)
def tensorflow(request, tmp_path):
    """A function that runs lines under a TensorFlow, with `folder` being tmp_path."""
    python = os.environ.get(request.param)
    if not python:
        pytest.skip(f'{request.param} names no interpreter')

    def run(lines):
        done = subprocess.run([python, '-c', BEGIN + textwrap.dedent(lines), str(tmp_path)],
                              capture_output=True, text=True, cwd=ROOT, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout
    return run


def own(lines):
    """Defines the functions of BEGIN for tinyflow, and runs lines."""
    names = {'tf': tf, 'np': np, 'contents': contents}
    exec(BEGIN[BEGIN.index('def same'):] + textwrap.dedent(lines), names)
    return names


def write(prefix, tensors):
    with BundleWriter(prefix) as writer:
        for name, value in tensors.items():
            kind = dtypes.string if value.dtype == object else dtypes.as_dtype(value.dtype)
            writer.add(name, value, kind)


# ---- TensorFlow reads what tinyflow writes -------------------------------------------------------

def test_it_reads_our_tensors(tensorflow, tmp_path, monkeypatch):
    for name in ('once', 'twice', 'twice', 'unlinked'):
        write(f'{tmp_path}/{name}', contents.TENSORS)
    monkeypatch.setattr(os, 'link', lambda *args: (_ for _ in ()).throw(OSError()))
    write(f'{tmp_path}/unlinked', contents.TENSORS)         # now its data are of-00002
    monkeypatch.undo()
    write(f'{tmp_path}/many', contents.MANY)
    with BundleWriter(f'{tmp_path}/parts') as writer:
        for text in ('10 4 0,3:-', '10 4 3,7:-'):
            shape, extents = slices.parse(text)
            writer.add_slice('parts', shape, extents,
                             contents.WHOLE[slices.index_of(shape, extents)], tf.float32)
    tensorflow('''
        for name, tensors in (('once', contents.TENSORS), ('twice', contents.TENSORS),
                              ('unlinked', contents.TENSORS), ('many', contents.MANY),
                              ('parts', {'parts': contents.WHOLE})):
            reader = tf.train.NewCheckpointReader(folder + '/' + name)
            assert sorted(reader.get_variable_to_shape_map()) == sorted(tensors)
            for key, value in tensors.items():
                same(reader.get_tensor(key), value)
    ''')


@pytest.mark.parametrize('sharded', [False, True])
def test_it_restores_our_saver(tensorflow, tmp_path, sharded):
    with tf.Graph().as_default(), tf.Session() as session:
        train = own('train = model()')['train']
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(train, {'x:0': [[1.0, -1.0]]})
        path = tf.train.Saver(sharded=sharded).save(session, f'{tmp_path}/ours', 2)
        wanted = {v.op.name: session.run(v) for v in tf.global_variables()}
        y = session.run('y:0', {'x:0': [[0.3, 0.4]]})
    np.savez(tmp_path / 'wanted.npz', y=y, **wanted)
    assert path.endswith('ours-2')
    tensorflow('''
        wanted = np.load(folder + '/wanted.npz')
        path = tf.train.latest_checkpoint(folder)
        assert path == folder + '/ours-2', path
        for imported in (False, True):
            with tf.Graph().as_default(), tf.Session() as session:
                if imported:
                    saver = tf.train.import_meta_graph(path + '.meta')
                else:
                    model()
                    saver = tf.train.Saver()
                saver.restore(session, path)
                for variable in tf.global_variables():
                    same(session.run(variable), wanted[variable.op.name])
                y = session.run(tf.get_collection('y')[0], {'x:0': [[0.3, 0.4]]})
                np.testing.assert_allclose(y, wanted['y'], rtol=1e-6)
                session.run(tf.get_collection('train')[0], {'x:0': [[1.0, -1.0]]})
    ''')


def test_it_restores_our_objects(tensorflow, tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        names = own('checkpoint, v, w, train = objects()')
        session.run(tf.global_variables_initializer())
        session.run(names['train'])
        path = names['checkpoint'].save(f'{tmp_path}/objects')
        m = names['checkpoint'].optimizer.get_slot(names['w'], 'm')
        np.savez(tmp_path / 'wanted.npz', v=session.run(names['v']), m=session.run(m))
    assert path.endswith('objects-1')
    tensorflow('''
        wanted = np.load(folder + '/wanted.npz')
        checkpoint, v, w, train = objects()
        with tf.Session() as session:
            status = checkpoint.restore(tf.train.latest_checkpoint(folder))
            status.assert_consumed().run_restore_ops(session)
            same(session.run(v), wanted['v'])
            same(session.run(checkpoint.optimizer.get_slot(w, 'm')), wanted['m'])
            session.run(train)
    ''')


def test_it_reads_our_records_and_examples(tensorflow, tmp_path):
    for name, compression in contents.COMPRESSIONS.items():
        with tf.io.TFRecordWriter(str(tmp_path / name), compression) as writer:
            for record in contents.RECORDS:
                writer.write(record)
    message, _ = contents.features(tf)
    (tmp_path / 'example').write_bytes(message.SerializeToString())
    with tf.Graph().as_default(), tf.Session() as session:
        for i, value in enumerate(contents.TENSORS.values()):
            if value.dtype != object:
                (tmp_path / f'tensor{i}').write_bytes(session.run(tf.serialize_tensor(value)))
    tensorflow('''
        for name, compression in contents.COMPRESSIONS.items():
            path = folder + '/' + name
            options = tf.python_io.TFRecordOptions(compression)
            assert list(tf.python_io.tf_record_iterator(path, options)) == contents.RECORDS
        message, described = contents.features(tf)
        with open(folder + '/example', 'rb') as file:
            data = file.read()
        assert tf.train.Example.FromString(data) == message
        with tf.Session() as session:
            parsed = session.run(tf.parse_single_example(data, described))
            assert parsed['label'] == -3 and parsed['many'].tolist() == list(range(300))
            for i, value in enumerate(contents.TENSORS.values()):
                if value.dtype != object:
                    with open(folder + '/tensor%d' % i, 'rb') as file:
                        same(session.run(tf.parse_tensor(file.read(), value.dtype)), value)
    ''')


# ---- tinyflow reads what TensorFlow writes -------------------------------------------------------

def test_we_read_its_tensors(tensorflow, tmp_path):
    tensorflow('''
        def save(name, tensors, **settings):
            with tf.Graph().as_default(), tf.Session() as session:
                for i, (key, value) in enumerate(sorted(tensors.items())):
                    with tf.device('/device:CPU:0' if i % 2 else None):
                        tf.Variable(value, name=key,
                                    dtype=tf.string if value.dtype == object else None)
                session.run(tf.global_variables_initializer())
                tf.train.Saver(**settings).save(session, folder + '/' + name,
                                                write_meta_graph=False)
        save('tensors', contents.TENSORS)
        save('many', contents.MANY)
        save('sharded', contents.TENSORS, sharded=True)
        save('old', {'x': contents.WHOLE}, write_version=1)
    ''')
    for name, tensors in (('tensors', contents.TENSORS), ('many', contents.MANY),
                          ('sharded', contents.TENSORS), ('old', {'x': contents.WHOLE})):
        reader = tf.train.NewCheckpointReader(f'{tmp_path}/{name}')
        assert sorted(reader.get_variable_to_shape_map()) == sorted(tensors)
        for key, value in tensors.items():
            got = np.asarray(reader.get_tensor(key))
            assert got.dtype == value.dtype or value.dtype == object
            np.testing.assert_array_equal(got, value)
    assert tf.train.latest_checkpoint(str(tmp_path)) == f'{tmp_path}/old'


def test_we_restore_its_saver(tensorflow, tmp_path):
    """Its values, and the next step of training from there."""
    tensorflow('''
        train = model()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(2):
                session.run(train, {'x:0': [[1.0, -1.0]]})
            tf.train.Saver().save(session, folder + '/theirs', 2)
            np.savez(folder + '/wanted.npz',
                     **{v.op.name: session.run(v) for v in tf.global_variables()})
            session.run(train, {'x:0': [[1.0, -1.0]]})
            np.savez(folder + '/later.npz', w=session.run('dense/w:0'))
    ''')
    wanted = np.load(tmp_path / 'wanted.npz')
    with tf.Graph().as_default(), tf.Session() as session:
        train = own('train = model()')['train']
        tf.train.Saver().restore(session, tf.train.latest_checkpoint(str(tmp_path)))
        for variable in tf.global_variables():
            np.testing.assert_array_equal(session.run(variable), wanted[variable.op.name])
        session.run(train, {'x:0': [[1.0, -1.0]]})
        np.testing.assert_allclose(session.run('dense/w:0'),
                                   np.load(tmp_path / 'later.npz')['w'], rtol=1e-5)


def test_we_import_its_meta_graph(tensorflow, tmp_path):
    tensorflow('''
        train = model()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, folder + '/theirs', 2)
            np.savez(folder + '/wanted.npz', y=session.run('y:0', {'x:0': [[0.3, 0.4]]}))
            session.run(train, {'x:0': [[1.0, -1.0]]})
            np.savez(folder + '/later.npz', w=session.run('dense/w:0'))
    ''')
    path = tf.train.latest_checkpoint(str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(path + '.meta')
        saver.restore(session, path)
        y = session.run(tf.get_collection('y')[0], {'x:0': [[0.3, 0.4]]})
        np.testing.assert_allclose(y, np.load(tmp_path / 'wanted.npz')['y'], rtol=1e-6)
        session.run(tf.get_collection('train')[0], {'x:0': [[1.0, -1.0]]})
        np.testing.assert_allclose(session.run('dense/w:0'),
                                   np.load(tmp_path / 'later.npz')['w'], rtol=1e-5)


def test_we_restore_its_objects(tensorflow, tmp_path):
    tensorflow('''
        checkpoint, v, w, train = objects()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            checkpoint.save(folder + '/objects', session=session)
            np.savez(folder + '/wanted.npz', v=session.run(v),
                     m=session.run(checkpoint.optimizer.get_slot(w, 'm')))
    ''')
    wanted = np.load(tmp_path / 'wanted.npz')
    with tf.Graph().as_default(), tf.Session() as session:
        names = own('checkpoint, v, w, train = objects()')
        status = names['checkpoint'].restore(tf.train.latest_checkpoint(str(tmp_path)))
        status.assert_consumed().run_restore_ops()
        np.testing.assert_array_equal(session.run(names['v']), wanted['v'])
        m = names['checkpoint'].optimizer.get_slot(names['w'], 'm')
        np.testing.assert_array_equal(session.run(m), wanted['m'])
        session.run(names['train'])


def test_we_read_its_records_and_examples(tensorflow, tmp_path):
    tensorflow('''
        for name, compression in contents.COMPRESSIONS.items():
            options = tf.python_io.TFRecordOptions(compression)
            with tf.python_io.TFRecordWriter(folder + '/' + name, options) as writer:
                for record in contents.RECORDS:
                    writer.write(record)
        with open(folder + '/example', 'wb') as file:
            file.write(contents.features(tf)[0].SerializeToString())
    ''')
    for name, compression in contents.COMPRESSIONS.items():
        options = tf.io.TFRecordOptions(compression)
        assert list(tf.io.tf_record_iterator(str(tmp_path / name), options)) == contents.RECORDS
    message, described = contents.features(tf)
    data = (tmp_path / 'example').read_bytes()
    assert tf.train.Example.FromString(data) == message
    with tf.Graph().as_default(), tf.Session() as session:
        parsed = session.run(tf.parse_single_example(data, described))
    assert parsed['label'] == -3 and parsed['floats'].tolist() == [0.5, -1.5]
