"""Opens a tf.Session whose target is a server: tf.Session('grpc://host:port')."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tinyflow.cluster import client, transport
from tinyflow.cluster.cluster_programs import ClusterPrograms
from tinyflow.cluster.cluster_spec import addresses
from tinyflow.cluster.messages import VERSION
from tinyflow.cluster.named_store import Containers, NamedStore, SessionStates, is_shared, key_of
from tinyflow.cluster.peers import LocalPeer, Peer
from tinyflow.cluster.server import IN_PROCESS, Server
from tinyflow.cluster.serving import check_same
from tinyflow.cluster.tasks import Task, parts_of
from tinyflow.compiler.compile import Options
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import DeadlineExceededError, misuse, op_error
from tinyflow.graph.support.waits import deadline

__all__ = ['open_session', 'reset', 'stages_of']


class _Cluster:
    """The cluster of the server at an address, seen from this process."""

    def __init__(self, address: str, filters: Iterable[str]) -> None:
        server = IN_PROCESS.get(transport.canonical(address))
        self.service = None if server is None else server.service
        if server is None:
            answer = client.ask_once(address, b'hello', {'version': VERSION})
            self.own = Task(*answer['task'])
            spec = {job: {int(i): where for i, where in tasks.items()}
                    for job, tasks in answer['cluster'].items()}
            spec[self.own.job][self.own.index] = address
        else:
            self.own = server.service.task
            spec = addresses(server.cluster)
        # As in a message, whose names are strings.
        self._spec = {job: {str(i): where for i, where in tasks.items()}
                      for job, tasks in spec.items()}
        self.addresses = {Task(job, index): where for job, tasks in spec.items()
                           for index, where in tasks.items()}
        self.tasks = [task for task in self.addresses if _passes(task, self.own, filters)]

    def connect(self, task: Task, session: str) -> Peer:
        address = self.addresses[task]
        server: Server | None = IN_PROCESS.get(transport.canonical(address))
        if server is not None and server.service.task == task:
            check_same(server, self._spec, self.own)
            return LocalPeer(server.service, session)
        return client.RemotePeer(task, address, session, self._spec, str(self.own))


def _passes(task: Task, own: Task, filters: Iterable[str]) -> bool:
    """Whether ConfigProto.device_filters let a session see a task; it always sees its own."""
    filters = list(filters)
    if not filters or task == own:
        return True
    for text in filters:
        job, index = parts_of(text)
        if job in (None, task.job) and index in (None, task.index):
            return True
    return False


class _ClusterStore(NamedStore):
    """The values of Variables, where the session's placement says they are."""

    def __init__(self, programs: _Programs) -> None:
        service = programs.cluster.service
        if service is None:
            super().__init__(Containers(), SessionStates())
        else:
            session = service._session(programs.session)
            super().__init__(service.containers, session.states)
            session.stores.append(self)
        self._programs = programs

    def _peers(self, operations: Iterable[Operation]) -> dict[Peer, list[int]]:
        operations = list(operations)
        programs = self._programs
        placement = programs.place()
        found: dict[Peer, list[int]] = {}
        for i, operation in enumerate(operations):
            found.setdefault(programs.peer(placement.task(operation)), []).append(i)
        return found

    def values(self, variables: Iterable[Any]) -> list[np.ndarray | None]:
        operations = [v.op for v in variables]
        result: list[np.ndarray | None] = [None] * len(operations)
        for peer, indices in self._peers(operations).items():
            values = peer.values([key_of(operations[i]) for i in indices])
            for i, value in zip(indices, values):
                result[i] = value
        return result

    def set_values(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        checked = []
        for variable, value in pairs:
            array = np.array(value, dtype=variable.dtype.base_dtype.as_numpy_dtype, order='C')
            if not variable.shape.is_compatible_with(array.shape):
                raise misuse(ValueError(f"Variable '{variable.name}' has shape {variable.shape}, "
                                        f'the new value {array.shape}.'))
            checked.append((variable.op, array))
        for peer, indices in self._peers([op for op, _ in checked]).items():
            peer.set_values([(key_of(checked[i][0]), checked[i][1]) for i in indices])

    def state(self, operation: Operation) -> Any:
        if is_shared(operation):
            task = self._programs.place().task(operation)
            if task != self._programs.cluster.own or self._programs.cluster.service is None:
                return _Elsewhere()
        return super().state(operation)

    def positions(self) -> tuple[dict[str, Any], dict[str, str]]:
        found: dict[str, Any] = {}
        lost: dict[str, str] = {}
        for peer in self._programs.all_peers():
            more, less = peer.positions()
            found.update(more)
            lost.update(less)
        return found, lost

    def set_positions(self, positions: dict[str, Any]) -> None:
        for peer in self._programs.all_peers():
            peer.set_positions(positions)


class _Elsewhere:
    """Stands for the state of a queue on another task."""

    def mark_started(self) -> None:
        """A queue runner of this process is about to fill it."""


class _Programs(ClusterPrograms):
    """A session's programs, with its target."""

    def __init__(self, target: str, graph: Graph, options: Options, cluster: _Cluster,
                 log_placement: bool) -> None:
        super().__init__(graph, options, cluster, log_placement)
        self.target = target.encode()
        if self.store is None:
            self.store = self._new_store()

    def _new_store(self) -> _ClusterStore:
        return _ClusterStore(self)

    def devices(self) -> list[tuple[str, int]]:
        """(name, incarnation) of the CPU of each task; 0 for a task not heard of yet."""
        known = {peer.task: getattr(peer, 'incarnation', 0) for peer in self._peers.values()}
        if self.cluster.service is not None:
            known[self.cluster.own] = self.cluster.service.incarnation
        return [(task.device, known.get(task, 0)) for task in self.cluster.tasks]


def open_session(target: Any, graph: Graph, config: Any, options: Options) -> _Programs:
    """What a tf.Session with this target runs its programs with."""
    address = transport.address_of(target)
    cluster = _found_cluster(address, config)
    return _Programs(f'grpc://{address}', graph, options, cluster,
                     config is not None and config.log_device_placement)


def _found_cluster(address: str, config: Any) -> _Cluster:
    """The cluster; DeadlineExceededError after the config's operation_timeout_in_ms."""
    if config is None or config.operation_timeout_in_ms <= 0:
        return _Cluster(address, () if config is None else config.device_filters)
    milliseconds = config.operation_timeout_in_ms
    with deadline(milliseconds):
        try:
            return _Cluster(address, config.device_filters)
        except DeadlineExceededError:
            raise misuse(op_error(
                DeadlineExceededError,
                f'No server has answered at {address} in {milliseconds} ms, the '
                'operation_timeout_in_ms of this session.',
                'is the program with tf.train.Server started there?')) from None


def reset(target: Any, containers: Iterable[str] | None, config: Any) -> None:
    """Ends the sessions of a cluster's tasks and forgets what is in the containers, or in all.

    The tasks are those that a session of the same target and ConfigProto would see.
    """
    cluster = _found_cluster(transport.address_of(target), config)
    names = [str(name) for name in containers or ()]
    for task in cluster.tasks:
        address = cluster.addresses[task]
        server = IN_PROCESS.get(transport.canonical(address))
        if server is not None:
            server.service.reset(names)
        else:
            client.ask_once(address, b'reset', {'containers': names})


def stages_of(session: Any, call: Any, feed_dict: Any) -> Any:
    """The stages of what a session runs; see picture.py."""
    from tinyflow.cluster.picture import Stages  # start-up time
    return Stages(session, call, feed_dict)
