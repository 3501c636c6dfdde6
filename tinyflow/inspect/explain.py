"""tf.explain: shows what `sess.run(fetches)` does, stage by stage: from the graph to the times.

The result of every compiler stage is an object that can be printed; this module collects them for
one run. `Session.profile` and the command line use the same objects.
"""
from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from tinyflow.compiler.compile import STAGES
from tinyflow.compiler.ir import Note, Program
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.graph import shapes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.stacks import get_default_session
from tinyflow.graph.support.errors import FailedPreconditionError, InvalidArgumentError, misuse
from tinyflow.inspect.nested_sources import sources_inside
from tinyflow.session.executable import Executable
from tinyflow.session.interrupts import pending, whole
from tinyflow.session.profiler import Profile, profile_executable
from tinyflow.session.session import BaseSession, Session
from tinyflow.session.unchanged import unchanged


@dataclass
class Explanation:
    """What a Session does for one (fetches, feeds); prints as text, renders in a notebook.

    `kept` and `cut` are the operations that run and those of the graph that do not; `order` is the
    schedule; `lowered` the Program before it is specialised to the fed shapes; `notes` say what
    each pass changed; `executable` holds the final program, its memory plan and its source;
    `profile` the times, if the run was possible (else `not_run` is the reason).
    """

    fetches: tuple[Tensor | Operation, ...]
    feeds: tuple[tuple[Tensor, tuple[int, ...]], ...]
    kept: list[Operation]
    cut: list[Operation]
    order: list[Operation]
    copies: list[str]
    lowered: Program
    executable: Executable
    runs_so_far: int
    run_seconds: Any = None             # float, if it was run: the median
    fastest_seconds: Any = None         # and the fastest run
    profile: Profile | None = None
    not_run: str = ''

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.executable.program.notes

    @property
    def program(self):
        """The instructions after all passes."""
        return self.executable.program

    @property
    def source(self) -> str:
        """The Python program that the run became."""
        return self.executable.source.text

    @property
    def functions(self) -> dict[str, str]:
        """The programs of the functions inside it (branches, loops), by name."""
        return dict(sources_inside(self.program))

    def _programs(self) -> list[str]:
        lines = self.source.rstrip().splitlines()
        for text in self.functions.values():
            lines += ['', *text.rstrip().splitlines()]
        return lines

    @property
    def memory(self):
        """The memory plan: arena_bytes, unplanned_bytes, and where each value lives."""
        return self.executable.plan

    def sections(self) -> list[tuple[str, list[str]]]:
        """(title, lines) of the request, of each stage of compilation, and of the times."""
        stages = {
            'prune': [f'{len(self.kept)} of {len(self.kept) + len(self.cut)} nodes are needed '
                      'for these fetches; fed tensors need no nodes'],
            'schedule': self._schedule(),
            'lower': self._lower(),
            'infer': self._infer(),
            'passes': self._passes(),
            'memory': [str(self.memory)],
            'codegen': _abridged(self._programs()),
        }
        return [('request', self._request()),
                *[(f'{number} {name}', stages[name]) for number, name in enumerate(STAGES, 1)],
                ('time', self._time())]

    def _request(self) -> list[str]:
        lines = [f'fetch {f.name}' for f in self.fetches]
        lines += [f'feed  {t.name} {shapes.text(shape)}' for t, shape in self.feeds]
        lines += [f'take  {v.name} {shapes.text(v.raw_shape)} of its iterator, then run the rest'
                  for v in self.program.feeds[len(self.feeds):]]
        return lines

    def _schedule(self) -> list[str]:
        writes = [op.name for op in self.order if op.writes]
        lines = ['nodes run in order of creation, writes to Variables last']
        if writes:
            lines.append('writes: ' + ', '.join(_few(writes)))
        if self.copies:
            lines.append('copied when read, because a write comes before their last use: '
                         + ', '.join(_few(self.copies)))
        return lines

    def _lower(self) -> list[str]:
        return [f'{len(self.kept)} nodes become {len(self.lowered.instructions)} instructions; '
                'Variables are accessed directly, without a read']

    def _infer(self) -> list[str]:
        return [f'{note.before} -> {note.after} instructions: {note.text}' for note in self.notes
                if note.name == 'infer']

    def _passes(self) -> list[str]:
        notes = [note for note in self.notes if note.name != 'infer']
        changed = [note for note in notes if note.changes]
        if not changed:
            return [f'none of the {len(notes)} passes found anything to change']
        return [f'{"":<20}{"instructions":>16}', *map(str, changed),
                f'({len(notes) - len(changed)} other passes found nothing to change)']

    def _time(self) -> list[str]:
        if self.profile is None or self.run_seconds is None:
            return [f'not run: {self.not_run}']
        lines = [f'{_micro(self.run_seconds)} a run, median of {self.profile.runs}; by line, from '
                 f'{self.profile.runs} more runs with a clock read after every instruction:']
        before = getattr(self.executable, 'numpy_seconds', 0)
        if before:
            lines.insert(0, f'{_micro(before)} the fastest run with NumPy alone, before the '
                            f'program moved up to native code; {_micro(self.fastest_seconds)} now')
        if getattr(self.executable, 'will_move', False):
            lines.insert(0, f'{self.executable.follower} takes over after '
                            f'{self.executable.runs_left:,} more runs, where there is any')
        return lines + self.profile.table(12).splitlines()

    def __str__(self) -> str:
        width = 12
        lines = []
        for title, content in self.sections():
            for i, line in enumerate(content):
                lines.append(f'{title if not i else "":<{width}}{line}'.rstrip())
            lines.append('')
        return '\n'.join(lines).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape  # start-up time
        rows = []
        for title, content in self.sections():
            body = escape('\n'.join(content))
            rows.append(f'<details open><summary><b>{escape(title)}</b></summary>'
                        f'<pre style="margin:0 0 0.6em 1em;line-height:1.25">{body}</pre>'
                        '</details>')
        return f'<div style="font-size:90%">{"".join(rows)}</div>'


def _abridged(lines: list[str], head: int = 44, tail: int = 15) -> list[str]:
    """The lines, or the first and last of them if they are more than 60."""
    left_out = len(lines) - head - tail
    if left_out <= 1:
        return lines
    return [*lines[:head], f'... {left_out:,} more lines; .source has them all', *lines[-tail:]]


def _few(names: Sequence[str], limit: int = 6) -> list[str]:
    names = list(names)
    return names if len(names) <= limit else names[:limit] + [f'... ({len(names)} in all)']


def _micro(seconds: float) -> str:
    return f'{seconds * 1e6:,.1f} us' if seconds < 1e-3 else f'{seconds * 1e3:,.2f} ms'


@overload
def explain(fetches: Tensor | Operation | str | list | tuple | dict, feed_dict: dict | None = ...,
            session: BaseSession | None = ..., runs: int = ...) -> Explanation: ...


@overload
def explain(fetches: Any, feed_dict: dict | None = ..., session: BaseSession | None = ...,
            runs: int = ...) -> Any: ...


def explain(fetches: Any, feed_dict: dict | None = None, session: BaseSession | None = None,
            runs: int = 50) -> Any:
    """Explains `session.run(fetches, feed_dict)`: nodes kept, passes, memory, source, times.

    Uses `session` or the default Session. To measure times the fetches are run `runs` times, and
    `runs` times more with a clock after each instruction; afterwards Variables, random numbers and
    iterators are as they were, while queues, tables, files and what tf.py_func calls have seen
    these runs, and they count when it is decided in which run native code takes over. runs=0 only
    compiles. Without a Session, or with uninitialised Variables, everything
    but the times is shown. Of a Keras model it shows the ops and Variables below each layer, and
    the call that fit makes.

    Raises the same errors as Session.run for invalid fetches and feeds.
    """
    if isinstance(fetches, BaseSession):
        raise misuse(TypeError(
            'tf.explain got a Session and no fetches.\n  Hint: name what is run, as in '
            'session.run: tf.explain(train_op, feed_dict, session=sess).'))
    if hasattr(type(fetches), '_explained_by'):         # e.g. a Keras model
        return fetches._explained_by()
    own_session = session is None and get_default_session() is None
    session = session or get_default_session() or Session(graph=_graph_of(fetches))
    try:
        return _explain(session, fetches, feed_dict, 0 if own_session else runs, own_session)
    finally:
        if own_session:
            session.close()


def _graph_of(fetches):
    """The graph of the first node in a nest of fetches, or None for the default one."""
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        return _graph_of(fetches[0]) if fetches else None
    return getattr(fetches, 'graph', None)


def _explain(session, fetches, feed_dict, runs, own_session) -> Explanation:
    call = session._new_call(fetches, feed_dict)
    arrays = call.arrays(feed_dict.values()) if feed_dict else []
    executable = call.executable(arrays)
    explanation = describe_executable(session, call.entry, executable.shown,
                                      tuple(a.shape for a in arrays))
    if own_session:
        explanation.not_run = 'there is no Session; explain inside `with tf.Session():`'
    elif runs <= 0:
        explanation.not_run = 'runs=0'
    else:
        _make_states(executable.store, explanation.kept)
        whole(_measure, explanation, executable, arrays, runs)
    return explanation


def describe_executable(session, entry, executable: Executable, fed_shapes) -> Explanation:
    """The Explanation of a compiled program of a Session, without running it."""
    kept = prune(entry.fetches, entry.feeds)
    inside = set(kept)
    program = executable.program
    return Explanation(
        fetches=entry.fetches, feeds=tuple(zip(entry.feeds, fed_shapes)), kept=kept,
        cut=[op for op in session.graph.get_operations() if op not in inside],
        order=schedule(kept, frozenset(entry.feeds)),
        copies=[i.name for i in program.instructions if i.copy],
        lowered=entry.program, executable=executable, runs_so_far=executable.runs,
        not_run='only compiled')


def _make_states(store, operations):
    """Makes the states that a first run would make, so that their positions can be kept."""
    for operation in operations:
        if operation.definition.state is not None:
            store.state(operation)


def _measure(explanation, executable, arrays, runs):
    with unchanged(executable.store):
        try:
            times = []
            for _ in range(runs):
                begin = time.perf_counter()
                executable(arrays)
                times.append(time.perf_counter() - begin)
                if pending:                     # Ctrl-C
                    return
            explanation.profile = profile_executable(executable, arrays, runs)
            explanation.executable = executable.shown
            explanation.run_seconds = sorted(times)[len(times) // 2]
            explanation.fastest_seconds = min(times)
        except (FailedPreconditionError, InvalidArgumentError) as error:
            explanation.not_run = str(error).splitlines()[0]
