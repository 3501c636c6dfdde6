"""Losses and metrics that are added to a functional model become layers of it."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.call_context import current_call
from keras_layer.engine.layer_losses import LayerLosses, metric_behind
from keras_layer.engine.registry import layer_class
from keras_layer.engine.topology import Topology


class NetworkLosses(LayerLosses):
    """The part of Network for added losses and metrics."""

    def add_loss(self, losses, inputs=None):
        """Adds a loss to the model: a scalar tensor, or a function that returns one.

        In a functional model the steps from its layers to a tensor become layers, as in
        TensorFlow: they are saved with the model, and further calls of it have the loss, too.
        Unlike in TensorFlow 1.15, a tensor that no input changes counts as well.
        """
        for loss in tf.nest.flatten(losses):
            if self._makes_layers_of(loss):
                self._attach(layer_class('AddLoss')(), loss)
            else:
                super().add_loss(loss, inputs)

    def add_metric(self, value, aggregation=None, name=None):
        """Reports `value`, a tensor, with the metrics of the model; saved like a loss."""
        if name is not None and aggregation == 'mean' and metric_behind(value) is None and \
                self._makes_layers_of(value):
            self._attach(layer_class('AddMetric')(aggregation, name), value)
        else:
            super().add_metric(value, aggregation, name)

    def _makes_layers_of(self, value):
        return self._is_graph_network and current_call() is None and \
            not tf.executing_eagerly() and isinstance(value, tf.Tensor) and \
            K.is_computed_from_keras([value])

    def _attach(self, layer, tensor):
        """Calls a layer that no output needs, and makes it one of the model's layers."""
        with self._graph.as_default():
            layer(tensor)
        self._topology.insert(Topology(self.inputs, [tensor]), layer)
