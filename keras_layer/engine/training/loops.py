"""The loops of fit, evaluate and predict over epochs and batches."""
from __future__ import annotations

import warnings

import numpy as np

from keras_layer.callbacks.container import RunningFit, configure_callbacks
from keras_layer.engine.training.batches import (
    ArrayBatches,
    CycledBatches,
    DatasetBatches,
)
from tinyflow.graph.support.errors import misuse

# Whether val_loss is before loss in logs and History; keras2/enabling.py sets it.
validation_first = False


class EpochAverages:
    """Results of an epoch: the mean loss over its samples, and the last values of the metrics.

    The metrics are running values in the graph already; the loss is that of the batch. As in TF,
    all batches of a dataset have equal weight, and so have those of a generator in `evaluate`.
    """

    def __init__(self):
        self._loss = 0.
        self._size = 0
        self._last = []
        self.metrics = None             # those of all workers

    def add(self, results, size):
        loss = results[0]
        self._loss += (float(loss) if np.ndim(loss) == 0 else loss) * size
        self._size += size
        self._last = results

    def values(self):
        if not self._size:
            return []
        metrics = self._last[1:] if self.metrics is None else self.metrics
        return [self._loss / self._size, *[float(r) if np.ndim(r) == 0 else r for r in metrics]]


def fit(model, data, epochs, initial_epoch, verbose, callbacks, validation, shuffle,
        steps_per_epoch, batch_size, validation_freq=1):
    """Trains and returns the History. `validation` is None or a function that returns results."""
    samples = data.samples if isinstance(data, ArrayBatches) else None
    steps = _known_steps(data, steps_per_epoch)
    workers = model._workers()
    if workers is not None:
        verbose, callbacks = workers.begin(model, verbose, callbacks)
    run_callbacks = configure_callbacks(
        callbacks, model, do_validation=validation is not None, batch_size=batch_size,
        epochs=epochs, steps_per_epoch=steps, samples=samples if samples is not None else steps,
        verbose=verbose, count_mode='samples' if samples is not None else 'steps', mode='train')
    names = model.metrics_names
    with RunningFit(model, run_callbacks, data):
        run_callbacks.on_train_begin()
        model._before_training(run_callbacks, validation)
        initial_epoch, resumed = _resumed(run_callbacks, initial_epoch)
        for epoch in range(initial_epoch, epochs) if not model.stop_training else ():
            model.reset_metrics()
            run_callbacks.on_epoch_begin(epoch, {})
            run = _of_worker(model, 'train', workers)
            if samples is not None and steps_per_epoch is None:
                batches = data.epoch(data.order(shuffle))
            else:
                batches = _steps(model, data, steps_per_epoch,
                                 epoch == initial_epoch and not resumed)
            averages, ran_out = _train_epoch(model, run, batches, names, run_callbacks,
                                             steps_per_epoch, workers)
            if epoch == initial_epoch and not averages.values():
                raise misuse(ValueError('Empty training data: there was no batch.'))
            epoch_logs = dict(zip(names, averages.values()))
            if validation is not None and not model.stop_training and _due(epoch, validation_freq):
                values = validation(run_callbacks)
                validated = {'val_' + n: v for n, v in zip(names, values)}
                epoch_logs = {**validated, **epoch_logs} if validation_first else \
                    {**epoch_logs, **validated}
            run_callbacks.on_epoch_end(epoch, epoch_logs)
            if workers is not None:
                workers.stops(model)
            if model.stop_training or ran_out:
                break
        run_callbacks.on_train_end()
    return model.history


def _resumed(callbacks, initial_epoch):
    """(the epoch to begin with, whether it goes on exactly) after an interruption."""
    exactly = False
    for callback in callbacks:
        if hasattr(type(callback), 'first_epoch'):
            initial_epoch = callback.first_epoch(initial_epoch)
            exactly = exactly or getattr(callback, 'resumed', False)
    for callback in callbacks:
        if initial_epoch and not exactly and not callbacks.model._goes_on \
                and hasattr(type(callback), 'resume_after'):
            exactly = callback.resume_after(initial_epoch - 1)
    callbacks.model._goes_on = True
    return initial_epoch, exactly


def _known_steps(data, steps):
    """The number of steps for callbacks: as given, or the size of the dataset."""
    return data.known_steps() if steps is None and isinstance(data, DatasetBatches) else steps


def _of_worker(model, kind, workers):
    run = model._functions.runner(kind)
    return run if workers is None else workers.runner(model, run)


def _train_epoch(model, run, batches, names, callbacks, wanted_steps, workers=None):
    """One epoch; (averages, whether the data ended before it)."""
    averages, steps = EpochAverages(), 0
    call_hooks = callbacks.call_batch_hooks
    for step, (size, feeds) in enumerate(batches):
        logs = {'batch': step, 'size': size}
        call_hooks('train', 'begin', step, logs)
        results = run(feeds)
        averages.add(results, size)
        logs.update(zip(names, results))
        call_hooks('train', 'end', step, logs)
        steps += 1
        if workers is not None:
            workers.stops(model)
        if model.stop_training:
            break
    if workers is not None and steps:
        averages.metrics = workers.end_of_epoch(model)
    ran_out = wanted_steps is not None and steps < wanted_steps and not model.stop_training
    if ran_out:
        warnings.warn(
            f'Your input ran out of data after {steps} of {wanted_steps} steps; interrupting '
            'training. Make sure that your dataset or generator can generate at least '
            '`steps_per_epoch * epochs` batches; a dataset does with .repeat().', stacklevel=4)
    return averages, ran_out or not steps


def _due(epoch, validation_freq):
    if isinstance(validation_freq, int):
        return (epoch + 1) % validation_freq == 0
    if isinstance(validation_freq, str) or not hasattr(validation_freq, '__contains__'):
        raise misuse(ValueError('`validation_freq` must be a whole number, or a list of the epochs '
                                f'to validate after, but is {validation_freq!r}.'))
    return epoch + 1 in validation_freq


def _steps(model, data, steps, first):
    """(size, feeds) of each step of a source of batches."""
    if first or steps is None:
        data.restart()
    done = 0
    while steps is None or done < steps:
        try:
            element = _next(data)
        except StopIteration:
            return
        if isinstance(data, CycledBatches):
            yield element
        else:
            size, feeds = model._feeds_of(element)
            yield 1 if data.counts_steps else size, feeds
        done += 1


def _next(data):
    """The next element; the one used to build the model comes first."""
    kept = getattr(data, 'kept', None)
    if kept is None:
        return data()
    data.kept = None
    return kept


def evaluate(model, data, verbose, callbacks, steps, batch_size, own_callbacks=True,
             shuffled=False):
    """The mean loss and the metrics over the data, arrays `shuffled` or in their order."""
    samples = data.samples if isinstance(data, ArrayBatches) else None
    if own_callbacks:
        known = _known_steps(data, steps)
        callbacks = configure_callbacks(
            callbacks, model, do_validation=False, batch_size=batch_size, epochs=1,
            steps_per_epoch=known, samples=samples if samples is not None else known,
            verbose=verbose, count_mode='samples' if samples is not None else 'steps', mode='test')
    model.reset_metrics()
    workers = model._workers()
    run = _of_worker(model, 'test', workers)
    names, averages = model.metrics_names, EpochAverages()
    if samples is not None and steps is None:
        batches = data.epoch(data.order(True) if shuffled else None)
    else:
        batches = _steps(model, data, steps, True)
    callbacks.on_test_begin()
    count = 0
    for step, (size, feeds) in enumerate(batches):
        logs = {'batch': step, 'size': size}
        callbacks.call_batch_hooks('test', 'begin', step, logs)
        results = run(feeds)
        averages.add(results, 1 if samples is None else size)
        logs.update(zip(names, results))
        callbacks.call_batch_hooks('test', 'end', step, logs)
        count += 1
    if not count:
        raise misuse(ValueError('The data for evaluation are empty: there was no batch.'))
    if workers is not None:
        averages.metrics = workers.end_of_epoch(model)
    callbacks.on_test_end()
    return averages.values()


def predict(model, data, verbose, callbacks, steps, batch_size):
    """The outputs for all the data, a list of arrays."""
    samples = data.samples if isinstance(data, ArrayBatches) else None
    known = _known_steps(data, steps)
    callbacks = configure_callbacks(
        callbacks, model, do_validation=False, batch_size=batch_size, epochs=1,
        steps_per_epoch=known, samples=samples if samples is not None else known,
        verbose=verbose, count_mode='samples' if samples is not None else 'steps', mode='predict')
    run = model._functions.get('predict').bound()
    if samples is not None and steps is None:
        batches = data.epoch(None)
    else:
        batches = _steps(model, data, steps, True)
    callbacks.on_predict_begin()
    outputs, start = None, 0
    parts = []
    for step, (size, feeds) in enumerate(batches):
        logs = {'batch': step, 'size': size}
        callbacks.call_batch_hooks('predict', 'begin', step, logs)
        results = run(feeds)
        if samples is None or any(r.shape[:1] != (size,) for r in results):
            parts.append(results)
        else:
            if outputs is None:
                outputs = [np.empty((samples, *r.shape[1:]), r.dtype) for r in results]
            for whole, part in zip(outputs, results):
                whole[start:start + size] = part
            start += size
        logs['outputs'] = results
        callbacks.call_batch_hooks('predict', 'end', step, logs)
    callbacks.on_predict_end()
    if parts:
        if outputs is not None:
            parts.insert(0, [o[:start] for o in outputs])
        outputs = [np.concatenate(own) for own in zip(*parts)]
    if outputs is None:
        raise misuse(ValueError('The data to predict are empty: there was no batch.'))
    return outputs
