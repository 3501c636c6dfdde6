"""InMemoryEvaluatorHook: evaluation during training, with the current values of the Variables."""
from __future__ import annotations

from estimator_layer.call_input_fn import call_input_fn
from estimator_layer.estimator import Estimator
from estimator_layer.eval_summaries import write_eval_summaries
from estimator_layer.metric_ops import metric_ops, scaffold_with_metrics
from estimator_layer.model_fn import ModeKeys
from tinyflow.graph.defaults import get_default_graph, set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train import training_util
from tinyflow.train.hooks.timers import SecondOrStepTimer
from tinyflow.train.sessions.evaluation import StopAfterNEvalsHook, evaluate_once
from tinyflow.train.sessions.scaffold import Scaffold
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['InMemoryEvaluatorHook']


class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates every `every_n_iter` steps without a checkpoint in between.

    The training's Variables are copied into the evaluation's graph, so that both see the same
    values; a Variable that the training does not have takes its initial value. Raises
    ValueError for an interval or a number of steps that is not positive, and for a model with
    state outside of Variables, such as boosted trees; TypeError unless `estimator` is an
    Estimator.
    """

    def __init__(self, estimator, input_fn, steps=None, hooks=None, name=None, every_n_iter=100):
        if every_n_iter is None or every_n_iter <= 0:
            raise misuse(ValueError(f'invalid every_n_iter={every_n_iter}.'))
        if steps is not None and steps <= 0:
            raise misuse(ValueError(f'Must specify steps > 0, given: {steps}'))
        if not isinstance(estimator, Estimator):
            raise misuse(TypeError('`estimator` must have type `tf.estimator.Estimator`. '
                                   f'Got: {type(estimator)}'))
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise misuse(ValueError(
                'InMemoryEvaluator supports only single machine (aka Local) setting.'))
        self._estimator, self._input_fn, self._steps = estimator, input_fn, steps
        self._hooks, self._name = list(hooks or []), name
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)
        self._iterations = 0

    def begin(self):
        """Builds the evaluation's graph. ValueError for a model that has its own way to start."""
        self._timer.reset()
        self._iterations = 0
        self._step = training_util.get_global_step()
        self._graph = Graph()
        with self._graph.as_default():
            self._build(self._estimator, self._estimator.config)

    def _build(self, estimator, config):
        set_random_seed(config.tf_random_seed)
        estimator._create_global_step(self._graph)
        inputs = call_input_fn(self._input_fn, ModeKeys.EVAL,
                               estimator._input_params(ModeKeys.EVAL), config)
        spec = estimator._call_model_fn(inputs.features, inputs.labels, ModeKeys.EVAL, config)
        self._update, self._results = metric_ops(spec)
        for what, given in (('saver', spec.scaffold.saver), ('init_fn', spec.scaffold.init_fn)):
            if given is not None:
                raise misuse(ValueError(
                    f'InMemoryEvaluator does not support custom {what}.\n  Hint: '
                    'tf.estimator.train_and_evaluate, which evaluates checkpoints.'))
        self._scaffold = scaffold_with_metrics(spec.scaffold)
        self._all_hooks = [*inputs.hooks, *self._hooks, *spec.evaluation_hooks,
                           StopAfterNEvalsHook(self._steps, log_progress=False)]

    def after_create_session(self, session, coord):
        """Evaluates before the first step."""
        graph = get_default_graph()
        if graph.get_collection(GraphKeys.SAVEABLE_OBJECTS):
            raise misuse(ValueError(
                'InMemoryEvaluator does not support saveables other than global variables.\n  '
                'Hint: tf.estimator.train_and_evaluate, which evaluates checkpoints.'))
        self._trained = {v.op.name: v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)}
        self._evaluate(session)

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        self._iterations += 1
        if self._timer.should_trigger_for_step(self._iterations):
            self._evaluate(run_context.session)

    def end(self, session):
        self._evaluate(session)

    def _evaluate(self, session):
        self._timer.update_last_triggered_step(self._iterations)
        copied = {v: self._trained[v.op.name]
                  for v in self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
                  if v.op.name in self._trained}
        values = session.run(list(copied.values()))

        def copy_values(scaffold, evaluation):
            evaluation.set_variable_values(zip(copied, values))

        estimator = self._estimator
        with self._graph.as_default():
            self._graph._unsafe_unfinalize()        # each evaluation adds the count of its batches
            metrics = evaluate_once(
                None, scaffold=Scaffold(init_fn=copy_values, copy_from_scaffold=self._scaffold),
                eval_ops=self._update, final_ops=self._results, hooks=self._all_hooks,
                config=estimator.config.session_config)
            logging.info('Evaluated in memory.')
            write_eval_summaries(estimator.eval_dir(self._name), metrics, None)
