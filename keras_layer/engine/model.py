"""Model: a network with training and evaluation."""
from __future__ import annotations

from functools import wraps

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.input_layer import Input
from keras_layer.engine.network import Network
from keras_layer.engine.saving_methods import SavingMethods
from keras_layer.engine.topology import Topology
from keras_layer.engine.training import loops
from keras_layer.engine.training.batches import (
    ArrayBatches,
    DatasetBatches,
    GeneratorBatches,
    SequenceBatches,
    unpacked,
)
from keras_layer.engine.training.compiling import Compiled
from keras_layer.engine.training.functions import Functions
from keras_layer.engine.training.standardize import (
    as_arrays,
    check_lengths,
    check_targets,
    is_symbolic,
    standardize_weights,
)
from keras_layer.legacy import FIT, GENERATOR, MODEL, takes_old_names
from tinyflow.errors import worded
from tinyflow.viz.select import register_drawable

__all__ = ['Model']


def _in_own_graph(method):
    """Runs a method in the model's own graph, whichever thread calls it (PAINS B2)."""
    @wraps(method)
    def wrapped(self, *args, **kwargs):
        with self._graph.as_default(), K.model_nodes(self._graph):
            return method(self, *args, **kwargs)
    return wrapped


class Model(SavingMethods, Network):
    """Layers from inputs to outputs, with `compile`, `fit`, `evaluate` and `predict`.

    ``Model(inputs=x, outputs=y)`` for tensors that layers made of an `Input`; or subclass it, with
    layers as attributes and their wiring in `call(inputs)`. A model belongs to the graph that it
    was built in and runs there from any thread.
    """

    @takes_old_names(MODEL)
    def __init__(self, *args, **kwargs):
        self._compiled = None
        self.optimizer = None
        self.loss = None
        self.stop_training = False
        self.history = None
        self._compile_arguments = None
        self._functions = Functions(self)
        super().__init__(*args, **kwargs)

    # ---- compile -------------------------------------------------------------------------

    @_in_own_graph
    def compile(self, optimizer='rmsprop', loss=None, metrics=None, loss_weights=None,
                sample_weight_mode=None, weighted_metrics=None, target_tensors=None,
                distribute=None, **kwargs):
        """Says what the model is to be trained for.

        `optimizer` is a Keras or tf.train optimizer or a name; `loss` a name, a function
        (y_true, y_pred) -> loss of each sample, a Loss object, or one of those for each output (a
        list, or a dict by output name); `metrics` are reported and do not train. ValueError for
        unknown names, or where there is no loss at all.
        """
        from keras_layer import optimizers
        for key in kwargs:
            if key not in ('run_eagerly', 'experimental_run_tf_function', 'cloning'):
                raise worded(TypeError(f'Invalid keyword argument {key!r} for compile(). '
                                       'Session.run options are not needed here.'))
        if kwargs.get('run_eagerly'):
            raise worded(NotImplementedError('run_eagerly=True: there is no eager execution in '
                                             'tinyflow; K.function shows any value inside.'))
        if distribute is not None:
            raise worded(NotImplementedError('compile(distribute=...) was TF 1.12\'s; give the '
                                             'strategy to an Estimator.'))
        self.optimizer = optimizers.get(optimizer)
        self.loss, self.loss_weights = loss, loss_weights
        self.sample_weight_mode = sample_weight_mode
        self._compile_metrics, self._compile_weighted_metrics = metrics, weighted_metrics
        self._compile_arguments = (loss, metrics, loss_weights, sample_weight_mode,
                                   weighted_metrics, target_tensors)
        self._compiled = None
        self._functions.forget()
        if self.outputs:
            self._compile_now()
        else:
            _check_names(loss, metrics)

    def _compile_now(self):
        self._compiled = Compiled(self, *self._compile_arguments)

    @property
    def total_loss(self):
        """The scalar that training makes small."""
        return self._need_compiled().total_loss

    @property
    def metrics_names(self):
        """The names of what `evaluate` returns: 'loss', then the metrics."""
        if self._compiled is None:
            return ['loss'] if self._compile_arguments else []
        return self._compiled.names + [m.name for m in super().metrics]

    @property
    def metrics(self):
        """The Metric objects of compile and of the layers."""
        own = self._compiled.metrics if self._compiled else []
        return own + super().metrics

    def _all_metrics(self):
        return self._compiled.metric_objects + Network.metrics.fget(self)

    @property
    def sample_weights(self):
        """The placeholders of sample weights."""
        return self._compiled.sample_weights if self._compiled else []

    @property
    def targets(self):
        """The placeholders of targets."""
        return self._compiled.targets if self._compiled else []

    @property
    def _fed_inputs(self):
        """The inputs that need data: not those made of a tensor."""
        if not self._is_graph_network:
            return self.inputs
        return [t for t, layer in zip(self.inputs, self._input_layers)
                if getattr(layer, 'is_placeholder', True)]

    def reset_metrics(self):
        """Begins all metrics anew."""
        if self._compiled is not None:
            for metric in self._all_metrics():
                metric.reset_states()

    def _need_compiled(self):
        if self._compile_arguments is None:
            raise worded(RuntimeError('You must compile your model before training/testing. Use '
                                      '`model.compile(optimizer, loss)`.'))
        if self._compiled is None:
            self._compile_now()
        return self._compiled

    def _forget_functions(self):
        """After a layer was added or taken away: what was compiled no longer fits."""
        self._functions.forget()
        if self._compile_arguments is not None:
            self._compiled = None

    # ---- data ----------------------------------------------------------------------------

    def _build_for(self, x):
        """Wires a model without inputs for data such as `x` (a Sequential, a subclass)."""
        if self.inputs:
            return
        flat = tf.nest.flatten(x)
        specs = [(None, *np.shape(a)[1:]) if not K.is_tensor(a) else (None, *K.int_shape(a)[1:])
                 for a in flat]
        kinds = [getattr(a, 'dtype', None) or np.asarray(a).dtype for a in flat]
        dtypes = [tf.as_dtype(k).name if not tf.as_dtype(k).is_floating else K.floatx()
                  for k in kinds]
        if hasattr(self, '_wire_deferred'):
            if not self._stack:
                raise worded(ValueError('There are no layers in the model; add some first.'))
            self._wire_deferred(K.placeholder(shape=specs[0], dtype=dtypes[0]))
            return
        inputs = [Input(batch_shape=s, dtype=d) for s, d in zip(specs, dtypes)]
        self._trace(tf.nest.pack_sequence_as(x, inputs) if isinstance(x, (list, tuple, dict))
                    else inputs[0])

    def _trace(self, inputs):
        """Calls a subclassed model on Inputs, and keeps the wiring that it shows (PAINS B11)."""
        from keras_layer.engine.call_context import calling
        with calling(self, inputs, None), K.name_scope(self._name_scope()):
            outputs = self.call(inputs)
        self._input_structure, self._output_structure = inputs, outputs
        self.inputs, self.outputs = tf.nest.flatten(inputs), tf.nest.flatten(outputs)
        self.built = True
        if all(getattr(t, '_keras_history', None) is not None for t in self.outputs):
            self._traced = Topology(self.inputs, self.outputs)

    def _standardized(self, x, y=None, sample_weight=None, class_weight=None, check=True):
        """[*inputs, *targets, *weights] as arrays that fit, or an error that says what does not."""
        self._build_for(x)
        fed = self._fed_inputs
        names = [t.op.name if not self._is_graph_network else n for t, n in
                 zip(self.inputs, self.input_names)]
        names = [n for n, t in zip(names, self.inputs) if any(t is f for f in fed)]
        inputs = as_arrays(x, names, [K.int_shape(t) for t in fed], 'input', check_batch=False)
        if not check:
            check_lengths(inputs, [], [])
            return inputs
        compiled = self._need_compiled()
        endpoints = compiled.fed_endpoints
        if y is None and endpoints:
            raise worded(ValueError(
                f'The model has no targets to compare with: y is missing. Its loss needs one '
                f'array for each of {[e.name for e in endpoints]}.\n  Mend: fit(x, y).'))
        targets = as_arrays(
            y, [e.name for e in endpoints], [e.target_shape for e in endpoints], 'target',
            check_batch=False, check=lambda arrays: check_targets(arrays, endpoints))
        weights = standardize_weights(targets, sample_weight, class_weight, endpoints)
        check_lengths(inputs, targets, weights or [])
        if weights is not None and compiled.want_sample_weights():
            self._functions.forget('train', 'test')
        if weights is None:
            weights = [_ones(t, e) for t, e in zip(targets, endpoints)
                       if e.sample_weight is not None]
        return [*inputs, *targets, *weights]

    def _feeds_of(self, element):
        """(size, feeds) of a batch that a generator or data set gave."""
        x, y, weight = unpacked(element)
        feeds = self._standardized(x, y, weight, self._class_weight, check=not self._predicting)
        return feeds[0].shape[0] if feeds else 1, feeds

    _class_weight = None
    _predicting = False

    def _stepwise(self, x, y=None, sample_weight=None, shuffle=True, workers=1,
                  use_multiprocessing=False, max_queue_size=10):
        """The source of batches for anything but arrays; None for arrays."""
        if hasattr(x, 'make_initializable_iterator') or hasattr(x, 'get_next'):
            if y is not None:
                raise worded(ValueError('You passed a dataset or dataset iterator as input `x`, '
                                        'you should not specify a target `y`: the dataset gives '
                                        '(x, y) pairs.'))
            return DatasetBatches(self._graph, x)
        if hasattr(x, '__getitem__') and hasattr(x, 'on_epoch_end'):
            return SequenceBatches(x, shuffle)
        if hasattr(x, '__next__'):
            if y is not None:
                raise worded(ValueError('`y` argument is not supported when using python generator '
                                        'as input.'))
            return GeneratorBatches(x)
        if x is not None and is_symbolic(x):
            return DatasetBatches(self._graph, x, y, sample_weight)
        return None

    # ---- fit, evaluate, predict ----------------------------------------------------------

    @takes_old_names(FIT)
    @_in_own_graph
    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None,
            validation_split=0., validation_data=None, shuffle=True, class_weight=None,
            sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
            validation_freq=1, max_queue_size=10, workers=1, use_multiprocessing=False, **kwargs):
        """Trains for `epochs` passes over the data; returns the History.

        `x` and `y` are arrays (or lists or dicts of them, one per input and output), or `x` alone a
        tf.data Dataset, a generator or a Sequence of (x, y) batches. `validation_data` is looked at
        after each epoch, or the last part `validation_split` of the arrays.

        The loss of an epoch is the mean over its batches, while the weights change and with dropout
        on; `val_loss`, and what `evaluate` gives, is of the weights at the end, with dropout off.
        """
        if kwargs:
            raise worded(TypeError(f'Unrecognized keyword arguments: {sorted(kwargs)}'))
        if not self._compile_arguments:
            self._need_compiled()
        batches = self._stepwise(x, y, sample_weight, shuffle)
        self._class_weight, self._predicting = class_weight, False
        if batches is None:
            batch_size = 32 if batch_size is None else batch_size
            feeds = self._standardized(x, y, sample_weight, class_weight)
            if validation_data is None and validation_split:
                feeds, held_back = _split(feeds, validation_split)
                validation = self._validation(None, batch_size, validation_steps, held_back)
            else:
                validation = self._validation(validation_data, batch_size, validation_steps)
            batches = ArrayBatches(feeds, batch_size)
            if steps_per_epoch is not None:
                batch_size, batches = None, _Cycled(batches, shuffle)
            if verbose == 1 or verbose == 2:
                _announce(batches, validation, steps_per_epoch)
        else:
            if validation_split:
                raise worded(ValueError('`validation_split` needs arrays: a dataset or generator '
                                        'cannot be split; give validation_data.'))
            if isinstance(batches, SequenceBatches) and steps_per_epoch is None:
                steps_per_epoch = len(x)
            elif steps_per_epoch is None and not batches.restartable:
                raise worded(ValueError(
                    'When using a generator, an iterator or tensors as input to a model, you '
                    'should specify the `steps_per_epoch` argument: they have no end.'))
            self._first_build(batches)
            validation = self._validation(validation_data, batch_size, validation_steps)
        return loops.fit(self, batches, epochs, initial_epoch, verbose, callbacks, validation,
                         shuffle, steps_per_epoch, batch_size, validation_freq)

    def _first_build(self, batches):
        """A model without inputs learns its shapes from a first element."""
        if self.inputs or isinstance(batches, GeneratorBatches):
            self._need_compiled() if self.inputs else None
            return
        batches.restart()
        x, _, _ = unpacked(batches())
        self._build_for(x)
        self._need_compiled()

    def _validation(self, data, batch_size, steps, feeds=None):
        """A function that evaluates on the validation data; None without any."""
        if data is None and feeds is None:
            return None
        if feeds is None:
            feeds, source = None, self._stepwise(data, shuffle=False)
            if source is None:
                x, y, weight = unpacked(data)
                source = self._stepwise(x, y, weight, False)
                if source is None:
                    feeds = self._standardized(x, y, weight)
        if feeds is not None:
            source, steps_ = ArrayBatches(feeds, batch_size or 32), None
            samples = source.samples
        else:
            steps_ = steps if steps is not None else (
                len(data) if isinstance(source, SequenceBatches) else None)
            samples = None
            if steps_ is None and not source.restartable:
                raise worded(ValueError('Please provide `validation_steps`: the validation '
                                        'generator has no end.'))

        def validate(callbacks):
            return loops.evaluate(self, source, 0, callbacks, steps_, batch_size,
                                  own_callbacks=False)
        validate.samples = samples
        return validate

    @_in_own_graph
    def evaluate(self, x=None, y=None, batch_size=None, verbose=1, sample_weight=None, steps=None,
                 callbacks=None, max_queue_size=10, workers=1, use_multiprocessing=False):
        """The loss and the metrics on the data; a number, or a list in `metrics_names`' order."""
        if not self._compile_arguments:
            self._need_compiled()
        batches = self._stepwise(x, y, sample_weight, False)
        self._class_weight, self._predicting = None, False
        if batches is None:
            batch_size = 32 if batch_size is None else batch_size
            batches = ArrayBatches(self._standardized(x, y, sample_weight), batch_size)
            steps = None
        else:
            steps = self._steps_for(batches, x, steps)
        return _alone(loops.evaluate(self, batches, verbose, callbacks, steps, batch_size))

    def _steps_for(self, batches, x, steps):
        if isinstance(batches, SequenceBatches) and steps is None:
            steps = len(x)
        if steps is None and not batches.restartable:
            raise worded(ValueError('When using a generator, an iterator or tensors, specify '
                                    '`steps`: they have no end.'))
        self._first_build(batches)
        return steps

    @_in_own_graph
    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None,
                max_queue_size=10, workers=1, use_multiprocessing=False):
        """The outputs for all examples: an array, or a list of one for each output."""
        batches = self._stepwise(x, shuffle=False)
        self._predicting = True
        try:
            if batches is None:
                batch_size = 32 if batch_size is None else batch_size
                batches = ArrayBatches(self._standardized(x, check=False), batch_size)
                steps = None
            else:
                steps = self._steps_for_prediction(batches, x, steps)
            found = loops.predict(self, batches, verbose, callbacks, steps, batch_size)
        finally:
            self._predicting = False
        return self._as_output(found)

    def _steps_for_prediction(self, batches, x, steps):
        if isinstance(batches, SequenceBatches) and steps is None:
            steps = len(x)
        if steps is None and not batches.restartable:
            raise worded(ValueError('Specify `steps`: a generator, an iterator or tensors have no '
                                    'end.'))
        return steps

    def _as_output(self, arrays):
        """Arrays in the nest that the model's outputs have."""
        if isinstance(self._output_structure, dict):
            return tf.nest.pack_sequence_as(self._output_structure, arrays)
        return arrays[0] if len(arrays) == 1 else arrays

    # ---- single batches ------------------------------------------------------------------

    @_in_own_graph
    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, reset_metrics=True):
        """One training step on this batch; the loss, or the list of loss and metrics."""
        feeds = self._standardized(x, y, sample_weight, class_weight)
        results = self._functions.get('train').bound()(feeds)
        if reset_metrics:
            self.reset_metrics()
        return _alone(results)

    @_in_own_graph
    def test_on_batch(self, x, y=None, sample_weight=None, reset_metrics=True):
        """The loss, or the list of loss and metrics, of this batch."""
        feeds = self._standardized(x, y, sample_weight)
        results = self._functions.get('test').bound()(feeds)
        if reset_metrics:
            self.reset_metrics()
        return _alone(results)

    @_in_own_graph
    def predict_on_batch(self, x):
        """The outputs for this batch."""
        feeds = self._standardized(x, check=False)
        return self._as_output(self._functions.get('predict').bound()(feeds))

    # ---- generators ----------------------------------------------------------------------

    @takes_old_names(GENERATOR)
    @_in_own_graph
    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None,
                      validation_data=None, validation_steps=None, validation_freq=1,
                      class_weight=None, max_queue_size=10, workers=1, use_multiprocessing=False,
                      shuffle=True, initial_epoch=0):
        """`fit` on a generator or Sequence of (x, y) or (x, y, sample_weight) batches."""
        return self.fit(generator, epochs=epochs, verbose=verbose, callbacks=callbacks,
                        validation_data=validation_data, shuffle=shuffle,
                        class_weight=class_weight, initial_epoch=initial_epoch,
                        steps_per_epoch=steps_per_epoch, validation_steps=validation_steps,
                        validation_freq=validation_freq)

    @takes_old_names(GENERATOR)
    @_in_own_graph
    def evaluate_generator(self, generator, steps=None, callbacks=None, max_queue_size=10,
                           workers=1, use_multiprocessing=False, verbose=0):
        """`evaluate` on a generator or Sequence."""
        return self.evaluate(generator, steps=steps, callbacks=callbacks, verbose=verbose)

    @takes_old_names(GENERATOR)
    @_in_own_graph
    def predict_generator(self, generator, steps=None, callbacks=None, max_queue_size=10,
                          workers=1, use_multiprocessing=False, verbose=0):
        """`predict` on a generator or Sequence; targets that it gives are not looked at."""
        return self.predict(generator, steps=steps, callbacks=callbacks, verbose=verbose)


class _Cycled:
    """Arrays as a source of steps, for fit(x, y, steps_per_epoch=...)."""

    restartable = True
    samples = None

    def __init__(self, batches, shuffle):
        self._batches, self._shuffle = batches, shuffle
        self._left = iter(())

    def restart(self):
        self._left = self._batches.epoch(self._batches.order(self._shuffle))

    def __call__(self):
        try:
            return next(self._left)
        except StopIteration:
            self.restart()
            return next(self._left)


def _ones(target, endpoint):
    return np.ones(np.shape(target)[:2 if endpoint.weight_mode == 'temporal' else 1], K.floatx())


def _split(feeds, part):
    if not 0. < part < 1.:
        raise worded(ValueError(f'`validation_split` must be a fraction between 0 and 1, not '
                                f'{part!r}.'))
    at = int(feeds[0].shape[0] * (1. - part))
    if at < 1 or at >= feeds[0].shape[0]:
        raise worded(ValueError(f'validation_split={part} of {feeds[0].shape[0]} samples leaves '
                                'none for training or none for validation.'))
    return [f[:at] for f in feeds], [f[at:] for f in feeds]


def _announce(batches, validation, steps):
    samples = getattr(batches, 'samples', None)
    text = f'Train on {samples} samples' if samples is not None else f'Train for {steps} steps'
    if validation is not None and getattr(validation, 'samples', None):
        text += f', validate on {validation.samples} samples'
    print(text)


def _alone(values):
    return values[0] if len(values) == 1 else values


def _check_names(loss, metrics):
    """Unknown names are an error at compile, even where the outputs are not known yet."""
    from keras_layer.engine.training.endpoints import loss_of
    for one in tf.nest.flatten(loss) if loss is not None else ():
        loss_of(one)


register_drawable(Model, lambda model: model.outputs)
