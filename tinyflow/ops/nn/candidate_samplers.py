"""Class distributions of the candidate samplers (uniform, log-uniform, unigram), in NumPy.

Every sampler has `draw(words, count)`, which draws classes from a seeded stream of 32-bit words,
and `probability(classes)`. Words are read in sequence, two for most draws; a few are rejected so
that integers are exactly uniform. Seeded programs thus draw the same classes as in TensorFlow 1.15.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.random import philox
from tinyflow.ops.random.philox_floats import uniform32, uniform64

# Words that a run reserves for each draw; unseeded ops reserve new ones in every run.
_PER_SAMPLE = 2048
# Runs whose first words are computed together: fifty NumPy calls take as long for few words.
_RUNS_AHEAD = 16
_MOST_AHEAD = 1 << 12   # samples of them
_NO_WORDS = np.empty(0, np.uint32)


class Words:
    """The stream of random 32-bit words of one run."""

    def __init__(self, start: philox.Counter, first: np.ndarray = _NO_WORDS,
                 classes: np.ndarray | None = None) -> None:
        """`first` are the words of the first blocks, where they are known already; `classes`, if
        given, what LogUniform draws with them."""
        self._start, self._ready = start.skip(len(first) // 4), first
        self._classes = classes

    def take_classes(self, count: int) -> np.ndarray | None:
        """What LogUniform draws with the next 2 * `count` words, if that is known already."""
        if self._classes is None or len(self._classes) < count:
            self._classes = None
            return None
        self._ready = self._ready[2 * count:]
        taken, self._classes = self._classes[:count], self._classes[count:]
        return taken

    def take(self, count: int) -> np.ndarray:
        """The next `count` words. Shapes: -> [count], dtype uint32."""
        missing = count - len(self._ready)
        if missing > 0:
            blocks = -(-missing // 4)
            more = philox.words(self._start, 4 * blocks)
            self._start = self._start.skip(blocks)
            self._ready = np.concatenate([self._ready, more]) if len(self._ready) else more
        taken, self._ready = self._ready[:count], self._ready[count:]
        return taken

    def give_back(self, words: np.ndarray) -> None:
        """Returns unused words to the front of the stream."""
        self._ready = np.concatenate([words, self._ready])


def exact_integers(words: Words, count: int, below: int, wide: bool) -> np.ndarray:
    """Exactly uniform integers in [0, below), by rejecting words that would favour small ones.

    Shapes: -> [count], dtype int64. `wide` integers use two words, the lower one first.
    """
    size = 2 if wide else 1
    kind = np.dtype(f'u{4 * size}').type
    rejected = 0 if below & (below - 1) == 0 else 2 ** (32 * size) % below
    found = np.empty(0, kind)
    while len(found) < count:
        more = np.ascontiguousarray(words.take(size * (count - len(found)))).view(kind)
        more = more[more >= kind(rejected)] if rejected else more
        found = np.concatenate([found, more]) if len(found) else more
    return (found % kind(below)).astype(np.int64)


class Uniform:
    """Every class is as likely as any other."""

    def __init__(self, range_max: int) -> None:
        self.range = range_max

    def draw(self, words: Words, count: int) -> np.ndarray:
        return exact_integers(words, count, self.range, wide=True)

    def probability(self, classes: np.ndarray) -> np.ndarray:
        return np.full(classes.shape, np.float32(1 / self.range))

    def learn(self, classes: np.ndarray) -> None:
        """Counts the true classes of a batch; only LearnedUnigram uses them."""

    def classes_of(self, words: np.ndarray) -> Sequence[np.ndarray | None]:
        """What `draw` draws with each row of words; None for each if it may reject some."""
        return [None] * len(words)


class LogUniform(Uniform):
    """P(class) = log((class + 2) / (class + 1)) / log(range + 1): approximately Zipf's law."""

    def __init__(self, range_max: int) -> None:
        super().__init__(range_max)
        self._log_range = np.log1p(float(range_max))

    def draw(self, words: Words, count: int) -> np.ndarray:
        known = words.take_classes(count)
        return self.classes_of(words.take(2 * count)[None])[0] if known is None else known

    def classes_of(self, words: np.ndarray) -> Sequence[np.ndarray]:
        u = uniform64(np.array(words))
        return (np.exp(u * self._log_range).astype(np.int64) - 1) % self.range

    def probability(self, classes: np.ndarray) -> np.ndarray:
        ratio = (classes + 2.0) / (classes + 1.0)
        return (np.log(ratio) / self._log_range).astype(np.float32)


class LearnedUnigram(Uniform):
    """P(class) is proportional to 1 + how often the class has been a true class so far.

    The counts are the leaves of a binary tree of sums, so that drawing and learning both take
    log2(range) steps.
    """

    def __init__(self, range_max: int) -> None:
        super().__init__(range_max)
        levels = [np.ones(range_max, np.int64)]
        while len(levels[0]) > 1:
            below = levels[0]
            levels[0] = np.append(below, 0) if len(below) % 2 else below
            levels.insert(0, levels[0].reshape(-1, 2).sum(1))
        self._levels = levels

    def draw(self, words: Words, count: int) -> np.ndarray:
        rest = exact_integers(words, count, int(self._levels[0][0]), wide=False)
        index = np.zeros(count, np.int64)
        for level in self._levels[1:]:
            index *= 2
            left = level[index]
            right = rest >= left
            rest -= np.where(right, left, 0)
            index += right
        return index

    def probability(self, classes: np.ndarray) -> np.ndarray:
        inside = (classes >= 0) & (classes < self.range)
        weights = np.where(inside, self._levels[-1][np.where(inside, classes, 0)], 0)
        return (weights / self._levels[0][0]).astype(np.float32)

    def learn(self, classes: np.ndarray) -> None:
        capacity = 2**31 - 1 - int(self._levels[0][0])
        index = classes.reshape(-1)[:capacity]
        for level in reversed(self._levels):
            np.add.at(level, index, 1)
            index = index // 2


class FixedUnigram(Uniform):
    """P(class) is proportional to given weights, each raised to the power `distortion`.

    Drawn by the alias method (Walker 1977; Vose 1991): draw a class uniformly, keep it with its
    keep probability, otherwise take its alias.
    """

    def __init__(self, range_max: int, weights: np.ndarray) -> None:
        super().__init__(range_max)
        if len(weights) != range_max:
            raise OpFailure(f'range_max is {range_max} but the vocabulary has {len(weights)} '
                            'weights',
                            'range_max counts the reserved ids, too.')
        self._weights = weights
        self._total = np.add.accumulate(weights)[-1]        # float32, added one by one, as in TF
        self._keep, self._alias = _alias_table(self._weights)

    def draw(self, words: Words, count: int) -> np.ndarray:
        """The first word decides whether to keep the class, the next (rarely more) select it."""
        rejected = 0 if self.range & (self.range - 1) == 0 else 2**32 % self.range
        keep_values, candidates, done = np.empty(count, np.float32), np.empty(count, np.int64), 0
        while done < count:
            pairs = np.array(words.take(2 * (count - done))).reshape(-1, 2)
            wrong = np.flatnonzero(pairs[:, 1] < rejected)
            good = int(wrong[0]) if len(wrong) else len(pairs)
            keep_values[done:done + good] = uniform32(np.ascontiguousarray(pairs[:good, 0]))
            candidates[done:done + good] = pairs[:good, 1] % np.uint32(self.range)
            done += good
            if len(wrong):                      # rejected: take the class from a later word
                words.give_back(pairs[good + 1:].reshape(-1))
                keep_values[done] = uniform32(pairs[good, :1].copy())[0]
                candidates[done] = exact_integers(words, 1, self.range, wide=False)[0]
                done += 1
        return np.where(keep_values < self._keep[candidates], candidates, self._alias[candidates])

    def probability(self, classes: np.ndarray) -> np.ndarray:
        inside = (classes >= 0) & (classes < self.range)
        weights = np.where(inside, self._weights[np.where(inside, classes, 0)], np.float32(0))
        return (weights / self._total).astype(np.float32)


def _alias_table(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(keep probability, alias) of each class."""
    count = len(weights)
    total = sum(weights.tolist())
    share = [float(np.float32(w * np.float32(count))) / total for w in weights]
    alias = list(range(count))
    high = [i for i, p in enumerate(share) if p >= 1.0]
    low = [i for i, p in enumerate(share) if p < 1.0]
    while high and low:
        poor, rich = low.pop(), high.pop()
        alias[poor] = rich
        share[rich] -= 1.0 - share[poor]
        (low if share[rich] < 1.0 else high).append(rich)
    for i in high + low:                        # what is left is 1 up to rounding
        share[i], alias[i] = 1.0, i
    return np.array(share, np.float32), np.array(alias)


def unigram_weights(vocab_file: str, unigrams, distortion: float, reserved: int, shards: int,
                    shard: int) -> np.ndarray:
    """Weights of FixedUnigram; a file has one class per line, its weight after the last comma.

    Shapes: -> [classes], the reserved classes first, with weight 0.
    """
    if vocab_file:
        import csv  # start-up time
        with open(vocab_file, newline='', encoding='utf-8') as file:
            rows = [line for line in csv.reader(file) if line]
        unigrams = [float(line[-1]) for line in rows]
    weights = [0.0 for i in range(reserved) if i % shards == shard]
    given = np.array(unigrams, np.float32) ** np.float32(distortion)
    weights += [w for i, w in enumerate(given.tolist(), len(weights)) if i % shards == shard]
    return np.array(weights, np.float32)


class SamplerState:
    """A sampler and its random stream: the per-Session state of a sampler node."""

    def __init__(self, sampler: Uniform, seed: int, seed2: int) -> None:
        self.sampler = sampler
        self._stream = (philox.PhiloxStream(seed, seed2) if seed or seed2
                        else philox.PhiloxStream.from_os())
        self._lock = threading.Lock()
        self._ahead: dict[tuple[philox.Counter, int], Sequence[Any]] = {}

    def get_state(self) -> dict[str, Any]:
        """The position of the stream, and what a learning sampler has counted."""
        with self._lock:
            counted = [level.copy() for level in getattr(self.sampler, '_levels', ())]
            return {'stream': self._stream.get_state(), 'counted': counted}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores `get_state`."""
        with self._lock:
            self._stream.set_state(state['stream'])
            if isinstance(self.sampler, LearnedUnigram):
                self.sampler._levels = [level.copy() for level in state['counted']]

    def sample(self, true_classes: np.ndarray, count: int, unique: bool):
        """Sampled classes, and the expected counts of the true and of the sampled classes.

        Shapes: true_classes [batch, true] -> [count], [batch, true], [count].
        """
        with self._lock:
            words = self._words(count)
            if unique:
                drawn, tries = _distinct(self.sampler.draw, words, count)
            else:
                drawn, tries = self.sampler.draw(words, count), count
            classes = np.concatenate([true_classes.reshape(-1), drawn])
            expected = _expected(self.sampler.probability(classes), count, tries)
            self.sampler.learn(true_classes)
        of_true, of_drawn = expected[:true_classes.size], expected[true_classes.size:]
        return drawn, of_true.reshape(true_classes.shape), of_drawn

    def _words(self, count: int) -> Words:
        """The words of one run, whose start was computed with that of earlier runs."""
        reserved = -(-_PER_SAMPLE * count // 4)
        start = self._stream.reserve(reserved)
        if count * _RUNS_AHEAD > _MOST_AHEAD:
            return Words(start)
        first = self._ahead.pop((start, count), None)
        if first is None:
            runs = np.arange(_RUNS_AHEAD) * reserved
            blocks = philox.blocks_at(start, np.add.outer(runs, np.arange(count)).reshape(-1))
            words = blocks.reshape(_RUNS_AHEAD, -1)
            self._ahead = {(start.skip(run), count): first for run, *first in
                           zip(runs.tolist(), words, self.sampler.classes_of(words))}
            first = self._ahead.pop((start, count))
        return Words(start, *first)


def _distinct(draw: Callable, words: Words, count: int) -> tuple[np.ndarray, int]:
    """The first `count` distinct classes in the order drawn, and the number of draws it took."""
    tried: list[int] = []
    while len(distinct := dict.fromkeys(tried)) < count:
        more = count - len(distinct) + max(count, len(tried)) // 2
        tried += draw(words, more).tolist()
    drawn = list(distinct)[:count]
    return np.array(drawn, np.int64), tried.index(drawn[-1]) + 1


def _expected(probability: np.ndarray, count: int, tries: int) -> np.ndarray:
    """Expected count of a class; if unique, the probability of being among `tries` draws."""
    if tries == count:
        return probability * np.float32(count)
    return -np.expm1(np.float32(tries) * np.log1p(-probability))


__all__ = ['FixedUnigram', 'LearnedUnigram', 'LogUniform', 'SamplerState', 'Uniform',
           'unigram_weights']
