"""Sources of batches: arrays, datasets, generators, Sequences."""
from __future__ import annotations

import random
import warnings
from itertools import islice

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.training.sparse_rows import SparseRows
from keras_layer.utils.enqueuers import GeneratorEnqueuer, OrderedEnqueuer
from tinyflow.graph.support.errors import misuse


class ArrayBatches:
    """Slices of arrays; `feeds` is the list [*inputs, *targets, *weights]."""

    # Keras 2.1 shuffles the order of the epoch before, tf.keras that of the arrays;
    # keras2/enabling.py sets it.
    shuffles_again = False

    def __init__(self, feeds, batch_size):
        self._order = None
        self.feeds = feeds
        if not isinstance(batch_size, (int, np.integer)) or batch_size < 1:
            raise misuse(ValueError(f'`batch_size` should be a positive integer, but is '
                                    f'{batch_size!r}.'))
        self.batch_size = int(batch_size)
        self.samples = next((len_of(f) for f in feeds if f is not None), None)
        self.steps = None if self.samples is None else -(-self.samples // self.batch_size)

    def order(self, shuffle):
        """The order of the samples in an epoch, by NumPy's global random state, as in Keras."""
        index = self._order if self.shuffles_again else None
        if index is None:
            index = self._order = np.arange(self.samples)
        if shuffle == 'batch':
            self._order = _shuffled_batches(index, self.batch_size)
            return self._order
        if shuffle:
            np.random.shuffle(index)
            return index
        return None

    def epoch(self, order):
        """(size, feeds) of each batch. As in Keras, a single batch keeps its order."""
        size, feeds, samples = self.batch_size, self.feeds, self.samples
        if samples <= size:
            order = None
        for start in range(0, samples, size):
            stop = min(start + size, samples)
            if order is None:
                yield stop - start, [f[start:stop] for f in feeds]
            else:
                chosen = order[start:stop]
                yield stop - start, [_rows(f, chosen) for f in feeds]


class CycledBatches:
    """Arrays as a source of steps, for fit(x, y, steps_per_epoch=...)."""

    restartable = True
    samples = None

    def __init__(self, batches, shuffle):
        self._batches, self._shuffle = batches, shuffle
        self._order, self._taken, self._left = None, 0, iter(())

    def restart(self):
        self._begin(self._batches.order(self._shuffle), 0)

    def _begin(self, order, taken):
        self._order, self._taken = order, taken
        self._left = islice(self._batches.epoch(order), taken, None)

    def __call__(self):
        for batch in self._left:
            self._taken += 1
            return batch
        self.restart()
        self._taken += 1
        return next(self._left)

    def resume_state(self):
        """The position in the arrays, for an exact resume."""
        return {'order': self._order, 'taken': self._taken}

    def set_resume_state(self, state):
        """Goes on from `resume_state`."""
        self._begin(state['order'], state['taken'])


def len_of(array):
    return array.shape[0]


def _rows(array, chosen):
    if isinstance(array, (np.ndarray, SparseRows)):
        return array.take(chosen, axis=0)
    # Files such as HDF5 are read in order.
    order = np.argsort(chosen)
    read = np.asarray(array[chosen[order]])
    return read[np.argsort(order)]


def _shuffled_batches(index, size):
    count = len(index) // size
    whole = index[:count * size].reshape(count, size)
    np.random.shuffle(whole)
    return np.concatenate([whole.reshape(-1), index[count * size:]])


class DatasetBatches:
    """The elements of a tf.data.Dataset or its iterator, or the values of tensors."""

    def __init__(self, graph, x, y=None, sample_weight=None):
        self._dataset = x if hasattr(x, 'make_initializable_iterator') else None
        self._graph = graph
        self._session = None
        with graph.as_default():
            if self._dataset is not None and self._made_at_once():
                self._iterator = None
            elif self._dataset is not None:
                self._iterator = self._dataset.make_initializable_iterator()
                self._next = self._iterator.get_next()
            elif hasattr(x, 'get_next'):
                self._next = x.get_next()
            else:
                self._next = tuple(v for v in (x, y, sample_weight) if v is not None)
        self.restartable = self._dataset is not None
        self._size = None

    counts_steps = True

    def _made_at_once(self):
        return self._dataset._variant_tensor.op.graph.runs_at_once

    def _cardinality(self):
        if self._size is None and self._iterator is None:
            with tf.init_scope():
                self._size = int(tf.data.experimental.cardinality(self._dataset).numpy())
        if self._size is None:
            with self._graph.as_default():
                self._size = int(K.get_value(tf.data.experimental.cardinality(self._dataset)))
        return self._size

    def known_steps(self):
        """The number of elements of the dataset; None if unknown."""
        if self._dataset is None or self._cardinality() < 0:
            return None
        return self._cardinality()

    def check_end(self, argument):
        """ValueError for an infinite dataset; called if no number of steps was given."""
        if self._dataset is not None \
                and self._cardinality() == tf.data.experimental.INFINITE_CARDINALITY:
            raise misuse(ValueError(
                'When passing an infinitely repeating dataset, you must specify the '
                f'`{argument}` argument.\n  Hint: {argument}=..., or a dataset without repeat().'))

    def restart(self):
        """Restarts the dataset."""
        if self._dataset is not None and self._made_at_once():
            with tf.init_scope():
                self._iterator = iter(self._dataset)
        elif self._dataset is not None:
            session = K.get_session(graph=self._graph)
            session.run(self._iterator.initializer)

    def __call__(self):
        """The next element, as arrays; StopIteration at the end."""
        if self._dataset is not None and self._made_at_once():
            with tf.init_scope():
                return tf.nest.map_structure(lambda t: t.numpy(), next(self._iterator))
        session = K.get_session(graph=self._graph)
        if session is not self._session:
            self._run, self._session = session.make_callable(self._next), session
        try:
            return self._run()
        except tf.errors.OutOfRangeError:
            raise StopIteration from None


class TensorBatches:
    """Steps without feeds, for a model whose inputs and targets are tensors."""

    restartable = False
    counts_steps = True

    def restart(self):
        """Does nothing: the tensors continue where they are."""

    def __call__(self):
        return None, None, None


class GeneratorBatches:
    """The batches of a Python generator."""

    restartable = False
    counts_steps = False
    not_resumed = ("the position of a generator is the program's own: it goes on with what it "
                   'gives next (a keras.utils.Sequence or a tf.data.Dataset is continued)')

    def __init__(self, source):
        self._source = source

    def restart(self):
        """Does nothing: a generator continues where it is."""

    def __call__(self):
        return next(self._source)


class SequenceBatches:
    """The batches of a keras.utils.Sequence, in order or reshuffled for each pass.

    They never end: a new pass starts at the end of one, as in Keras' enqueuers.
    """

    restartable = True
    counts_steps = False

    def __init__(self, sequence, shuffle):
        self._sequence, self._shuffle = sequence, shuffle
        self._numbers, self._order = [], iter(())

    def restart(self):
        """Starts the first pass."""
        self._numbers = list(range(len(self._sequence)))
        self._begin_pass()

    def _begin_pass(self):
        if self._shuffle:
            random.shuffle(self._numbers)       # Python's random numbers, as in Keras
        self._order = iter(self._numbers)

    def resume_state(self):
        """The order of the batches and those that are left, for an exact resume."""
        left = list(self._order)
        self._order = iter(left)
        return {'numbers': list(self._numbers), 'left': left}

    def set_resume_state(self, state):
        """Goes on from `resume_state`."""
        self._numbers, self._order = list(state['numbers']), iter(state['left'])

    def __call__(self):
        for number in self._order:
            return self._sequence[number]
        if not self._numbers:
            raise StopIteration
        self._sequence.on_epoch_end()
        self._begin_pass()
        return self._sequence[next(self._order)]


class QueuedSequence:
    """The batches of a Sequence, made by threads or processes before they are needed."""

    restartable = True
    counts_steps = False
    not_resumed = 'what threads or processes have made ahead is not saved (workers=1 makes nothing)'

    def __init__(self, sequence, shuffle, workers, use_multiprocessing, max_queue_size):
        self._made = sequence, use_multiprocessing, shuffle
        self._workers, self._size = workers, max_queue_size
        self._queue = None

    def restart(self):
        """Starts the first pass."""
        self.close()
        self._queue = OrderedEnqueuer(*self._made)
        self._queue.start(self._workers, self._size)
        self._batches = self._queue.get()

    def __call__(self):
        return next(self._batches)

    def close(self):
        """Ends the workers."""
        if self._queue is not None and self._queue.is_running():
            self._queue.stop()


class QueuedGenerator(QueuedSequence):
    """The batches of a generator, made ahead of time."""

    restartable = False
    not_resumed = GeneratorBatches.not_resumed

    def __init__(self, source, workers, use_multiprocessing, max_queue_size):
        self._workers, self._size = workers, max_queue_size
        if use_multiprocessing and workers > 1:
            warnings.warn('Using a generator with `use_multiprocessing=True` and multiple workers '
                          'may duplicate your data. Please consider using the '
                          '`keras.utils.Sequence` class.', stacklevel=6)
        self._queue = GeneratorEnqueuer(source, use_multiprocessing)

    def restart(self):
        """Starts the queue once; its batches are kept when the next epoch begins."""
        if not self._queue.is_running():
            self._queue.start(self._workers, self._size)
            self._batches = self._queue.get()


def unpacked(element):
    """(x, y, sample_weight) of a batch of a generator or dataset. ValueError for anything else."""
    if isinstance(element, (tuple, list)) and not isinstance(element, tf.SparseTensorValue):
        if len(element) == 1:
            return element[0], None, None
        if len(element) == 2:
            return element[0], element[1], None
        if len(element) == 3:
            return tuple(element)
        raise misuse(ValueError('Output of generator should be a tuple `(x, y, sample_weight)` or '
                                f'`(x, y)`. Found a {type(element).__name__} of {len(element)}.'))
    return element, None, None
