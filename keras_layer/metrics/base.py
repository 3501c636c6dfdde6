"""Metrics: running values over the batches of an epoch, kept in Variables of the graph."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.registry import register_metric
from keras_layer.losses.base import squeeze_or_expand_dimensions
from tinyflow.graph.support.errors import misuse

__all__ = ['Mean', 'MeanMetricWrapper', 'MeanTensor', 'Metric', 'Reduce', 'Sum']


class Metric(Layer):
    """Base of metrics: `update_state` adds a batch, `result` is the value so far.

    Called with a batch, a metric returns a tensor that updates it and is its result afterwards.
    `reset_states` resets it. A subclass creates its Variables with `add_weight`.
    """

    _is_keras_metric = True
    _collections = ()                   # not in the collections of a model's Variables

    def __init__(self, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.stateful = True
        self.built = True
        self._dtype = tf.as_dtype(dtype).name if dtype else K.floatx()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if 'update_state' in cls.__dict__:
            cls.update_state = _tracked_update(cls.__dict__['update_state'])
        if 'result' in cls.__dict__:
            cls.result = _tracked_result(cls.__dict__['result'])

    def add_weight(self, name, shape=(), aggregation=tf.VariableAggregation.SUM,
                   synchronization=tf.VariableSynchronization.AUTO, initializer=None, dtype=None):
        """A Variable of the metric, which is not trained.

        `aggregation` and `synchronization` are ignored, since there are no replicas.
        """
        with K.model_nodes():
            return super().add_weight(name=name, shape=shape, dtype=dtype or self._dtype,
                                      trainable=False, initializer=initializer)

    def __call__(self, *args, **kwargs):
        """The result after this batch, as a tensor that updates the metric."""
        update = self.update_state(*args, **kwargs)
        with tf.control_dependencies([update]):
            return self.result()

    def update_state(self, *args, **kwargs):
        raise NotImplementedError(f'{type(self).__name__}.update_state: a custom metric '
                                  'updates its Variables here.')

    def result(self):
        raise NotImplementedError(f'{type(self).__name__}.result: a custom metric returns '
                                  'its value here.')

    def reset_states(self):
        """Sets the Variables to zero."""
        K.batch_set_value([(v, np.zeros(v.shape.as_list())) for v in self.weights])

    def reset_state(self):
        """The newer name of reset_states."""
        self.reset_states()

    def get_config(self):
        return {'name': self.name, 'dtype': self.dtype}


def _tracked_update(function):
    def update_state(self, *args, **kwargs):
        update = function(self, *args, **kwargs)
        if update is not None:
            self.add_update(update)
        return update
    update_state.__doc__ = function.__doc__
    return update_state


def _tracked_result(function):
    def result(self):
        value = tf.identity(function(self))
        value._keras_metric = self
        return value
    result.__doc__ = function.__doc__
    return result


class Reduce(Metric):
    """A sum of values, or their mean by count or by weight."""

    reduction = None

    def __init__(self, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        with K.init_scope():
            self.total = self.add_weight('total', initializer='zeros')
            if self.reduction != 'sum':
                self.count = self.add_weight('count', initializer='zeros')

    def update_state(self, values, sample_weight=None):
        """Adds the values, each times its weight."""
        values = tf.cast(values, self._dtype)
        if sample_weight is not None:
            values, sample_weight = self._weighted(values, sample_weight)
        value_sum = tf.reduce_sum(values)
        with tf.control_dependencies([value_sum]):
            update = self.total.assign_add(value_sum)
        if self.reduction == 'sum':
            return update
        if self.reduction == 'weighted_mean' and sample_weight is not None:
            number = tf.reduce_sum(sample_weight)
        else:
            number = tf.cast(tf.size(values), self._dtype)
        with tf.control_dependencies([update]):
            return self.count.assign_add(number)

    def _weighted(self, values, weight):
        weight = tf.cast(weight, self._dtype)
        values, _, weight = squeeze_or_expand_dimensions(values, None, weight)
        try:
            weight = K.broadcast_weights(weight, values)
        except ValueError:
            axes = list(range(K.ndim(weight), K.ndim(values)))
            values = tf.reduce_sum(values, axes) if self.reduction == 'sum' \
                else tf.reduce_mean(values, axes)
        return tf.multiply(values, weight), weight

    def result(self):
        """The sum or the mean so far; 0 before the first batch."""
        if self.reduction == 'sum':
            return self.total
        return K.div_no_nan(self.total, self.count)


class Sum(Reduce):
    """The (weighted) sum of all values."""

    reduction = 'sum'

    def __init__(self, name='sum', dtype=None):
        super().__init__(name=name, dtype=dtype)


class Mean(Reduce):
    """The (weighted) mean of all values."""

    reduction = 'weighted_mean'

    def __init__(self, name='mean', dtype=None):
        super().__init__(name=name, dtype=dtype)


class MeanMetricWrapper(Mean):
    """The mean of a function of (y_true, y_pred) over all samples; `kwargs` are passed on."""

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        super().__init__(name=name or getattr(fn, '__name__', None), dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds the function's values for a batch."""
        y_true, y_pred = tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype)
        y_pred, y_true, _ = squeeze_or_expand_dimensions(y_pred, y_true)
        matches = self._fn(y_true, y_pred, **self._fn_kwargs)
        # Not Mean's wrapped update_state, which would be tracked as a second update.
        return Mean.update_state(self, matches, sample_weight=sample_weight)

    def get_config(self):
        config = {k: K.get_value(v) if K.is_tensor(v) else v for k, v in self._fn_kwargs.items()}
        return {**super().get_config(), **config}


class MeanTensor(Metric):
    """The (weighted) mean of tensors of one shape, element by element."""

    def __init__(self, name='mean_tensor', dtype=None):
        super().__init__(name=name, dtype=dtype)
        self._shape = self._total = self._count = None
        self.built = False

    def _build(self, shape):
        self._shape = tf.TensorShape(shape)
        with K.init_scope():
            self._total = self.add_weight('total', shape=shape, initializer='zeros')
            self._count = self.add_weight('count', shape=shape, initializer='zeros')
        self.built = True

    @property
    def total(self):
        return self._total if self.built else None

    @property
    def count(self):
        return self._count if self.built else None

    def update_state(self, values, sample_weight=None):
        """Adds a tensor. ValueError if its shape is not that of the first."""
        values = tf.cast(values, self._dtype)
        if not self.built:
            self._build(values.shape)
        elif values.shape != self._shape:
            raise misuse(ValueError(f'MeanTensor input values must always have the same shape. '
                                    f'Expected shape (set during the first call): {self._shape}. '
                                    f'Got: {values.shape}'))
        number = tf.ones_like(values)
        if sample_weight is not None:
            weight = tf.cast(sample_weight, self._dtype)
            values, _, weight = squeeze_or_expand_dimensions(values, None, weight)
            weight = K.broadcast_weights(weight, values)
            number = tf.multiply(number, weight)
            values = tf.multiply(values, weight)
        update = self._total.assign_add(values)
        with tf.control_dependencies([update]):
            return self._count.assign_add(number)

    def result(self):
        """The mean so far. ValueError before the first batch."""
        if not self.built:
            raise misuse(ValueError('MeanTensor does not have any result yet. Please call the '
                                    'MeanTensor instance or use `.update_state(value)` before '
                                    'retrieving the result.'))
        return K.div_no_nan(self.total, self.count)

    def reset_states(self):
        if self.built:
            super().reset_states()


register_metric('Mean', Mean)
