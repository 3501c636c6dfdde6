"""Training of a Keras model by several workers, under MultiWorkerMirroredStrategy.

All workers are given the same data. Each takes its rows of every batch; gradients and losses are
weighted by rows and added up, so that a step equals that of one process on the whole batch. Metrics
show a worker's own rows during an epoch, and all rows at its end. Predictions are computed by
each worker for itself.
"""
from __future__ import annotations

import random
from contextlib import contextmanager

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from tinyflow.cluster import buckets
from tinyflow.data.runtime.state_bytes import decode, encode

__all__ = ['Workers']

# Callbacks that write files, which worker 0 does for all: what the others must not call.
_WRITES = {'ModelCheckpoint': '_save', 'BackupAndRestore': 'on_epoch_end', 'CSVLogger': None,
           'TensorBoard': None, 'LearningCurves': None}


class Workers:
    """What the workers of a strategy do together in fit and evaluate."""

    def __init__(self, group):
        self._group = group

    # ---- the graph -----------------------------------------------------------------------

    def step(self, model, loss, weights):
        """(update operations of a training step, the loss of all rows)."""
        optimizer, rows = model.optimizer, _rows(model)
        losses = []

        def combined(gradients):
            parts = [loss * rows, rows, *[_times(gradient, rows) for gradient in gradients]]
            total, count, *sums = buckets.all_reduce(parts, self._group.size)
            losses.append(total / count)
            return [_times(gradient, 1. / count) for gradient in sums]
        optimizer._combine = combined
        try:
            updates = list(optimizer.get_updates(params=weights, loss=loss))
        finally:
            optimizer._combine = None
        return updates, losses[0]

    def mean_loss(self, model, loss):
        """The loss of all rows."""
        rows = _rows(model)
        total, count = buckets.all_reduce([loss * rows, rows], self._group.size)
        return total / count

    # ---- running -------------------------------------------------------------------------

    def begin(self, model, verbose, callbacks):
        """Gives all workers worker 0's weights and random state; (verbose, callbacks) of this one.
        """
        group = self._group
        session, weights = K.get_session(), model.weights
        for variable, value in zip(weights, session.variable_values(weights)):
            value = np.ascontiguousarray(value).reshape(value.shape)
            group.broadcast(value, 'the weights of worker 0')
            if group.rank:
                session.set_variable_values([(variable, value)])
        kind, keys, *rest = np.random.get_state()
        version, internal, gauss = random.getstate()
        state = decode(group.broadcast_bytes(encode(
            [keys, list(rest), list(internal), gauss]), 'the start of fit'))
        np.random.set_state((kind, state[0], *state[1]))
        random.setstate((version, tuple(state[2]), state[3]))
        if not group.rank:
            return verbose, callbacks
        return 0, [found for found in map(_quiet, _listed(callbacks)) if found is not None]

    def runner(self, model, run):
        """`run`, on this worker's rows of the feeds."""
        rank, size = self._group.rank, self._group.size

        def of_own_rows(feeds):
            count = feeds[0].shape[0]
            if count < size:            # each worker computes all of it, one counts it
                with self._uncounted(model):
                    return run(feeds)
            start, stop = count * rank // size, count * (rank + 1) // size
            return run([feed[start:stop] for feed in feeds])
        return of_own_rows

    @contextmanager
    def _uncounted(self, model):
        """Leaves the metrics as they are, except on worker 0."""
        session = K.get_session()
        counts = _counts(model) if self._group.rank else []
        before = session.variable_values(counts)
        yield
        session.set_variable_values(zip(counts, before))

    def stops(self, model):
        """True if one worker has stopped the training."""
        flag = np.array([bool(model.stop_training)], np.int32)
        self._group.all_reduce(flag, flag, 'max', 'the end of a batch')
        model.stop_training = bool(flag[0])
        return model.stop_training

    def end_of_epoch(self, model):
        """The metrics of all rows; moving averages become the mean of the workers' own."""
        session = K.get_session()
        state = [v for v in model.non_trainable_weights if v.dtype.base_dtype.is_floating]
        self._replace(session, state, 1. / self._group.size)
        self._replace(session, _counts(model), 1)
        results = model._functions.metric_results()
        return session.run(results) if results else []

    def _replace(self, session, variables, factor):
        """Sets Variables to the sums of the workers' values, times `factor`."""
        for variable, value in zip(variables, session.variable_values(variables)):
            total = np.ascontiguousarray(value).reshape(value.shape)
            self._group.all_reduce(total, total, what=f"the sum of '{variable.name}'")
            if factor != 1:
                total *= total.dtype.type(factor)
            session.set_variable_values([(variable, total)])


def _counts(model):
    """The Variables of the metrics."""
    return [v for metric in model._all_metrics() for v in metric.weights]


def _rows(model):
    return tf.cast(tf.shape(model._fed_inputs[0])[0], tf.float32)


def _times(gradient, factor):
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(_times(gradient.values, factor), gradient.indices,
                                gradient.dense_shape)
    return gradient * tf.cast(factor, gradient.dtype.base_dtype)


def _listed(callbacks):
    return list(callbacks) if isinstance(callbacks, (list, tuple)) else \
        [] if callbacks is None else [callbacks]


def _quiet(callback):
    """The callback without what writes files; None if it does nothing else."""
    for kind in type(callback).__mro__:
        if kind.__name__ in _WRITES:
            method = _WRITES[kind.__name__]
            if method is None:
                return None
            setattr(callback, method, lambda *args, **kwargs: None)
    return callback
