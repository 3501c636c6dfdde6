"""Metrics of Keras 2 that keep a state: layers with `stateful = True` and `reset_states`."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.engine.base_layer import Layer
from keras_layer.metrics.base import Metric

__all__ = ['LayerMetric', 'with_state']


def with_state(metric):
    """A Metric of a layer that keeps a state; another metric as it is."""
    is_layer = isinstance(metric, Layer) and not isinstance(metric, Metric)
    return LayerMetric(metric) if is_layer and metric.stateful else metric


class LayerMetric(Metric):
    """The value that the layer gave for the last batch."""

    def __init__(self, layer):
        super().__init__(name=layer.name)
        self.layer = layer

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Calls the layer, and runs the updates that it added."""
        value = self.layer(y_true, y_pred)
        self.last = self.add_weight('last', initializer='zeros', dtype=value.dtype)
        with tf.control_dependencies([value]):
            return tf.group(self.last.assign(value), *self.layer.updates)

    def result(self):
        return self.last

    def reset_states(self):
        self.layer.reset_states()
