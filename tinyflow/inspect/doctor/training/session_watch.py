"""WatchedSession: a doctor for the training loop inside a `with` block."""
from __future__ import annotations

from typing import Any

from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.doctor.training.report import TrainingReport
from tinyflow.inspect.doctor.training.watch import TrainingDoctor
from tinyflow.session.feeds import as_feed_dict
from tinyflow.session.session import BaseSession


class WatchedSession:
    """``with tf.doctor(session) as doctor:`` watches the runs in the block; then `doctor.report()`.

    The Session's own `run` and `make_callable` are replaced inside the block. A callable that was
    made inside it goes on after it, unwatched; one that was made before is not watched. Inside a
    `shared` block there may be a second one.
    """

    def __init__(self, session: BaseSession, every: int = 50, loss: Tensor | None = None,
                 shared: bool = False) -> None:
        self._session, self._doctor, self.shared = session, TrainingDoctor(every, loss), shared
        self._watching = False

    def __enter__(self) -> WatchedSession:
        outer = getattr(vars(self._session).get('run'), '__self__', None)
        if outer is not None and not outer.shared:
            raise misuse(RuntimeError(
                f'{self._session!r} is watched already.\n  Hint: one tf.doctor for one Session.'))
        self._run, self._make_callable = self._session.run, self._session.make_callable
        self._session.run = self._watched_run
        self._session.make_callable = self._watched_callable
        self._watching, self._outer = True, outer
        return self

    def __exit__(self, *error: Any) -> None:
        self._watching = False
        if self._outer is None:
            del self._session.run, self._session.make_callable
        else:
            self._session.run, self._session.make_callable = self._run, self._make_callable
        self._doctor.forget_sessions()

    def report(self) -> TrainingReport:
        """What was found so far."""
        return self._doctor.report()

    def _watched_run(self, fetches: Any, feed_dict: Any = None, options: Any = None,
                     run_metadata: Any = None) -> Any:
        if feed_dict is not None and type(feed_dict) is not dict:
            feed_dict = as_feed_dict(feed_dict)
        step = self._doctor.step_of(self._session, fetches, feed_dict)
        running = self._doctor.before(self._session, step)
        if not running.wanted:
            result = self._run(fetches, feed_dict, options, run_metadata)
            running.after([], fetches, feed_dict)
            return result
        result, values = self._together(fetches, running.wanted, feed_dict, step, options,
                                        run_metadata)
        running.after(values, fetches, feed_dict)
        return result

    def _together(self, fetches: Any, wanted: list, feeds: Any, step: Any, options: Any,
                  run_metadata: Any) -> Any:
        """Runs the program's fetches and the doctor's at once."""
        key = wanted is step.sampled
        call = step.calls.get(key)
        if call is None:
            try:
                call = self._make_callable([fetches, wanted], list(feeds or ()))
            except Exception:           # noqa: BLE001 - run raises it, with the right message
                return self._run([fetches, wanted], feeds, options, run_metadata)
            step.calls[key] = call
        values = feeds.values() if feeds else ()
        return call(*values, options=options, run_metadata=run_metadata)

    def _watched_callable(self, fetches: Any, feed_list: Any = None,
                          accept_options: bool = False) -> Any:
        plain = self._make_callable(fetches, feed_list, accept_options)
        keys = list(feed_list or ())

        def run_it(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if not self._watching or len(values) != len(keys):
                return plain(*values, options=options, run_metadata=run_metadata)
            return self._watched_run(fetches, dict(zip(keys, values)), options, run_metadata)
        return run_it
