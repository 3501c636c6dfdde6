"""The live page: who may read it, what it says, and that it disturbs no training."""
from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api import cli
from tinyflow.inspect.live import Follower, LiveServer
from tinyflow.session.session import BaseSession


@pytest.fixture
def server():
    made = LiveServer(lambda: '<p>page</p>', lambda: {'steps': 3})
    yield made
    made.close()


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5) as answer:
        return answer.read().decode()


@pytest.mark.slow
def test_who_knows_the_address_gets_the_page_and_the_state(server):
    assert server.url.startswith('http://127.0.0.1:')
    assert get(server.url) == '<p>page</p>'
    assert json.loads(get(server.url + 'state')) == {'steps': 3}


@pytest.mark.slow
@pytest.mark.parametrize('path, headers, status', [
    ('', {'Host': 'example.org'}, 403), ('nothing', {}, 404), ('../', {}, 404),
])
def test_others_do_not(server, path, headers, status):
    with pytest.raises(urllib.error.HTTPError) as refused:
        get(server.url + path, **headers)
    assert refused.value.code == status
    refused.value.close()


@pytest.mark.slow
def test_an_error_is_an_answer_and_a_browser_that_leaves_is_none(server, capfd):
    server._state = lambda: 1 / 0
    with pytest.raises(urllib.error.HTTPError) as failed:
        get(server.url + 'state')
    assert failed.value.read() == b'ZeroDivisionError: division by zero'
    failed.value.close()
    port = int(re.search(r':(\d+)/', server.url)[1])
    for _ in range(3):
        with socket.create_connection(('127.0.0.1', port)) as browser:
            browser.send(b'GET /')
    assert get(server.url) == '<p>page</p>'
    assert capfd.readouterr() == ('', '')


def test_a_port_in_use(server):
    port = int(re.search(r':(\d+)/', server.url)[1])
    with pytest.raises(OSError, match=r'Could not serve the page at 127.0.0.1:\d+.*\n  Hint: '):
        LiveServer(str, dict, port)


def training():
    """(what to run, feeds) of a small network, in a new default graph."""
    tf.reset_default_graph()
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    y = tf.placeholder(tf.float32, [None, 1], name='y')
    hidden = tf.layers.dense(x, 8, tf.nn.relu, name='hidden')
    loss = tf.losses.mean_squared_error(y, tf.layers.dense(hidden, 1, name='last'))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    rows = np.random.RandomState(0).rand(16, 4)
    return [step, loss], {x: rows, y: rows.sum(1, keepdims=True)}


def losses(follow):
    """The losses of 30 steps, with what `follow` is called with meanwhile."""
    fetches, feeds = training()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = []
        for _ in range(30):
            found.append(session.run(fetches, feeds)[1])
            follow()
    return found


@pytest.mark.slow
def test_it_follows_the_sessions_of_the_block_and_changes_nothing():
    plain, init = losses(lambda: None), BaseSession.__init__
    with Follower('my program', every=5) as follower:
        seen = []
        followed = losses(lambda: seen.append(follower.state()))
        page = follower.page()
    assert followed == plain
    assert BaseSession.__init__ is init
    assert [len(state['training']['curves']['loss']) for state in seen] == list(range(1, 31))
    assert any('hidden/kernel' in name for name in seen[-1]['training']['curves'])
    assert 'my program' in page and '"n":"hidden/kernel"' in page and '"live":{' in page
    assert not seen[-1]['ended'] and follower.state()['ended']


def test_questions_of_another_thread_while_it_trains():
    failures, done = [], threading.Event()
    with Follower(every=1) as follower:
        def ask():
            while not done.is_set():
                try:
                    json.dumps(follower.state())
                    follower.page()
                except Exception as error:              # noqa: BLE001 - the test's result
                    failures.append(error)
        thread = threading.Thread(target=ask)
        thread.start()
        try:
            losses(lambda: None)
        finally:
            done.set()
            thread.join()
    assert not failures


def test_the_program_may_have_a_doctor_of_its_own():
    with Follower() as follower:
        fetches, feeds = training()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with tf.doctor(session) as doctor:
                session.run(fetches, feeds)
            session.run(fetches, feeds)
    assert len(doctor.report().as_document()['curves']['loss']) == 1
    assert len(follower.state()['training']['curves']['loss']) == 2
    assert 'run' not in vars(session)


PROGRAM = '''
import tensorflow as tf
w = tf.Variable(3.0, name='weight')
loss = tf.square(w)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(5):
        session.run(train)
    input('go on? ')
'''


@pytest.mark.slow
def test_the_command(tmp_path):
    script = tmp_path / 'train.py'
    script.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, '-m', 'tinyflow', 'explore', '--no-browser', '--no-wait', str(script)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))})
    with process:
        url = re.search(r'is shown at (\S+)', process.stderr.readline())[1]
        process.stdout.read(len('go on? '))
        assert len(json.loads(get(url + 'state'))['training']['curves']['loss']) == 5
        assert '"n":"weight"' in get(url)
        process.communicate('yes\n', timeout=20)
        assert process.returncode == 0


@pytest.mark.slow
def test_a_port_in_use_is_said_before_the_program_runs(server, tmp_path, capsys):
    script = tmp_path / 'train.py'
    script.write_text('raise AssertionError')
    port = re.search(r':(\d+)/', server.url)[1]
    assert cli.main(['explore', '--port', port, str(script)]) == 2
    assert 'Could not serve the page' in capsys.readouterr().err
