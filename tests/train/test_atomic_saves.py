"""A save that is killed, or fails at any file operation, leaves the last checkpoint whole."""
from __future__ import annotations

import builtins
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.formats.wire import files
from tinyflow.formats.wire.bundle import BundleReader
from tinyflow.formats.wire.bundle_writer import BundleWriter, merge

OPERATIONS = ('replace', 'fsync', 'link', 'unlink', 'rmdir', 'mkdir', 'open')


class Broken(OSError):
    """What an injected failure raises."""


class Failing:
    """Counts file operations that change something, and fails at the one numbered `at`."""

    def __init__(self, monkeypatch, at=None, kill=False):
        self.count, self.at = 0, at
        for name in OPERATIONS:
            monkeypatch.setattr(os, name, self._wrapped(getattr(os, name)))
        monkeypatch.setattr(builtins, 'open', self._wrapped(open))
        monkeypatch.setattr(files, 'write_all', self._wrapped(files.write_all))

    def _wrapped(self, function):
        def call(*args, **kwargs):
            self.count += 1
            if self.at is not None and self.count >= self.at:
                raise Broken(5, 'injected failure')         # and all later ones, as if killed
            return function(*args, **kwargs)
        return call


def write(prefix, value):
    with BundleWriter(prefix) as writer:
        writer.add('x', np.full(100, value), tf.int64)
        writer.add('s', np.array([str(value).encode() * 5], object), tf.string)


def read(prefix):
    """The value of the checkpoint, all parts of which must agree."""
    with BundleReader(prefix) as reader:
        x, s = reader.get('x'), reader.get('s')
    assert (x == x[0]).all() and s[0] == str(x[0]).encode() * 5
    return int(x[0])


def test_failures_at_every_operation_of_an_overwriting(tmp_path, monkeypatch):
    """First old, then new, never anything else."""
    prefix = str(tmp_path / 'm')
    write(prefix, 0)
    with monkeypatch.context() as patch:
        counting = Failing(patch)
        write(prefix, 1)
    assert counting.count > 12
    seen = []
    for at in range(1, counting.count + 1):
        write(prefix, 0)
        with monkeypatch.context() as patch:
            Failing(patch, at)
            try:
                write(prefix, 1)
                failed = False
            except (OSError, tf.errors.OpError):
                failed = True
        seen.append(read(prefix))
        assert failed or seen[-1] == 1, 'a save that reports no failure has saved'
    assert seen == sorted(seen) and seen[0] == 0 and seen[-1] == 1
    write(prefix, 2)
    assert read(prefix) == 2
    names = [p.name for p in tmp_path.iterdir() if not files.is_temporary(p)]
    assert sorted(names) == ['m.data-00000-of-00001', 'm.index']


def test_failures_at_every_operation_of_a_merge(tmp_path, monkeypatch):
    def parts():
        for name in 'ab':
            with BundleWriter(str(tmp_path / f'part_{name}')) as writer:
                writer.add(name, np.arange(4), tf.int64)
        return [str(tmp_path / f'part_{name}') for name in 'ab']

    def attempt(at):
        for path in tmp_path.iterdir():
            path.unlink()
        prefix = str(tmp_path / 'm')
        merge(parts(), prefix)
        sources = parts()
        with monkeypatch.context() as patch:
            failing = Failing(patch, at)
            try:
                merge(sources, prefix)
            except (OSError, tf.errors.OpError):
                pass
        with BundleReader(prefix) as reader:
            assert reader.get('a').tolist() == reader.get('b').tolist() == [0, 1, 2, 3]
        return failing.count
    for at in range(1, attempt(None) + 1):
        attempt(at)


def test_a_failing_save_of_a_saver(tmp_path, monkeypatch):
    """The state file names a whole checkpoint, the old ones are there until the new one is."""
    folder = str(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(0)
        advance = v.assign_add(1)
        saver, count = tf.train.Saver(max_to_keep=1), 200
        session.run(v.initializer)
        saver.save(session, f'{folder}/m', 0)
        for at in range(1, 200):
            session.run(advance)
            with monkeypatch.context() as patch:
                failing = Failing(patch, at)
                try:
                    saver.save(session, f'{folder}/m', at)
                    count = failing.count
                except (OSError, tf.errors.OpError):
                    pass
            latest = tf.train.latest_checkpoint(folder)
            assert latest is not None
            value = tf.train.load_variable(latest, 'Variable')
            assert f'{folder}/m-{value}' == latest
            if at > count:
                break
        assert at < 199 and value == at


def test_nothing_is_left_of_a_failed_write(tmp_path, monkeypatch):
    with pytest.raises(ZeroDivisionError), BundleWriter(str(tmp_path / 'm')) as writer:
        writer.add('x', np.arange(3), tf.int64)
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), files.replacing(str(tmp_path / 'f')) as file:
        file.write(b'half')
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_a_resource_error(tmp_path, monkeypatch):
    def full(file, data):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(files, 'write_all', full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match='No space left'):
        write(str(tmp_path / 'm'), 0)
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_links(tmp_path, monkeypatch):
    """The new data keep their first name, which TensorFlow reads as well."""
    prefix = str(tmp_path / 'm')
    write(prefix, 0)

    def no_links(*args):
        raise PermissionError('no links here')
    with monkeypatch.context() as patch:
        patch.setattr(os, 'link', no_links)
        write(prefix, 1)
    assert read(prefix) == 1 and os.path.exists(f'{prefix}.data-00000-of-00002')
    write(prefix, 2)
    assert read(prefix) == 2
    assert sorted(os.listdir(tmp_path)) == ['m.data-00000-of-00001', 'm.index']


def test_several_save_under_one_name(tmp_path):
    prefix = str(tmp_path / 'm')

    def save(value):
        for _ in range(20):
            write(prefix, value)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(save, range(3)))
    assert read(prefix) in range(3)             # data and table are those of one of them
    assert sorted(os.listdir(tmp_path)) == ['m.data-00000-of-00001', 'm.index']


def test_leftovers_go_with_the_checkpoint(tmp_path):
    prefix = str(tmp_path / 'm')
    write(prefix, 0)
    (tmp_path / 'm.index.tempstate123').write_bytes(b'')
    (tmp_path / 'm.data-00000-of-00007').write_bytes(b'')
    tf.train.remove_checkpoint(prefix)
    assert list(tmp_path.iterdir()) == []


class Killing:
    """Kills this process at the file operation numbered `at`; a write is done by half before."""

    def __init__(self, at):
        self.left = at
        for name in OPERATIONS:
            setattr(os, name, self._wrapped(getattr(os, name)))
        builtins.open = self._wrapped(open)
        files.write_all = self._wrapped(files.write_all, by_half=True)

    def _wrapped(self, function, by_half=False):
        def call(*args, **kwargs):
            self.left -= 1
            if not self.left:
                if by_half:
                    file, data = args
                    half = memoryview(data).cast('B')
                    function(file, half[:len(half) // 2])
                    file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)
        return call


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')
@pytest.mark.filterwarnings('ignore::DeprecationWarning')
def test_a_process_killed_at_every_operation_of_a_save(tmp_path):
    """Data, index, graph, state file, removal of the oldest: after each step one is whole."""
    folder = str(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(3000, np.int64), name='v')
        words = tf.Variable(['begin'], name='words')
        advance = v.assign_add(np.ones(3000, np.int64))
        saver = tf.train.Saver(max_to_keep=1)
        session.run([v.initializer, words.initializer])
        saver.save(session, f'{folder}/m', 0)
        saver.save(session, f'{folder}/same', write_state=False)
        for at in range(1, 200):
            session.run(advance)
            child = os.fork()
            if not child:
                try:
                    Killing(at)
                    saver.save(session, f'{folder}/same', write_state=False)
                    saver.save(session, f'{folder}/m', at)
                finally:
                    os._exit(0)
            status = os.waitpid(child, 0)[1]
            latest = tf.train.latest_checkpoint(folder)
            for prefix in (latest, f'{folder}/same'):
                with BundleReader(prefix) as reader:
                    value, text = reader.get('v'), reader.get('words')
                assert (value == value[0]).all() and text.tolist() == [b'begin'], prefix
            assert tf.train.load_variable(latest, 'v')[0] == int(latest.rpartition('-')[2])
            if not status:
                break
            assert os.WTERMSIG(status) == signal.SIGKILL
    assert 30 < at < 199 and latest.endswith(f'm-{at}')


SAVING = """
    import sys
    import numpy as np
    import tinyflow as tf
    folder = sys.argv[1]
    v = tf.Variable(np.zeros(200000, np.int64), name='v')
    step = tf.Variable(0, name='step')
    both = tf.train.Saver(max_to_keep=2)
    advance = [v.assign_add(np.ones(200000, np.int64)), step.assign_add(1)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        while True:
            number = session.run(advance)[1]
            print('step', number, flush=True)
            both.save(session, folder + '/same', write_meta_graph=False, write_state=False)
            both.save(session, folder + '/m', number, write_meta_graph=False)
"""


@pytest.mark.slow
def test_a_process_killed_at_many_moments(tmp_path):
    """Both the checkpoint that is overwritten and those that are numbered stay whole."""
    folder = str(tmp_path)
    rng = np.random.default_rng(0)
    highest = 0
    for attempt in range(5):
        process = subprocess.Popen([sys.executable, '-c', textwrap.dedent(SAVING), folder],
                                   stdout=subprocess.PIPE, cwd=os.getcwd())
        for _ in range(3 + attempt):                # so far it gets, however busy the machine
            process.stdout.readline()
        time.sleep(float(rng.uniform(0, 0.02)))     # about as long as its next two saves
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        latest = tf.train.latest_checkpoint(folder)
        for prefix in filter(None, (latest, os.path.exists(f'{folder}/same.index')
                                    and f'{folder}/same')):
            with BundleReader(prefix) as reader:
                step, v = int(reader.get('step')), reader.get('v')
            assert (v == step).all(), f'{prefix} is not of one step'
            highest = max(highest, step)
        assert latest is None or latest.endswith(f'm-{tf.train.load_variable(latest, "step")}')
    assert highest > 3, 'no process got far enough to test anything'
