"""Model: a network with training and evaluation."""
from __future__ import annotations

import inspect
from typing import Any

import tinyflow as tf
from keras_layer import losses, optimizers
from keras_layer.engine.graph_scope import in_model_graph
from keras_layer.engine.network import Network
from keras_layer.engine.registry import register_layers
from keras_layer.engine.saving_methods import SavingMethods
from keras_layer.engine.training.compiling import Compiled, check_kind_of_metrics
from keras_layer.engine.training.endpoints import loss_of
from keras_layer.engine.training.functions import Functions, trainable_state
from keras_layer.engine.training_api import TrainingAPI
from keras_layer.legacy import MODEL, accepts_legacy_names
from keras_layer.utils.generic import find_object
from tinyflow.graph.support.errors import misuse, why
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.graph.support.not_copied import NotCopied
from tinyflow.inspect.viz.select import register_drawable

__all__ = ['Model']


# Keyword arguments of compile() that change nothing but `run_eagerly`: a step is one compiled call.
_ACCEPTED = ('run_eagerly', 'experimental_run_tf_function', 'cloning', 'steps_per_execution',
             'jit_compile')


def _check_own_steps(kind):
    """NotImplementedError for the methods that TensorFlow 2's `fit` would call."""
    for name in ('train_step', 'test_step', 'predict_step', 'make_train_function'):
        if hasattr(kind, name):
            raise misuse(NotImplementedError(
                f'{kind.__name__}.{name}: tinyflow\'s fit, evaluate and predict do not call it; '
                'their Keras is that of TensorFlow 1.15.\n  Hint: a loop over the batches with '
                'tf.GradientTape, in a tf.function; or model.add_loss for a loss of its own.'))


class Model(SavingMethods, TrainingAPI, Network, NotCopied, instead=(
        'other = keras.models.clone_model(model); other.set_weights(model.get_weights()). In '
        'files: model.save(path) and keras.models.load_model(path). For another process: '
        'model.to_json() and model.get_weights().')):
    """Layers from inputs to outputs, with `compile`, `fit`, `evaluate` and `predict`.

    ``Model(inputs=x, outputs=y)`` for tensors computed by layers from an `Input`; or subclass it,
    with layers as attributes and the forward pass in `call(inputs)`. A model belongs to the graph
    that it was built in and runs there from any thread.
    """

    @accepts_legacy_names(MODEL)
    def __init__(self, *args, **kwargs):
        self._compiled = None
        self._target_ranks = {}         # name of an output -> number of axes of its targets
        self.optimizer = None
        self.loss = None
        self.stop_training = False
        self._running_fit = None
        self.run_eagerly = False    # see compile
        self._goes_on = False       # `fit` has trained these weights, in this process
        self.history = None
        self._compile_arguments = None
        self._functions = Functions(self)
        super().__init__(*args, **kwargs)

    # ---- private names that published programs use ---------------------------------------------

    def _make_train_function(self):
        self._need_compiled()
        self._functions.get('train')

    def _make_test_function(self):
        self._need_compiled()
        self._functions.get('test')

    def _make_predict_function(self):
        self._functions.get('predict')

    train_function = property(lambda self: self._functions.made('train'))
    test_function = property(lambda self: self._functions.made('test'))
    predict_function = property(lambda self: self._functions.made('predict'))
    _is_compiled = property(lambda self: self._compile_arguments is not None)
    _collected_trainable_weights = property(lambda self: self.trainable_weights)
    _feed_inputs = property(lambda self: self._fed_inputs)
    _feed_targets = property(lambda self: self.targets)
    _feed_sample_weights = property(lambda self: self.sample_weights)

    @in_model_graph
    def _standardize_user_data(self, x, y=None, sample_weight=None, class_weight=None):
        """(inputs, targets, weights), lists of arrays for the placeholders of `_feed_inputs`..."""
        feeds = self._standardized(x, y, sample_weight, class_weight, check=y is not None)
        ends = len(self._fed_inputs), len(self._fed_inputs) + len(self.targets)
        return feeds[:ends[0]], feeds[ends[0]:ends[1]], feeds[ends[1]:]

    # ---- compile -------------------------------------------------------------------------

    @in_model_graph
    def compile(self, optimizer: Any = 'rmsprop', loss=None, metrics=None, loss_weights=None,
                sample_weight_mode=None, weighted_metrics=None, target_tensors=None,
                distribute=None, **kwargs):
        """Configures training: optimizer, losses, metrics.

        `optimizer` is a Keras or tf.train optimizer or a name; `loss` a name, a function
        (y_true, y_pred) -> loss of each sample, a Loss object, or one of those for each output (a
        list, or a dict by output name); `metrics` are reported and do not train. ValueError for
        unknown names, or if there is no loss at all.
        """
        _check_own_steps(type(self))
        for key in kwargs:
            if key not in _ACCEPTED:
                known = inspect.signature(Model.compile).parameters
                raise misuse(TypeError(f'Invalid keyword argument {key!r} for compile().'
                                       + nearest_keyword(key, known)))
        if kwargs.get('run_eagerly') and self._graph.outer_graph is None:
            raise misuse(ValueError(
                'You can only set `run_eagerly=True` if eager execution is enabled.\n  Hint: '
                'tf.enable_eager_execution() as the first line; or K.function, which shows any '
                'value inside.'))
        self.run_eagerly = bool(kwargs.get('run_eagerly'))
        if distribute is not None:
            raise misuse(NotImplementedError('compile(distribute=...) was removed after TF '
                                             '1.12; give the strategy to an Estimator.'))
        _check_order(optimizer, loss)
        check_kind_of_metrics(metrics, 'metrics')
        check_kind_of_metrics(weighted_metrics, 'weighted_metrics')
        before = dict(self.__dict__)
        try:
            self.optimizer = optimizers.get(optimizer)
            self.loss, self.loss_weights = loss, loss_weights
            self.sample_weight_mode = sample_weight_mode
            self._compile_metrics, self._compile_weighted_metrics = metrics, weighted_metrics
            self._compile_arguments = (loss, metrics, loss_weights, sample_weight_mode,
                                       weighted_metrics, target_tensors)
            self._compiled, self._target_ranks = None, {}
            if self.outputs:
                self._compile_now()
            else:
                _check_names(loss)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)        # what is refused changes nothing
            raise
        self._functions.forget()

    def _compile_now(self):
        kind = Compiled
        if self.run_eagerly:
            from keras_layer.engine.training.at_once import CompiledAtOnce  # start-up time
            kind = CompiledAtOnce
        self._compiled = kind(self, *self._compile_arguments)
        self._compiled.trainable = trainable_state(self)

    def _fit_ranks(self, targets):
        """With eager execution, where no graph was asked for, a custom loss takes any targets."""
        if not getattr(self._graph, 'builds_models', False):
            return
        ranks = {e.name: target.ndim for e, target in zip(self._compiled.fed_endpoints, targets)
                 if e.target_shape is None and e.target.shape.ndims not in (None, target.ndim)}
        if ranks:
            self._target_ranks.update(ranks)
            self._compile_now()
            self._functions.forget()

    @property
    def total_loss(self):
        """The scalar loss that training minimizes."""
        return self._need_compiled().total_loss

    @property
    def metrics_names(self):
        """The names of the results of `evaluate`: 'loss', then the metrics."""
        if self._compiled is None:
            return ['loss'] if self._compile_arguments else []
        return self._compiled.names + [m.name for m in self._added_metrics]

    @property
    def metrics(self):
        """The Metric objects of compile and of the layers."""
        own = self._compiled.metrics if self._compiled else []
        return own + self._added_metrics

    def _all_metrics(self):
        return self._compiled.metric_objects + self._added_metrics

    @property
    def sample_weights(self):
        """The placeholders of sample weights."""
        return self._compiled.sample_weights if self._compiled else []

    @property
    def targets(self):
        """The placeholders of targets."""
        return self._compiled.targets if self._compiled else []

    @property
    def _fed_inputs(self):
        """The inputs that need data: not those created from a tensor."""
        if not self._is_graph_network:
            return self.inputs
        return [t for t, layer in zip(self.inputs, self._input_layers)
                if getattr(layer, 'is_placeholder', True)]

    def _before_training(self, callbacks, validation):
        """Called by `fit` before the first epoch; keras2/models.py tells the callbacks more."""

    def _workers(self):
        """The Workers that train this model together; None if this process trains alone."""
        strategy = next((w.distribute_strategy for w in self.weights
                         if hasattr(w, 'distribute_strategy')), None)
        if strategy is None or not strategy.extended.trains_together:
            return None
        from keras_layer.engine.training.workers import Workers  # start-up time
        return Workers(strategy.extended._group)

    def reset_metrics(self):
        """Resets the state of all metrics."""
        if self._compiled is not None:
            for metric in self._all_metrics():
                metric.reset_states()

    def _need_compiled(self):
        if self._compile_arguments is None:
            raise misuse(RuntimeError('You must compile your model before training/testing. Use '
                                      '`model.compile(optimizer, loss)`.'
                                      + why('keras-not-compiled')))
        if self._compiled is None:
            self._compile_now()
        return self._compiled

    def _forget_functions(self):
        """Invalidates the compiled functions after a layer was added or removed."""
        self._functions.forget()
        if self._compile_arguments is not None:
            self._compiled = None


register_layers({'Model': Model, 'Functional': Model})


def _check_order(optimizer, loss):
    """ValueError for compile(loss, optimizer), which is in the wrong order."""
    for name, of_optimizer in ((optimizer, True), (loss, False)):
        if not isinstance(name, str) or find_object(name) is not None:
            continue
        is_optimizer, is_loss = name.lower() in optimizers._BY_NAME, name in losses.__all__
        if of_optimizer and is_loss and not is_optimizer:
            raise misuse(ValueError(f"Unknown optimizer: {name}\n  Hint: '{name}' is a loss: "
                                    'compile(optimizer, loss).' + why('keras-unknown-name')))
        if not of_optimizer and is_optimizer and not is_loss:
            raise misuse(ValueError(f"Unknown loss function: {name}\n  Hint: '{name}' is an "
                                    'optimizer: compile(optimizer, loss).'
                                    + why('keras-unknown-name')))


def _check_names(loss):
    """An unknown loss is an error at compile, even if the outputs are not known yet."""
    for one in tf.nest.flatten(loss) if loss is not None else ():
        loss_of(one)


register_drawable(Model, lambda model: model.outputs)
