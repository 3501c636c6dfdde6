"""What a server does with the runs of a process that has died."""
from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.cluster import client, messages, serving, transport
from tinyflow.cluster.ports import free_ports
from tinyflow.cluster.server import IN_PROCESS
from tinyflow.cluster.shipping import Shipped
from tinyflow.cluster.task_service import Route, TaskService
from tinyflow.cluster.tasks import Task

WORKERS = 2


class Task0:
    """A parameter server with two accumulators and a queue of tokens, and sessions that use it."""

    def __init__(self):
        self.service = TaskService(Task('ps', 0))
        self.graph = tf.Graph()
        with self.graph.as_default():
            first, second = [tf.ConditionalAccumulator(tf.float32, [], shared_name=name, name=name)
                             for name in ('first', 'second')]
            tokens = tf.FIFOQueue(10, tf.int64, [()], shared_name='tokens')
            step, grad = tf.placeholder(tf.int64, []), tf.placeholder(tf.float32, [])
            with tf.control_dependencies([first.apply_grad(grad, step),
                                          second.apply_grad(grad, step)]):
                token = tokens.dequeue()
            taken = [first.take_grad(WORKERS), second.take_grad(WORKERS)]
            enqueued = tokens.enqueue_many(tf.cast(tf.stack([taken[0]] * WORKERS), tf.int64))
            only_first = first.apply_grad(grad, step)
            counts = [first.num_accumulated(), second.num_accumulated(), tokens.size()]
        inputs = [step.name, grad.name]
        self.stages = {'step': (inputs, [token.name], []), 'add': (inputs, [], [only_first.name]),
                       'update': ([], [t.name for t in taken], [enqueued.name]),
                       'counts': ([], [c.name for c in counts], [])}
        self.threads = {}

    def session(self, name, sender):
        self.service.open(name, sender)
        for key, (feeds, fetches, targets) in self.stages.items():
            self.service.register(
                name, key, Shipped(self.graph.as_graph_def().SerializeToString(), feeds,
                                   fetches, targets),
                Route([-1] * len(feeds), range(len(fetches)), {}, ()))

    def run(self, session, key, step, *values):
        return [np.asarray(v).tolist() for v in self.service.run(
            session, key, step, [np.array(v, d) for v, d in zip(values, 'lf')])]

    def start(self, session, key, step, *values):
        """The run in a thread, once it waits; its results, or its error, come in a list."""
        results = []

        def run():
            try:
                results.extend(self.run(session, key, step, *values))
            except tf.errors.OpError as error:
                results.append(type(error).__name__)
        thread = threading.Thread(target=run)
        thread.start()
        self.threads[session, step] = thread
        until(lambda: not thread.is_alive() or self.service.waits_for(session, step))
        return results

    def end(self, session, step):
        self.threads[session, step].join(5)
        assert not self.threads[session, step].is_alive()

    def counts(self):
        return self.run('any', 'counts', 99)


def until(condition):
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.fixture
def ps():
    ps = Task0()
    for name, sender in ('any', ''), ('chief', 'worker 0'), ('mine', 'worker 1'), \
            ('new chief', 'worker 0'), ('mine again', 'worker 1'):
        ps.session(name, sender)
    yield ps
    ps.service.reset()


@pytest.mark.slow
def test_a_take_of_a_dead_process_is_put_back(ps):
    """It had the first accumulator, and waited for the second."""
    update = ps.start('chief', 'update', 1)
    ps.run('any', 'add', 2, 0, 2.)
    ps.run('any', 'add', 3, 0, 4.)
    until(lambda: 'second' in ps.service.waits_for('chief', 1))
    assert ps.counts() == [0, 0, 0]
    ps.service.give_up('chief', 1)
    ps.end('chief', 1)
    assert update == ['DeadlineExceededError'] and ps.counts() == [2, 0, 0]


def test_a_worker_that_died_waiting_gets_its_token(ps):
    """The update is then as if it had died after its step, and the token is not left over."""
    mine, other = ps.start('mine', 'step', 1, 0, 2.), ps.start('chief', 'step', 2, 0, 4.)
    ps.service.give_up('mine', 1)
    assert ps.run('chief', 'update', 3) == [3., 3.]
    ps.end('mine', 1), ps.end('chief', 2)
    assert mine == other == [3] and ps.counts() == [0, 0, 0]
    again = ps.start('mine again', 'step', 4, 1, 5.)
    assert ps.counts() == [1, 1, 0] and not again
    ps.service.close('mine again')
    ps.end('mine again', 4)


@pytest.mark.slow
def test_gradients_of_a_restarted_worker_are_not_added_twice(ps):
    mine = ps.start('mine', 'step', 1, 0, 2.)
    ps.service.give_up('mine', 1)
    again = ps.start('mine again', 'step', 2, 0, 2.)
    ps.end('mine', 1)
    assert mine == ['DeadlineExceededError'] and ps.counts() == [1, 1, 0]
    other = ps.start('chief', 'step', 3, 0, 4.)
    assert ps.run('chief', 'update', 4) == [3., 3.]
    ps.end('chief', 3), ps.end('mine again', 2)
    assert again == other == [3] and ps.counts() == [0, 0, 0]


def test_a_restarted_worker_gets_the_token_of_an_update_it_did_not_see(ps):
    """It read the step before the update and adds after it: its gradients are too old."""
    ps.start('mine', 'step', 1, 0, 2.)
    ps.start('chief', 'step', 2, 0, 4.)
    ps.service.give_up('mine', 1)
    ps.run('chief', 'update', 3)
    ps.end('mine', 1), ps.end('chief', 2)
    assert ps.start('mine again', 'step', 4, 0, 2.) == [3] and ps.counts() == [0, 0, 0]


def test_a_worker_of_another_task_adds(ps):
    """Also in a session of its own that is new: only a task that died repeats itself."""
    ps.start('mine', 'step', 1, 0, 2.)
    ps.service.give_up('mine', 1)
    ps.start('chief', 'step', 2, 0, 4.)
    ps.start('new chief', 'step', 3, 0, 4.)             # the chief lives
    assert ps.counts() == [3, 3, 0]


@pytest.fixture
def server():
    pytest.importorskip('zmq', reason="needs the extra: pip install 'tinyflow-graph[cluster]'")
    server = tf.train.Server.create_local_server()
    del IN_PROCESS[transport.canonical(server.address)]
    yield server
    server.stop()


@pytest.mark.cluster
def test_the_end_of_a_connection_ends_its_run(server, monkeypatch):
    monkeypatch.setattr(serving, '_LOOK', 60.)
    zmq = transport.zmq_module()
    socket = transport.dealer(zmq.Context.instance())
    socket.connect(f'tcp://{server.address.replace("localhost", "127.0.0.1")}')
    ps = Task0()
    ps.service = server.service
    socket.send_multipart(messages.encoded(b'hello', {
        'n': 1, 'version': messages.VERSION, 's': 'mine', 'from': 'worker 1'}))
    socket.recv_multipart()
    ps.session('mine', 'worker 1')
    socket.send_multipart(messages.encoded(b'run', {
        'n': 2, 's': 'mine', 'k': 'update', 'i': server.service.incarnation}))
    until(lambda: 'first' in server.service.waits_for('mine', 2))
    socket.close(0)
    until(lambda: not server._serving._running)


@pytest.mark.slow
@pytest.mark.cluster
def test_a_session_says_what_it_waits_for(server, monkeypatch, graph, caplog):
    monkeypatch.setattr(serving, '_LOOK', 0.05)
    monkeypatch.setattr(client, '_PATIENCE', 0.1)
    accumulator = tf.ConditionalAccumulator(tf.float32, [], name='sums')
    with tf.Session(server.target) as session:
        session.run(accumulator.apply_grad(1.))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(accumulator.take_grad(2), options=tf.RunOptions(timeout_in_ms=400))
    assert "where 'sums' has 1 of 2 gradients" in caplog.text


def test_a_server_that_is_not_there_is_waited_for_until_the_timeout():
    config = tf.ConfigProto(operation_timeout_in_ms=100)
    address = f'127.0.0.1:{free_ports(1)[0]}'
    with pytest.raises(tf.errors.DeadlineExceededError, match=f'answered at {address} in 100 ms'):
        tf.Session(f'grpc://{address}', config=config)
