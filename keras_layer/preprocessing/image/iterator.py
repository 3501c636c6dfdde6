"""Iterator: infinite batches of samples by index; NumpyArrayIterator: batches of arrays.

An Iterator is also a Sequence: `fit` requests batch i, possibly from several threads.
"""
from __future__ import annotations

import os
import threading
import warnings

import numpy as np

from keras_layer import backend as K, legacy
from keras_layer.preprocessing.image.image_io import array_to_img
from keras_layer.utils.data_utils import Sequence
from tinyflow.graph.support.errors import misuse

__all__ = ['Iterator', 'NumpyArrayIterator', 'save_pictures']


class Iterator(Sequence):
    """Base of iterators over batches of `n` samples, reshuffled for each pass.

    A subclass creates a batch in `_get_batches_of_transformed_samples(index_array)`. With
    `seed`, batch after batch is drawn as in TF 1.15, by NumPy's global random numbers.
    """

    white_list_formats = ('png', 'jpg', 'jpeg', 'bmp', 'ppm', 'tif', 'tiff')

    def __init__(self, n, batch_size, shuffle, seed):
        self.n, self.batch_size, self.shuffle, self.seed = n, batch_size, shuffle, seed
        self.batch_index = self.total_batches_seen = 0
        self.index_array = None
        self._begin()

    def _begin(self):
        self.lock = threading.Lock()
        self.index_generator = self._flow_index()

    def __getstate__(self):
        """Pickles without lock and generator, for worker processes."""
        return {k: v for k, v in self.__dict__.items() if k not in ('lock', 'index_generator')}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._begin()

    def _set_index_array(self):
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def __getitem__(self, idx):
        if idx >= len(self):
            raise misuse(ValueError(f'Asked to retrieve element {idx}, but the Sequence has '
                                    f'length {len(self)}'))
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        start = self.batch_size * idx
        return self._get_batches_of_transformed_samples(
            self.index_array[start:start + self.batch_size])

    def __len__(self):
        return (self.n + self.batch_size - 1) // self.batch_size

    def on_epoch_end(self):
        self._set_index_array()

    def reset(self):
        """The next batch is the first of a new pass."""
        self.batch_index = 0

    def _flow_index(self):
        self.reset()
        while True:
            if self.seed is not None:
                np.random.seed(self.seed + self.total_batches_seen)
            if self.batch_index == 0:
                self._set_index_array()
            start = self.batch_index * self.batch_size % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > start + self.batch_size else 0
            self.total_batches_seen += 1
            yield self.index_array[start:start + self.batch_size]

    def __iter__(self):
        return self

    def __next__(self):
        return self.next()

    def next(self):
        """The next batch. Only the index is taken under the lock, not the images."""
        with self.lock:
            index_array = next(self.index_generator)
        return self._get_batches_of_transformed_samples(index_array)

    def _get_batches_of_transformed_samples(self, index_array):
        raise NotImplementedError(
            f'{type(self).__name__}._get_batches_of_transformed_samples(index_array)')


class NumpyArrayIterator(Iterator):
    """Batches of the images of an array, each randomly augmented by the generator.

    `x` may be (images, other arrays): the others are passed on unchanged. Shapes: images
    [n, height, width, channels], or with channels first.
    """

    def __init__(self, x, y, image_data_generator, batch_size=32, shuffle=False,
                 sample_weight=None, seed=None, data_format=None, save_to_dir=None,
                 save_prefix='', save_format='png', subset=None, dtype=None):
        self.dtype = dtype or K.floatx()
        self.data_format = data_format or K.image_data_format()
        x, others = _pictures_and_others(x)
        for name, what, own in (('y', '`y` (labels)', y),
                                ('sample_weight', '`sample_weight`', sample_weight)):
            if own is not None and len(own) != len(x):
                raise misuse(ValueError(
                    f'`x` (images tensor) and {what} should have the same length. Found: x.shape '
                    f'= {np.shape(x)}, {name}.shape = {np.shape(own)}'))
        if subset is not None:
            part = _subset(subset, image_data_generator._validation_split, len(x), y)
            x, others = x[part], [other[part] for other in others]
            y = None if y is None else y[part]
            sample_weight = None if sample_weight is None else sample_weight[part]
        self.x, self.x_misc = np.asarray(x, dtype=self.dtype), others
        self._check_pictures()
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.image_data_generator = image_data_generator
        self.save_to_dir, self.save_prefix = save_to_dir, save_prefix
        self.save_format = save_format
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _check_pictures(self):
        if self.x.ndim != 4:
            raise misuse(ValueError('Input data in `NumpyArrayIterator` should have rank 4. You '
                                    f'passed an array with shape {self.x.shape}\n  Hint: one '
                                    'channel is an axis, too: x[..., None].'))
        axis = 3 if self.data_format == 'channels_last' else 1
        if self.x.shape[axis] not in (1, 3, 4):
            warnings.warn(
                f'NumpyArrayIterator is set to use the data format convention '
                f'"{self.data_format}" (channels on axis {axis}), i.e. expected either 1, 3, or 4 '
                f'channels on axis {axis}. However, it was passed an array with shape '
                f'{self.x.shape} ({self.x.shape[axis]} channels).', stacklevel=4)

    def _get_batches_of_transformed_samples(self, index_array):
        generator = self.image_data_generator
        batch = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        for i, j in enumerate(index_array):
            parameters = generator.get_random_transform(self.x.shape[1:])
            changed = generator.apply_transform(self.x[j].astype(self.dtype), parameters)
            batch[i] = generator.standardize(changed)
        if self.save_to_dir:
            save_pictures(self, batch, index_array, 10 ** 4)
        inputs = [batch, *(other[index_array] for other in self.x_misc)] if self.x_misc else batch
        if self.y is None:
            return inputs
        if self.sample_weight is None:
            return inputs, self.y[index_array]
        return inputs, self.y[index_array], self.sample_weight[index_array]


def _pictures_and_others(x):
    if not isinstance(x, (tuple, list)):
        return x, []
    others = [np.asarray(other) for other in (x[1] if isinstance(x[1], list) else [x[1]])]
    for other in others:
        if len(other) != len(x[0]):
            raise misuse(ValueError('All of the arrays in `x` should have the same length. Found '
                                    f'a pair with: len(x[0]) = {len(x[0])}, len(x[?]) = '
                                    f'{len(other)}'))
    return x[0], others


def _subset(subset, split, length, y):
    """The slice of the samples that belong to 'training' or 'validation'."""
    if subset not in ('training', 'validation'):
        raise misuse(ValueError(f'Invalid subset name: {subset}; expected "training" or '
                                '"validation".'))
    at = int(length * split)
    same = y is None or np.array_equal(np.unique(y[:at]), np.unique(y[at:]))
    if not same and not legacy.subsets_may_differ:
        raise misuse(ValueError(
            'Training and validation subsets have different number of classes after the split. '
            'If your numpy arrays are sorted by the label, you might want to shuffle them.'))
    return slice(None, at) if subset == 'validation' else slice(at, None)


def save_pictures(iterator, batch, index_array, numbers):
    """Writes the images of a batch to the iterator's folder."""
    for picture, index in zip(batch, index_array):
        name = (f'{iterator.save_prefix}_{index}_{np.random.randint(numbers)}'
                f'.{iterator.save_format}')
        array_to_img(picture, iterator.data_format, scale=True).save(
            os.path.join(iterator.save_to_dir, name))
