"""Loss: base of loss objects, with sample weights and reduction."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from tinyflow.graph.support.errors import misuse

__all__ = ['Loss', 'LossFunctionWrapper', 'Reduction', 'compute_weighted_loss',
           'reduce_weighted_loss', 'squeeze_or_expand_dimensions']


class Reduction:
    """Reductions of the losses of a batch."""

    AUTO = 'auto'
    NONE = 'none'
    SUM = 'sum'
    SUM_OVER_BATCH_SIZE = 'sum_over_batch_size'

    @classmethod
    def all(cls):
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key):
        if key not in cls.all():
            raise misuse(ValueError(f'Invalid Reduction Key {key}; use one of {cls.all()}.'))


class Loss:
    """Base of losses: `call(y_true, y_pred)` gives the loss of each sample.

    Calling the object weights these by `sample_weight` and reduces them: to their mean over the
    batch by default, to their 'sum', or not at all ('none').
    """

    def __init__(self, reduction=Reduction.AUTO, name=None):
        Reduction.validate(reduction)
        self.reduction, self.name = reduction, name

    def __call__(self, y_true, y_pred, sample_weight=None):
        with K.name_scope(None if self.name == '<lambda>' else self.name
                          or type(self).__name__.lower()):
            losses = self.call(y_true, y_pred)
            reduction = Reduction.SUM_OVER_BATCH_SIZE if self.reduction == Reduction.AUTO \
                else self.reduction
            return compute_weighted_loss(losses, sample_weight, reduction=reduction)

    def call(self, y_true, y_pred):
        raise NotImplementedError(f'{type(self).__name__}.call(y_true, y_pred): a custom loss '
                                  'returns the loss of each sample here.')

    def get_config(self):
        return {'reduction': self.reduction, 'name': self.name}

    @classmethod
    def from_config(cls, config):
        """The loss that `get_config` described."""
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A function of (y_true, y_pred) as a Loss; `kwargs` are passed on to it."""

    def __init__(self, fn, reduction=Reduction.AUTO, name=None, **kwargs):
        super().__init__(reduction=reduction, name=name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true, y_pred):
        y_pred = tf.convert_to_tensor(y_pred)
        y_true = tf.convert_to_tensor(y_true)
        y_pred, y_true = _same_rank(y_pred, y_true)
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self):
        config = {k: K.get_value(v) if K.is_tensor(v) else v for k, v in self._fn_kwargs.items()}
        return {**super().get_config(), **config}


def _same_rank(y_pred, y_true):
    """Squeezes the last axis of size 1 if only one of the two has it."""
    predicted, true = y_pred.shape.ndims, y_true.shape.ndims
    if predicted is None or true is None:
        return y_pred, y_true
    if predicted - true == 1 and y_pred.shape.as_list()[-1] == 1:
        y_pred = tf.squeeze(y_pred, [-1])
    elif true - predicted == 1 and y_true.shape.as_list()[-1] == 1:
        y_true = tf.squeeze(y_true, [-1])
    return y_pred, y_true


def squeeze_or_expand_dimensions(y_pred, y_true=None, sample_weight=None):
    """(y_pred, y_true, sample_weight) with matching ranks, as in TF 1.15."""
    if y_true is not None:
        y_pred, y_true = _same_rank(y_pred, y_true)
    if sample_weight is None:
        return y_pred, y_true, None
    sample_weight = tf.convert_to_tensor(sample_weight)
    weights, predicted = sample_weight.shape.ndims, y_pred.shape.ndims
    if weights == 0 or weights is None or predicted is None:
        return y_pred, y_true, sample_weight
    if weights - predicted == 1:
        sample_weight = tf.squeeze(sample_weight, [-1])
    elif predicted - weights == 1:
        sample_weight = tf.expand_dims(sample_weight, [-1])
    return y_pred, y_true, sample_weight


def compute_weighted_loss(losses, sample_weight=None, reduction=Reduction.SUM_OVER_BATCH_SIZE,
                          name=None):
    """The losses times their weights, reduced."""
    Reduction.validate(reduction)
    if reduction == Reduction.AUTO:
        reduction = Reduction.SUM_OVER_BATCH_SIZE
    if sample_weight is None:
        sample_weight = 1.0
    with K.name_scope(name or 'weighted_loss'):
        losses = tf.convert_to_tensor(losses)
        dtype = losses.dtype
        if not K.is_tensor(sample_weight) or sample_weight.dtype != tf.float32:
            sample_weight = tf.cast(sample_weight, tf.float32)
        losses = tf.cast(losses, tf.float32)
        losses, _, sample_weight = squeeze_or_expand_dimensions(losses, None, sample_weight)
        weighted = tf.multiply(losses, K.broadcast_weights(sample_weight, losses))
        loss = reduce_weighted_loss(weighted, reduction)
        return tf.cast(loss, dtype)


def reduce_weighted_loss(weighted_losses, reduction=Reduction.SUM_OVER_BATCH_SIZE):
    """The sum, or the sum divided by the number of elements."""
    if reduction == Reduction.NONE:
        return weighted_losses
    total = tf.reduce_sum(weighted_losses)
    if reduction == Reduction.SUM:
        return total
    with K.name_scope('num_elements') as scope:
        number = tf.cast(tf.size(weighted_losses, name=scope), total.dtype)
    return K.div_no_nan(tf.reduce_sum(total), number, name='value')
