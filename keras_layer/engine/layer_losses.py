"""Losses, state updates and metrics that layers add to training."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.layer_weights import unique
from keras_layer.engine.registry import metric_class
from tinyflow.graph.support.errors import misuse


def metric_behind(tensor):
    """The Metric object whose result a tensor is, or None."""
    return getattr(tensor, '_keras_metric', None)


# What a number that is given as a loss or an update becomes, if not a tensor: a class that is
# called with the number and the inputs, and remembers them as `given_for`; keras2/enabling.py
# sets it.
number_type = None


def _depends_on(target, inputs):
    given_for = getattr(target, 'given_for', None)
    if given_for is None:
        return K.depends_on(target, inputs)
    return any(tensor is given for tensor in tf.nest.flatten(inputs) for given in given_for)


def _as_tensor(loss):
    """A loss as a tensor; a number, also an integer, is of Keras' float type."""
    return loss if K.is_tensor(loss) else tf.convert_to_tensor(loss, dtype=K.floatx())


class LayerLosses:
    """The part of Layer for losses, updates and metrics."""

    # ---- losses --------------------------------------------------------------------------

    def add_loss(self, losses, inputs=None):
        """Adds a loss to the model: a scalar tensor, or a function that returns one.

        A tensor that depends on the layer's inputs belongs to the calls with these inputs
        (an activity regularizer); the others, to the layer (a weight regularizer). The
        dependency is found in the graph, so `inputs` need not be given.
        """
        for loss in tf.nest.flatten(losses):
            if callable(loss):
                self._weight_losses.append(loss)
            elif number_type is not None and isinstance(loss, (int, float)):
                self._losses.append(number_type(loss, inputs))
            elif loss is not None:
                self._losses.append(_as_tensor(loss))

    def _made_weight_losses(self):
        """The losses of the functions given to `add_loss`, made once for each graph."""
        made = []
        for loss in self._weight_losses:
            if tf.executing_eagerly():
                made += [_as_tensor(value) for value in [loss()] if value is not None]
                continue
            graph = K.get_graph()
            key = (id(loss), graph)
            if key not in self._made_losses:
                value = loss()
                self._made_losses[key] = None if value is None else _as_tensor(value)
            if self._made_losses[key] is not None:
                made.append(self._made_losses[key])
        return made

    def _forget_losses_of_values(self):
        """Drops the losses of the last call that ran at once, here and in the layers inside."""
        self._losses[:] = [t for t in self._losses if not hasattr(t, 'array')]
        for layer in self._sublayers:
            layer._forget_losses_of_values()

    @property
    def losses(self):
        """All losses of this layer and of those inside it, as tensors."""
        return self._losses_of_all_calls()

    def _losses_of_all_calls(self):
        found = list(self._losses) + self._made_weight_losses()
        for layer in self._sublayers:
            found += layer._losses_of_all_calls()
        return unique(found)

    def get_losses_for(self, inputs):
        """The losses that depend on `inputs`; with None, those that depend on no input."""
        return self._for(self._losses_of_all_calls(), inputs)

    def _for(self, targets, inputs):
        if inputs is None:
            own = self._own_inputs()
            return [t for t in targets
                    if not getattr(t, 'given_for', None) and not _depends_on(t, own)]
        return [t for t in targets if _depends_on(t, inputs)]

    def _own_inputs(self):
        """The inputs of all calls of this layer and of those inside it.

        This includes the Inputs of nested models.
        """
        found = [t for node in self._inbound_nodes
                 for t in tf.nest.flatten(node.inputs if node.inputs is not None
                                          else node.outputs)]
        for layer in self._sublayers:
            found += layer._own_inputs()
        return found

    # ---- updates -------------------------------------------------------------------------

    def add_update(self, updates, inputs=None):
        """Adds operations that each training step runs, such as those of moving averages.

        An update is an Operation, an assignment's tensor, a (variable, new value) pair, or a
        function that returns one of these. The `inputs` that it depends on are found in the graph.
        """
        for update in K.to_updates(updates):
            update = update() if callable(update) else update
            if update is None:
                continue
            if isinstance(update, tuple):
                update = tf.assign(*update)
            if tf.executing_eagerly():
                continue                # it has run
            if not isinstance(update, (int, float)):
                self._updates.append(K.operation_of(update))
            elif number_type is not None:
                self._updates.append(number_type(update, inputs))
            else:
                self._updates.append(tf.convert_to_tensor(update).op)

    @property
    def updates(self):
        """The operations of this layer and those inside it; none if the layer is frozen."""
        return self._updates_of_all_calls()

    def _updates_of_all_calls(self):
        if not self.trainable and not self.stateful:
            return []
        found = list(self._updates)
        for layer in self._sublayers:
            found += layer._updates_of_all_calls()
        return unique(found)

    def get_updates_for(self, inputs):
        """The updates that depend on `inputs`; with None, those that depend on no input."""
        return self._for(self._updates_of_all_calls(), inputs)

    # ---- metrics -------------------------------------------------------------------------

    def add_metric(self, value, aggregation=None, name=None):
        """Reports `value`, a tensor, with the metrics of the model.

        `aggregation` is 'mean' (over the batches of an epoch), or None if `value` is already the
        result of a Metric object. ValueError for another one, or without a name.
        """
        if aggregation not in (None, 'mean'):
            raise misuse(ValueError('We currently support only `mean` sample-wise metric '
                                    f'aggregation. You provided aggregation={aggregation!r}'))
        from_object = metric_behind(value)
        if from_object is not None:
            if all(from_object is not m for m in self._metrics):
                self._metrics.append(from_object)
            self._metric_values.append((from_object, value))
            return
        if name is None:
            raise misuse(ValueError("Please provide a name for your metric like "
                                    "`self.add_metric(tf.reduce_sum(x), name='mean_activation', "
                                    "aggregation='mean')`"))
        if aggregation is None:
            raise misuse(ValueError(
                f"add_metric(name='{name}') needs aggregation='mean', unless the value is the "
                'result of a Metric object, which has its own aggregation.'))
        metric = next((m for m in self._metrics if m.name == name), None)
        if metric is None:
            metric = metric_class('Mean')(name=name, dtype=value.dtype)
            self._metrics.append(metric)
        with K.name_scope('metrics'):
            self._metric_values.append((metric, metric(value)))

    @property
    def metrics(self):
        """The Metric objects of this layer and of those inside it."""
        return self._added_metrics

    @property
    def _added_metrics(self):
        """`metrics` without those of compile."""
        found = list(self._metrics)
        for layer in self._sublayers:
            found += layer._added_metrics
        return unique(found)

    @property
    def _metric_results(self):
        """(metric, tensor of its result) of `add_metric`, here and in the layers inside."""
        found = list(self._metric_values)
        for layer in self._sublayers:
            found += layer._metric_results
        return found
