"""Samples of a Bernoulli or categorical distribution, with the nodes that TF's helpers make."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import int32, int64
from tinyflow.ops.array import (
    identity_and_cast as identities,
    joining,
    shape_ops as measures,
    shaping,
)
from tinyflow.ops.math import logic, reduction, unary as elementary
from tinyflow.ops.random import random_functions as random


def bernoulli(probs=None, logits=None, dtype=int32, sample_shape=(), seed=None):
    """1 with probability `probs` (or sigmoid(logits)), else 0.

    Shapes: probs [*a] -> [*sample_shape, *a].
    """
    probs = elementary.sigmoid(logits, name='probs') if probs is None \
        else convert_to_tensor(probs, name='probs')
    batch_shape = measures.shape(probs)

    def draw(count):
        shape = joining.concat([[count], batch_shape], 0)
        uniform = random.random_uniform(shape, seed=seed, dtype=probs.dtype)
        return identities.cast(logic.less(uniform, probs), dtype)
    return _sampled(draw, sample_shape)


def categorical(logits, dtype=int32, sample_shape=(), seed=None):
    """Class indices drawn with probabilities softmax(logits).

    Shapes: logits [*a, classes] -> [*sample_shape, *a].
    """
    logits = convert_to_tensor(logits, name='logits')
    classes = measures.shape(logits)[-1]
    batch_shape = measures.shape(logits)[:-1]

    def draw(count):
        rows = logits if logits.shape.ndims == 2 else shaping.reshape(logits, [-1, classes])
        kind = int64 if logits.dtype.size > 4 else int32
        drawn = random.multinomial(rows, count, seed=seed, output_dtype=kind)
        drawn = shaping.reshape(shaping.transpose(drawn),
                                joining.concat([[count], batch_shape], 0))
        return identities.cast(drawn, dtype)
    return _sampled(draw, sample_shape)


def _sampled(draw, sample_shape):
    with name_scope(None, 'call_sampler', [sample_shape]):
        sample_shape = convert_to_tensor(sample_shape, int32, 'sample_shape')
        scalar = identities.cast(logic.equal(measures.rank(sample_shape), 0), int32)
        padded = shaping.pad(measures.shape(sample_shape), paddings=[[scalar, 0]],
                             constant_values=1)
        sample_shape = shaping.reshape(sample_shape, padded)
        samples = draw(reduction.reduce_prod(sample_shape))
        event_shape = measures.shape(samples)[1:]
        return shaping.reshape(samples, joining.concat([sample_shape, event_shape], 0))


__all__ = ['bernoulli', 'categorical']
