"""A parameter server in a process of its own: it comes late, dies, comes back."""
from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

import tinyflow as tf
from tests.cluster import processes
from tinyflow.cluster import client
from tinyflow.cluster.ports import free_ports

pytest.importorskip('zmq', reason="needs the extra: pip install 'tinyflow-graph[cluster]'")
pytestmark = pytest.mark.cluster

_PS = """
import sys, tinyflow as tf
server = tf.train.Server({'ps': [sys.argv[1]], 'worker': [sys.argv[2]]}, 'ps', 0)
server.join()
"""


def _free_address():
    return f'localhost:{free_ports(1)[0]}'


class _Ps:
    def __init__(self):
        self.address, self.worker = _free_address(), _free_address()
        self.process = None

    def start(self):
        self.process = processes.start([sys.executable, '-c', _PS, self.address, self.worker],
                                       stdout=None)

    def kill(self):
        processes.end(self.process)


@pytest.fixture
def ps():
    ps = _Ps()
    yield ps
    if ps.process is not None:
        ps.kill()


@pytest.mark.slow
def test_a_ps_comes_late_dies_and_comes_back(ps, graph, monkeypatch):
    monkeypatch.setattr(client, '_PATIENCE', .05)
    said = []
    monkeypatch.setattr(client.logging, 'warning',
                        lambda text, *values: said.append(text % values))
    server = tf.train.Server({'ps': [ps.address], 'worker': [ps.worker]}, 'worker', 0)
    with tf.device('/job:ps/task:0'):
        v = tf.Variable(1.)
        add = v.assign_add(1.)
        queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]])
    late = threading.Timer(.2, ps.start)
    late.start()
    with tf.Session(server.target) as session:
        session.run(v.initializer)                      # waits for it
        late.join()
        assert said and f'waits for /job:ps/task:0 at {ps.address}' in said[0]
        assert session.run(add) == 2.
        waiting = []

        def wait():
            try:
                session.run(queue.dequeue())
            except tf.errors.OpError as error:
                waiting.append((error, time.monotonic()))
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(.3)
        died = time.monotonic()
        ps.kill()
        thread.join(5)
        (error, when), = waiting
        assert isinstance(error, tf.errors.UnavailableError) and when - died < 1
        assert f'/job:ps/task:0 at {ps.address} has ended' in str(error)
        with pytest.raises(tf.errors.UnavailableError):
            session.run(add)
        ps.start()
        began = time.monotonic()
        while time.monotonic() - began < 20:
            try:
                session.run(add)
            except tf.errors.UnavailableError:
                time.sleep(.05)
            except tf.errors.AbortedError as aborted:
                assert 'has been restarted' in str(aborted)
                break
        else:
            pytest.fail('the restarted server was not noticed')
    with tf.Session(server.target) as session:          # its Variables are gone
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(add)
        session.run(v.initializer)
        assert session.run(add) == 2.
    server.stop()


@pytest.mark.slow
def test_ctrl_c_ends_a_wait_for_a_server(ps, graph, request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    server = tf.train.Server({'ps': [ps.address], 'worker': [ps.worker]}, 'worker', 0)
    with tf.device('/job:ps/task:0'):
        c = tf.random_uniform([])
    with tf.Session(server.target) as session:
        threading.Timer(.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            session.run(c)
        assert time.monotonic() - began < 5
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(c, options=tf.RunOptions(timeout_in_ms=50))
    server.stop()
