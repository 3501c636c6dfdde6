"""ProcessGroup: the workers that compute together, and what they exchange by MPI.

`process_group()` joins the group of this process once; a process that no one else belongs to gets
a `Group` of one, without MPI. All calls are collective: every worker makes the same ones in
the same order. They wait without using the processor, can be interrupted, and raise
UnavailableError when another worker has ended.
"""
from __future__ import annotations

import atexit
import ctypes
import os
import sys
import time

import numpy as np

from tinyflow.cluster import membership
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import UnavailableError, misuse
from tinyflow.graph.support.waits import may_wait

__all__ = ['Group', 'process_group']

_BRIEF = 1e-3           # seconds for which the processor is only offered to others
_NAP = 50e-6            # seconds between two looks at a transfer; MPI moves data meanwhile
_LONG_NAP = 1e-3        # after _SOON seconds: others compute
_SOON = 0.2
_PATIENCE = 10.0        # seconds after which those who wait say for whom
_GRACE = 1.0            # seconds for what is under way when a worker says that it has ended

_LEFT, _WAITING = 1, 2          # messages between two workers, on a communicator of their own

# The order of a sum decides its last bits, so the algorithm does not depend on MPI's version or
# the number of processes on a machine. These are read when MPI starts.
_ALGORITHMS = {
    'MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM': 'sched_reduce_scatter_allgather',
    'MPIR_CVAR_IALLREDUCE_DEVICE_COLLECTIVE': '0',
}


class Group:
    """A group of one worker, which has nothing to exchange."""

    rank, size = 0, 1

    def all_reduce(self, array, out, op='sum', what=''):
        """Writes the sum (min, max, prod) of all workers' arrays into `out`, of the same shape."""
        if out is not array:
            out[...] = array

    def broadcast(self, array, what=''):
        """Fills the array of every worker with that of worker 0."""

    def all_gather(self, array, what=''):
        """[array of each worker], of one dtype; the shapes may differ in dimension 0."""
        return [array]

    def barrier(self, what=''):
        """Returns when all workers are there."""

    def all_gather_bytes(self, data, what=''):
        """[bytes of each worker]."""
        found = self.all_gather(np.frombuffer(data, np.uint8), what)
        return [part.tobytes() for part in found]

    def broadcast_bytes(self, data, what=''):
        """The bytes of worker 0; `data` of the others is not used."""
        size = np.array([len(data)], np.int64)
        self.broadcast(size, what)
        buffer = np.frombuffer(data, np.uint8).copy() if self.rank == 0 else \
            np.empty(int(size[0]), np.uint8)
        self.broadcast(buffer, what)
        return buffer.tobytes()


class MPIGroup(Group):
    """The workers of an MPI world."""

    def __init__(self, mpi, meeting=None):
        self._mpi, self._meeting = mpi, meeting
        self._world = mpi.COMM_WORLD.Dup()
        self._talk = mpi.COMM_WORLD.Dup()
        self.rank, self.size = self._world.rank, self._world.size
        self._ops = {'sum': mpi.SUM, 'min': mpi.MIN, 'max': mpi.MAX, 'prod': mpi.PROD}
        self._count = 0                         # collective calls so far, the same on all workers
        self._left = {}                         # rank -> when this process heard that it has ended
        self._at = {}                           # rank -> the number of the call at which it waits
        self._sent = []

    # ---- collective calls ----------------------------------------------------------------

    def all_reduce(self, array, out, op='sum', what=''):
        if array.dtype.kind == 'b':
            if op not in ('min', 'max'):
                raise misuse(TypeError(f'{what}: values of type bool have no {op}.'))
            return self.all_reduce(array.view(np.uint8), out.view(np.uint8), op, what)
        if array.dtype.kind not in 'fciu' or array.dtype.itemsize == 2 and array.dtype.kind == 'f':
            wide = array.astype(np.float32)             # float16, bfloat16: MPI has no sum of them
            self.all_reduce(wide, wide, op, what)
            out[...] = wide.astype(out.dtype)
            return None
        source = self._mpi.IN_PLACE if out is array else np.ascontiguousarray(array)
        self._wait(self._world.Iallreduce(source, out, self._ops[op]), what)
        return None

    def broadcast(self, array, what=''):
        self._wait(self._world.Ibcast(_as_bytes(array), 0), what)

    def all_gather(self, array, what=''):
        rows = np.zeros(self.size, np.int64)
        rows[self.rank] = array.shape[0]
        self.all_reduce(rows, rows, what=what)
        width = int(np.prod(array.shape[1:], dtype=np.int64)) * array.dtype.itemsize
        result = np.empty((int(rows.sum()), *array.shape[1:]), array.dtype)
        counts = [int(n) * width for n in rows]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).tolist()
        self._wait(self._world.Iallgatherv(
            _as_bytes(np.ascontiguousarray(array)),
            [_as_bytes(result), counts, starts, self._mpi.BYTE]), what)
        return np.split(result, np.cumsum(rows)[:-1])

    def barrier(self, what=''):
        self._wait(self._world.Ibarrier(), what)

    # ---- waiting -------------------------------------------------------------------------

    @may_wait
    def _wait(self, request, what):
        """Returns when the request is complete. UnavailableError if a worker has ended."""
        self._count += 1
        if request.Test():
            return
        start = time.monotonic()
        look, said = start + 0.1, 0
        while not request.Test():
            now = time.monotonic()
            if now >= look:
                look = now + 0.1
                self._look_for_the_dead(now, what)
                if now - start > _PATIENCE * (said + 1):
                    said += 1
                    self._say_for_whom(now - start, what, said)
            time.sleep(0 if now - start < _BRIEF else _NAP if now - start < _SOON else _LONG_NAP)

    def _look_for_the_dead(self, now, what):
        if self._meeting is not None and self._meeting.ended:
            raise _unavailable(self._meeting.ended, self.rank, what)
        self._hear(now)
        for rank, since in self._left.items():
            if now - since > _GRACE:
                raise _unavailable(
                    f'worker {rank} of {self.size} has ended its program', self.rank, what,
                    'all workers must run the same steps: none may leave its loop before the '
                    'others.')

    def _hear(self, now):
        """Takes the messages of other workers."""
        status = self._mpi.Status()
        while self._talk.Iprobe(status=status):
            buffer = np.empty(1, np.int64)
            self._talk.Recv(buffer, status.source, status.tag)
            if status.tag == _LEFT:
                self._left[status.source] = now
            else:
                self._at[status.source] = int(buffer[0])

    def _say_for_whom(self, seconds, what, said):
        """Tells the others that this worker waits, and the user for which it does."""
        self._tell(_WAITING, self._count)
        if said == 1:
            time.sleep(0.2)                     # for theirs to arrive
        self._hear(time.monotonic())
        absent = [rank for rank in range(self.size)
                  if rank != self.rank and self._at.get(rank, -1) < self._count]
        if absent:
            logging.warning(
                'Worker %d has waited %.0f s at %s for worker %s, which computes something else.',
                self.rank, seconds, what, ', '.join(map(str, absent)))

    def _tell(self, tag, number):
        message = np.array([number], np.int64)
        for rank in range(self.size):
            if rank != self.rank:
                self._sent.append((self._talk.Isend(message, rank, tag), message))

    # ---- the end -------------------------------------------------------------------------

    def leave(self):
        """Waits for all others to end, and leaves MPI. Called when the program has ended."""
        self._tell(_LEFT, 0)
        request, start, said = self._talk.Ibarrier(), time.monotonic(), 0
        while not request.Test():
            self._hear(time.monotonic())
            if self._meeting is not None and self._meeting.ended:
                time.sleep(60)                  # the meeting ends this process
            if time.monotonic() - start > _PATIENCE * (said + 1):
                said += 1
                absent = sorted(set(range(self.size)) - set(self._left) - {self.rank})
                logging.warning('Worker %d has ended its program and waits for worker %s.',
                                self.rank, ', '.join(map(str, absent)))
            time.sleep(_LONG_NAP)
        for sent, _ in self._sent:
            sent.Wait()
        self._mpi.Finalize()
        if self._meeting is not None:
            self._meeting.leave()

    def abort(self, reason):
        """Ends all workers."""
        if self._meeting is not None:
            self._meeting.fail(reason)
        self._world.Abort(1)


def _as_bytes(array):
    """The memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8)


def _unavailable(problem, rank, what, hint=None):
    text = f'{problem}; worker {rank} waits for it at {what}.'
    return misuse(UnavailableError(None, None, text + (f'\n  Hint: {hint}' if hint else '')))


# ---- joining -------------------------------------------------------------------------------------

_group: list[Group] = []


def process_group():
    """The group of this process, which it joins at the first call.

    A launcher such as mpiexec decides, else TF_CONFIG, else the process is alone. Raises
    UnavailableError and ValueError as `meeting.meet` does, ImportError without the extra `cluster`.
    """
    if not _group:
        _group.append(_join())
    return _group[0]


def _join():
    if membership.started_by_mpi():
        meeting, mpi = None, _mpi()
    else:
        members = membership.of_environment()
        if len(members.addresses) == 1:
            return Group()
        _need_package()
        from tinyflow.cluster.meeting import meet  # start-up time
        meeting = meet(members)
        mpi = _mpi()
    if mpi.COMM_WORLD.size == 1:
        return Group()
    group = MPIGroup(mpi, meeting)
    _end_together(group)
    return group


def _need_package():
    import importlib.util  # start-up time
    if importlib.util.find_spec('mpi4py') is None:
        raise _without_package()


def _mpi():
    """The module mpi4py.MPI, with MPI started."""
    for name, value in _ALGORITHMS.items():
        os.environ.setdefault(name, value)
    try:
        import mpi4py  # optional package
        mpi4py.rc.initialize = mpi4py.rc.finalize = False       # `_start` and `leave` do it
        from mpi4py import MPI  # optional package
        _start(MPI)
    except (ImportError, RuntimeError) as error:
        raise _without_package(error) from None
    return MPI


def _start(mpi):
    """Starts MPI, without holding other threads as mpi4py would: the start waits for all workers,
    and a thread of meeting.py ends this process when one of them dies meanwhile.
    """
    if not mpi.Is_initialized():
        library, provided = ctypes.CDLL(mpi.__file__), ctypes.c_int()
        library.MPI_Init_thread(None, None, mpi.THREAD_MULTIPLE, ctypes.byref(provided))
    mpi.COMM_WORLD.Set_errhandler(mpi.ERRORS_RETURN)


def _without_package(error=None):
    why = f' ({error})' if error else ''
    return misuse(ImportError(
        f'Training in several processes needs mpi4py and an MPI library{why}.\n  Hint: pip install '
        "'tinyflow-graph[cluster]'."))


def _end_together(group):
    """One worker's exception ends all, after its traceback; at a normal end all wait for all."""
    previous, process = sys.excepthook, os.getpid()

    def hook(kind, error, trace):
        previous(kind, error, trace)
        if os.getpid() == process:
            sys.stdout.flush()
            sys.stderr.flush()
            group.abort(f'{kind.__name__}: {error}'.splitlines()[0])

    def leave():
        if os.getpid() == process:
            sys.stdout.flush()
            group.leave()
    sys.excepthook = hook
    atexit.register(leave)
