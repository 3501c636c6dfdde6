"""The rendezvous: who is admitted, what the others hear, and the errors of TF_CONFIG."""
from __future__ import annotations

import json
import socket
import threading

import pytest

from tinyflow.cluster import meeting, membership, rendezvous
from tinyflow.graph.support.errors import UnavailableError

pytestmark = pytest.mark.cluster

CLUSTER = ('localhost:7001', 'localhost:7002', 'localhost:7003')


class Server:
    """A rendezvous of three workers in a thread of the test."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(rendezvous, 'PATIENCE', 0.05)
        self.rendezvous = rendezvous.Rendezvous(3)
        self.listener = rendezvous.listen('127.0.0.1:0')
        self.address = self.listener.getsockname()
        self.connections = []
        for task, arguments in ((self.accept, ()), (self.rendezvous.tell_who_is_missing, ())):
            threading.Thread(target=task, args=arguments, daemon=True).start()

    def accept(self):
        try:
            rendezvous._accept(self.rendezvous, self.listener)
        except OSError:
            pass                        # closed

    def connect(self, rank, **changes):
        """The lines that a worker hears."""
        connection = socket.create_connection(self.address, timeout=10)
        self.connections.append(connection)
        rendezvous.send(connection, 'hello', {
            'protocol': rendezvous.PROTOCOL, 'rank': rank, 'cluster': CLUSTER, 'version': '1',
            'mpi': '5', 'pid': 100 + rank, 'host': 'here', **changes})
        return _words(rendezvous._lines(connection))


def _words(lines):
    for line in lines:
        kind, _, text = line.partition(' ')
        yield kind, json.loads(text)


@pytest.fixture
def server(monkeypatch):
    made = Server(monkeypatch)
    yield made
    made.rendezvous.ended = made.rendezvous.ended or (0, 'the test is over')
    for connection in made.connections:
        connection.close()
    made.listener.shutdown(socket.SHUT_RDWR)        # wakes accept
    made.listener.close()


def test_all_go_when_all_are_there_and_hear_of_a_death(server):
    heard = [server.connect(rank) for rank in range(2)]
    assert next(heard[0]) == ('missing', [2]) or next(heard[0]) == ('missing', [2])
    heard.append(server.connect(2))
    for lines in heard:
        assert next(word for word in lines if word[0] != 'missing') == ('go', None)
    rendezvous.send(server.connections[1], 'failed', 'ValueError: x')
    server.connections[1].shutdown(socket.SHUT_RDWR)
    for lines in (heard[0], heard[2]):
        assert next(lines) == ('ended', {'rank': 1, 'pid': 101, 'host': 'here',
                                         'reason': 'ValueError: x'})


@pytest.mark.parametrize(('rank', 'changes', 'problem'), [
    (0, {'pid': 7}, 'two processes are worker 0: worker 0 (pid 100 on here) was first, worker 0 '
                    '(pid 7 on here) came second'),
    (1, {'cluster': CLUSTER[:2]}, 'worker 1 (pid 101 on here) knows the workers '
                                  'localhost:7001, localhost:7002, worker 0 (pid 100 on here) '),
    (1, {'version': '2'}, 'worker 1 (pid 101 on here) has version 2 of tinyflow, worker 0 (pid 100 '
                          'on here) has 1'),
    (1, {'protocol': 0}, 'has version 0 of the protocol'),
])
def test_who_does_not_belong_is_refused(server, rank, changes, problem):
    first = server.connect(0)
    while not server.rendezvous.members:
        next(first)
    kind, text = next(server.connect(rank, **changes))
    assert kind == 'refused' and problem in text
    assert next(word for word in first if word[0] != 'missing') == ('turned_away', text)


def test_strangers_do_no_harm(server):
    for data in (b'GET / HTTP/1.1\n', b'hello {}\n', b'hello [1]\n', b'cmd=get\n', b'\xff\n', b''):
        with socket.create_connection(server.address, timeout=10) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(100) == b''
    assert not server.rendezvous.members


def _members(*addresses, rank=0):
    return membership.Membership(rank, addresses, f'worker {rank}')


def test_addresses_that_cannot_be_used(server):
    port = server.address[1]
    with pytest.raises(UnavailableError, match='worker 0 cannot listen at its address '
                                               f'127.0.0.1:{port}.*\n  Hint: choose a free port'):
        meeting.meet(_members(f'127.0.0.1:{port}', 'localhost:1'))
    with pytest.raises(UnavailableError, match='does not find the host of worker 0, no.such.host'):
        meeting.meet(_members('no.such.host.invalid:1', 'localhost:1', rank=1))
    with pytest.raises(ValueError, match="address 'localhost' of TF_CONFIG is not of the form"):
        meeting.meet(_members('localhost', 'localhost:1'))


@pytest.mark.parametrize(('task', 'found'), [
    (('chief', 0), (0, 'chief 0')), (('worker', 1), (2, 'worker 1')),
    (('evaluator', 0), (0, 'evaluator 0'))])
def test_the_chief_is_worker_0(monkeypatch, task, found):
    monkeypatch.setenv('TF_CONFIG', json.dumps({
        'cluster': {'chief': ['a:1'], 'worker': ['b:1', 'c:1']},
        'task': {'type': task[0], 'index': task[1]}}))
    members = membership.of_environment()
    assert (members.rank, members.task) == found
    assert len(members.addresses) == (1 if task[0] == 'evaluator' else 3)


@pytest.mark.parametrize(('config', 'problem'), [
    ('{', 'TF_CONFIG is not JSON'),
    ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}}',
     'TF_CONFIG says that this is worker 1, but its cluster is'),
    ('{"cluster": {"worker": ["a:1"], "ps": ["b:1"]}, "task": {"type": "ps", "index": 0}}',
     "has no task of the type 'ps'"),
])
def test_wrong_tf_config(monkeypatch, config, problem):
    monkeypatch.setenv('TF_CONFIG', config)
    with pytest.raises(ValueError, match=problem):
        membership.of_environment()
