"""Sequences: pad_sequences, skipgrams, TimeseriesGenerator."""
from __future__ import annotations

import json
import random

import numpy as np

from keras_layer.utils.data_utils import Sequence
from tinyflow.graph.support.errors import misuse

__all__ = ['TimeseriesGenerator', 'make_sampling_table', 'pad_sequences', 'skipgrams']


def pad_sequences(sequences, maxlen=None, dtype='int32', padding='pre', truncating='pre',
                  value=0.):
    """Sequences of several lengths as one array [sequences, maxlen, ...].

    Short ones are padded with `value` before ('pre') or after ('post'), long ones truncated at
    the beginning ('pre') or end ('post'). ValueError if the argument is not a list of sequences.
    """
    if not hasattr(sequences, '__len__'):
        raise misuse(ValueError('`sequences` must be iterable.'))
    for name, where in (('Padding', padding), ('Truncating', truncating)):
        if where not in ('pre', 'post'):
            raise misuse(ValueError(f'{name} type "{where}" not understood; use "pre" or "post".'))
    lengths = []
    for sequence in sequences:
        if not hasattr(sequence, '__len__'):
            raise misuse(ValueError('`sequences` must be a list of iterables. Found non-iterable: '
                                    f'{sequence}'))
        lengths.append(len(sequence))
    maxlen = max(lengths, default=0) if maxlen is None else maxlen
    inner = next((np.asarray(s).shape[1:] for s in sequences if len(s)), ())
    is_text = np.issubdtype(dtype, np.str_) or np.issubdtype(dtype, np.bytes_)
    if isinstance(value, str) and np.dtype(dtype).kind != 'O' and not is_text:
        raise misuse(ValueError(f"`dtype` {dtype} is not compatible with `value`'s type: "
                                f'{type(value)}\nYou should set `dtype=object` for variable '
                                'length strings.'))
    padded = np.full((len(sequences), maxlen, *inner), value, dtype=dtype)
    for i, sequence in enumerate(sequences):
        if not len(sequence) or not maxlen:
            continue
        kept = np.asarray(sequence[-maxlen:] if truncating == 'pre' else sequence[:maxlen],
                          dtype=dtype)
        if kept.shape[1:] != inner:
            raise misuse(ValueError(f'Shape of sample {kept.shape[1:]} of sequence at position {i} '
                                    f'is different from expected shape {inner}'))
        if padding == 'post':
            padded[i, :len(kept)] = kept
        else:
            padded[i, -len(kept):] = kept
    return padded


def make_sampling_table(size, sampling_factor=1e-5):
    """The probability of keeping the word of each rank: word2vec's formula, by Zipf's law."""
    gamma = 0.577                           # Euler's constant, in the harmonic numbers
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + gamma) + 0.5 - 1. / (12. * rank)
    ratio = sampling_factor * inverse
    return np.minimum(1., ratio / np.sqrt(ratio))


def skipgrams(sequence, vocabulary_size, window_size=4, negative_samples=1., shuffle=True,
              categorical=False, sampling_table=None, seed=None):
    """(word, neighbour) pairs with label 1, and (word, random word) pairs with label 0."""
    couples, labels = [], []
    for i, word in enumerate(sequence):
        if not word or sampling_table is not None and sampling_table[word] < random.random():
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
                labels.append([0, 1] if categorical else 1)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [c[0] for c in couples]
        random.shuffle(words)
        couples += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)]
                    for i in range(count)]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        seed = random.randint(0, 10e6) if seed is None else seed
        random.seed(seed)
        random.shuffle(couples)
        random.seed(seed)
        random.shuffle(labels)
    return couples, labels


class TimeseriesGenerator(Sequence):
    """Batches of windows of a time series, each with the target that follows it.

    A window has every `sampling_rate`-th of `length` steps; windows begin `stride` steps apart.
    """

    def __init__(self, data, targets, length, sampling_rate=1, stride=1, start_index=0,
                 end_index=None, shuffle=False, reverse=False, batch_size=128):
        if len(data) != len(targets):
            raise misuse(ValueError('Data and targets have to be of same length. Data length is '
                                    f'{len(data)} while target length is {len(targets)}'))
        self.data, self.targets, self.length = data, targets, length
        self.sampling_rate, self.stride = sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise misuse(ValueError(f'`start_index+length={self.start_index} > end_index='
                                    f'{self.end_index}` is disallowed, as no part of the sequence '
                                    'would be left to be used as current step.'))

    def __len__(self):
        return (self.end_index - self.start_index + self.batch_size * self.stride) \
            // (self.batch_size * self.stride)

    def __getitem__(self, index):
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            rows = np.arange(first, min(first + self.batch_size * self.stride,
                                        self.end_index + 1), self.stride)
        samples = np.array([self.data[row - self.length:row:self.sampling_rate] for row in rows])
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1, ...], targets) if self.reverse else (samples, targets)

    def get_config(self):
        return {name: getattr(self, name) for name in (
            'length', 'sampling_rate', 'stride', 'start_index', 'end_index', 'shuffle', 'reverse',
            'batch_size')}

    def to_json(self, **kwargs):
        """The settings as JSON."""
        return json.dumps({'class_name': type(self).__name__, 'config': self.get_config()},
                          **kwargs)
