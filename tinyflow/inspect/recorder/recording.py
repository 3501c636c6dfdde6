"""tf.record: keeps the values of runs."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from types import TracebackType
from typing import Any

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.node_gc import sessions_of
from tinyflow.graph.stacks import stacks
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.recorder.keeper import Keeper
from tinyflow.inspect.recorder.step import Origin, Step, name_of
from tinyflow.session.observed import attach, detach, programs_of, session_of, sessions_opened
from tinyflow.session.program_cache import ProgramCache

__all__ = ['Recording', 'load_recording', 'record']

_UNITS = {'': 1, 'B': 1, 'KB': 1 << 10, 'MB': 1 << 20, 'GB': 1 << 30}


def record(session: Any = None, nodes: Any = None, *, every: int = 1, limit: int | str = '256 MB',
           keep: str = 'spread') -> Recording:
    """Keeps the values of each run in a `with` block, to look at them afterwards.

        with tf.record(sess) as r:
            for batch in batches:
                sess.run(train, {x: batch})
        r[-1]['dense/Relu']             # the last step's value of a node
        r.origin                        # where the first NaN began

    session  a Session or MonitoredSession. None, a Keras model or an Estimator: the Sessions of the
             default graph or of the model, and all that are made in the block
    nodes    what to keep: Tensors, Operations, Variables, names, patterns such as 'dense*' (which
             match '/', too), or a list of those; None: all, also those inside of loops and conds
    every    of the runs of the same operations, such as a training step, every how many-th is
             recorded (of runs that fetch only tensors, those with the same fetches); the others
             run as fast as ever
    limit    of memory, in bytes or as '256 MB'. Of an array above an eighth of it only statistics
             and a heat map are kept. When it is reached, keep='spread' drops every second step and
             records half as many from then on; keep='latest' drops the oldest steps

    Recorded runs compute each operation by itself, so their times say little.
    Raises TypeError or ValueError for invalid arguments.
    """
    return Recording(session, nodes, every, limit, keep)


class Recording(Sequence[Step]):
    """Recorded steps, in the order in which they ran: `r.steps`, `r[0]`, `r[-1]`, len(r).

    Recording happens in a `with` block, and may go on in another one.
    """

    def __init__(self, session: Any = None, nodes: Any = None, every: int = 1,
                 limit: int | str = '256 MB', keep: str = 'spread') -> None:
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise misuse(ValueError(f'every must be a positive integer, not {every!r}.'))
        if keep not in ('spread', 'latest'):
            raise misuse(ValueError(f"keep must be 'spread' or 'latest', not {keep!r}."))
        self._graph = getattr(session, '_graph', None) if hasattr(session, 'fit') else None
        self._session = None if self._graph or _makes_sessions(session) else session
        if self._session is not None:
            _check_session(session)
            programs_of(session)
        self._names = _names(nodes)
        self._keeper = Keeper(_wanted(self._names), every, _bytes(limit), keep == 'latest')
        self._left: ExitStack | None = None

    # ---- recording -----------------------------------------------------------------------

    def __enter__(self) -> Recording:
        if self._left is not None:
            raise misuse(RuntimeError('This recording is in progress already.'))
        with ExitStack() as left:
            for session in self._sessions():
                self.attach(session, left)
            if self._session is None:
                left.enter_context(sessions_opened(lambda made: self._opened(made, left)))
            self._left = left.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        left, self._left = self._left, None
        if left is not None:
            left.close()
        if self._names and error is None:
            self._say_unknown(self._names)

    def attach(self, session: Any, left: ExitStack) -> None:
        """Records the runs of a Session until `left` is closed."""
        attach(session, self._keeper)
        left.callback(detach, session, self._keeper)

    def _say_unknown(self, wanted: list[str]) -> None:
        """Warns of names that no observed run had: they are probably misspelt."""
        known = self._keeper.names()
        for name in wanted if known else ():
            matches = _wanted([name])
            if not any(map(matches, known)):
                logging.warning("record: none of the runs computed '%s'.%s", name,
                                nearest_keyword(name.partition(':')[0], known))

    def _opened(self, programs: ProgramCache, left: ExitStack) -> None:
        if not programs.options.nan_check and self._left is not None:
            self.attach(programs, self._left)

    def _sessions(self) -> list:
        if self._session is not None:
            return [self._session]
        found = [s for s in sessions_of(self._graph or get_default_graph()) if not s._closed]
        return list(dict.fromkeys([*found, *stacks.sessions[-1:]]))

    # ---- what was recorded ---------------------------------------------------------------

    @property
    def steps(self) -> list[Step]:
        """The recorded steps."""
        return list(self._keeper.steps)

    def __len__(self) -> int:
        return len(self._keeper.steps)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str) or hasattr(index, 'name'):
            raise misuse(TypeError(
                f'A recording has steps, and each of them the value of {name_of(index)!r}.\n  '
                f'Hint: r[-1][{name_of(index)!r}] is that of the last one, '
                f'r.series({name_of(index)!r}) has all.'))
        return self._keeper.steps[index]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def of(self, *fetches: Any) -> list[Step]:
        """The steps that fetched these (Tensors, Operations or names), among others."""
        names = {name_of(f) for f in fetches}
        return [step for step in self.steps
                if names <= {*step.fetches, *[f.partition(':')[0] for f in step.fetches]}]

    def series(self, what: Any) -> list[tuple[int, Any]]:
        """(number of the step, array) of one node, for each step that has it.

        KeyError if steps were recorded, and none has it.
        """
        having = [step for step in self.steps if what in step]
        if self.steps and not having:
            self.steps[-1].kept(what)
        return [(step.number, step[what]) for step in having]

    @property
    def origin(self) -> tuple[Step, Origin] | None:
        """The first step with a NaN or infinity, and the operation where it began; or None."""
        for step in self.steps:
            found = step.origin
            if found is not None:
                return step, found
        return None

    @property
    def nbytes(self) -> int:
        """The memory of what is kept."""
        return self._keeper.used

    @property
    def runs(self) -> int:
        """How many runs there were, those counted that were not recorded."""
        return self._keeper.runs

    def save(self, path: Any) -> str:
        """Writes the recording to a file; `tf.viz.load_recording(path)` reads it. Returns path."""
        from tinyflow.inspect.recorder.files import save  # start-up time
        return save(self.steps, self.runs, path)

    def document(self, content: dict[str, Any], most_steps: int = 60) -> dict[str, Any]:
        """The recording as data, for an explorer's page whose nodes are `content['nodes']`."""
        from tinyflow.inspect.recorder.to_document import to_document  # start-up time
        return to_document(self, content, most_steps)

    def __repr__(self) -> str:
        keeper = self._keeper
        parts = [f'{len(self)} of {keeper.runs} runs', f'{keeper.used / (1 << 20):.1f} MB']
        if keeper.reduced:
            parts.append(f'{len(keeper.reduced)} values as statistics only')
        return f'<tf.record: {", ".join(parts)}>'


def load_recording(path: Any, graph: Any = None) -> Recording:
    """The recording that `recording.save(path)` wrote.

    graph    whose operations it is of, by their names; None: the default graph. The values can be
             looked at without it, too

    Raises NotFoundError if there is no such file, DataLossError for damage.
    """
    from tinyflow.inspect.recorder.files import read  # start-up time
    made = Recording()
    made._keeper.take(*read(path, graph or get_default_graph()))
    return made


def _makes_sessions(estimator: Any) -> bool:
    """True for an Estimator, whose `train` makes a Session."""
    return hasattr(estimator, 'train') and hasattr(estimator, 'model_dir')


def _check_session(session: Any) -> None:
    """TypeError for what has no runs."""
    if not hasattr(session_of(session), '_programs'):
        hint = 'tf.viz.load_recording(path) reads a recording from a file' \
            if isinstance(session, str) else 'with tf.record(sess) as r: sess.run(...)'
        raise misuse(TypeError('record needs a Session, a Keras model or an Estimator, not '
                               f'{session!r:.80}.\n  Hint: {hint}.'))


def _names(nodes: Any) -> list[str] | None:
    """The names and patterns of `nodes`; None if all are wanted."""
    if nodes is None:
        return None
    if isinstance(nodes, (str, bytes)) or not isinstance(nodes, (list, tuple, set, frozenset)):
        nodes = [nodes]
    names = []
    for node in nodes:
        name = name_of(getattr(node, 'op', node))
        if not isinstance(name, str) or not (isinstance(node, str) or hasattr(node, 'name')):
            raise misuse(TypeError(f'nodes are Tensors, Operations, Variables or names; not '
                                   f'{node!r:.80}.'))
        names.append(name)
    return names


def _wanted(names: list[str] | None) -> Callable[[str], bool] | None:
    """Whether a name is among these, or fits to a pattern; None if all are wanted."""
    if names is None:
        return None
    plain = {name.partition(':')[0] for name in names}
    patterns = [name for name in names if any(sign in name for sign in '*?[')]
    return lambda name: name in plain or any(fnmatchcase(name, p) for p in patterns)


def _bytes(limit: int | str) -> int:
    """A number of bytes from '256 MB'."""
    if isinstance(limit, str):
        found = re.fullmatch(r'\s*([\d.]+)\s*([KMG]?B?)\s*', limit, re.IGNORECASE)
        unit = found.group(2).upper() if found else ''
        unit = unit if unit in _UNITS else unit + 'B'
        try:
            limit = int(float(found.group(1)) * _UNITS[unit]) if found else 0
        except ValueError:
            limit = 0
    if isinstance(limit, bool) or not isinstance(limit, int) or limit <= 0:
        raise misuse(ValueError(f"limit must be a number of bytes or such as '256 MB', not "
                                f'{limit!r}.'))
    return limit
