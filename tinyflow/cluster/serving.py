"""The thread of a tf.train.Server: receives messages, runs what they ask for, and answers.

It runs short stages itself, which saves two thread switches; what may wait or takes longer is run
by a pool of threads, so that no other run waits for a `dequeue`.
"""
from __future__ import annotations

import collections
import os
import queue
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyflow.cluster import transport
from tinyflow.cluster.cluster_spec import addresses
from tinyflow.cluster.messages import VERSION, decoded, decoded_header, encoded
from tinyflow.cluster.remote_errors import state_lost, to_plain
from tinyflow.cluster.shipping import Shipped
from tinyflow.cluster.task_service import Route, boxed
from tinyflow.data.runtime.state_bytes import check, decode, encode
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import InvalidArgumentError, report

if TYPE_CHECKING:
    from tinyflow.cluster.server import Server

__all__ = ['Serving', 'check_same']

_SHORT = 0.002          # seconds; stages that took less are run by the receiving thread
_LOOK = 1.0             # seconds between looks at runs that take long
_LOOK_AT_SESSIONS = 30.0
_AFTER_AN_END = (.0, .005, .05)     # seconds after a connection has ended, looks at all runs


class _Pool:
    """Threads that call functions; one more whenever all are busy."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue = queue.SimpleQueue()
        self._idle = 0
        self._stopped = False
        self._lock = threading.Lock()

    def __call__(self, function: Any, *arguments: Any) -> None:
        with self._lock:
            start = self._idle == 0
            if not start:
                self._idle -= 1
        if start:
            threading.Thread(target=self._work, args=((function, arguments),), daemon=True,
                             name='tinyflow server').start()
        else:
            self._calls.put((function, arguments))

    def _work(self, call: Any) -> None:
        while call is not None:
            call[0](*call[1])
            with self._lock:
                if self._stopped:
                    return
                self._idle += 1
            call = self._calls.get()

    def stop(self) -> None:
        """Ends the threads, each after its call."""
        with self._lock:
            self._stopped = True
            for _ in range(self._idle):
                self._calls.put(None)


class Serving:
    """The thread of a Server, and what it knows of its clients."""

    def __init__(self, server: Server, socket: Any, zmq: Any) -> None:
        self._server, self.service = server, server.service
        self._socket, self._zmq = socket, zmq
        self._outbox: collections.deque = collections.deque()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        self._wake_lock = threading.Lock()
        self._pool = _Pool()
        self._running: dict[tuple[bytes, int], tuple[float, str]] = {}
        self._sessions: dict[str, set[bytes]] = {}      # session -> its clients
        self._ends_of_clients = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._looks: list[float] = []           # when to look at all runs
        self.stopped = threading.Event()
        self._ends = False
        self.thread = threading.Thread(target=self._serve, daemon=True, name='tinyflow server')

    def stop(self) -> None:
        """Ends the thread and closes the socket."""
        self._ends = True
        self._wake()
        self.stopped.wait(5)

    def _wake(self) -> None:
        with self._wake_lock:
            if not self.stopped.is_set():
                os.write(self._wake_write, b'.')

    # ---- the loop ----------------------------------------------------------------------------

    def _serve(self) -> None:
        zmq, socket = self._zmq, self._socket
        poller = zmq.Poller()
        poller.register(socket, zmq.POLLIN)
        poller.register(self._wake_read, zmq.POLLIN)
        poller.register(self._ends_of_clients, zmq.POLLIN)
        looked = looked_at_sessions = time.monotonic()
        while not self._ends:
            woken = poller.poll(5 if self._looks else int(_LOOK * 1000))
            for where, _ in woken:
                if where == self._wake_read:
                    os.read(self._wake_read, 4096)
                elif where is self._ends_of_clients:
                    self._note_ends()
            while self._outbox:
                self._send(*self._outbox.popleft())
            for _ in range(100):                    # then others have their turn
                try:
                    frames = socket.recv_multipart(zmq.NOBLOCK, copy=False)
                except zmq.Again:
                    break
                self._receive(frames)
            now = time.monotonic()
            if now - looked > _LOOK:
                looked = now
                self._look_at_runs(now - _LOOK)
            if self._looks and now >= self._looks[0]:
                del self._looks[0]
                self._look_at_runs(now)
            if now - looked_at_sessions > _LOOK_AT_SESSIONS:
                looked_at_sessions = now
                self._look_at_sessions()
        socket.disable_monitor()
        self._ends_of_clients.close(0)
        socket.close(0)
        self._pool.stop()
        with self._wake_lock:
            self.stopped.set()
            os.close(self._wake_read)
            os.close(self._wake_write)

    def _send(self, client: bytes, frames: list) -> bool:
        try:
            self._socket.send_multipart([client, *frames], self._zmq.NOBLOCK, copy=False)
            return True
        except self._zmq.ZMQError:                  # the client is gone
            return False

    def _note_ends(self) -> None:
        """A connection has ended. Which one is known when one sends to it, maybe a moment later."""
        with suppress(self._zmq.Again):
            while True:
                self._ends_of_clients.recv_multipart(self._zmq.NOBLOCK)
        now = time.monotonic()
        self._looks = [now + seconds for seconds in _AFTER_AN_END]

    def _look_at_runs(self, until: float) -> None:
        """Tells clients of runs that began before `until` that this task lives.

        Ends runs whose client does not.
        """
        for (client, step), (began, session) in list(self._running.items()):
            if began <= until and not self._send(client, encoded(b'alive', {
                    'n': step, 'waits': self.service.waits_for(session, step)})):
                self.service.give_up(session, step)

    def _look_at_sessions(self) -> None:
        """Ends the sessions which have had no client since the last look."""
        for session, clients in list(self._sessions.items()):
            if not clients and not self.service.goes_on(session):
                self._forget(session)
            clients -= {client for client in clients
                        if not self._send(client, encoded(b'alive', {'n': 0}))}

    def _forget(self, session: str) -> None:
        self._sessions.pop(session, None)
        self.service.close(session)

    # ---- messages ----------------------------------------------------------------------------

    def _receive(self, frames: list) -> None:
        client = frames[0].bytes
        number = 0
        try:
            if len(frames) < 3:
                raise InvalidArgumentError(None, None, 'The message is damaged: it has no header.')
            kind, header = frames[1].bytes, decoded_header(frames[2].bytes)
            number = header.get('n', 0)
            if type(number) is not int:
                number = 0
                raise InvalidArgumentError(None, None, 'The message is damaged: its number.')
            answer = _KINDS.get(kind)
            if answer is None:
                raise InvalidArgumentError(
                    None, None, f'The message is damaged: no kind of message is {kind[:20]!r}.')
            if kind not in (b'hello', b'reset') and header.get('i') != self.service.incarnation:
                raise state_lost(
                    f'{self.service.task} has been restarted, its Variables are gone.')
            if header.get('s') in self._sessions:
                self._sessions[header['s']].add(client)
            arrays = decoded(header, [frame.buffer for frame in frames[3:]]) \
                if kind != b'register' else [frame.bytes for frame in frames[3:]]
            if kind == b'hello':                # the task may have been restarted
                self._look_at_runs(time.monotonic())
            if kind == b'run':
                if self.service.seconds(header['s'], header['k']) < _SHORT:
                    self._answer(client, number, answer, header, arrays, True)
                    return
                self._running[client, number] = time.monotonic(), header['s']
            elif kind == b'cancel' or kind == b'close':
                self._answer(client, number, answer, header, arrays, True)
                return
            self._pool(self._answer, client, number, answer, header, arrays, False)
        except Exception as error:                      # noqa: BLE001 - goes to who asked
            self._send(client, encoded(b'error', {'n': number, 'error': _plain(error)}))

    def _answer(self, client: bytes, number: int, answer: Any, header: dict, arrays: list,
                here: bool) -> None:
        try:
            frames = encoded(b'ok', *answer(self, client, number, header, arrays))
        except Exception as error:                      # noqa: BLE001 - goes to who asked
            frames = encoded(b'error', {'n': number, 'error': _plain(error)})
        if here:
            self._send(client, frames)
            return
        self._running.pop((client, number), None)
        self._outbox.append((client, frames))
        self._wake()

    def _hello(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        if header.get('version') != VERSION:
            raise InvalidArgumentError(
                None, None, f'{self.service.task} speaks version {VERSION} of the messages of a '
                f'cluster, the client version {header.get("version")}.\n  Hint: the same tinyflow '
                'on all tasks.')
        check_same(self._server, header.get('cluster'), header.get('from'))
        session = header.get('s')
        if isinstance(session, str):
            self.service.open(session, str(header.get('from')))
            self._sessions.setdefault(session, set()).add(client)
        task = self.service.task
        return {'n': number, 'i': self.service.incarnation, 'task': [task.job, task.index],
                'cluster': addresses(self._server.cluster)},

    def _register(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        (graph_def,) = arrays
        feeds, fetches, targets = header['names']
        ins, sent, kept, drops = header['route']
        route = Route(ins, sent, {int(k): v for k, v in kept}, drops)
        check_allowed(self._server, graph_def)
        self.service.register(header['s'], header['k'],
                              Shipped(graph_def, feeds, fetches, targets), route)
        return {'n': number},

    def _run(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        return {'n': number}, self.service.run(header['s'], header['k'], number, arrays,
                                               header.get('ms', 0))

    def _cancel(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        self.service.cancel(header['s'], header['step'])
        return {'n': number},

    def _close(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        self._forget(header['s'])
        return {'n': number},

    def _reset(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        self.service.reset([str(name) for name in header.get('containers') or ()])
        return {'n': number},

    def _values(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        return {'n': number}, self.service.values([(c, n) for c, n in header['names']])

    def _set_values(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        self.service.set_values(zip([(c, n) for c, n in header['names']],
                                    [np.array(a) for a in arrays]))
        return {'n': number},

    def _positions(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        found, lost = self.service.positions(header['s'])
        for name, position in list(found.items()):
            try:
                check(position)
            except errors.OpError as error:
                lost[name] = error.message
                del found[name]
        return {'n': number, 'lost': lost}, [boxed(encode(found), np.dtype(object))]

    def _set_positions(self, client: bytes, number: int, header: dict, arrays: list) -> tuple:
        self.service.set_positions(header['s'], decode(arrays[0][()]))
        return {'n': number},


_KINDS = {b'hello': Serving._hello, b'register': Serving._register, b'run': Serving._run,
          b'cancel': Serving._cancel, b'close': Serving._close, b'reset': Serving._reset,
          b'values': Serving._values, b'set_values': Serving._set_values,
          b'positions': Serving._positions, b'set_positions': Serving._set_positions}


def _plain(error: Exception) -> list:
    """The error for the client; a header that lacks something is a damaged message."""
    if type(error) in (KeyError, TypeError, ValueError, AttributeError, IndexError) \
            and not getattr(error, 'raised_by_tinyflow', False):
        error = InvalidArgumentError(
            None, None, f'The message is damaged: {type(error).__name__} {str(error)[:200]}.')
    return to_plain(error)


def check_same(server: Server, theirs: Any, sender: Any) -> None:
    """InvalidArgumentError if another task has other addresses for tasks that both know."""
    if not isinstance(theirs, dict):
        return
    task = server.service.task
    for job, tasks in addresses(server.cluster).items():
        others = theirs.get(job)
        if not isinstance(others, dict):
            continue
        for index, address in tasks.items():
            other = others.get(str(index))
            if isinstance(other, str) and other.rpartition(':')[2] != '0' \
                    and transport.canonical(other) != transport.canonical(address):
                raise InvalidArgumentError(None, None, report(
                    f'{sender} and {task} have different cluster specs',
                    facts=[(f'/job:{job}/task:{index} for {sender}', other),
                           (f'the same for {task}', address)],
                    hint='give all tasks the same ClusterSpec.'))


def check_allowed(server: Server, graph_def: bytes) -> None:
    """PermissionDeniedError for files, if strangers can reach the server."""
    if server.local_only or transport.has_key():
        return
    from tinyflow.cluster.file_operations import check  # start-up time
    check(graph_def, str(server.service.task))
