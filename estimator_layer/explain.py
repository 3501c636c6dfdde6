"""tf.explain(estimator) and tf.viz.draw(estimator): its checkpoint, Variables, calls, graphs."""
from __future__ import annotations

from estimator_layer.call_input_fn import call_input_fn
from estimator_layer.call_model_fn import parameter_names
from estimator_layer.model_fn import ModeKeys
from tinyflow.graph.defaults import set_random_seed
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.train.checkpoints.inspection import list_variables
from tinyflow.train.checkpoints.saver import import_meta_graph

__all__ = ['EstimatorExplanation', 'drawable']


class ModeGraph(Graph):
    """The graph of one mode; `spec` is its EstimatorSpec, `hooks` are those of the input."""

    def __init__(self, estimator, mode, input_fn):
        super().__init__()
        config = estimator.config
        with self.as_default():
            set_random_seed(config.tf_random_seed)
            estimator._create_global_step(self)
            inputs = call_input_fn(input_fn, mode, estimator._input_params(mode), config)
            labels = None if mode == ModeKeys.PREDICT else inputs.labels
            self.hooks = inputs.hooks
            self.spec = estimator._call_model_fn(inputs.features, labels, mode, config)


class EstimatorExplanation:
    """What an Estimator does in each call, its checkpoint and its Variables; prints as text.

    `graph(mode, input_fn)` builds the graph that a call would build; `variables` are the names and
    shapes in the latest checkpoint.
    """

    def __init__(self, estimator):
        self.estimator = estimator
        self.checkpoint = estimator.latest_checkpoint()
        self.variables = list_variables(self.checkpoint) if self.checkpoint else []
        self.cached = estimator._session_cache.models()

    def graph(self, mode, input_fn):
        """The graph of one mode: 'train', 'eval' or 'infer', with attributes `spec` and `hooks`."""
        return ModeGraph(self.estimator, mode, input_fn)

    def __repr__(self):
        estimator = self.estimator
        lines = [f'{type(estimator).__name__} in {estimator.model_dir}',
                 f'  model_fn    {_signature(estimator._model_fn)}',
                 f'  checkpoint  {self.checkpoint or "none yet"}']
        lines += [f'  variable    {name} {shape}' for name, shape in self.variables]
        lines += [
            '  train       a new graph: global_step, input_fn(), model_fn(mode=TRAIN); then',
            '              with tf.train.MonitoredTrainingSession(checkpoint_dir=model_dir) as s:',
            '                  while not s.should_stop(): s.run([spec.train_op, spec.loss])',
            '  evaluate    a new graph: input_fn(), model_fn(mode=EVAL), metrics; Saver.restore;',
            '              s.run(update_op) for each batch, then s.run(metrics)',
            '  predict     a new graph: input_fn(), model_fn(mode=PREDICT); Saver.restore;',
            '              s.run(spec.predictions) for each batch']
        for model in self.cached:
            lines.append(f'  cached      the graph of mode {model.mode!r}, '
                         f'{len(model.graph.get_operations())} operations, ' + (
                             f'restored from {model.checkpoint}' if model.checkpoint else
                             'not run yet'))
        return '\n'.join(lines)


def drawable(estimator):
    """What tf.viz.draw(estimator) draws: the loss in the graph that wrote the last checkpoint.

    Raises ValueError if the Estimator is not trained yet.
    """
    checkpoint = estimator.latest_checkpoint()
    if checkpoint is None:
        raise misuse(ValueError(
            f'draw: {estimator.model_dir} has no checkpoint, so there is no graph yet.\n  Hint: '
            "estimator.train(input_fn) first; or tf.viz.draw(tf.explain(estimator).graph('train', "
            'input_fn)), which builds one.'))
    graph = Graph()
    with graph.as_default():
        import_meta_graph(f'{checkpoint}.meta')
    losses = graph.get_collection(GraphKeys.LOSSES)
    return losses[-1:] or graph


def _signature(function):
    name = getattr(function, '__qualname__', repr(function))
    return f'{name}({", ".join(parameter_names(function))})'
