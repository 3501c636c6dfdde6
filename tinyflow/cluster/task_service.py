"""What one task does for the sessions of a cluster, without a transport.

A session registers its stages once, as data, and runs them with the values that arrive. Values of
Variables, queues, tables and accumulators stay when a session ends; positions of random streams
and iterators belong to the session.
"""
from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import partial
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from tinyflow.cluster.named_store import Containers, NamedStore, SessionStates
from tinyflow.cluster.remote_errors import state_lost
from tinyflow.cluster.served_runs import Effects, ServedRun, Survivors
from tinyflow.cluster.shipping import Shipped, unpacked
from tinyflow.cluster.tasks import Task
from tinyflow.compiler.compile import Options
from tinyflow.compiler.ir import Instruction
from tinyflow.graph import dtypes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.waits import Deadline, deadlines, served
from tinyflow.graph.variable_refs import variable_read_by
from tinyflow.ops.queues.waiting import waits_for
from tinyflow.session.cache_entry import CacheEntry
from tinyflow.session.executable import Executable
from tinyflow.session.program_cache import ProgramCache
from tinyflow.session.storage import VariableStorage

__all__ = ['Route', 'StageProgram', 'TaskService', 'boxed']

_STEPS = 64             # runs of one session of which a task keeps values


class Route:
    """Where the inputs of a stage come from, and where its outputs go.

    ins     for each input: -1 if it arrives, else the number under which the task has kept it
    sent    positions of the outputs that are returned
    kept    {position of an output: number under which the task keeps it for a later stage}
    drops   numbers that no later stage needs
    """

    __slots__ = ('ins', 'sent', 'kept', 'drops')

    def __init__(self, ins: Sequence[int], sent: Sequence[int], kept: dict[int, int],
                 drops: Sequence[int]) -> None:
        self.ins, self.sent, self.kept, self.drops = tuple(ins), tuple(sent), kept, tuple(drops)

    @property
    def is_plain(self) -> bool:
        return not self.kept and all(i < 0 for i in self.ins)


class StageProgram:
    """A registered stage: its programs by shapes of the arrays that arrive."""

    def __init__(self, entry: CacheEntry, route: Route, outputs: int) -> None:
        self.entry, self.route = entry, route
        self.dtypes = [t.dtype.base_dtype.np for t in entry.feeds]
        self._count = outputs
        self.programs: ProgramCache | None = None       # kept alive with the entry
        self._executable_of = entry.executables.get
        self.may_wait = any(i.definition.state is not None or i.definition.functions
                            or i.definition.calls_user_code or _takes_handle(i)
                            for i in entry.program.instructions)
        self.effects = Effects(entry.program.instructions) if self.may_wait else None
        self.seconds = 1.               # that the last run took
        self._read = _variables_read(entry.fetches)
        self.plain = route.is_plain and list(route.sent) == list(range(outputs))

    def run(self, arrays: Sequence[np.ndarray], kept: dict[int, Any]) -> list:
        """The outputs that are sent, given the arrays that arrive; `kept` is of this step."""
        if self._read and self.plain and self.programs is not None:
            values = [self._storage(variable).value for variable in self._read]
            if not any(value is None for value in values):
                self.seconds = 0.
                return values           # no update changes an array while it is referenced
        if not self.plain:
            arrays = self._with_kept(arrays, kept)
        shapes = tuple([a.shape for a in arrays])
        executable: Executable = self._executable_of(shapes) or self.entry.executable(shapes)
        began = perf_counter()
        results = executable(arrays)
        self.seconds = perf_counter() - began
        if self.plain:
            return results[:self._count]
        for number in self.route.drops:
            kept.pop(number, None)
        for position, number in self.route.kept.items():
            kept[number] = results[position]
        return [results[i] for i in self.route.sent]

    def _storage(self, variable: Operation) -> VariableStorage:
        return self.programs.runtime.store.storage(variable)    # type: ignore[union-attr]

    def _with_kept(self, arrays: Sequence[np.ndarray], kept: dict[int, Any]) -> list:
        arriving = iter(arrays)
        try:
            return [next(arriving) if number < 0 else boxed(kept[number], dtype)
                    for number, dtype in zip(self.route.ins, self.dtypes)]
        except KeyError:
            raise state_lost('A value that an earlier stage of this run has left on the task is '
                             'gone.') from None


def _variables_read(fetches: Sequence[Tensor | Operation]) -> list[Operation]:
    """The Variables, if all that a stage does is to read them; else nothing."""
    found = []
    for fetch in fetches:
        if isinstance(fetch, Operation):
            return []
        variable = variable_read_by(fetch)
        if variable is None and fetch.op.type == 'VariableV2':
            variable = fetch.op
        if variable is None:
            return []
        found.append(variable)
    return found


def _takes_handle(instruction: Instruction) -> bool:
    """True for operations of queues and the like, which may wait for others."""
    return any(v.dtype is dtypes.resource and v.variable is None for v in instruction.inputs)


def boxed(value: Any, dtype: np.dtype) -> np.ndarray:
    """A result of a program as an array: scalars come as NumPy's, or as bytes."""
    if type(value) is np.ndarray:
        return value
    if dtype.kind == 'O':
        box = np.empty((), object)
        box[()] = value
        return box
    return np.asarray(value, dtype)


class _Session:
    """What a task keeps for one session."""

    def __init__(self, sender: str = '') -> None:
        self.sender = sender                        # the task of the client, '' for this one
        self.states = SessionStates()
        self.stages: dict[str, StageProgram] = {}
        self.stores: list[NamedStore] = []
        self.kept: OrderedDict[int, dict[int, Any]] = OrderedDict()
        self.running: dict[int, int] = {}           # step -> thread that runs a stage of it
        self.served: dict[int, ServedRun] = {}      # step -> its run, for another process
        self.lock = threading.RLock()
        self.positions: dict[str, Any] = {}         # to resume

    def of_step(self, step: int) -> dict[int, Any]:
        with self.lock:
            found = self.kept.get(step)
            if found is None:
                found = self.kept[step] = {}
                while len(self.kept) > _STEPS:
                    self.kept.popitem(last=False)
            return found


class TaskService:
    """One task of a cluster."""

    def __init__(self, task: Task, options: Options | None = None) -> None:
        self.task = task
        self.options = options or Options()
        self.containers = Containers()
        self.incarnation = secrets.randbits(62)     # another one at each start
        self._sessions: dict[str, _Session] = {}
        self._survivors = Survivors()
        self._lock = threading.RLock()

    # ---- sessions ----------------------------------------------------------------------------

    def open(self, session: str, sender: str = '') -> None:
        """Makes room for a session of this name; `sender` is the task of another process."""
        with self._lock:
            self._sessions.setdefault(session, _Session(sender))

    def _session(self, name: str) -> _Session:
        found = self._sessions.get(name)
        if found is None:
            raise state_lost(f'Session {name} is not found on {self.task}: the task was restarted, '
                             'or tf.Session.reset has ended its sessions.')
        return found

    def close(self, session: str) -> None:
        """Forgets a session's stages; wakes its runs."""
        with self._lock:
            found = self._sessions.pop(session, None)
        if found is not None:
            for run in list(found.served.values()):
                run.gone = True
            for step in list(found.running):
                self._wake(found, step)
            for store in found.stores:
                store.clear()

    def reset(self, containers: Iterable[str] = ()) -> None:
        """Ends all sessions and forgets what is in the containers; all of them by default."""
        for name in list(self._sessions):
            self.close(name)
        self.containers.reset(containers)

    def store(self, session: str) -> NamedStore:
        """A Store for the programs of one graph."""
        found = self._session(session)
        store = NamedStore(self.containers, found.states, found.sender or str(self.task))
        if found.positions:
            store.set_positions(found.positions)
        found.stores.append(store)
        return store

    # ---- stages ------------------------------------------------------------------------------

    def register(self, session: str, key: str, shipped: Shipped, route: Route) -> None:
        """Imports a stage; it is compiled when it first runs."""
        found = self._session(session)
        graph, feeds, fetches, targets = unpacked(shipped)
        store = self.store(session)
        programs = ProgramCache(store, self.options)
        entry = programs.entry((*fetches, *targets), tuple(feeds))
        program = StageProgram(entry, route, len(fetches))
        program.programs = programs
        with found.lock:
            found.stages[key] = program

    def seconds(self, session: str, key: str) -> float:
        """How long the stage took when it last ran; infinity if it may wait for others."""
        found = self._sessions.get(session)
        program = None if found is None else found.stages.get(key)
        return inf if program is None or program.may_wait else program.seconds

    def run(self, session: str, key: str, step: int, arrays: Sequence[np.ndarray],
            milliseconds: int = 0) -> list:
        """Runs a registered stage; returns what it sends."""
        found = self._session(session)
        program = found.stages.get(key)
        if program is None:
            raise state_lost(f'Graph handle {key} is not found on {self.task}.')
        me = threading.get_ident()
        outer = deadlines.get(me)           # of a session of this thread
        if milliseconds:
            deadlines[me] = Deadline(milliseconds)
        found.running[step] = me
        run = None
        if found.sender and program.effects is not None:
            run = served[me] = found.served[step] = ServedRun(
                found.sender, session, program.effects, partial(self._wake, found, step),
                self._survivors)
        failed = True
        try:
            results = program.run(arrays, {} if program.plain else found.of_step(step))
            failed = False
            return results
        finally:
            if run is not None:
                run.finish(failed)
            with found.lock:
                found.running.pop(step, None)
                served.pop(me, None)
                found.served.pop(step, None)
                deadlines.pop(me, None)
                if outer is not None:
                    deadlines[me] = outer

    def cancel(self, session: str, step: int) -> None:
        """Ends what waits in a step, and forgets what it has kept."""
        found = self._sessions.get(session)
        if found is not None:
            self._wake(found, step)
            found.kept.pop(step, None)

    def waits_for(self, session: str, step: int) -> str:
        """What a run of this step waits for, as text; '' if it does not wait."""
        found = self._sessions.get(session)
        thread = None if found is None else found.running.get(step)
        return '' if thread is None else waits_for(thread)

    def give_up(self, session: str, step: int) -> None:
        """Ends a run whose client is gone, unless it has something to finish."""
        found = self._sessions.get(session)
        run = None if found is None else found.served.get(step)
        if run is not None:
            run.give_up()
        else:
            self.cancel(session, step)

    def goes_on(self, session: str) -> bool:
        """Whether a run of a client that is gone has something to finish."""
        return self._survivors.of(session)

    @staticmethod
    def _wake(found: _Session, step: int) -> None:
        with found.lock:
            thread = found.running.get(step)
            if thread is not None:
                deadlines[thread] = Deadline(0)     # a wait looks at it every 0.1 s

    # ---- values ------------------------------------------------------------------------------

    def values(self, names: Iterable[tuple[str, str]]) -> list[np.ndarray | None]:
        """Copies of the values of Variables by (container, name)."""
        return self.containers.named(names)

    def set_values(self, pairs: Iterable[tuple[tuple[str, str], np.ndarray]]) -> None:
        """Sets the values of Variables, from ((container, name), array) pairs."""
        self.containers.set_named(pairs)

    def positions(self, session: str) -> tuple[dict[str, Any], dict[str, str]]:
        """The positions of the session's random streams and iterators on this task."""
        found: dict[str, Any] = {}
        lost: dict[str, str] = {}
        for store in self._session(session).stores:
            # That of a session of this task itself would ask all tasks.
            more, less = NamedStore.positions(store)
            found.update(more)
            lost.update(less)
        return found, lost

    def set_positions(self, session: str, positions: dict[str, Any]) -> None:
        """Sets the positions; a state that does not exist yet gets its position when made."""
        found = self._session(session)
        found.positions = dict(positions)
        for store in found.stores:
            NamedStore.set_positions(store, positions)
