"""DoctorHook: the training doctor for monitored sessions and Estimators."""
from __future__ import annotations

from typing import Any

from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import logging
from tinyflow.inspect.doctor.training.report import TrainingReport
from tinyflow.inspect.doctor.training.watch import TrainingDoctor
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['DoctorHook']


class DoctorHook(SessionRunHook):
    """Looks at the training while it runs, and logs what it finds at the end.

    Finds dead ReLUs, saturated units, vanishing and exploding gradients, a learning rate that is
    too high or too low, inputs and labels on odd scales, a loss that does not move, the origin of a
    NaN, and more: docs/warnings.md lists the ids. Every `every`-th step is sampled; `loss` is what
    was differentiated, unless it is given. `report()` gives the findings at any time.

    Only in tinyflow.
    """

    def __init__(self, every: int = 50, loss: Tensor | None = None) -> None:
        self._doctor = TrainingDoctor(every, loss)
        self._running: Any = None

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        arguments = run_context.original_args
        step = self._doctor.step_of(run_context.session, arguments.fetches, arguments.feed_dict)
        self._running = self._doctor.before(run_context.session, step)
        return SessionRunArgs(self._running.wanted) if self._running.wanted else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._running.after(run_values.results or [], *run_context._ran)

    def end(self, session: Any) -> None:
        for finding in self.report():
            logging.warning('%s', finding)
        self._doctor.forget_sessions()

    def report(self) -> TrainingReport:
        """What was found so far."""
        return self._doctor.report()
