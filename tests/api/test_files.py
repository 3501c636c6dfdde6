"""tf.gfile, tf.io.gfile, tf.logging, tf.resource_loader (behaviour as seen on TF 1.15.5)."""
import logging
import os
import pathlib
import subprocess
import sys

import pytest

import tinyflow as tf

gfile = tf.gfile
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def own_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with gfile.GFile('a.txt', 'w') as file:
        file.write('héllo\nline2\n')
        file.write(b'line3')


def test_reading():
    assert gfile.GFile('a.txt').read() == 'héllo\nline2\nline3'
    assert gfile.FastGFile('a.txt', 'rb').read(2) == b'h\xc3'
    assert gfile.GFile('a.txt').read(2) == 'hé'
    assert gfile.Open('a.txt').readlines() == list(gfile.GFile('a.txt')) == \
        ['héllo\n', 'line2\n', 'line3']
    with gfile.GFile('a.txt') as file:
        file.seek(7)
        assert (file.tell(), file.read(2), file.size()) == (7, 'li', 18)
        file.seek(-2, 2)
        assert file.readline() == 'e3' and file.readline() == ''


@pytest.mark.parametrize('call, error', [
    (lambda: gfile.GFile('no').read(), tf.errors.NotFoundError),
    (lambda: gfile.GFile('no').size(), tf.errors.NotFoundError),
    (lambda: gfile.GFile('no/b', 'w').write('x'), tf.errors.NotFoundError),
    (lambda: gfile.GFile('a.txt', 'z'), tf.errors.InvalidArgumentError),
    (lambda: gfile.GFile('a.txt', 'w').read(), tf.errors.PermissionDeniedError),
    (lambda: gfile.GFile('a.txt').write('x'), tf.errors.PermissionDeniedError),
    (lambda: gfile.GFile('b.txt', 'w').write(3), TypeError),
    (lambda: gfile.MkDir('no/dir'), tf.errors.NotFoundError),
    (lambda: gfile.MakeDirs('a.txt/dir'), tf.errors.FailedPreconditionError),
    (lambda: gfile.ListDirectory('no'), tf.errors.NotFoundError),
    (lambda: gfile.Copy('no', 'b'), tf.errors.NotFoundError),
    (lambda: gfile.Rename('no', 'b'), tf.errors.NotFoundError),
    (lambda: gfile.Remove('no'), tf.errors.NotFoundError),
    (lambda: gfile.Stat('no'), tf.errors.NotFoundError),
    (lambda: gfile.DeleteRecursively('no'), tf.errors.NotFoundError)])
def test_errors(call, error):
    with pytest.raises(error):
        call()


def test_no_name_is_the_working_directory():
    """os.path.dirname('model.ckpt') is ''; the ProfilerHook's own default is ''."""
    gfile.MakeDirs('')
    gfile.MkDir('')
    tf.io.gfile.makedirs('')
    with tf.Graph().as_default():
        tf.summary.FileWriter('').close()
        step = tf.train.get_or_create_global_step()
        count = tf.assign_add(step, 1)
        with tf.train.MonitoredSession(hooks=[tf.train.ProfilerHook(save_steps=2)]) as session:
            for _ in range(5):
                session.run(count)
    with tf.Graph().as_default():
        x, v = tf.placeholder(tf.float32, []), tf.Variable(1.0)
        with tf.Session() as session:
            session.run(v.initializer)
            tf.saved_model.simple_save(session, '', {'x': x}, {'y': x + v})
    names = gfile.ListDirectory('.')
    assert [name for name in names if name.startswith('timeline')] == [
        'timeline-2.json', 'timeline-4.json']
    assert any('tfevents' in name for name in names) and 'saved_model.pb' in names


def test_directories_and_copies():
    gfile.MakeDirs('sub/x')
    gfile.MakeDirs('sub/x')
    gfile.MkDir('sub')
    gfile.Copy('a.txt', 'sub/c.txt')
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.Copy('a.txt', 'sub/c.txt')
    gfile.Copy('a.txt', 'sub/c.txt', overwrite=True)
    assert gfile.ListDirectory('sub') == ['c.txt', 'x']
    assert gfile.Glob(['*.txt', 'sub/*']) == ['./a.txt', 'sub/c.txt', 'sub/x']
    assert list(gfile.Walk('.')) == [('.', ['sub'], ['a.txt']), ('./sub', ['x'], ['c.txt']),
                                     ('./sub/x', [], [])]
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.Rename('a.txt', 'sub/c.txt')
    gfile.Rename('sub/c.txt', 'b.txt')
    assert gfile.Exists('b.txt') and gfile.IsDirectory('sub') and not gfile.IsDirectory('b.txt')
    stat = gfile.Stat('b.txt')
    assert stat.length == 18 and stat.mtime_nsec > 0 and not stat.is_directory
    with pytest.raises(tf.errors.FailedPreconditionError):
        gfile.Remove('sub')
    gfile.DeleteRecursively('sub')
    gfile.Remove('b.txt')
    assert tf.io.gfile.listdir('.') == ['a.txt'] and tf.io.gfile.exists('a.txt')


def test_resource_loader():
    assert tf.resource_loader.get_data_files_path() == os.path.dirname(os.path.abspath(__file__))
    path = tf.resource_loader.get_path_to_datafile('data.txt')
    assert path == os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data.txt')
    with pytest.raises(NotImplementedError, match='tf.py_func'):
        tf.sysconfig.get_include()


# ---- tf.logging ----------------------------------------------------------------------------

@pytest.fixture
def logger():
    kept = tf.logging.get_verbosity()
    yield tf.logging
    tf.logging.set_verbosity(kept)


def test_verbosity_and_format():
    program = """
import tinyflow as tf
tf.logging.info('hidden')
tf.logging.set_verbosity(tf.logging.INFO)
tf.logging.info('value %d', 3)
tf.logging.debug('hidden')
tf.logging.set_verbosity(tf.logging.ERROR)
tf.logging.warn('hidden')
tf.logging.error('bad')
"""
    result = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                            check=True, cwd=ROOT)
    assert result.stderr == 'INFO:tensorflow:value 3\nERROR:tensorflow:bad\n'
    assert result.stdout == ''


def test_counted_messages(logger):
    logger.set_verbosity(logger.INFO)
    seen = []

    class Keep(logging.Handler):
        def emit(self, record):
            seen.append(record.getMessage())
    handler = Keep()
    python_logger = logging.getLogger('tensorflow')
    python_logger.addHandler(handler)
    try:
        for i in range(5):
            logger.log_every_n(logger.INFO, 'every %d', 2, i)
            logger.log_first_n(logger.INFO, 'first %d', 2, i)
            logger.log_if(logger.INFO, 'if %d', i == 3, i)
    finally:
        python_logger.removeHandler(handler)
    assert seen == ['every 0', 'first 0', 'first 1', 'every 2', 'if 3', 'every 4']
    assert (logger.DEBUG, logger.INFO, logger.WARN, logger.ERROR, logger.FATAL) == \
        (10, 20, 30, 40, 50)


def test_events_stay_in_the_directory_of_their_writer(tmp_path, monkeypatch):
    """The file is opened when there is something to write; the program may be elsewhere then."""
    os.makedirs('elsewhere')
    writer = tf.summary.FileWriter('logs')
    monkeypatch.chdir('elsewhere')
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=1.0)]), 1)
    writer.close()
    assert len(os.listdir(tmp_path / 'logs')) == 1
    assert not os.listdir(tmp_path / 'elsewhere')
