"""A task of another process, as a session sees it: sends stages, and waits for their results.

Each run in progress has a connection of its own, which is used again afterwards, so any number of
threads may run at once and none waits for another. The connection reports when the other side is
gone, and every second of a long run brings a sign of life.
"""
from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from tinyflow.cluster import transport
from tinyflow.cluster.messages import VERSION, decoded, decoded_header, encoded
from tinyflow.cluster.remote_errors import from_plain
from tinyflow.cluster.shipping import Shipped
from tinyflow.cluster.task_service import Route, boxed
from tinyflow.cluster.tasks import Task
from tinyflow.data.runtime.state_bytes import decode, encode
from tinyflow.graph.support import errors, logging
from tinyflow.graph.support.errors import report
from tinyflow.graph.support.waits import check_deadline, deadlines, may_wait, seconds_left

__all__ = ['RemotePeer', 'ask_once']

_PATIENCE = 10.0        # seconds until a message says for whom one waits
_SILENCE = 15.0         # seconds without a sign of life after which a task counts as dead
_LOOK = 0.1             # seconds between looks at deadlines, while there is one
_LAST_WORDS = 200       # milliseconds for what was sent before a connection is closed
_numbers = itertools.count(1)


class Connection:
    """A socket to one task, with a monitor that reports when it is connected and when not."""

    def __init__(self, address: str, name: str) -> None:
        zmq = self._zmq = transport.zmq_module()
        self.address, self.name = address, name
        ip, port = transport.endpoint(address)
        self.socket = transport.dealer(zmq.Context.instance())
        wanted = (zmq.EVENT_CONNECTED | zmq.EVENT_DISCONNECTED | zmq.EVENT_HANDSHAKE_SUCCEEDED
                  | zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
                  | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_CONNECT_RETRIED)
        self._monitor = self.socket.get_monitor_socket(wanted)
        self._poller = zmq.Poller()
        self._poller.register(self.socket, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)
        self.connected = False
        self._patience = _PATIENCE
        self._tcp = False               # connected, but no greeting yet
        self._refused = 0
        self.socket.connect(f'tcp://{ip}:{port}')

    def close(self, linger: int = 0) -> None:
        """Ends the connection; the other side stops what it does for it.

        What was sent before has `linger` milliseconds to leave, in the background.
        """
        if self.socket.closed:
            return
        self.socket.disable_monitor()
        self._monitor.close(0)
        self.socket.close(linger)

    def send(self, frames: list) -> None:
        """Sends a message, when the connection is there."""
        while True:
            try:
                self.socket.send_multipart(frames, self._zmq.NOBLOCK, copy=False)
                return
            except self._zmq.Again:             # the other side has refused the connection
                self._look_at_events(False)
                check_deadline()
                time.sleep(.01)

    @may_wait
    def wait(self, number: int, known: bool) -> list:
        """The frames of the answer to the message `number`.

        Raises UnavailableError when the task dies, or, if it is `known` to have lived, is not
        there. Otherwise waits for it to start, and says so after 10 seconds.
        """
        socket = self.socket
        began = heard = time.monotonic()
        warned = began
        while True:
            wait = 1.0
            if deadlines:
                left = seconds_left()
                wait = wait if left is None else min(left + .001, _LOOK)
            events = self._poller.poll(int(wait * 1000) or 1)
            answered = any(found is socket for found, _ in events)
            if answered:
                heard = time.monotonic()
                frames = socket.recv_multipart(copy=False)
                header = decoded_header(frames[1].bytes)
                if header.get('n') == number and frames[0].bytes != b'alive':
                    return [frames[0].bytes, header, *frames[2:]]
                if header.get('waits') and heard - warned > self._patience:
                    warned = heard
                    self._patience *= 2         # less often where steps take long
                    logging.warning('This session waits since %d seconds for %s, where %s.',
                                    heard - began, self.name, header['waits'])
                continue
            if events:
                self._look_at_events(known)
            if deadlines:
                check_deadline()
            now = time.monotonic()
            silent = now - (heard if self.connected else began)
            if silent > _PATIENCE and now - warned > _PATIENCE:
                warned = now
                logging.warning(
                    'This session waits for %s at %s since %d seconds.%s',
                    self.name.removesuffix(f' at {self.address}'), self.address, silent,
                    '' if self.connected else ' Is it started? Besides train_and_evaluate, a '
                    'program starts its own tf.train.Server.')
            if self.connected and now - heard > _SILENCE:
                raise _unavailable(self, f'has not answered for {_SILENCE:.0f} seconds')

    def _look_at_events(self, known: bool) -> None:
        from zmq.utils.monitor import recv_monitor_message  # optional package
        zmq = self._zmq
        while self._monitor.poll(0):
            event = recv_monitor_message(self._monitor)['event']
            if event == zmq.EVENT_CONNECTED:
                self._tcp = True
            elif event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self.connected, self._refused = True, 0
            elif event == zmq.EVENT_DISCONNECTED and self.connected:
                self.connected = self._tcp = False
                if not self.socket.poll(0):
                    raise _unavailable(self, 'has ended, or its machine cannot be reached')
            elif event == zmq.EVENT_CONNECT_RETRIED and not self._tcp:
                if known:
                    raise _unavailable(self, 'is not there any more')
            else:                               # connected, and then no greeting
                self._refused += self._tcp and not self.connected
                self._tcp = False
                if self._refused > 2 or event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL:
                    raise errors.UnauthenticatedError(None, None, report(
                        f'{self.name} at {self.address} answers, but refuses the connection',
                        hint=f'the environment of all tasks has the same {transport.KEY}, or '
                             'none; and the address is that of a tinyflow server?'))


def _unavailable(connection: Connection, what: str) -> Exception:
    return errors.UnavailableError(None, None, report(
        f'{connection.name} at {connection.address} {what}',
        hint='a new Session waits until the task is there again; '
             'tf.train.MonitoredTrainingSession makes one and restores the last checkpoint.'))


class _Call:
    """A message that was sent; `connection` is None once its answer was waited for."""

    __slots__ = ('connection', 'number')

    def __init__(self, connection: Connection, number: int) -> None:
        self.connection: Connection | None = connection
        self.number = number


class RemotePeer:
    """A task of another process."""

    in_process = False

    def __init__(self, task: Task, address: str, session: str,
                 cluster: dict[str, Any] | None = None, sender: str = 'this session') -> None:
        self.task, self.address, self.session = task, address, session
        self._free: list[Connection] = []
        self.incarnation = 0
        try:
            header = self._ask(b'hello', {'version': VERSION, 'cluster': cluster, 'from': sender,
                                          's': session})[0]
        except BaseException:
            self.close()
            raise
        self.incarnation = header['i']
        self.hello = header

    # ---- connections -------------------------------------------------------------------------

    def _connection(self) -> Connection:
        try:
            return self._free.pop()
        except IndexError:
            return Connection(self.address, str(self.task))

    def _begin(self, kind: bytes, header: dict[str, Any], arrays: Sequence[Any] = (),
               number: int = 0) -> _Call:
        header['n'] = number = number or next(_numbers)
        header['i'] = self.incarnation
        frames = encoded(kind, header, arrays) if kind != b'register' else \
            [*encoded(kind, header), *arrays]
        connection = self._connection()
        try:
            connection.send(frames)
        except BaseException:
            connection.close()
            raise
        return _Call(connection, number)

    def _end(self, call: _Call) -> tuple[dict[str, Any], list]:
        connection: Any = call.connection
        call.connection = None              # closed, or free for other calls
        try:
            status, header, *frames = connection.wait(call.number, bool(self.incarnation))
        except BaseException:
            connection.close()
            raise
        self._free.append(connection)
        if status != b'ok':
            raise from_plain(header['error'])
        return header, decoded(header, [frame.buffer for frame in frames])

    def _ask(self, kind: bytes, header: dict[str, Any],
             arrays: Sequence[Any] = ()) -> tuple[dict[str, Any], list]:
        return self._end(self._begin(kind, header, arrays))

    # ---- what a session asks -----------------------------------------------------------------

    def register(self, key: str, shipped: Shipped, route: Route) -> None:
        self._ask(b'register', {
            's': self.session, 'k': key,
            'names': [shipped.feeds, shipped.fetches, shipped.targets],
            'route': [route.ins, route.sent, list(route.kept.items()), route.drops]},
            [shipped.graph_def])

    def start(self, key: str, step: int, arrays: Sequence[np.ndarray], milliseconds: int) -> Any:
        header: dict[str, Any] = {'s': self.session, 'k': key}
        if milliseconds:
            header['ms'] = milliseconds
        return self._begin(b'run', header, arrays, step)

    def finish(self, started: Any) -> list:
        return self._end(started)[1]

    def cancel(self, step: int, started: Any) -> None:
        """Ends a run that was given up, and frees what it has kept."""
        frames = encoded(b'cancel', {'s': self.session, 'step': step, 'n': 0,
                                     'i': self.incarnation})
        try:
            given_up = None if started is None else started.connection
            if given_up is not None:            # it arrives there after the run itself
                given_up.send(frames)
                given_up.close(_LAST_WORDS)
            connection = self._connection()     # as long as there is one, the session lives
            connection.send(frames)
            self._free.append(connection)
        except Exception:                               # noqa: BLE001 - the task is gone
            pass

    def values(self, names: Sequence[tuple[str, str]]) -> list[np.ndarray | None]:
        found = self._ask(b'values', {'s': self.session, 'names': list(names)})[1]
        return [None if array is None else array.copy() for array in found]

    def set_values(self, pairs: Iterable[tuple[tuple[str, str], np.ndarray]]) -> None:
        pairs = list(pairs)
        self._ask(b'set_values', {'s': self.session, 'names': [name for name, _ in pairs]},
                  [array for _, array in pairs])

    def positions(self) -> tuple[dict[str, Any], dict[str, str]]:
        header, found = self._ask(b'positions', {'s': self.session})
        return decode(found[0][()]), header['lost']

    def set_positions(self, positions: dict[str, Any]) -> None:
        self._ask(b'set_positions', {'s': self.session},
                  [boxed(encode(positions), np.dtype(object))])

    def close(self) -> None:
        """Tells the task that the session has ended; does not wait for it."""
        if self._free:
            connection = self._free.pop()
            with suppress(errors.OpError):      # it has ended, or has another key by now
                connection.send(
                    encoded(b'close', {'s': self.session, 'n': 0, 'i': self.incarnation}))
            connection.close(_LAST_WORDS)
        while self._free:
            self._free.pop().close()


def ask_once(address: str, kind: bytes, header: dict[str, Any]) -> dict[str, Any]:
    """The answer of the task at an address to one message."""
    connection = Connection(address, f'the server at {address}')
    try:
        header['n'] = number = next(_numbers)
        connection.send(encoded(kind, header))
        status, answer = connection.wait(number, False)[:2]
    finally:
        connection.close()
    if status != b'ok':
        raise from_plain(answer['error'])
    return answer
