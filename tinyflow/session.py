"""Session (first draft: runs the reference interpreter; the compiled path replaces it)."""
from __future__ import annotations

import numpy as np

from tinyflow.compiler.interpret import interpret
from tinyflow.compiler.lower import lower
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.compiler.store import Store
from tinyflow.graph.graph import default_session, get_default_graph
from tinyflow.graph.operation import Operation


class Session:
    def __init__(self, target='', graph=None, config=None):
        self.graph = graph or get_default_graph()
        self._store = Store()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        def resolve(f):
            return self.graph.as_graph_element(f)

        def leaves(f):
            if isinstance(f, (list, tuple)):
                return [x for i in f for x in leaves(i)]
            if isinstance(f, dict):
                return [x for i in f.values() for x in leaves(i)]
            return [f]

        def rebuild(f, it):
            if isinstance(f, tuple) and hasattr(f, '_fields'):
                return type(f)(*[rebuild(i, it) for i in f])
            if isinstance(f, (list, tuple)):
                return type(f)(rebuild(i, it) for i in f)
            if isinstance(f, dict):
                return type(f)((k, rebuild(v, it)) for k, v in f.items())
            return next(it)
        flat = [resolve(f) for f in leaves(fetches)]
        feeds = {self.graph.as_graph_element(k): v for k, v in (feed_dict or {}).items()}
        order = schedule(prune(flat, feeds), set(feeds))
        program = lower(order, list(feeds), flat)
        program.check()
        arrays = [np.asarray(v, t.dtype.base_dtype.np) for t, v in feeds.items()]
        got = interpret(program, arrays, self._store)
        got = [None if isinstance(f, Operation) else (a[()] if a.ndim == 0 else a)
               for f, a in zip(flat, got)]
        return rebuild(fetches, iter(got))

    def close(self):
        self._store.clear()

    def __enter__(self):
        self._graph_context = self.graph.as_default()
        self._graph_context.__enter__()
        self._session_context = default_session(self)
        return self._session_context.__enter__()

    def __exit__(self, *error):
        self._session_context.__exit__(*error)
        self._graph_context.__exit__(*error)
