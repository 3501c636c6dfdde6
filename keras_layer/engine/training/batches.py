"""Where batches come from: arrays by index, or something that gives one after another."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from tinyflow.errors import worded


class ArrayBatches:
    """Slices of arrays; `feeds` is the list [*inputs, *targets, *weights]."""

    def __init__(self, feeds, batch_size):
        self.feeds = feeds
        if not isinstance(batch_size, (int, np.integer)) or batch_size < 1:
            raise worded(ValueError(f'`batch_size` should be a positive integer, but is '
                                    f'{batch_size!r}.'))
        self.batch_size = int(batch_size)
        self.samples = next((len_of(f) for f in feeds if f is not None), None)
        self.steps = None if self.samples is None else -(-self.samples // self.batch_size)

    def order(self, shuffle):
        """The order of the samples in an epoch, by NumPy's global random state, as Keras has it."""
        index = np.arange(self.samples)
        if shuffle == 'batch':
            return _shuffled_batches(index, self.batch_size)
        if shuffle:
            np.random.shuffle(index)
            return index
        return None

    def epoch(self, order):
        """(size, feeds) of each batch."""
        size, feeds, samples = self.batch_size, self.feeds, self.samples
        for start in range(0, samples, size):
            stop = min(start + size, samples)
            if order is None:
                yield stop - start, [f[start:stop] for f in feeds]
            else:
                chosen = order[start:stop]
                yield stop - start, [_rows(f, chosen) for f in feeds]


def len_of(array):
    return array.shape[0]


def _rows(array, chosen):
    if isinstance(array, np.ndarray):
        return array.take(chosen, axis=0)
    if hasattr(array, 'tocsr'):
        return array.tocsr()[chosen]
    # Files such as HDF5 are read in order.
    by_place = np.argsort(chosen)
    read = np.asarray(array[chosen[by_place]])
    return read[np.argsort(by_place)]


def _shuffled_batches(index, size):
    count = len(index) // size
    whole = index[:count * size].reshape(count, size)
    np.random.shuffle(whole)
    return np.concatenate([whole.reshape(-1), index[count * size:]])


class DatasetBatches:
    """What a tf.data.Dataset, its iterator, or tensors give: each step one element."""

    def __init__(self, graph, x, y=None, sample_weight=None):
        self._dataset = x if hasattr(x, 'make_initializable_iterator') else None
        self._graph = graph
        self._session = None
        with graph.as_default():
            if self._dataset is not None:
                self._iterator = self._dataset.make_initializable_iterator()
                self._next = self._iterator.get_next()
            elif hasattr(x, 'get_next'):
                self._next = x.get_next()
            else:
                self._next = tuple(v for v in (x, y, sample_weight) if v is not None)
        self.restartable = self._dataset is not None

    def restart(self):
        """Begins the data set anew."""
        if self._dataset is not None:
            session = K.get_session(graph=self._graph)
            session.run(self._iterator.initializer)

    def __call__(self):
        """The next element, as arrays; StopIteration at the end."""
        session = K.get_session(graph=self._graph)
        if session is not self._session:
            self._run, self._session = session.make_callable(self._next), session
        try:
            return self._run()
        except tf.errors.OutOfRangeError:
            raise StopIteration from None


class GeneratorBatches:
    """What a Python generator or an enqueuer around one gives."""

    restartable = False

    def __init__(self, source):
        self._source = source

    def restart(self):
        pass

    def __call__(self):
        return next(self._source)


class SequenceBatches:
    """The batches of a keras.utils.Sequence, in order or shuffled anew for each epoch."""

    restartable = True

    def __init__(self, sequence, shuffle):
        self._sequence, self._shuffle = sequence, shuffle
        self._ended = False
        self._order = iter(())

    def restart(self):
        if self._ended:
            self._sequence.on_epoch_end()
        order = np.arange(len(self._sequence))
        if self._shuffle:
            np.random.shuffle(order)
        self._order = iter(order)
        self._ended = True

    def __call__(self):
        return self._sequence[next(self._order)]


def unpacked(element):
    """(x, y, sample_weight) of what a generator or data set gave; ValueError for anything else."""
    if isinstance(element, (tuple, list)) and not isinstance(element, str):
        if len(element) == 1:
            return element[0], None, None
        if len(element) == 2:
            return element[0], element[1], None
        if len(element) == 3:
            return tuple(element)
        raise worded(ValueError('Output of generator should be a tuple `(x, y, sample_weight)` or '
                                f'`(x, y)`. Found a {type(element).__name__} of {len(element)}.'))
    return element, None, None
