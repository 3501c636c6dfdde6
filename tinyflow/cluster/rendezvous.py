"""The meeting point of processes that were started apart: python rendezvous.py HOST:PORT N

Worker 0 of TF_CONFIG starts this server as a child, since MPI holds a whole process until all of
its world are there. Two kinds of connections come to the one address:

    hello {...}     of a worker, kept to its end: who it is, and which cluster it believes in. The
                    answers are `go` once all N are there, `refused`, `missing` while some are not,
                    `turned_away` when another was refused, and `ended` when one has died; a worker
                    that ends as it should says `bye`.
    cmd=...         PMI-1, the published protocol in which MPICH's processes find each other; the
                    server does here what mpiexec does elsewhere.

Only the standard library is used: the file runs as a script, within a few milliseconds.
"""
from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time

PROTOCOL = 2
PATIENCE = 10.0         # seconds after which those who wait hear for whom
_GRACE = 10.0           # seconds that the others have to end after a death


class Rendezvous:
    """Who is there, and what MPI's processes have published."""

    def __init__(self, size):
        self.size = size
        # MPI names its shared memory after it: no two jobs on a machine may have the same.
        self.name = f'tinyflow_{os.getpid()}_{time.time_ns()}'
        self.changed = threading.Condition()
        self.members = {}               # rank -> (its hello, its connection)
        self.seen = 0                   # workers that were ever admitted
        self.values = {}                # PMI's keys
        self.waiting, self.round = 0, 0         # of PMI's barrier
        self.ended = None               # (rank, reason) of the first death
        self.pmi = set()                # PMI connections

    # ---- members -------------------------------------------------------------------------

    def member(self, connection, lines, hello):
        """Serves the connection of one worker until it ends."""
        problem = self._admit(hello, connection)
        if problem:
            send(connection, 'refused', problem)
            return
        rank, reason, orderly = hello['rank'], 'its process is gone without a word', False
        try:
            for line in lines:
                kind, _, text = line.partition(' ')
                if kind == 'bye':
                    orderly = True
                elif kind == 'failed':
                    reason = json.loads(text)
        except OSError:
            pass
        with self.changed:
            del self.members[rank]
            if not orderly and self.ended is None:
                self.ended = rank, reason
                self._tell('ended', {'rank': rank, 'pid': hello['pid'], 'host': hello['host'],
                                     'reason': reason})
                for other in self.pmi:          # frees those who wait inside MPI
                    _shut(other)
            self.changed.notify_all()

    def _admit(self, hello, connection):
        """Adds a worker; the text of the error if it does not belong here."""
        with self.changed:
            other = next((known for known, _ in self.members.values()), None)
            problem = self._misfit(hello, other)
            if not problem:
                self.members[hello['rank']] = hello, connection
                self.seen += 1
                if len(self.members) == self.size:
                    self._tell('go', None)
                self.changed.notify_all()
            else:
                self._tell('turned_away', problem)      # those who wait for it hear why
            return problem

    def _misfit(self, hello, other):
        """Why a worker cannot join; None if it can."""
        me = _who(hello)
        if self.ended:
            return f'worker {self.ended[0]} has ended; the whole job has to be started again'
        for what, meaning in (('protocol', 'the protocol'), ('version', 'tinyflow'),
                              ('mpi', 'mpi4py and MPI')):
            if other is not None and hello[what] != other[what]:
                return (f'{me} has version {hello[what]} of {meaning}, {_who(other)} has '
                        f'{other[what]}')
        if other is not None and hello['cluster'] != other['cluster']:
            return (f'{me} knows the workers {", ".join(hello["cluster"])}, {_who(other)} '
                    f'knows {", ".join(other["cluster"])}')
        if len(hello['cluster']) != self.size:
            return (f'{me} knows {len(hello["cluster"])} workers, '
                    f'{", ".join(hello["cluster"])}; here {self.size} are expected')
        if hello['rank'] in self.members:
            return (f'two processes are worker {hello["rank"]}: '
                    f'{_who(self.members[hello["rank"]][0])} was first, {me} came second')
        return None

    def _tell(self, kind, data):
        for _, connection in self.members.values():
            send(connection, kind, data)

    def tell_who_is_missing(self):
        """Every 10 seconds while not all are there."""
        start = time.monotonic()
        with self.changed:
            while self.seen < self.size and not self.ended:
                self.changed.wait(max(0.05, start + PATIENCE - time.monotonic()))
                if time.monotonic() - start >= PATIENCE and self.seen < self.size:
                    start = time.monotonic()
                    self._tell('missing', sorted(set(range(self.size)) - set(self.members)))

    def wait_for_the_end(self, orphaned):
        """Returns when all workers have gone, or none came and `orphaned` is set."""
        with self.changed:
            while True:
                # MPI says goodbye last, while the process exits.
                if not self.members and not self.pmi and (
                        self.seen == self.size or self.ended or orphaned.is_set()):
                    return
                if not self.changed.wait(_GRACE if self.ended else 1.0) and self.ended:
                    return

    # ---- PMI-1 ---------------------------------------------------------------------------

    def serve_mpi(self, connection, lines, first):
        """Answers the PMI-1 requests of one process."""
        with self.changed:
            self.pmi.add(connection)
        line = first
        try:
            while line is not None:
                request = dict(word.partition('=')[::2] for word in line.split())
                answer = self._answer(request)
                if answer:
                    connection.sendall(answer.encode())
                if request.get('cmd') in ('finalize', 'abort'):
                    break
                line = next(lines, None)
        except (KeyError, OSError):
            pass                                # it has ended, or is no process of MPI
        with self.changed:
            self.pmi.discard(connection)
            self.changed.notify_all()

    def _answer(self, request):
        command = request.get('cmd')
        if command == 'initack':
            return (f'cmd=initack\ncmd=set size={self.size}\ncmd=set rank={request["pmiid"]}\n'
                    'cmd=set debug=0\n')
        if command == 'put':
            with self.changed:
                self.values[request['key']] = request['value']
            return 'cmd=put_result rc=0 msg=success\n'
        if command == 'get':
            with self.changed:
                value = self.values.get(request['key'])
            return f'cmd=get_result rc=0 msg=success value={value}\n' if value is not None else \
                'cmd=get_result rc=-1 msg=key_not_found value=unknown\n'
        if command == 'barrier_in':
            self._barrier()
        return _FIXED.get(command, '').format(size=self.size, name=self.name)

    def _barrier(self):
        with self.changed:
            mine = self.round
            self.waiting += 1
            if self.waiting == self.size:
                self.waiting, self.round = 0, mine + 1
                self.changed.notify_all()
            self.changed.wait_for(lambda: self.round > mine or self.ended)


_FIXED = {
    'init': 'cmd=response_to_init pmi_version=1 pmi_subversion=2 rc=0\n',
    'get_maxes': 'cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=4096 rc=0\n',
    'get_appnum': 'cmd=appnum appnum=0 rc=0\n',
    'get_my_kvsname': 'cmd=my_kvsname kvsname={name} rc=0\n',
    'get_universe_size': 'cmd=universe_size size={size} rc=0\n',
    'barrier_in': 'cmd=barrier_out rc=0\n',
    'finalize': 'cmd=finalize_ack rc=0\n',
}


def _who(hello):
    return f'worker {hello["rank"]} (pid {hello["pid"]} on {hello["host"]})'


def send(connection, kind, data=None):
    """Sends one line; nothing where the other side has gone."""
    try:
        connection.sendall(f'{kind} {json.dumps(data)}\n'.encode())
    except OSError:
        pass


def _shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _lines(connection):
    """The lines that arrive, each at most 1 MB; ends with the connection."""
    with connection.makefile('rb') as file:
        while True:
            try:
                line = file.readline(1 << 20)
            except OSError:
                return
            if not line.endswith(b'\n'):
                return
            yield line.decode('utf-8', 'replace').strip()


def _serve(rendezvous, connection):
    with connection:
        lines = _lines(connection)
        first = next(lines, '')
        if first.startswith('hello '):
            try:
                hello = {'version': 'unknown', 'mpi': 'unknown', 'protocol': 0,
                         **json.loads(first[6:])}
                hello['rank'], hello['pid'], hello['host'], list(hello['cluster'])
            except (ValueError, KeyError, TypeError):
                return                                  # not one of us
            rendezvous.member(connection, lines, hello)
        elif first.startswith('cmd='):
            rendezvous.serve_mpi(connection, lines, first)


def _accept(rendezvous, listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_serve, args=(rendezvous, connection), daemon=True).start()


def listen(address):
    """A listening socket at 'host:port'."""
    host, _, port = address.rpartition(':')
    family, kind, _, _, place = socket.getaddrinfo(host.strip('[]'), int(port),
                                                   type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(place)
    listener.listen(1024)
    return listener


def main(address, size):
    """Serves until all workers have ended. The first line of output is `ready`, or what failed."""
    try:
        listener = listen(address)
    except (OSError, ValueError) as error:
        print(f'failed {error}', flush=True)
        return 1
    print('ready', flush=True)
    rendezvous = Rendezvous(size)
    orphaned = threading.Event()

    def watch_parent():                 # its end closes our input, however it ends
        sys.stdin.buffer.read()
        orphaned.set()
    for task, arguments in ((watch_parent, ()), (rendezvous.tell_who_is_missing, ()),
                            (_accept, (rendezvous, listener))):
        threading.Thread(target=task, args=arguments, daemon=True).start()
    rendezvous.wait_for_the_end(orphaned)
    return 0


if __name__ == '__main__':
    status = main(sys.argv[1], int(sys.argv[2]))
    os._exit(status)                    # threads of it may still read
