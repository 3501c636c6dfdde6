"""checkpoints_iterator: checkpoints that disappear or are half there while they are watched."""
from __future__ import annotations

import os
import shutil
import threading

import pytest

import tinyflow as tf
from tests.train.test_lost_state_file import cut
from tinyflow.train.checkpoints import checkpoint_state


class Folder:
    """A directory to which checkpoints are saved by number."""

    def __init__(self, path):
        self.path = path
        with tf.Graph().as_default() as self.graph:
            tf.train.get_or_create_global_step()
            self.saver = tf.train.Saver(max_to_keep=None)
            self.session = tf.Session()
            self.session.run(tf.global_variables_initializer())

    def save(self, number):
        return self.saver.save(self.session, f'{self.path}/m', number, write_meta_graph=False)

    def damage(self, number, kind):
        prefix = f'{self.path}/m-{number}'
        if kind in ('gone', 'no index'):
            os.unlink(f'{prefix}.index')
        if kind in ('gone', 'no data'):
            os.unlink(f'{prefix}.data-00000-of-00001')
        if kind in ('index', 'data-00000-of-00001'):
            cut(f'{prefix}.{kind}')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    waits = checkpoint_state._wait_for_new
    monkeypatch.setattr(checkpoint_state, '_wait_for_new',
                        lambda directory, last, timeout: waits(directory, last, timeout, 0.01))
    made = Folder(tmp_path)
    yield made
    made.session.close()


@pytest.mark.parametrize('kind', ['gone', 'no index', 'no data', 'index', 'data-00000-of-00001'])
def test_damaged_checkpoints_are_skipped(folder, kind, caplog):
    found, late = [], []
    for path in tf.train.checkpoints_iterator(_first(folder), timeout=10):
        found.append(os.path.basename(path))
        if path.endswith('-1'):
            folder.save(2)
            folder.damage(2, kind)
            late.append(threading.Timer(0.1, folder.save, [3]))
            late[0].start()
        else:
            break
    late[0].join()
    assert found == ['m-1', 'm-3']
    assert sum('Skipping a checkpoint' in text and 'm-2' in text for text in caplog.messages) == 1


def _first(folder):
    folder.save(1)
    return folder.path


def test_a_checkpoint_that_is_being_copied(folder, tmp_path):
    """It is yielded when it is whole."""
    path = tmp_path / 'm-1.data-00000-of-00001'
    folder.save(1)
    shutil.move(path, tmp_path / 'elsewhere')
    late = threading.Timer(0.1, shutil.move, [tmp_path / 'elsewhere', path])
    late.start()
    assert next(tf.train.checkpoints_iterator(str(tmp_path), timeout=10)) == f'{tmp_path}/m-1'
    late.join()


def test_a_damaged_state_file(folder, tmp_path):
    """It ends after the timeout, or goes on with the newest; no error comes."""
    folder.save(1)
    (tmp_path / 'checkpoint').write_bytes(b'')
    assert list(tf.train.checkpoints_iterator(tmp_path, timeout=0.1)) == [f'{tmp_path}/m-1']
    folder.damage(1, 'index')
    assert list(tf.train.checkpoints_iterator(tmp_path, timeout=0.1)) == []


def test_no_older_one_is_yielded_again(folder, tmp_path):
    folder.save(1)
    found = []
    for path in tf.train.checkpoints_iterator(tmp_path, timeout=0.1):
        found.append(path)
        if len(found) == 1:
            folder.save(2)
            folder.save(3)
        folder.damage(3, 'gone')
    assert found == [f'{tmp_path}/m-1']
