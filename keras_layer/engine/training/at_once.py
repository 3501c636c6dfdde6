"""compile(run_eagerly=True): batches that run op by op, as Python calls them."""
from __future__ import annotations

import copy

import tinyflow as tf
from keras_layer.engine.training.compiling import Compiled, no_loss
from keras_layer.engine.training.endpoints import call_metric

__all__ = ['CallAtOnce', 'CompiledAtOnce']


class CompiledAtOnce(Compiled):
    """The losses, metrics and weights of a model, whose functions are called for each batch only.
    """

    def build_total_loss(self):
        """Nothing is computed yet. ValueError if there will be no loss."""
        self.total_loss = None
        if not self.trained and not self._extra_losses():
            raise no_loss()

    @staticmethod
    def _result_of(metric, endpoint, weight):
        return None


class CallAtOnce:
    """What a model's train, test or predict function is, without a graph: `kind` says which.

    Everything in the model's `call` runs for each batch, prints and debuggers too.
    """

    function = None

    def __init__(self, model, kind):
        self._model, self._kind = model, kind
        compiled = model._compiled
        self._placeholders = list(model._fed_inputs)
        if kind != 'predict':
            self._placeholders += [*compiled.targets, *compiled.sample_weights]
        self.count = len(self._placeholders)

    def bound(self):
        """A callable of the feeds; gives the list of results."""
        def run(feeds):
            with tf.init_scope():               # outside of the graph of the model
                values = [tf.convert_to_tensor(v, p.dtype)
                          for v, p in zip(feeds, self._placeholders)]
                return [tf.convert_to_tensor(r).numpy() for r in getattr(self, '_' + self._kind)(
                    *self._parts(values))]
        return run

    def _parts(self, values):
        """(inputs, targets, sample weights)"""
        inputs = len(self._model._fed_inputs)
        targets = inputs if self._kind == 'predict' else \
            inputs + len(self._model._compiled.targets)
        return values[:inputs], values[inputs:targets], values[targets:]

    def _outputs(self, inputs, training):
        structure = self._model._input_structure
        given = tf.nest.pack_sequence_as(structure, inputs) if structure is not None else \
            inputs[0] if len(inputs) == 1 else inputs
        return tf.nest.flatten(self._model(given, training=training))

    def _train(self, inputs, targets, weights):
        model, optimizer = self._model, self._model.optimizer
        with tf.GradientTape() as tape:
            loss, endpoints = self._loss(self._outputs(inputs, True), targets, weights)
        variables = model.trainable_weights
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return [loss, *self._metrics(endpoints)]

    def _test(self, inputs, targets, weights):
        loss, endpoints = self._loss(self._outputs(inputs, False), targets, weights)
        return [loss, *self._metrics(endpoints)]

    def _predict(self, inputs, targets, weights):
        return self._outputs(inputs, False)

    def _loss(self, outputs, targets, weights):
        """(the total loss, the endpoints with values in place of nodes)"""
        targets, weights, total, endpoints = iter(targets), iter(weights), None, []
        for endpoint, output in zip(self._model._compiled.endpoints, outputs):
            if not endpoint.trained:
                continue
            endpoint = copy.copy(endpoint)
            endpoint.output, endpoint.target = output, next(targets)
            if endpoint.sample_weight is not None:
                endpoint.sample_weight = next(weights)
            endpoint.loss_value = Compiled._loss_of(endpoint)
            weighted = endpoint.loss_weight * endpoint.loss_value
            total = weighted if total is None else total + weighted
            endpoints.append(endpoint)
        extra = self._model.losses
        if extra:
            total = tf.add_n(extra) if total is None else total + tf.add_n(extra)
        return total, endpoints

    def _metrics(self, endpoints):
        """The results of the metrics after this batch, in the order of `metrics_names`."""
        results = dict(self._model._metric_results)
        for endpoint in endpoints:
            if endpoint.loss_metric is not None:
                results[endpoint.loss_metric] = endpoint.loss_metric(endpoint.loss_value)
            for metric in endpoint.metrics:
                results[metric] = call_metric(metric, endpoint)
            for metric in endpoint.weighted_metrics:
                results[metric] = call_metric(metric, endpoint, endpoint.sample_weight)
        return [results[m] for m in self._model._all_metrics()]
