"""Candidate samplers: ops that draw a few classes for losses over many classes."""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.nn import candidate_samplers
from tinyflow.ops.random import seeds

_OUTPUTS = ('sampled_candidates', 'true_expected_count', 'sampled_expected_count')
_SIGNATURE = f'true_classes: int64 -> {_OUTPUTS[0]}: int64, {_OUTPUTS[1]}: float32, ' \
             f'{_OUTPUTS[2]}: float32'


def _drawn_shapes(true_classes, *, num_true, num_sampled):
    if true_classes is not None and len(true_classes) != 2:
        raise OpFailure(f'Shape must be rank 2 but is rank {len(true_classes)}: true_classes are '
                        '[batch, num_true]',
                        'tf.reshape(labels, [-1, 1]) for one label each.')
    return [(num_sampled,), (true_classes and true_classes[0], num_true), (num_sampled,)]


def _check_true_classes(true_classes, num_true):
    """ValueError unless the true classes have `num_true` columns."""
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise ValueError(f'true_classes must have num_true columns, expected: {num_true} was: '
                         f'{list(true_classes.shape)}')


class _Sampler(Op, abstract=True):
    signature = _SIGNATURE
    attrs = {'num_true': REQUIRED, 'num_sampled': REQUIRED, 'unique': REQUIRED,
             'range_max': REQUIRED, 'seed': 0, 'seed2': 0}
    pure = False
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True
    shape = _drawn_shapes

    def kernel(state, true_classes, *, num_true, num_sampled, unique):
        _check_true_classes(true_classes, num_true)
        if unique and num_sampled > state.sampler.range:
            raise OpFailure(f"Sampler's range is too small: {num_sampled} different classes of "
                            f'{state.sampler.range}',
                            'unique=False allows a class to be drawn more than once.')
        return state.sample(true_classes, num_sampled, unique)


def _sampler_state(kind):
    return lambda attrs: candidate_samplers.SamplerState(
        kind(attrs['range_max']), attrs['seed'], attrs['seed2'])


class UniformCandidateSampler(_Sampler):
    """Draws classes uniformly."""

    state = _sampler_state(candidate_samplers.Uniform)


class LogUniformCandidateSampler(_Sampler):
    """Draws classes by Zipf's law (approximately)."""

    state = _sampler_state(candidate_samplers.LogUniform)


class LearnedUnigramCandidateSampler(_Sampler):
    """Draws classes in proportion to how often they were true classes before."""

    state = _sampler_state(candidate_samplers.LearnedUnigram)


def _fixed_sampler_state(attrs):
    weights = candidate_samplers.unigram_weights(
        attrs['vocab_file'], attrs['unigrams'], attrs['distortion'], attrs['num_reserved_ids'],
        attrs['num_shards'], attrs['shard'])
    sampler = candidate_samplers.FixedUnigram(attrs['range_max'], weights)
    return candidate_samplers.SamplerState(sampler, attrs['seed'], attrs['seed2'])


class FixedUnigramCandidateSampler(_Sampler):
    """Draws classes by given weights."""

    attrs = {**_Sampler.attrs, 'vocab_file': '', 'distortion': 1.0, 'num_reserved_ids': 0,
             'num_shards': 1, 'shard': 0, 'unigrams': ()}
    state = _fixed_sampler_state


class AllCandidateSampler(Op):
    """Returns every class: for comparison with the samplers."""

    signature = _SIGNATURE
    attrs = {'num_true': REQUIRED, 'num_sampled': REQUIRED, 'unique': REQUIRED, 'seed': 0,
             'seed2': 0}
    pure = False
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True
    shape = _drawn_shapes

    def kernel(true_classes, *, num_true, num_sampled):
        _check_true_classes(true_classes, num_true)
        return (np.arange(num_sampled), np.ones(true_classes.shape, np.float32),
                np.ones(num_sampled, np.float32))


class ComputeAccidentalHits(Op):
    """Where a sampled class is a true class: (row, position in the sample, weight -FLT_MAX)."""

    signature = ('true_classes: int64, sampled_candidates: int64 '
                 '-> indices: int32, ids: int64, weights: float32')
    attrs = {'num_true': REQUIRED, 'seed': 0, 'seed2': 0}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(true_classes, sampled_candidates):
        for name, shape, rank in (('true_classes', true_classes, 2),
                                  ('sampled_candidates', sampled_candidates, 1)):
            if shape is not None and len(shape) != rank:
                raise ValueError(f'Shape must be rank {rank} but is rank {len(shape)}: {name}')
        return [(None,)] * 3

    def kernel(true_classes, sampled_candidates, *, num_true):
        _check_true_classes(true_classes, num_true)
        count = len(sampled_candidates)
        # TF reports the last position of a class drawn more than once: the first in reversed order.
        from_end = sampled_candidates[::-1]
        order = np.argsort(from_end, kind='stable')
        position = np.searchsorted(from_end[order], true_classes)
        hit = position < count
        if count:
            position = np.minimum(position, count - 1)
            hit &= from_end[order[position]] == true_classes
        rows, columns = np.nonzero(hit)
        ids = count - 1 - order[position[rows, columns]]
        return (rows.astype(np.int32), ids.astype(np.int64),
                np.full(len(rows), np.finfo(np.float32).min))


# ---- public functions ----------------------------------------------------------------------


def _sample(op, true_classes, num_true, num_sampled, unique, seed, name, **attrs):
    seed, seed2 = seeds.get_seed(seed)
    drawn = op.apply(true_classes, num_true=_at_least(1, num_true, 'num_true', op),
                     num_sampled=_at_least(1, num_sampled, 'num_sampled', op),
                     unique=bool(unique), seed=seed or 0, seed2=seed2 or 0, name=name, **attrs)
    return namedtuple(op.type, _OUTPUTS)(*drawn)


def _at_least(least, value, name, op):
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise misuse(TypeError(f"Expected int for argument '{name}' not {value!r}."))
    if value < least:
        raise misuse(ValueError(f"Attr '{name}' of '{op.type}' Op passed {value} less than minimum "
                                f'{least}.'))
    return int(value)


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None,
                              name=None):
    """Draws classes uniformly from [0, range_max); returns them and the expected counts.

    Shapes: true_classes [batch, num_true] -> sampled_candidates [num_sampled],
    true_expected_count [batch, num_true], sampled_expected_count [num_sampled]. With `unique` no
    class is drawn twice, and the counts are the probabilities of being in the sample.
    """
    range_max = _at_least(1, range_max, 'range_max', UniformCandidateSampler)
    return _sample(UniformCandidateSampler, true_classes, num_true, num_sampled, unique, seed,
                   name, range_max=range_max)


def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max,
                                  seed=None, name=None):
    """Draws classes with P(class) = log((class + 2) / (class + 1)) / log(range_max + 1).

    Shapes: true_classes [batch, num_true] -> sampled_candidates [num_sampled],
    true_expected_count [batch, num_true], sampled_expected_count [num_sampled]. Meant for words
    numbered by decreasing frequency.
    """
    range_max = _at_least(1, range_max, 'range_max', LogUniformCandidateSampler)
    return _sample(LogUniformCandidateSampler, true_classes, num_true, num_sampled, unique, seed,
                   name, range_max=range_max)


def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max,
                                      seed=None, name=None):
    """Draws classes in proportion to how often they were true classes in earlier runs.

    Shapes: true_classes [batch, num_true] -> sampled_candidates [num_sampled],
    true_expected_count [batch, num_true], sampled_expected_count [num_sampled].
    """
    range_max = _at_least(1, range_max, 'range_max', LearnedUnigramCandidateSampler)
    return _sample(LearnedUnigramCandidateSampler, true_classes, num_true, num_sampled, unique,
                   seed, name, range_max=range_max)


def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max,
                                    vocab_file='', distortion=1.0, num_reserved_ids=0,
                                    num_shards=1, shard=0, unigrams=(), seed=None, name=None):
    """Draws classes with P(class) ~ weight ** distortion; 0.75 is usual for word embeddings.

    Shapes: true_classes [batch, num_true] -> sampled_candidates [num_sampled],
    true_expected_count [batch, num_true], sampled_expected_count [num_sampled]. The weights are
    `unigrams`, or the last column of the CSV file `vocab_file`; the `num_reserved_ids` classes
    before them are never drawn.
    """
    op = FixedUnigramCandidateSampler
    if bool(vocab_file) == bool(len(unigrams)):
        raise misuse(ValueError(f'{op.type}: Must provide exactly one of vocab_file or unigrams.'))
    num_shards = _at_least(1, num_shards, 'num_shards', op)
    if not 0 <= shard < num_shards:
        raise misuse(ValueError(f'{op.type}: shard must be in [0, num_shards), not {shard}.'))
    return _sample(op, true_classes, num_true, num_sampled, unique, seed, name,
                   range_max=_at_least(1, range_max, 'range_max', op), vocab_file=vocab_file,
                   distortion=float(distortion), num_reserved_ids=int(num_reserved_ids),
                   num_shards=num_shards, shard=int(shard),
                   unigrams=tuple(float(u) for u in unigrams))


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """The classes 0 ... num_sampled - 1, each with expected count 1: no sampling, for comparison.

    Shapes: true_classes [batch, num_true] -> sampled_candidates [num_sampled],
    true_expected_count [batch, num_true], sampled_expected_count [num_sampled].
    """
    return _sample(AllCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name)


def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Which sampled classes are true classes of a row: (rows, positions in the sample, -FLT_MAX).

    Shapes: true_classes [batch, num_true], sampled_candidates [num_sampled] -> three of [hits].
    Adding the weights to the logits at these positions keeps a true class from counting as false.
    """
    seed, seed2 = seeds.get_seed(seed)
    hits = ComputeAccidentalHits.apply(
        true_classes, sampled_candidates, seed=seed or 0, seed2=seed2 or 0, name=name,
        num_true=_at_least(0, num_true, 'num_true', ComputeAccidentalHits))
    return namedtuple(ComputeAccidentalHits.type, 'indices ids weights')(*hits)


__all__ = ['all_candidate_sampler', 'compute_accidental_hits', 'fixed_unigram_candidate_sampler',
           'learned_unigram_candidate_sampler', 'log_uniform_candidate_sampler',
           'uniform_candidate_sampler']
