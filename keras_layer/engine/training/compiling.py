"""compile: the nodes of losses, metrics and sample weights."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.training.endpoints import (
    Endpoint,
    call_metric,
    loss_metric,
    loss_of,
    metric_of,
)
from keras_layer.engine.training.standardize import check_keys
from keras_layer.losses import base as losses_base
from keras_layer.losses.base import compute_weighted_loss, reduce_weighted_loss
from keras_layer.metrics.base import Metric
from tinyflow.graph.support.errors import misuse


class Compiled:
    """The losses, metrics and weights of a model, and their tensors."""

    def __init__(self, model, loss, metrics, loss_weights, sample_weight_mode, weighted_metrics,
                 target_tensors):
        self.model = model
        names = model.output_names
        losses = _losses(loss, names)
        weights = _per_output(loss_weights, names, 'loss_weights', 1.)
        modes = _modes(sample_weight_mode, names)
        for mode in modes:
            if mode not in (None, 'temporal'):
                raise misuse(ValueError('sample_weight_mode should be None or "temporal". Found: '
                                        f'{mode!r}'))
        self.endpoints = [Endpoint(*each) for each in
                          zip(model.outputs, names, losses, weights, modes)]
        targets = _targets(target_tensors, names)
        for endpoint, given in zip(self.endpoints, targets):
            if endpoint.trained:
                endpoint.make_target(given, model._target_ranks.get(endpoint.name))
        self.names = ['loss']
        if len(self.endpoints) > 1:
            for endpoint in self.trained:
                loss_metric(endpoint)
                self.names.append(endpoint.loss_name)
        self.metrics, self.results = [], {}
        self._make_metrics(metrics, weighted_metrics)
        self._take_metrics('metrics')
        self.build_total_loss()

    @property
    def trained(self):
        """The outputs that have a loss."""
        return [e for e in self.endpoints if e.trained]

    @property
    def targets(self):
        """The placeholders of the targets."""
        return [e.target for e in self.trained if e.target_is_fed]

    @property
    def fed_endpoints(self):
        return [e for e in self.trained if e.target_is_fed]

    @property
    def sample_weights(self):
        """The placeholders of sample weights, if any."""
        return [e.sample_weight for e in self.trained if e.sample_weight is not None]

    # ---- metrics -------------------------------------------------------------------------

    def _make_metrics(self, metrics, weighted_metrics):
        names = [e.name for e in self.endpoints]
        plain = _metrics_per_output(metrics, names, 'metrics')
        weighted = _metrics_per_output(weighted_metrics, names, 'weighted_metrics')
        for endpoint, own, own_weighted in zip(self.endpoints, plain, weighted):
            if endpoint.trained:
                endpoint.metrics = self._all_named(own, endpoint, False)
                endpoint.weighted_metrics = self._all_named(own_weighted, endpoint, True)

    def _all_named(self, metrics, endpoint, weighted):
        """The Metrics of an output; of several with the same name only the last, as in TF."""
        by_name = {}
        for requested in metrics:
            metric, name = metric_of(requested, endpoint, weighted)
            by_name[name] = metric
        return [self._named(metric, name, endpoint) for name, metric in by_name.items()]

    def _named(self, metric, name, endpoint):
        if len(self.endpoints) > 1:
            name = f'{endpoint.name}_{name}'
        base, number = name, 1
        while name in self.names:
            name = f'{base}_{number}'
            number += 1
        metric._name = name
        self.names.append(name)
        self.metrics.append(metric)
        return metric

    def _take_metrics(self, which):
        with K.name_scope('metrics'):
            for endpoint in self.trained:
                for metric in getattr(endpoint, which):
                    weight = endpoint.sample_weight if which == 'weighted_metrics' else None
                    with K.name_scope(metric.name):
                        self.results[metric] = self._result_of(metric, endpoint, weight)

    @staticmethod
    def _result_of(metric, endpoint, weight):
        return call_metric(metric, endpoint, weight)

    @property
    def metric_objects(self):
        """The metrics in the order of `names`, without the total loss."""
        losses = [e.loss_metric for e in self.trained if e.loss_metric is not None]
        return losses + self.metrics

    # ---- the loss ------------------------------------------------------------------------

    def build_total_loss(self):
        """Builds the weighted metrics and the total loss with the current sample weights."""
        self._take_metrics('weighted_metrics')
        self.total_loss = None
        with K.name_scope('loss'):
            for endpoint in self.trained:
                loss = self._loss_of(endpoint)
                endpoint.loss_value = loss
                if endpoint.loss_metric is not None:
                    self.results[endpoint.loss_metric] = self._reported_loss(endpoint, loss)
                weighted = endpoint.loss_weight * loss
                self.total_loss = weighted if self.total_loss is None \
                    else self.total_loss + weighted
            extra = self._extra_losses()
            if self.total_loss is None and not extra:
                raise no_loss()
            if extra:
                total = tf.add_n(extra)
                self.total_loss = total if self.total_loss is None else self.total_loss + total

    @staticmethod
    def _reported_loss(endpoint, loss):
        """The loss of an output that is reported: the mean over the batches."""
        return endpoint.loss_metric(loss)

    def _extra_losses(self):
        """The losses added by layers, without those of other calls of nested models."""
        model = self.model
        if not model.inputs:
            return model.losses
        return model.get_losses_for(None) + model.get_losses_for(model.inputs)

    @staticmethod
    def _loss_of(endpoint):
        with K.name_scope(endpoint.loss_name):
            weight, mask = endpoint.sample_weight, endpoint.mask
            if mask is not None:
                mask = tf.cast(mask, endpoint.output.dtype)
                if weight is None:
                    weight = mask
                else:
                    mask, _, weight = losses_base.squeeze_or_expand_dimensions(
                        mask, sample_weight=weight)
                    weight = weight * mask
            loss = endpoint.loss
            if not hasattr(loss, 'reduction'):
                return loss(endpoint.target, endpoint.output, sample_weight=weight)
            values = loss.call(endpoint.target, endpoint.output)
            weighted = compute_weighted_loss(values, sample_weight=weight, reduction='none')
            reduction = 'sum_over_batch_size' if loss.reduction == 'auto' else loss.reduction
            return reduce_weighted_loss(weighted, reduction=reduction)

    def require_sample_weights(self):
        """Creates the placeholders of sample weights and rebuilds the loss; True if new."""
        if all(e.sample_weight is not None for e in self.trained):
            return False
        for endpoint in self.trained:
            endpoint.make_sample_weight()
        self.build_total_loss()
        return True


def no_loss():
    """The error of a model that has neither a loss nor added losses."""
    return misuse(ValueError('The model cannot be compiled because it has no loss to optimize.\n  '
                             "Hint: compile(optimizer, loss='mse'), or model.add_loss(...)."))


def _losses(loss, names):
    if isinstance(loss, dict):
        check_keys(loss, names, 'loss')
        return [loss_of(loss.get(name)) for name in names]
    if isinstance(loss, (list, tuple)):
        if len(loss) != len(names):
            raise misuse(ValueError('When passing a list as loss, it should have one entry per '
                                    f'model outputs. The model has {len(names)} outputs, but you '
                                    f'passed loss={loss}'))
        return [loss_of(one) for one in loss]
    return [loss_of(loss) for _ in names]


def _modes(mode, names):
    if isinstance(mode, dict):
        missing = [name for name in names if name not in mode]
        if missing and set(mode) <= set(names):
            raise misuse(ValueError('The `sample_weight_mode` dictionary has no entry for the '
                                    f'outputs {missing}.'))
    if isinstance(mode, (dict, list, tuple)):
        given = list(mode) if isinstance(mode, tuple) else mode
        return _per_output(given, names, 'sample_weight_mode', None)
    return [mode] * len(names)


def _targets(tensors, names):
    if isinstance(tensors, (dict, list, tuple)):
        given = list(tensors) if isinstance(tensors, tuple) else tensors
        return _per_output(given, names, 'target_tensors', None)
    if tensors is not None and len(names) > 1:
        raise misuse(ValueError(f'The model has {len(names)} outputs, but you passed a single '
                                'tensor as `target_tensors`. Expected a list or a dict of tensors.'
                                ))
    return [tensors] * len(names)


def _per_output(value, names, what, default):
    """A setting for each output, from None, a dict by output name, or a list."""
    if value is None:
        return [default] * len(names)
    if isinstance(value, dict):
        check_keys(value, names, what)
        return [value.get(name, default) for name in names]
    if isinstance(value, list):
        if len(value) != len(names):
            raise misuse(ValueError(f'When passing a list as `{what}`, it should have one entry '
                                    f'per model output. The model has {len(names)} outputs, but '
                                    f'you passed {what}={value}'))
        return list(value)
    raise misuse(TypeError(f'Could not interpret {what} argument: {value!r} - expected a list or a '
                           'dict by output name.'))


def check_kind_of_metrics(metrics, what):
    """TypeError unless the metrics are a list or a dict."""
    if metrics and not isinstance(metrics, (list, dict)):
        raise misuse(TypeError(
            f'Type of `{what}` argument not understood. Expected a list or dictionary, found: '
            f'{metrics!r}\n  Hint: {what}=[{metrics!r}].'))


def _metrics_per_output(metrics, names, what):
    if not metrics:
        return [[] for _ in names]
    if isinstance(metrics, dict):
        check_keys(metrics, names, what)
        return [_as_list(metrics.get(name)) for name in names]
    nested = [isinstance(m, (list, tuple)) for m in metrics]
    if any(nested):
        if not all(nested) or len(metrics) != len(names):
            raise misuse(ValueError(f'When passing a list of lists as `{what}`, it should have one '
                                    f'entry per model output. The model has {len(names)} outputs, '
                                    f'but you passed {what}={metrics}'))
        return [list(m) for m in metrics]
    if len(names) == 1:
        return [list(metrics)]
    # A metric object keeps one running value, so each output needs its own copy.
    return [[_copy_of_metric(metric) for metric in metrics] for _ in names]


def _copy_of_metric(metric):
    if not isinstance(metric, Metric):
        return metric
    args, kwargs = metric._constructor
    return type(metric)(*args, **kwargs)


def _as_list(value):
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]
