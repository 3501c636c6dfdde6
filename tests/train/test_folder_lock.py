"""One training at a time in a folder: who holds it, and what is left of one that was killed."""
from __future__ import annotations

import errno
import os
import signal

import pytest

import tinyflow as tf
from tinyflow.formats.wire import files
from tinyflow.train.checkpoints import folder_lock
from tinyflow.train.checkpoints.folder_lock import LOCK_FILE, FolderLock, remove_leftovers
from tinyflow.train.sessions import monitored_session

needs_fork = pytest.mark.skipif(not hasattr(os, 'fork'), reason='this test forks')


class Holder:
    """Another process that holds a folder until it is killed; `between` runs in it before."""

    def __init__(self, folder, between=lambda: None):
        here, there = os.pipe()
        self.process = os.fork()
        if not self.process:
            try:
                held = FolderLock(folder)
                between()
                os.write(there, b'held')
                signal.pause()
                held.release()
            finally:
                os._exit(1)
        assert os.read(here, 4) == b'held'
        os.close(here)
        os.close(there)

    def kill(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def train(folder, steps=2):
    with tf.Graph().as_default():
        advance = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        with tf.train.MonitoredTrainingSession(checkpoint_dir=str(folder),
                                               save_checkpoint_steps=1) as sess:
            for _ in range(steps):
                sess.run(advance)


@pytest.mark.slow
@needs_fork
def test_the_second_training_says_who_holds_the_folder(tmp_path):
    holder = Holder(tmp_path)
    try:
        with pytest.raises(tf.errors.FailedPreconditionError) as caught:
            train(tmp_path)
    finally:
        holder.kill()
    text = str(caught.value)
    assert str(tmp_path) in text and f'process {holder.process} on ' in text and ', since ' in text
    assert 'Hint:' in text and os.listdir(tmp_path) == [LOCK_FILE]     # nothing else was written
    train(tmp_path)                         # a lock file of a killed process blocks nothing
    assert LOCK_FILE not in os.listdir(tmp_path)


@pytest.mark.slow
@needs_fork
def test_estimators_and_supervisors_take_turns_too(tmp_path):
    def model_fn(features, labels, mode):
        return tf.estimator.EstimatorSpec(
            mode, loss=tf.reduce_mean(features), predictions=features,
            train_op=tf.assign_add(tf.train.get_global_step(), 1))

    def input_fn():
        return tf.data.Dataset.from_tensors(([1.], [1.])).repeat(3)

    first = tf.estimator.Estimator(model_fn, str(tmp_path))
    first.train(input_fn, steps=3)
    tf.estimator.Estimator(model_fn, str(tmp_path)).train(input_fn, steps=3)
    holder = Holder(tmp_path)
    try:
        with pytest.raises(tf.errors.FailedPreconditionError, match='in use by another training'):
            first.train(input_fn, steps=3)
        with tf.Graph().as_default():
            tf.train.get_or_create_global_step()
            supervisor = tf.train.Supervisor(logdir=str(tmp_path))
            with pytest.raises(tf.errors.FailedPreconditionError, match='in use by another'), \
                    supervisor.managed_session():
                pass
        assert first.evaluate(input_fn)['global_step'] == 6     # those who read may
        assert len(list(first.predict(input_fn))) == 3
    finally:
        holder.kill()


@pytest.mark.slow
@needs_fork
def test_a_child_that_outlives_a_killed_training_holds_nothing(tmp_path):
    child = []

    def fork():
        child.append(os.fork())
        if not child[0]:
            signal.pause()
            os._exit(0)
        (tmp_path / 'child').write_text(str(child[0]))

    Holder(tmp_path, fork).kill()
    try:
        train(tmp_path)
    finally:
        os.kill(int((tmp_path / 'child').read_text()), signal.SIGKILL)


def is_refused_in_a_child(folder, first=lambda: None):
    """Whether a forked process, after it has called `first`, cannot lock the folder."""
    child = os.fork()
    if not child:
        try:
            first()
            FolderLock(folder)
        except tf.errors.FailedPreconditionError:
            os._exit(7)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.slow
@needs_fork
def test_a_child_does_not_free_the_folder_of_its_parent(tmp_path):
    held = FolderLock(tmp_path)
    assert is_refused_in_a_child(tmp_path, held.release)
    assert (tmp_path / LOCK_FILE).exists()
    held.release()
    assert not (tmp_path / LOCK_FILE).exists()


def test_a_session_that_was_not_closed_does_not_block_its_successor(tmp_path, caplog):
    """... of the same process, as in a notebook."""
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        first = tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path))
    train(tmp_path)
    assert 'Another training of this process is open' in caplog.text
    assert (tmp_path / LOCK_FILE).exists()
    first.close()
    assert not (tmp_path / LOCK_FILE).exists()


def test_an_error_before_or_in_the_session_frees_the_folder(tmp_path):
    class Fail(tf.train.SessionRunHook):
        def begin(self):
            raise ZeroDivisionError

    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        with pytest.raises(ZeroDivisionError):
            tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), hooks=[Fail()])
    assert LOCK_FILE not in os.listdir(tmp_path)
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        with pytest.raises(ZeroDivisionError), \
                tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path)):
            raise ZeroDivisionError
    assert LOCK_FILE not in os.listdir(tmp_path)


@pytest.mark.slow
@needs_fork
def test_a_second_folder_that_is_taken_frees_the_first(tmp_path, monkeypatch):
    """... at once, even if a traceback still refers to its lock."""
    made = []

    class Kept(FolderLock):
        def __init__(self, folder):
            super().__init__(folder)
            made.append(self)

    monkeypatch.setattr(monitored_session, 'FolderLock', Kept)
    free, taken = [tmp_path / name for name in 'ab']
    holder = Holder(taken)
    try:
        with tf.Graph().as_default():
            tf.train.get_or_create_global_step()
            # Their order is not defined: of many, one is very likely locked before the taken one.
            hooks = [tf.train.CheckpointSaverHook(str(folder), save_steps=1)
                     for folder in (free, taken, *(tmp_path / str(i) for i in range(20)))]
            with pytest.raises(tf.errors.FailedPreconditionError):
                tf.train.SingularMonitoredSession(hooks)
            assert not [path for path in folder_lock._held if str(tmp_path) in path]
    finally:
        holder.kill()


@pytest.mark.slow
def test_a_finalizer_that_runs_while_the_folder_is_taken(tmp_path, monkeypatch):
    """The garbage collector may release the previous lock anywhere in the taking of the next."""
    class Held(dict):
        def get(self, *arguments):
            found = super().get(*arguments)
            previous.release()
            return found

    monkeypatch.setattr(folder_lock, '_held', Held())
    previous = FolderLock.__new__(FolderLock)
    previous._finalizer = None
    previous.__init__(tmp_path)
    second = FolderLock(tmp_path)
    assert second.is_first and os.path.exists(tmp_path / LOCK_FILE)
    if hasattr(os, 'fork'):
        assert is_refused_in_a_child(tmp_path)
    second.release()
    assert not os.path.exists(tmp_path / LOCK_FILE)


@pytest.mark.slow
def test_a_folder_that_cannot_be_locked_is_used_without(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, 'No locks available')
    monkeypatch.setattr(folder_lock, '_lock', refuse)
    train(tmp_path)
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith('-2')


def test_a_lock_file_that_is_replaced_meanwhile_is_taken_again(tmp_path, monkeypatch):
    """The last holder removes the file between open and lock."""
    lock, calls = folder_lock._lock, []

    def locks_a_removed_one(number):
        if not calls:
            os.unlink(tmp_path / LOCK_FILE)
        calls.append(number)
        lock(number)
    monkeypatch.setattr(folder_lock, '_lock', locks_a_removed_one)
    held = FolderLock(tmp_path)
    assert held.is_first and len(calls) == 2 and (tmp_path / LOCK_FILE).exists()
    held.release()


def test_leftovers_of_a_killed_training_are_removed(tmp_path):
    train(tmp_path)
    kept = sorted(os.listdir(tmp_path))
    (tmp_path / 'model.ckpt-7_temp_0a1b').mkdir()
    for name in ('model.ckpt-7_temp_0a1b/part-00000-of-00001.index', 'model.ckpt-9.resume',
                 'model.ckpt-8.data-00000-of-00001', 'model.ckpt-8.meta', 'checkpoint.tempstate12',
                 'model.ckpt-2.index.tempstate34'):
        (tmp_path / name).write_bytes(b'')
    others = ['model.ckpt-4', 'model.ckpt-4.meta', 'model.ckpt-5-00000-of-00001',
              'model.ckpt-5.meta', 'model.ckpt.data-00000-of-00001', 'other-3.meta', 'notes.txt',
              'best.ckpt-8.meta']           # of the V1 format, of other savers, of the user
    for name in others:
        (tmp_path / name).write_bytes(b'')
    remove_leftovers(str(tmp_path / 'model.ckpt'))
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, *others])


@pytest.mark.slow
@needs_fork
def test_an_estimator_with_nothing_left_to_do_removes_what_a_killed_training_left(tmp_path):
    def train_to_the_end():
        step = tf.estimator.Estimator(_count_steps, str(tmp_path))
        step.train(lambda: tf.data.Dataset.from_tensors(0.).repeat(), max_steps=2)

    train_to_the_end()
    there = sorted(os.listdir(tmp_path))
    holder = Holder(tmp_path)
    train_to_the_end()
    assert LOCK_FILE in os.listdir(tmp_path)        # of a training that is running
    holder.kill()
    (tmp_path / 'model.ckpt-9.data-00000-of-00001').touch()
    train_to_the_end()
    assert sorted(os.listdir(tmp_path)) == there


def _count_steps(features, mode):
    step = tf.assign_add(tf.train.get_global_step(), 1)
    return tf.estimator.EstimatorSpec(mode, loss=features, train_op=step)


def test_leftovers_stay_if_the_state_file_is_damaged(tmp_path):
    train(tmp_path)
    (tmp_path / 'model.ckpt-8.data-00000-of-00001').write_bytes(b'')
    (tmp_path / 'checkpoint').write_bytes(b'\xff{')
    there = sorted(os.listdir(tmp_path))
    remove_leftovers(str(tmp_path / 'model.ckpt'))
    assert sorted(os.listdir(tmp_path)) == there


@pytest.mark.slow
@needs_fork
def test_temporary_files_of_ended_processes_are_removed(tmp_path):
    child = os.fork()
    if not child:
        (tmp_path / os.path.basename(files.temporary_name('a'))).write_bytes(b'')
        os.mkdir(tmp_path / os.path.basename(files.temporary_name('b')))
        os._exit(0)
    os.waitpid(child, 0)
    assert len(os.listdir(tmp_path)) == 2
    own = tmp_path / os.path.basename(files.temporary_name('c'))
    for path in (own, tmp_path / 'd.tempstate123', tmp_path / 'e.tempstate1_2_3'):
        path.write_bytes(b'')               # its own, TensorFlow's, and of another computer
    files.remove_abandoned(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == sorted([own.name, 'd.tempstate123', 'e.tempstate1_2_3'])


def test_another_container_of_the_same_host_name(tmp_path, monkeypatch):
    """Its process numbers say nothing here."""
    def in_container(number):
        files._host.cache_clear()
        monkeypatch.setattr(os, 'readlink', lambda path: f'pid:[{number}]')

    try:
        in_container(1)
        monkeypatch.setattr(os, 'getpid', lambda: 2**22 + 1)    # larger than any
        written = tmp_path / os.path.basename(files.temporary_name('a'))
        written.write_bytes(b'')
        monkeypatch.undo()
        in_container(2)
        files.remove_abandoned(str(tmp_path))
        assert written.exists()
        in_container(1)
        files.remove_abandoned(str(tmp_path))
        assert not written.exists()
    finally:
        files._host.cache_clear()


def test_a_folder_that_cannot_be_listed_is_left_alone(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, 'Permission denied')

    monkeypatch.setattr(os, 'listdir', refuse)
    files.remove_abandoned(str(tmp_path))


def test_a_deletion_that_was_interrupted_is_finished(tmp_path, monkeypatch):
    from tinyflow.train.checkpoints import checkpoint_state

    def names():
        return {n.partition('.')[0] for n in os.listdir(tmp_path)} - {'checkpoint'}

    def killed(*_):
        raise KeyboardInterrupt

    path = str(tmp_path / 'm')
    with tf.Graph().as_default(), tf.Session() as sess:
        sess.run(tf.get_variable('v', [], initializer=tf.zeros_initializer()).initializer)
        saver = tf.train.Saver(max_to_keep=2)
        for step in (1, 2):
            saver.save(sess, path, step)
        with monkeypatch.context() as patch:
            patch.setattr(checkpoint_state, 'remove_checkpoint', killed)
            with pytest.raises(KeyboardInterrupt):
                saver.save(sess, path, 3)
        assert names() == {'m-1', 'm-2', 'm-3'}
        os.unlink(f'{path}-1.index')        # the deletion had begun
        again = tf.train.Saver(max_to_keep=2)
        again.recover_last_checkpoints(
            tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths)
        again.save(sess, path, 4)
        assert names() == {'m-3', 'm-4'}
        several = tf.train.Saver(max_to_keep=1)
        several.recover_last_checkpoints([f'{path}-3', f'{path}-4'])
        several.save(sess, path, 5)
        assert names() == {'m-5'}
