"""An export that failed, as on a full disk, leaves nothing and can be tried again."""
from __future__ import annotations

import os

import pytest

import tinyflow as tf
from tinyflow.formats.wire import files


class FullDisk:
    """Fails at the n-th write of bytes, and at all later ones."""

    def __init__(self, monkeypatch, after):
        self.left, self._write = after, files.write_all
        monkeypatch.setattr(files, 'write_all', self)

    def __call__(self, file, data):
        self.left -= 1
        if self.left < 0:
            raise OSError(28, 'No space left on device')
        self._write(file, data)


def model(folder):
    """(input, output, an operation to run after loading) of a model with an asset."""
    (folder / 'words').write_text('a\nb\n')
    x = tf.placeholder(tf.float32, [None, 2], 'x')
    with tf.device('/cpu:0'):
        w = tf.Variable(tf.ones([2, 1]))
    with tf.device('/job:other/task:0'):            # another shard
        b = tf.Variable(tf.ones([1]))
    words = tf.constant(str(folder / 'words'))
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, words)
    return x, tf.matmul(x, w) + b, tf.group(tf.identity(words))


def attempts(monkeypatch, attempt, check):
    """Calls `attempt` with a disk that is full after 0, 1, 2, ... writes, until it succeeds."""
    for after in range(40):
        with monkeypatch.context() as patch:
            FullDisk(patch, after)
            try:
                attempt()
                return after
            except tf.errors.ResourceExhaustedError:
                check()
    raise ValueError('it never succeeded')


def test_simple_save(tmp_path, monkeypatch, session):
    x, y, main = model(tmp_path)
    session.run(tf.global_variables_initializer())
    target = tmp_path / 'export'
    failures = attempts(
        monkeypatch,
        lambda: tf.saved_model.simple_save(session, str(target), {'x': x}, {'y': y}, main),
        lambda: check_empty(target))
    assert failures > 4
    with tf.saved_model.load(str(target)) as loaded:
        assert loaded.signatures['serving_default'](x=[[1, 2]])['y'].tolist() == [[4]]


def check_empty(folder):
    assert os.listdir(folder) == []


def test_the_methods_of_a_builder(tmp_path, monkeypatch, session):
    _, _, main = model(tmp_path)
    session.run(tf.global_variables_initializer())
    target = tmp_path / 'export'
    builder = tf.saved_model.Builder(str(target))
    assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
    assert attempts(monkeypatch, lambda: builder.add_meta_graph_and_variables(
        session, ['serve'], main_op=main, assets_collection=assets),
        lambda: check_empty(target)) > 3
    saved = sorted(os.listdir(target / 'variables'))
    assert attempts(monkeypatch, builder.save, lambda: None) == 1
    assert sorted(os.listdir(target / 'variables')) == saved
    assert sorted(os.listdir(target)) == ['assets', 'saved_model.pb', 'variables']
    with tf.Graph().as_default(), tf.Session() as other:
        tf.saved_model.load(other, ['serve'], str(target))


def test_empty_folders_of_a_killed_export(tmp_path, session):
    (tmp_path / 'variables' / 'variables_temp_0123').mkdir(parents=True)
    x, y = tf.placeholder(tf.float32, [], 'x'), tf.Variable(1.0)
    session.run(y.initializer)
    tf.saved_model.simple_save(session, str(tmp_path), {'x': x}, {'y': x + y})
    assert (tmp_path / 'saved_model.pb').exists()
    with pytest.raises(AssertionError, match="isn't empty"):
        tf.saved_model.Builder(str(tmp_path))


def test_others_files_stay(tmp_path, monkeypatch, session):
    w = tf.Variable(1.0)
    session.run(w.initializer)
    builder = tf.saved_model.Builder(str(tmp_path))
    (tmp_path / 'assets.extra').mkdir()
    (tmp_path / 'assets.extra' / 'notes').write_text('x')
    FullDisk(monkeypatch, 0)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        builder.add_meta_graph_and_variables(session, ['serve'])
    assert os.listdir(tmp_path) == ['assets.extra']
    assert os.listdir(tmp_path / 'assets.extra') == ['notes']


@pytest.mark.parametrize('imported', [False, True])
def test_a_sharded_save_leaves_no_parts(tmp_path, monkeypatch, session, imported):
    model(tmp_path)
    saver = tf.train.Saver(sharded=True)
    session.run(tf.global_variables_initializer())
    if imported:
        saver = tf.train.Saver.from_proto(saver.as_saver_def())
    before = sorted(os.listdir(tmp_path))
    failures = attempts(
        monkeypatch, lambda: saver.save(session, f'{tmp_path}/m', 3, write_meta_graph=False,
                                        write_state=False),
        lambda: check_equal(sorted(os.listdir(tmp_path)), before))
    assert failures > 3
    assert len(list(tmp_path.glob('m-3.*'))) == 3


def check_equal(one, other):
    assert one == other
