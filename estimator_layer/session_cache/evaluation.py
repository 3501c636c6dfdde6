"""The cached model of Estimator.evaluate."""
from __future__ import annotations

from estimator_layer.eval_summaries import write_eval_summaries
from estimator_layer.metric_ops import metric_ops, scaffold_with_metrics
from estimator_layer.model_fn import ModeKeys
from estimator_layer.session_cache.cache import CachedModel
from tinyflow.graph.support.nest import flatten
from tinyflow.ops.variables.variable_lists import local_variables, variables_initializer
from tinyflow.train.sessions.evaluation import Progress, finished, get_or_create_eval_step, started

__all__ = ['CachedEvaluation']


class CachedEvaluation(CachedModel):
    """Resets the metrics, updates them with each batch, and reads their values."""

    mode = ModeKeys.EVAL

    def build(self):
        self.update, self.values = metric_ops(self.spec)
        get_or_create_eval_step()
        scaffold = scaffold_with_metrics(self.spec.scaffold)
        self.reset = variables_initializer(local_variables())
        return scaffold

    def fetches(self):
        return [self.update, *flatten(list(self.values.values()))]

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
            self.release()
        with self.graph.as_default():
            write_eval_summaries(directory, results, checkpoint_path)
        return results

    def _update(self, session, batches, steps):
        update = session.make_callable(self.update, self.feeds)
        progress = None if steps is None else Progress(steps)
        for done, batch in enumerate(batches, 1):
            update(*batch)
            if progress:
                progress.log(done)
            if done == steps:
                return
