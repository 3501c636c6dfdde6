"""tf.Session: owns the values of Variables, and compiles and runs fetches with feeds.

`run` is the hot path of every program: whatever can be decided once is decided in the first run of
a (fetches, feeds) pair and looked up afterwards. Features that observe a run (profiling, traces)
are separate code paths.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from tinyflow.compiler.compile import Options
from tinyflow.graph.eager_mode import graph_of_sessions
from tinyflow.graph.graph import Graph
from tinyflow.graph.node_gc import sessions_of
from tinyflow.graph.stacks import default_session, stacks
from tinyflow.graph.support.errors import misuse, why
from tinyflow.graph.support.not_copied import NotCopied
from tinyflow.session import interrupts
from tinyflow.session.calls import Call, CallCache, call_key
from tinyflow.session.config import ConfigProto, RunMetadata, RunOptions
from tinyflow.session.configured_call import call_type
from tinyflow.session.feeds import as_feed_dict, as_feed_element
from tinyflow.session.graph_growth_warning import GrowthWatch
from tinyflow.session.malloc_trim import trim_memory
from tinyflow.session.profiler import Profile, profile_executable
from tinyflow.session.program_cache import ProgramCache
from tinyflow.session.session_state import SessionState, closed_error
from tinyflow.session.store import Store
from tinyflow.session.targets import ShownInNotebooks, cluster_module, list_devices, start_debugger


class BaseSession(SessionState, ShownInNotebooks, NotCopied, instead=(
        'another process or thread makes its own tf.Session; a tf.train.Saver takes the values '
        'there.')):
    """Base class of Session and InteractiveSession.

    With `nan_check` each run checks every value. A NaN or infinity that reaches a fetch or a
    Variable raises InvalidArgumentError, which names the operation that produced it first, and its
    inputs. Runs take several times as long.
    """

    def __init__(self, target: str = '', graph: Graph | None = None,
                 config: ConfigProto | None = None, nan_check: bool = False) -> None:
        if graph is not None and not hasattr(graph, 'get_operations'):
            raise misuse(TypeError(f'graph must be a tf.Graph, but got {type(graph)}'))
        if config is not None and not isinstance(config, ConfigProto):
            raise misuse(TypeError(f'config must be a tf.ConfigProto, but got {type(config)}'))
        trim_memory()                         # of earlier Sessions
        interrupts.install()
        self._graph = graph if graph is not None else graph_of_sessions()
        self._config = config
        options = Options(nan_check=nan_check)
        self._programs = ProgramCache(Store(), options) if not target else \
            cluster_module(target).open_session(target, self._graph, config, options)
        self._store = self._programs.store
        self._calls = CallCache()
        self._growth = GrowthWatch(self._graph)     # warns if each run adds nodes
        sessions_of(self._graph).add(self)          # node_gc drops from them what it collects
        self._closed = False
        if not target:
            self._programs.runtime.preparations.end_with(self)

    def __repr__(self) -> str:
        state = 'closed' if self._closed else f'of {self._graph!r}'
        return f'<tf.{type(self).__name__} {state}>'

    @property
    def graph(self) -> Graph:
        """The graph that this Session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph's GraphDef protocol buffer."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> Any:
        """The target as bytes; '' for this process."""
        return getattr(self._programs, 'target', '')

    def run(self, fetches: Any, feed_dict: Any = None,
            options: RunOptions | None = None,
            run_metadata: RunMetadata | None = None) -> Any:
        """Runs the operations that `fetches` need; returns values in the structure of `fetches`.

        `fetches` is a Tensor, Operation, Variable, name, or any nest of lists, tuples, dicts and
        namedtuples of those; the value of an Operation is None. `feed_dict` maps tensors (any, not
        only placeholders) to values. The caller owns the returned arrays.

        Raises RuntimeError on a closed Session; TypeError or ValueError for invalid fetches and
        feeds; subclasses of tf.errors.OpError for errors at run time.
        """
        if self._closed:
            raise closed_error()
        if self._graph._last_id != self._growth.seen:
            self._growth.check()
        if feed_dict is not None and type(feed_dict) is not dict:
            feed_dict = as_feed_dict(feed_dict)
        if options is not None:
            _check_options(options)
        try:
            call = self._calls[call_key(fetches, feed_dict)]
        except (KeyError, TypeError):
            call = None                 # made below, so that its errors have no context
        if call is None:
            call = self._new_call(fetches, feed_dict)
        return call.run(feed_dict.values() if feed_dict else (), options, run_metadata)

    def _new_call(self, fetches: Any, feed_dict: Any) -> Call:
        """Resolves a new pair of fetches and feeds, and caches the result."""
        if self._closed:
            raise closed_error()
        if not self._graph._last_id:
            raise misuse(RuntimeError(
                f'The Session graph is empty: {self._graph}.\n  Hint: build nodes before run(); '
                'if they went to another graph, give it to the Session: tf.Session(graph=...); '
                'after tf.reset_default_graph() make a new Session.' + why('empty-graph')))
        if feed_dict is not None and type(feed_dict) is not dict:
            feed_dict = as_feed_dict(feed_dict)
        call = call_type(self._config)(self._graph, self._programs, fetches, feed_dict)
        self._calls.add(fetches, feed_dict, call)
        return call

    def make_callable(self, fetches: Any, feed_list: list | tuple | None = None,
                      accept_options: bool = False) -> Callable[..., Any]:
        """A function from the values of `feed_list` to the result of `run(fetches)`.

        Everything but the values is resolved here, so calling it costs less than `run`.
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise misuse(TypeError('`feed_list` must be a list or tuple.'))
        feeds = tuple([as_feed_element(self._graph, key) for key in feed_list or ()])
        if len(set(feeds)) < len(feeds):
            raise misuse(ValueError('`feed_list` names a tensor twice.'))
        call = self._new_call(fetches, dict.fromkeys(feeds))

        def run_it(*values: Any, options: RunOptions | None = None,
                   run_metadata: RunMetadata | None = None) -> Any:
            if self._closed:
                raise closed_error()
            if len(values) != len(feeds):
                raise misuse(ValueError(f'The callable takes {len(feeds)} values, one for each '
                                        f'tensor of feed_list, but got {len(values)}.'))
            return call.run(values, options, run_metadata)
        return run_it

    def profile(self, fetches: Any, feed_dict: Any = None, runs: int = 100) -> Profile:
        """Runs `fetches` `runs` times with a clock on every node; see profiler.Profile."""
        call = self._new_call(fetches, feed_dict)
        arrays = call.arrays(feed_dict.values()) if feed_dict else []
        return profile_executable(call.executable(arrays), arrays, runs)

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        raise NotImplementedError('tinyflow does not support partial_run; feed all in one run.')

    partial_run = partial_run_setup

    def list_devices(self) -> list:
        """The devices: one CPU, or that of each task of a cluster."""
        return list_devices(self._programs)

    def stages(self, fetches: Any, feed_dict: Any = None) -> Any:
        """Which task of a cluster computes what for `fetches`; prints, and draws in a notebook."""
        return cluster_module('').stages_of(self, self._new_call(fetches, feed_dict), feed_dict)

    def close(self) -> None:
        """Frees the values of Variables and the compiled programs; nothing runs afterwards."""
        self._closed = True
        self._calls.clear()
        self._programs.clear()
        self._store.clear()
        trim_memory()

    def as_default(self) -> AbstractContextManager[BaseSession]:
        """Makes this the default Session inside a `with` block, and does not close it."""
        return default_session(self)


def _check_options(options: Any) -> None:
    if not isinstance(options, RunOptions):
        raise misuse(TypeError(
            f'options must be a tf.RunOptions, not {type(options).__name__}.\n  Hint: one dict '
            'holds all feeds: sess.run(loss, {x: X, y: Y}).'))


class Session(BaseSession):
    """Runs a graph. ``with tf.Session() as sess:`` makes it the default Session and closes it.

    ``tf.Session(nan_check=True)`` reports which operation produced a NaN or infinity,
    ``tf.Session(debug=True)`` stops in the terminal: `tf.Debugger` says how.
    """

    def __init__(self, target: str = '', graph: Graph | None = None, config: ConfigProto | None
                 = None, nan_check: bool = False, debug: Any = False) -> None:
        super().__init__(target, graph, config, nan_check)
        self._entered: list[AbstractContextManager] = []
        if debug:
            start_debugger(self, debug)

    def __enter__(self) -> Session:
        if self._entered:
            raise misuse(RuntimeError('Session context managers are not re-entrant: the inner '
                                      '`with` would close this Session.\n  Hint: `with '
                                      'sess.as_default():` may be entered any number of times.'))
        as_default = self._graph.as_default()
        as_default.__enter__()
        self._entered.append(as_default)
        stacks.sessions.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        stacks.sessions.remove(self)
        self._entered.pop().__exit__(kind, error, trace)
        self.close()

    @staticmethod
    def reset(target: Any, containers: Any = None, config: Any = None) -> None:
        """Ends the sessions of a cluster's task, and forgets what is in `containers` there."""
        if target:
            cluster_module(target).reset(target, containers, config)


__all__ = ['BaseSession', 'Session']
