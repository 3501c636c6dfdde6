"""Brings processes that were started apart to the rendezvous, and hears there of deaths.

`meet` returns when all workers of TF_CONFIG are there; MPI may then be imported. The connection
stays open: its end means the death of this process to the others.
"""
from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from importlib import metadata
from pathlib import Path

from tinyflow.cluster import rendezvous
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import UnavailableError, misuse
from tinyflow.graph.support.version import TINYFLOW_VERSION

__all__ = ['Meeting', 'meet']

_AGAIN = 0.05           # seconds between two attempts to reach worker 0
_LAST_WORDS = 3.0       # seconds that a program has to end by itself after a death


class Meeting:
    """The connection to the rendezvous. `ended` is the text of the first death."""

    def __init__(self, connection, lines, members, server):
        self._connection, self._lines, self._server = connection, lines, server
        self._members = members
        self.ended, self._leaving = None, False
        threading.Thread(target=self._listen, name='rendezvous', daemon=True).start()

    def _listen(self):
        for line in self._lines:
            kind, _, text = line.partition(' ')
            if kind == 'ended':
                self._end(_death(json.loads(text), len(self._members.addresses)))
                return
        if not self._leaving:
            self._end(f'the rendezvous at {self._members.addresses[0]} has gone, and worker 0 '
                      'with it')

    def _end(self, text):
        """The program gets UnavailableError where it waits; if it does not wait, it is ended."""
        self.ended = text
        time.sleep(_LAST_WORDS)
        if not self._leaving:
            print(f'{text}; all stop.', file=sys.stderr, flush=True)
        os._exit(1)

    def fail(self, reason):
        """Tells the others why this process ends."""
        rendezvous.send(self._connection, 'failed', reason)

    def leave(self):
        """Says goodbye: this process has ended as it should."""
        self._leaving = True
        rendezvous.send(self._connection, 'bye')
        try:
            self._connection.shutdown(socket.SHUT_WR)
            self._connection.close()
        except OSError:
            pass
        if self._server is not None:
            self._server.stdin.close()


def _death(data, size):
    return (f'worker {data["rank"]} of {size} (pid {data["pid"]} on {data["host"]}) has ended: '
            f'{data["reason"]}')


def meet(members):
    """The Meeting of all workers of a Membership; returns when all are there.

    Raises UnavailableError for an address that cannot be used, ValueError if the others know
    another cluster, have other versions, or one of them has the same index.
    """
    server = _start_server(members) if members.rank == 0 else None
    try:
        connection = _connect(members)
        try:
            return _meet(members, connection, server)
        except BaseException:
            connection.close()
            raise
    except BaseException:
        if server is not None:
            server.stdin.close()        # as when this process ends: it tells the others, and ends
        raise


def _meet(members, connection, server):
    rendezvous.send(connection, 'hello', {
        'protocol': rendezvous.PROTOCOL, 'rank': members.rank, 'cluster': members.addresses,
        'version': TINYFLOW_VERSION, 'mpi': _versions(), 'pid': os.getpid(),
        'host': socket.gethostname()})
    lines = rendezvous._lines(connection)
    for line in lines:
        kind, _, text = line.partition(' ')
        if kind not in ('go', 'refused', 'missing', 'turned_away', 'ended'):
            break                               # another program has this port
        data = json.loads(text)
        if kind == 'go':
            # As mpiexec hands it over: MPI finds the others through this descriptor.
            for_mpi = _connect(members).detach()
            os.environ.update(PMI_FD=str(for_mpi), PMI_RANK=str(members.rank),
                              PMI_SIZE=str(len(members.addresses)))
            return Meeting(connection, lines, members, server)
        if kind == 'refused':
            raise misuse(ValueError(f'The cluster refuses this process: {data}.\n  Hint: each '
                                    'process needs the same "cluster" in TF_CONFIG, an "index" of '
                                    'its own, and the same versions.'))
        if kind == 'missing':
            names = ', '.join(f'{rank} ({members.addresses[rank]})' for rank in data)
            logging.warning('Worker %d waits at %s for the workers %s.', members.rank,
                            members.addresses[0], names)
        elif kind == 'turned_away':
            logging.warning('Worker %d waits at %s, where a process was refused: %s.',
                            members.rank, members.addresses[0], data)
        elif kind == 'ended':
            raise _unavailable(_death(data, len(members.addresses)))
    raise _unavailable(
        f'what answers at {members.addresses[0]} is no worker 0 of tinyflow, or it has ended',
        'the first address of TF_CONFIG must be a free port of the machine of worker 0.')


def _unavailable(problem, hint=None):
    text = f'{problem}.' + (f'\n  Hint: {hint}' if hint else '')
    return misuse(UnavailableError(None, None, text))


def _versions():
    return ' and '.join(f'{name} {_version(name)}' for name in ('mpi4py', 'mpich'))


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return 'of the system'


def _start_server(members):
    """The rendezvous as a child process, listening at the address of worker 0."""
    address = members.addresses[0]
    _check_address(address)
    # A session of its own: Ctrl-C at the terminal must not end it before the workers.
    server = subprocess.Popen(
        [sys.executable, '-I', '-S', str(Path(rendezvous.__file__)), address,
         str(len(members.addresses))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    answer = server.stdout.readline().decode('utf-8', 'replace').strip()
    server.stdout.close()
    if answer != 'ready':
        server.kill()
        server.wait()
        server.stdin.close()
        raise _unavailable(
            f'{members.task} cannot listen at its address {address}, which is the first worker of '
            f'TF_CONFIG: {answer.removeprefix("failed ") or "the rendezvous has ended"}',
            'choose a free port of this machine; another process has this one, maybe '
            'an earlier run, or a second one with the index 0.')
    return server


def _check_address(address):
    host, colon, port = address.rpartition(':')
    if not colon or not host or not port.isdigit():
        raise misuse(ValueError(f'The address {address!r} of TF_CONFIG is not of the form '
                                'host:port.\n  Hint: "host0:2222".'))


def _connect(members):
    """A connection to worker 0, for which it waits; every 10 seconds it says so."""
    address = members.addresses[0]
    _check_address(address)
    host, _, port = address.rpartition(':')
    said, reason = time.monotonic(), ''
    while True:
        try:
            connection = socket.create_connection((host.strip('[]'), int(port)), timeout=5.0)
            if connection.getsockname() != connection.getpeername():    # TCP may meet itself
                connection.settimeout(None)
                return connection
            connection.close()
        except socket.gaierror as error:
            raise _unavailable(
                f'{members.task} does not find the host of worker 0, {address}: {error.strerror}',
                'the first address of TF_CONFIG must be one that all workers can reach.') from None
        except OSError as error:
            reason = error.strerror or str(error)
        if time.monotonic() - said > rendezvous.PATIENCE:
            said = time.monotonic()
            logging.warning('Worker %d waits for worker 0 at %s: %s.', members.rank, address,
                            reason)
        time.sleep(_AGAIN)
