"""The training API of Model: fit, evaluate, predict, and their batch and generator forms."""
from __future__ import annotations

import inspect
from contextlib import contextmanager
from typing import Any

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.data_adapter import DataAdapter
from keras_layer.engine.graph_scope import in_model_graph
from keras_layer.engine.training import loops
from keras_layer.engine.training.arguments import (
    check_batch_size,
    check_numbers,
    check_validation_data,
    check_whole,
)
from keras_layer.engine.training.batches import (
    ArrayBatches,
    CycledBatches,
    DatasetBatches,
    QueuedGenerator,
    QueuedSequence,
    SequenceBatches,
    unpacked,
)
from keras_layer.legacy import FIT, GENERATOR, accepts_legacy_names
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword

__all__ = ['TrainingAPI']


class TrainingAPI(DataAdapter):
    """The part of Model for training, evaluation and prediction."""

    @accepts_legacy_names(FIT)
    @in_model_graph
    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None,
            validation_split=0., validation_data=None, shuffle=True, class_weight=None,
            sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
            validation_freq=1, max_queue_size=10, workers=1, use_multiprocessing=False, **kwargs):
        """Trains for `epochs` passes over the data; returns the History.

        `x` and `y` are arrays (or lists or dicts of them, one per input and output), or `x` alone a
        tf.data Dataset, a generator or a Sequence of (x, y) batches. Validation after each epoch
        uses `validation_data`, or the last fraction `validation_split` of the arrays.

        The loss of an epoch is the mean over its batches, while the weights change and with dropout
        on; `val_loss`, and the result of `evaluate`, are of the weights at the end, with dropout
        off.

        Several `workers` make the batches of a generator or Sequence ahead of time, at most
        `max_queue_size` of them: threads, or with `use_multiprocessing` processes, to which a
        Sequence is pickled.
        """
        if kwargs:
            known = inspect.signature(TrainingAPI.fit).parameters
            raise misuse(TypeError(f'Unrecognized keyword arguments: {sorted(kwargs)}'
                                   + nearest_keyword(min(kwargs), known)))
        check_whole(epochs=epochs, initial_epoch=initial_epoch)
        check_numbers(steps_per_epoch=steps_per_epoch, validation_steps=validation_steps,
                      validation_split=validation_split)
        if not self._compile_arguments:
            self._need_compiled()
        ahead = workers, use_multiprocessing, max_queue_size
        batches = self._batch_source(x, y, sample_weight, shuffle, *ahead)
        if batches is None:
            feeds = self._standardized(x, y, sample_weight, class_weight)
            batch_size = self._resolve_batch_size(batch_size, feeds)
            feeds, validation = self._validation_of_arrays(
                feeds, validation_data, validation_split, batch_size, validation_steps, ahead)
            batches = ArrayBatches(feeds, batch_size)
            if steps_per_epoch is not None:
                batch_size, batches = None, CycledBatches(batches, shuffle)
            announce = _announce
        else:
            check_batch_size(x, batch_size)
            if validation_split:
                raise misuse(ValueError('With a dataset, a generator or tensors you cannot use '
                                        '`validation_split`; give validation_data.'))
            steps_per_epoch = self._steps_per_epoch(batches, x, steps_per_epoch)
            validation = self._validation(validation_data, batch_size, validation_steps,
                                          ahead=ahead)
            announce = _announce_steps if isinstance(batches, DatasetBatches) else None
        if verbose in (1, 2) and announce:
            announce(batches, validation, steps_per_epoch)
        with self._feeding(class_weight), _closing(batches, validation):
            return loops.fit(self, batches, epochs, initial_epoch, verbose, callbacks, validation,
                             shuffle, steps_per_epoch, batch_size, validation_freq)

    def _validation_of_arrays(self, feeds, data, split, batch_size, steps, ahead):
        """(feeds for training, validation function), by validation data or a split of `feeds`."""
        if data is None and split:
            feeds, held_back = _split(feeds, split)
            return feeds, self._validation(None, batch_size, steps, held_back, next_to_arrays=True)
        return feeds, self._validation(data, batch_size, steps, ahead=ahead, next_to_arrays=True)

    def _steps_per_epoch(self, batches, x, steps):
        """The number of steps per epoch, None if the data end; builds the model if needed."""
        if _is_sequence(batches) and steps is None:
            steps = len(x)
        elif steps is None and not batches.restartable:
            raise misuse(ValueError(
                'When using a generator, an iterator or tensors as input to a model, you '
                'should specify the `steps_per_epoch` argument: they have no end.'))
        if steps is None and isinstance(batches, DatasetBatches):
            batches.check_end('steps_per_epoch')
        self._build_from_first_batch(batches)
        self._need_compiled()
        return steps

    def _resolve_batch_size(self, batch_size, feeds):
        """The batch size: that of the first Input if it is fixed, else the argument, else 32.

        ValueError if they differ, or if the batch size of a stateful model does not divide the
        number of samples.
        """
        fixed = K.int_shape(self.inputs[0])[0] if self._is_graph_network else None
        if fixed is not None and batch_size not in (None, fixed):
            raise misuse(ValueError(f'The `batch_size` argument value {batch_size} is incompatible '
                                    'with the specified batch size of your Input Layer: '
                                    f'{fixed}\n  Hint: batch_size={fixed}, or omit it.'))
        size = fixed or (32 if batch_size is None else batch_size)
        samples = feeds[0].shape[0] if feeds else 0
        if self.stateful and isinstance(size, int) and size > 0 and samples % size:
            raise misuse(ValueError(
                'In a stateful network, you should only pass inputs with a number of samples that '
                f'can be divided by the batch size. Found: {samples} samples, and batches of '
                f'{size}.'))
        return size

    def _build_from_first_batch(self, batches):
        """Builds a model without inputs from the shapes of the first element."""
        if not self.inputs:
            batches.restart()
            first = batches()
            if not batches.restartable:
                batches.kept = first
            x, _, _ = unpacked(first)
            self._build_for(x)

    def _validation(self, data, batch_size, steps, feeds=None, ahead=(), next_to_arrays=False):
        """A function that evaluates on the validation data; None without any.

        As in tf.keras, arrays are shuffled next to arrays, which uses random numbers; in Keras 2.1
        they are not.
        """
        if data is None and feeds is None:
            return None
        if feeds is None:
            is_pair = isinstance(data, (tuple, list))
            source = None if is_pair else self._batch_source(data, None, None, False, *ahead)
            if source is None:
                if self._need_compiled().fed_endpoints:
                    check_validation_data(data)
                x, y, weight = unpacked(data)
                source = self._batch_source(x, y, weight, False)
                if source is None:
                    feeds = self._standardized(x, y, weight, call='validation_data=(x, y)')
        if feeds is not None:
            source, steps_ = ArrayBatches(feeds, batch_size or 32), None
            samples = source.samples
        else:
            steps_ = steps if steps is not None else (
                len(data) if _is_sequence(source) else None)
            samples = None
            if steps_ is None and isinstance(source, DatasetBatches):
                source.check_end('validation_steps')
            if steps_ is None and not source.restartable:
                raise misuse(ValueError('Please provide `validation_steps`: the validation '
                                        'generator has no end.'))

        def validate(callbacks):
            with self._feeding():           # class weights are for training only
                return loops.evaluate(
                    self, source, 0, callbacks, steps_, batch_size, own_callbacks=False,
                    shuffled=next_to_arrays and not ArrayBatches.shuffles_again)
        validate.samples, validate.source, validate.steps = samples, source, steps_
        if steps_ is None and isinstance(source, DatasetBatches):
            validate.steps = source.known_steps()
        return validate

    @in_model_graph
    def evaluate(self, x=None, y=None, batch_size=None, verbose=1, sample_weight=None, steps=None,
                 callbacks=None, max_queue_size=10, workers=1, use_multiprocessing=False,
                 return_dict=False) -> Any:
        """The loss and the metrics on the data; a number, or a list in `metrics_names`' order.

        `steps` is for infinite data; it is ignored for arrays. `return_dict`, of TensorFlow 2,
        asks for a dict by those names.
        """
        check_numbers(steps=steps)
        if not self._compile_arguments:
            self._need_compiled()
        batches = self._batch_source(x, y, sample_weight, False, workers, use_multiprocessing,
                                     max_queue_size)
        if batches is None:
            feeds = self._standardized(x, y, sample_weight, call='evaluate(x, y)')
            batch_size = self._resolve_batch_size(batch_size, feeds)
            batches = ArrayBatches(feeds, batch_size)
            steps = None
        else:
            check_batch_size(x, batch_size)
            steps = self._steps_for(batches, x, steps)
        with self._feeding(), _closing(batches):
            results = loops.evaluate(self, batches, verbose, callbacks, steps, batch_size)
        return self._as_results(results, return_dict)

    def _steps_for(self, batches, x, steps):
        if _is_sequence(batches) and steps is None:
            steps = len(x)
        if steps is None and not batches.restartable:
            raise misuse(ValueError('When using a generator, an iterator or tensors, specify '
                                    '`steps`: they have no end.'))
        if steps is None and isinstance(batches, DatasetBatches):
            batches.check_end('steps')
        self._build_from_first_batch(batches)
        self._need_compiled()
        return steps

    @in_model_graph
    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None,
                max_queue_size=10, workers=1, use_multiprocessing=False) -> Any:
        """The outputs for all examples: an array, or a list of one for each output.

        `steps` is for infinite data; it is ignored for arrays.
        """
        check_numbers(steps=steps)
        batches = self._batch_source(x, None, None, False, workers, use_multiprocessing,
                                     max_queue_size)
        if batches is None:
            feeds = self._standardized(x, check=False)
            batch_size = self._resolve_batch_size(batch_size, feeds)
            batches = ArrayBatches(feeds, batch_size)
            steps = None
        else:
            check_batch_size(x, batch_size)
            steps = self._steps_for_prediction(batches, x, steps)
        with self._feeding(predicting=True), _closing(batches):
            found = loops.predict(self, batches, verbose, callbacks, steps, batch_size)
        return self._as_output(found)

    def _steps_for_prediction(self, batches, x, steps):
        if _is_sequence(batches) and steps is None:
            steps = len(x)
        if steps is None and not batches.restartable:
            raise misuse(ValueError('Specify `steps`: a generator, an iterator or tensors have no '
                                    'end.'))
        if steps is None and isinstance(batches, DatasetBatches):
            batches.check_end('steps')
        self._build_from_first_batch(batches)
        return steps

    def _as_output(self, arrays):
        """Arrays in the structure of the model's outputs."""
        if isinstance(self._output_structure, dict):
            return tf.nest.pack_sequence_as(self._output_structure, arrays)
        return arrays[0] if len(arrays) == 1 else arrays

    # ---- single batches ------------------------------------------------------------------

    @in_model_graph
    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None,
                       reset_metrics=True, return_dict=False) -> Any:
        """One training step on this batch; the loss, or the list of loss and metrics.

        The batch may be tensors of the graph, which are computed first.
        """
        feeds = self._standardized(*self._values(x, y, sample_weight), class_weight,
                                   call='train_on_batch(x, y)')
        results = self._functions.get('train').bound()(feeds)
        if reset_metrics:
            self.reset_metrics()
        return self._as_results(results, return_dict)

    @in_model_graph
    def test_on_batch(self, x, y=None, sample_weight=None, reset_metrics=True,
                      return_dict=False) -> Any:
        """The loss, or the list of loss and metrics, of this batch."""
        feeds = self._standardized(*self._values(x, y, sample_weight),
                                   call='test_on_batch(x, y)')
        results = self._functions.get('test').bound()(feeds)
        if reset_metrics:
            self.reset_metrics()
        return self._as_results(results, return_dict)

    def _as_results(self, values, as_dict):
        """The loss and the metrics as `evaluate` returns them."""
        if as_dict:
            return dict(zip(self.metrics_names, values))
        return values[0] if len(values) == 1 else values

    @in_model_graph
    def predict_on_batch(self, x) -> Any:
        """The outputs for this batch."""
        feeds = self._standardized(*self._values(x), check=False)
        return self._as_output(self._functions.get('predict').bound()(feeds))

    # ---- generators ----------------------------------------------------------------------

    @accepts_legacy_names(GENERATOR)
    @in_model_graph
    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None,
                      validation_data=None, validation_steps=None, validation_freq=1,
                      class_weight=None, max_queue_size=10, workers=1, use_multiprocessing=False,
                      shuffle=True, initial_epoch=0):
        """`fit` on a generator or Sequence of (x, y) or (x, y, sample_weight) batches."""
        return self.fit(generator, epochs=epochs, verbose=verbose, callbacks=callbacks,
                        validation_data=validation_data, shuffle=shuffle,
                        class_weight=class_weight, initial_epoch=initial_epoch,
                        steps_per_epoch=steps_per_epoch, validation_steps=validation_steps,
                        validation_freq=validation_freq, max_queue_size=max_queue_size,
                        workers=workers, use_multiprocessing=use_multiprocessing)

    @accepts_legacy_names(GENERATOR)
    @in_model_graph
    def evaluate_generator(self, generator, steps=None, callbacks=None, max_queue_size=10,
                           workers=1, use_multiprocessing=False, verbose=0) -> Any:
        """`evaluate` on a generator or Sequence."""
        return self.evaluate(generator, steps=steps, callbacks=callbacks, verbose=verbose,
                             max_queue_size=max_queue_size, workers=workers,
                             use_multiprocessing=use_multiprocessing)

    @accepts_legacy_names(GENERATOR)
    @in_model_graph
    def predict_generator(self, generator, steps=None, callbacks=None, max_queue_size=10,
                          workers=1, use_multiprocessing=False, verbose=0) -> Any:
        """`predict` on a generator or Sequence; targets are ignored."""
        return self.predict(generator, steps=steps, callbacks=callbacks, verbose=verbose,
                            max_queue_size=max_queue_size, workers=workers,
                            use_multiprocessing=use_multiprocessing)


def _is_sequence(batches):
    return isinstance(batches, (SequenceBatches, QueuedSequence)) \
        and not isinstance(batches, QueuedGenerator)


@contextmanager
def _closing(batches, validation=None):
    """Stops the workers that make the batches, also after an error."""
    try:
        yield
    finally:
        for source in (batches, getattr(validation, 'source', None)):
            if hasattr(source, 'close'):
                source.close()


def _split(feeds, part):
    if not 0. < part < 1.:
        raise misuse(ValueError(f'`validation_split` must be a fraction between 0 and 1, not '
                                f'{part!r}.'))
    at = int(feeds[0].shape[0] * (1. - part))
    if at < 1 or at >= feeds[0].shape[0]:
        raise misuse(ValueError(f'validation_split={part} of {feeds[0].shape[0]} samples leaves '
                                'none for training or none for validation.'))
    return [f[:at] for f in feeds], [f[at:] for f in feeds]


def _announce(batches, validation, steps):
    samples = getattr(batches, 'samples', None)
    text = f'Train on {samples} samples' if samples is not None else f'Train for {steps} steps'
    if validation is not None and getattr(validation, 'samples', None):
        text += f', validate on {validation.samples} samples'
    print(text)


def _announce_steps(batches, validation, steps):
    """The line above the epochs of a dataset whose number of steps is known."""
    steps = batches.known_steps() if steps is None else steps
    if steps is None:
        return
    text, checked = f'Train on {steps} steps', getattr(validation, 'steps', None)
    if getattr(validation, 'samples', None):
        text += f', validate on {validation.samples} samples'
    elif checked is not None:
        text += f', validate on {checked} steps'
    print(text)

