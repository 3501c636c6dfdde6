"""The model of evaluate that stays between calls."""
from __future__ import annotations

from estimator_layer.kept_sessions import KeptModel
from estimator_layer.metric_ops import metric_ops, scaffold_of
from estimator_layer.model_fn import ModeKeys
from estimator_layer.results import write_results
from tinyflow.ops.variables.variable_lists import local_variables, variables_initializer
from tinyflow.train.sessions.evaluation import Progress, finished, get_or_create_eval_step, started

__all__ = ['KeptEvaluation']


class KeptEvaluation(KeptModel):
    """Runs the metrics over the batches and reads them."""

    mode = ModeKeys.EVAL

    def parts(self):
        self.update, self.values = metric_ops(self.spec)
        get_or_create_eval_step()
        scaffold = scaffold_of(self.spec.scaffold)
        self.reset = variables_initializer(local_variables())
        return scaffold

    def fetched(self):
        return [self.update, *self.values.values()]

    def run(self, batches, checkpoint_path, steps, directory):
        try:
            with self.lock:
                started()
                session = self.open(checkpoint_path)
                session.run(self.reset)
                self._update(session, batches, steps)
                results = session.run(self.values)
                finished()
        finally:
            self.leave()
        with self.graph.as_default():
            write_results(directory, results, checkpoint_path)
        return results

    def _update(self, session, batches, steps):
        update = session.make_callable(self.update, self.feeds)
        progress = None if steps is None else Progress(steps)
        for done, batch in enumerate(batches, 1):
            update(*batch)
            if progress:
                progress.tell(done)
            if done == steps:
                return
