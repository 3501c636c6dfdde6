"""Endpoint: one output of a model with its target, loss, weights and metrics."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K, losses as losses_module, metrics as metrics_module
from keras_layer.losses.base import Loss, LossFunctionWrapper
from keras_layer.metrics.base import Mean, MeanMetricWrapper, Metric
from keras_layer.utils.generic import has_arg
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.v1_v2_switches import v2_enabled


class Endpoint:
    """An output while the model is being trained.

    `target` is the tensor of the targets, `sample_weight` that of the sample weights (None: equal
    weights). Without a loss the output is not trained and has no target.
    """

    def __init__(self, output, name, loss, loss_weight, weight_mode):
        self.output, self.name, self.loss = output, name, loss
        self.loss_weight, self.weight_mode = loss_weight, weight_mode
        self.target = self.sample_weight = self.loss_value = None
        self.target_is_fed = True
        self.loss_metric = None
        self.metrics, self.weighted_metrics = [], []

    @property
    def loss_name(self):
        return f'{self.name}_loss'

    @property
    def trained(self):
        return self.loss is not None

    @property
    def mask(self):
        return getattr(self.output, '_keras_mask', None)

    @property
    def shape(self):
        return K.int_shape(self.output)

    def loss_is(self, *names):
        """True if the loss is a built-in one with one of these names."""
        return _name_of(self.loss) in names

    @property
    def target_shape(self):
        """The shape that targets must have; None for a custom loss."""
        shape = self.shape
        if shape is None:
            return None
        if self.loss_is('sparse_categorical_crossentropy'):
            if K.image_data_format() == 'channels_first' and len(shape) in (4, 5):
                return (shape[0], 1, *shape[2:])
            return (*shape[:-1], 1)
        built_in = getattr(losses_module, _name_of(self.loss) or '', None) is not None
        return shape if built_in or not isinstance(self.loss, LossFunctionWrapper) else None

    def make_target(self, tensor=None, ndim=None):
        """Creates the placeholder of the target, with as many axes as the output if `ndim` does
        not say otherwise; or uses the given tensor.
        """
        if tensor is not None and not K.is_placeholder(tensor):
            self.target_is_fed = False
        if ndim is None and self.shape is not None:
            ndim = len(self.shape)
        self.target = tensor if tensor is not None else K.placeholder(
            ndim=ndim,
            name=f'{self.name}_target', sparse=K.is_sparse(self.output),
            dtype=self.output.dtype.base_dtype.name)

    def make_sample_weight(self):
        """Creates the placeholder of the weights of samples, or of their time steps."""
        if self.trained and self.sample_weight is None:
            with K.name_scope(None):
                shape = [None, None] if self.weight_mode == 'temporal' else [None]
                fill = [[1.]] if self.weight_mode == 'temporal' else [1.]
                self.sample_weight = tf.placeholder_with_default(
                    tf.constant(fill, dtype=K.floatx()), shape,
                    name=f'{self.name}_sample_weights')


def loss_of(loss):
    """The Loss object for a name, a function, a configuration or an object; None for None."""
    if loss is None or isinstance(loss, Loss):
        return loss
    found = losses_module.get(loss)
    if isinstance(found, type):
        raise misuse(TypeError(f'loss={found.__name__} is a class.\n  Hint: loss='
                               f'keras.losses.{found.__name__}().'))
    if isinstance(found, Loss) or not callable(found):
        return found
    if not hasattr(found, '__name__') and has_arg(found, 'sample_weight'):
        return found                    # an object that weights and reduces by itself, as in TF
    return LossFunctionWrapper(found, name=getattr(found, '__name__', type(found).__name__))


def _name_of(loss):
    function = getattr(loss, 'fn', None)
    return getattr(function, '__name__', None)


_ACCURACY, _CROSSENTROPY = ('accuracy', 'acc'), ('crossentropy', 'ce')


def metric_of(metric, endpoint, weighted):
    """(metric object, its name) for a metric in the arguments of compile."""
    if isinstance(metric, Metric):
        return metric, metric.name
    if isinstance(metric, str) and metric in _ACCURACY + _CROSSENTROPY:
        kind = 'accuracy' if metric in _ACCURACY else 'crossentropy'
        function = getattr(metrics_module, f'{_which(endpoint)}_{kind}')
        name = 'acc' if kind == 'accuracy' else 'ce'
    else:
        function = metrics_module.get(metric)
        if isinstance(function, type):
            function = function()
        if isinstance(function, Metric):
            return function, function.name
        name = getattr(function, 'name', None) or getattr(function, '__name__',
                                                          type(function).__name__)
    if v2_enabled() and isinstance(metric, str):
        name = metric                   # TensorFlow 2 keeps the given name
    name = 'weighted_' + name if weighted else name
    return MeanMetricWrapper(function, name=name), name


def _which(endpoint):
    """The prefix of the accuracy function, which depends on the kind of target."""
    shape = endpoint.shape
    if shape and shape[-1] == 1 or endpoint.loss_is('binary_crossentropy'):
        return 'binary'
    if endpoint.loss_is('sparse_categorical_crossentropy'):
        return 'sparse_categorical'
    return 'categorical'


def call_metric(metric, endpoint, sample_weight=None):
    """The tensor of the metric's result after this batch."""
    weights, mask = sample_weight, endpoint.mask
    if mask is not None:
        mask = tf.cast(mask, endpoint.output.dtype)
        if weights is None:
            weights = mask
        else:
            mask, _, weights = losses_module.base.squeeze_or_expand_dimensions(
                mask, sample_weight=weights)
            weights = weights * mask
    return metric(endpoint.target, endpoint.output, sample_weight=weights)


def loss_metric(endpoint):
    """The metric of an output's loss, reported for models with several outputs."""
    endpoint.loss_metric = Mean(name=endpoint.loss_name)
    return endpoint.loss_metric
