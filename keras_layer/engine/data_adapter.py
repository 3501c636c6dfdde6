"""Data adapter: turns the data of fit, evaluate and predict into sources of batches."""
from __future__ import annotations

import inspect
from contextlib import contextmanager

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.call_context import calling
from keras_layer.engine.input_layer import Input
from keras_layer.engine.topology import Topology
from keras_layer.engine.training.batches import (
    DatasetBatches,
    GeneratorBatches,
    QueuedGenerator,
    QueuedSequence,
    SequenceBatches,
    TensorBatches,
    unpacked,
)
from keras_layer.engine.training.standardize import (
    as_arrays,
    check_lengths,
    check_targets,
    is_symbolic,
    standardize_weights,
    with_arrays,
)
from tinyflow.graph.support.errors import OperatorNotAllowedInGraphError, misuse

__all__ = ['DataAdapter']


class DataAdapter:
    """The part of Model that handles data: arrays, datasets, generators, Sequences."""

    def _build_for(self, x):
        """Builds a model that has no inputs yet for data such as `x`."""
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
                raise misuse(ValueError('There are no layers in the model; add some first.'))
            if isinstance(x, dict):
                self._wire_features(dict(zip(sorted(x), zip(specs, dtypes))))
            else:
                self._wire_deferred(specs[0], dtypes[0], by_data=True)
            return
        names = sorted(x) if isinstance(x, dict) else [None] * len(specs)
        inputs = [Input(batch_shape=s, dtype=d, name=n) for s, d, n in zip(specs, dtypes, names)]
        def like_x(values):
            return tf.nest.pack_sequence_as(x, values) if isinstance(x, (list, tuple, dict)) \
                else values[0]
        try:
            self._trace(like_x(inputs))
        except Exception:
            if not self.run_eagerly:
                raise
            self._call_at_once(like_x, flat, inputs)    # what fails there is raised

    def _call_at_once(self, like_x, arrays, inputs):
        """Calls a model with run_eagerly on a sample, where it cannot be called on Inputs: its
        `call` uses values."""
        with tf.init_scope():
            outputs = self(like_x([tf.convert_to_tensor(a[:1], i.dtype)
                                   for a, i in zip(arrays, inputs)]), training=False)
        self._input_structure, self.inputs = like_x(inputs), inputs
        self.outputs = [Input(batch_shape=(None, *t.shape[1:]), dtype=t.dtype.name)
                        for t in tf.nest.flatten(outputs)]
        self._output_structure = tf.nest.pack_sequence_as(outputs, self.outputs)

    def _trace(self, inputs):
        """Calls a subclassed model on Inputs and keeps the resulting graph of layers."""
        with K.name_scope(self._name_scope()):
            outputs = self._in_both_phases(inputs)
        self._input_structure, self._output_structure = inputs, outputs
        self.inputs, self.outputs = tf.nest.flatten(inputs), tf.nest.flatten(outputs)
        self.built = True
        if all(getattr(t, '_keras_history', None) is not None for t in self.outputs):
            self._traced = Topology(self.inputs, self.outputs)
        self._read_deferred_checkpoint()

    def _in_both_phases(self, inputs):
        """`call` with the learning phase as `training`, whatever its default is."""
        if not self._expects_training_arg:
            return self._call_with_training(inputs, None)
        try:
            return self._call_with_training(inputs, K.learning_phase())
        except OperatorNotAllowedInGraphError:
            # `if training:` needs a bool, where TF uses autograph: both branches are computed.
            answers = [self._call_with_training(inputs, phase) for phase in (True, False)]
        return tf.nest.map_structure(K.in_train_phase, *answers)

    def _call_with_training(self, inputs, training):
        with calling(self, inputs, training):
            return self.call(inputs, **({} if training is None else {'training': training}))

    @property
    def _expects_training_arg(self):
        parameters = inspect.signature(self.call).parameters
        return 'training' in parameters or any(
            p.kind is p.VAR_KEYWORD for p in parameters.values())

    def _standardized(self, x, y=None, sample_weight=None, class_weight=None, check=True,
                      call='fit(x, y)', one_sample='x[np.newaxis]'):
        """[*inputs, *targets, *weights] as checked arrays.

        For hints: `call` is how targets are given, `one_sample` makes a batch of one sample.
        """
        x, y, sample_weight = map(with_arrays, (x, y, sample_weight))
        self._build_for(x)
        fed = self._fed_inputs
        names = [name for name, tensor in zip(self._names_of_inputs(), self.inputs)
                 if any(tensor is f for f in fed)]
        inputs = as_arrays(x, names, [K.int_shape(t) for t in fed], 'input', check_batch=False,
                           one_sample=one_sample)
        if any(x is None for x in inputs):
            raise misuse(ValueError(f'The model has no inputs to compute with: x is None, or holds '
                                    f'None. It needs an array for each of {names}.'))
        for name, tensor, array in zip(names, fed, inputs):
            if K.is_sparse(tensor) and isinstance(array, np.ndarray):
                raise misuse(ValueError(
                    f"The input '{name}' is sparse, but it was given a dense array of shape "
                    f'{array.shape}.\n  Hint: scipy.sparse.csr_matrix(x), or Input without '
                    'sparse=True.'))
        if not check:
            check_lengths(inputs, [], [])
            return inputs
        compiled = self._need_compiled()
        endpoints = compiled.fed_endpoints
        if y is None and endpoints:
            raise misuse(ValueError(
                f'The model has no targets to compare with: y is missing. Its loss needs one '
                f'array for each of {[e.name for e in endpoints]}.\n  Hint: {call}.'))
        targets = as_arrays(
            y, [e.name for e in endpoints], [e.target_shape for e in endpoints], 'target',
            check_batch=False, check=lambda arrays: check_targets(arrays, endpoints))
        self._fit_ranks(targets)
        compiled = self._need_compiled()
        endpoints, of_each = compiled.trained, _target_of_each(compiled, inputs, targets)
        weights = standardize_weights(of_each, sample_weight, class_weight, endpoints)
        check_lengths(inputs, targets, weights or [])
        if weights is not None and compiled.require_sample_weights():
            self._functions.forget('train', 'test')
        if weights is None:
            weights = [_ones(t, e) for t, e in zip(of_each, endpoints)
                       if e.sample_weight is not None]
        return [*inputs, *targets, *weights]

    def _names_of_inputs(self):
        """The keys by which data may be given."""
        if self._is_graph_network:
            return self.input_names
        if isinstance(self._input_structure, dict):
            return sorted(self._input_structure)        # in the order of tf.nest.flatten
        return [t.op.name for t in self.inputs]

    @staticmethod
    def _values(*data):
        """The data of one batch with arrays in place of tensors of the graph, all of one run."""
        tensors = [x for x in _parts(data) if is_symbolic(x)]
        if not tensors:
            return data
        value_of = dict(zip(map(id, tensors), K.get_session().run(tensors)))
        return tf.nest.map_structure(lambda x: value_of.get(id(x), x), data)

    def _with_weights(self, feeds):
        """Adds sample weights of one to feeds that have none."""
        compiled, first = self._need_compiled(), len(self._fed_inputs)
        last = first + len(compiled.fed_endpoints)
        of_each = _target_of_each(compiled, feeds[:first], feeds[first:last])
        return [*feeds[:last], *[_ones(t, e) for t, e in zip(of_each, compiled.trained)
                                 if e.sample_weight is not None]]

    def _feeds_of(self, element):
        """(size, feeds) of a batch of a generator or dataset."""
        x, y, weight = unpacked(element)
        feeds = self._standardized(
            x, y, weight, self._class_weight, check=not self._predicting,
            call='each batch of a dataset or a generator has to be a pair (x, y)',
            one_sample='each element has to be a batch: dataset.batch(32), or x[np.newaxis] in a '
                       'generator')
        return feeds[0].shape[0] if feeds else 1, feeds

    _class_weight = None
    _predicting = False

    @contextmanager
    def _feeding(self, class_weight=None, predicting=False):
        """Sets class weights and mode for `_feeds_of`; nests, as callbacks may call evaluate."""
        before = self._class_weight, self._predicting
        self._class_weight, self._predicting = class_weight, predicting
        try:
            yield
        finally:
            self._class_weight, self._predicting = before

    def _batch_source(self, x, y=None, sample_weight=None, shuffle=True, workers=1,
                      use_multiprocessing=False, max_queue_size=10):
        """The source of batches for anything but arrays; None for arrays.

        With one worker, batches are made in the calling thread when they are needed.
        """
        ahead = workers > 1 or use_multiprocessing and workers > 0
        if hasattr(x, 'make_initializable_iterator') or hasattr(x, 'get_next'):
            if y is not None:
                raise misuse(ValueError('You passed a dataset or dataset iterator as input `x`, '
                                        'you should not specify a target `y`: the dataset gives '
                                        '(x, y) pairs.'))
            _check_no_weights(sample_weight, 'the dataset gives (x, y, sample_weight).')
            return DatasetBatches(self._graph, x)
        if hasattr(x, '__getitem__') and hasattr(x, 'on_epoch_end'):
            if y is not None:
                raise misuse(ValueError('`y` argument is not supported when data is a generator or '
                                        'Sequence instance: it gives (x, y) pairs.'))
            _check_no_weights(sample_weight, 'the Sequence gives (x, y, sample_weight).')
            if ahead:
                return QueuedSequence(x, shuffle, workers, use_multiprocessing, max_queue_size)
            return SequenceBatches(x, shuffle and workers > 0)      # as in Keras
        if hasattr(x, '__next__'):
            if y is not None:
                raise misuse(ValueError('`y` argument is not supported when using python generator '
                                        'as input.'))
            _check_no_weights(sample_weight, 'the generator gives (x, y, sample_weight).')
            if ahead:
                return QueuedGenerator(x, workers, use_multiprocessing, max_queue_size)
            return GeneratorBatches(x)
        if x is not None and is_symbolic(x):
            return DatasetBatches(self._graph, x, y, sample_weight)
        if x is None and y is None and self.inputs and not self._fed_inputs:
            return TensorBatches()
        return None


def _parts(data):
    """The arrays and tensors in tuples, lists and dicts, whose keys may be of any kind."""
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, (tuple, list)) and not isinstance(data, tf.SparseTensorValue):
        return [part for one in data for part in _parts(one)]
    return [data]


def _check_no_weights(sample_weight, reason):
    if sample_weight is not None:
        raise misuse(ValueError(f'`sample_weight` is only for arrays and tensors: {reason}'))


def _target_of_each(compiled, inputs, targets):
    """The targets of all trained outputs; for one that is a tensor, zeros for the samples."""
    given = iter(targets)
    return [next(given) if e.target_is_fed else np.zeros((inputs[0].shape[0] if inputs else 1, 1))
            for e in compiled.trained]


def _ones(target, endpoint):
    return np.ones(np.shape(target)[:2 if endpoint.weight_mode == 'temporal' else 1], K.floatx())
