"""The train, test and predict functions of a model, which call the Session."""
from __future__ import annotations

from contextlib import contextmanager

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.training.sparse_rows import SparseRows, fed


class Functions:
    """A model's train, test and predict functions, created on first use.

    Each is a `K.function` of [*inputs, *targets, *sample weights] and, in training, the learning
    phase. It returns [loss, *metrics], or the outputs.
    """

    def __init__(self, model):
        self._model = model
        self._made = {}
        self._watched = {}

    def watch(self, kind, tensor, callback):
        """Makes the function also compute `tensor` and pass its values on; None stops it."""
        self._watched.pop(kind, None)
        if tensor is not None:
            self._watched[kind] = tensor, callback

    def forget(self, *kinds):
        """Discards these functions, or all, so that they are rebuilt when needed."""
        for kind in kinds or list(self._made):
            self._made.pop(kind, None)

    def get(self, kind):
        """The function 'train', 'test' or 'predict'."""
        made = self._made.get(kind)
        if made is None:
            with self._model._graph.as_default():
                made = self._made[kind] = self._at_once(kind) if self._model.run_eagerly \
                    else getattr(self, f'_{kind}')()
        if kind in self._watched:
            with self._model._graph.as_default():
                return made.watched(*self._watched[kind])
        return made

    def _at_once(self, kind):
        from keras_layer.engine.training.at_once import CallAtOnce  # start-up time
        return CallAtOnce(self._model, kind)

    def runner(self, kind):
        """A callable of feeds that handles the first batch with sample weights.

        The function is then rebuilt with placeholders for them, and batches without weights get
        weights of one. It is rebuilt as well if the targets have other axes than was thought.
        """
        made = self.get(kind)
        run, count = made.bound(), made.count

        def following(feeds):
            nonlocal run, count
            if len(feeds) != count or kind not in self._made:
                made = self.get(kind)
                run, count = made.bound(), made.count
                if len(feeds) < count:
                    feeds = self._model._with_weights(feeds)
            return run(feeds)
        return following

    def _train(self):
        model, compiled = self._model, self._model._compiled
        now = len(model.trainable_weights)
        with _trainable_as(compiled.trainable):
            weights = list(model.trainable_weights)
            if len(weights) != now:
                tf.logging.log_first_n(tf.logging.WARN, (
                    'Discrepancy between trainable weights and collected trainable weights, did '
                    'you set `model.trainable` without calling `model.compile` after ?'), 1)
            loss, workers = compiled.total_loss, model._workers()
            with K.name_scope('training'):
                if workers is None:
                    updates = list(model.optimizer.get_updates(params=weights, loss=loss))
                else:
                    updates, loss = workers.step(model, loss, weights)
            updates += model.get_updates_for(None) + model.get_updates_for(model.inputs)
        return _Call([*model._fed_inputs, *compiled.targets, *compiled.sample_weights],
                     [loss, *self._results()], updates, 'training', training=True)

    def _test(self):
        model, compiled = self._model, self._model._compiled
        loss, workers = compiled.total_loss, model._workers()
        if workers is not None:
            loss = workers.mean_loss(model, loss)
        return _Call([*model._fed_inputs, *compiled.targets, *compiled.sample_weights],
                     [loss, *self._results()], model.state_updates, 'evaluation')

    def _predict(self):
        model = self._model
        return _Call(model._fed_inputs, model.outputs, model.state_updates, 'predict')

    def _results(self):
        """The results of the metrics, in the order of `metrics_names`."""
        compiled = self._model._compiled
        own = {**dict(self._model._metric_results), **compiled.results}
        return [own[m] for m in self._model._all_metrics()]

    def metric_results(self):
        """The tensors of the metrics' values, which depend on their Variables only."""
        if 'metric results' not in self._made:
            with self._model._graph.as_default():
                self._made['metric results'] = [metric.result()
                                                for metric in self._model._all_metrics()]
        return self._made['metric results']

    def made(self, kind):
        """The K.Function, if it exists already."""
        made = self._made.get(kind)
        return made and made.function


def trainable_state(layer):
    """The `trainable` flags of a layer and its sublayers, by layer."""
    state = {layer: layer._trainable}
    for inner in layer._sublayers:
        state.update(trainable_state(inner))
    return state


def _set_trainable_state(state):
    for layer, trainable in state.items():
        layer._trainable = trainable


@contextmanager
def _trainable_as(state):
    """Restores the `trainable` flags of compile, ignoring layers frozen since for another model."""
    now = {layer: layer._trainable for layer in state}
    _set_trainable_state(state)
    try:
        yield
    finally:
        _set_trainable_state(now)


class _Call:
    """A K.function that feeds the learning phase by itself."""

    def __init__(self, inputs, outputs, updates, name, training=False):
        # The phase defaults to False: as in TF, only training needs (and makes) its node.
        phase = K.learning_phase() if training else 0
        self._feeds_phase = not isinstance(phase, int)
        self.inputs = [*inputs, phase] if self._feeds_phase else list(inputs)
        self.count = len(inputs)
        self.outputs = list(outputs)
        self.function = K.Function(self.inputs, self.outputs, updates, name=name)
        self._with = {}

    def watched(self, tensor, callback):
        """This function, with the value of `tensor` passed to `callback`."""
        if tensor not in self._with:
            own = self.function
            self._with[tensor] = K.Function(self.inputs, [*self.outputs, tensor],
                                            [own.updates_op], name=own.name)
        return _Watched(self, self._with[tensor], callback)

    def bound(self, function=None):
        """A callable of the feeds without the learning phase; gives the list of results."""
        function = function or self.function
        call, count = function.prepare(), len(function.outputs)
        training = (True,) if self._feeds_phase else ()

        def run(feeds):
            if any(isinstance(value, SparseRows) for value in feeds):
                feeds = fed(feeds, self.inputs)
            return call(*feeds, *training)[:count]
        return run


class _Watched:
    """A _Call that computes one more tensor, for `Functions.watch`."""

    def __init__(self, call, function, callback):
        self._call, self._function, self._callback = call, function, callback
        self.count = call.count

    def bound(self):
        run = self._call.bound(self._function)

        def watched(feeds):
            *results, seen = run(feeds)
            self._callback(seen)
            return results
        return watched
