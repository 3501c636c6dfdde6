"""Bernoulli and categorical samples, with the same nodes as TF's helpers."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import int32, int64
from tinyflow.ops.array import (
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
)
from tinyflow.ops.math import logic, reduction, unary
from tinyflow.ops.random import random_functions


def bernoulli(probs=None, logits=None, dtype=int32, sample_shape=(), seed=None):
    """1 with probability `probs` (or sigmoid(logits)), else 0.

    Shapes: probs [*a] -> [*sample_shape, *a].
    """
    probs = unary.sigmoid(logits, name='probs') if probs is None \
        else convert_to_tensor(probs, name='probs')
    batch_shape = shape_ops.shape(probs)

    def draw(count):
        shape = joining.concat([[count], batch_shape], 0)
        uniform = random_functions.random_uniform(shape, seed=seed, dtype=probs.dtype)
        return identity_and_cast.cast(logic.less(uniform, probs), dtype)
    return _sampled(draw, sample_shape)


def categorical(logits, dtype=int32, sample_shape=(), seed=None):
    """Class indices drawn with probabilities softmax(logits).

    Shapes: logits [*a, classes] -> [*sample_shape, *a].
    """
    logits = convert_to_tensor(logits, name='logits')
    classes = shape_ops.shape(logits)[-1]
    batch_shape = shape_ops.shape(logits)[:-1]

    def draw(count):
        rows = logits if logits.shape.ndims == 2 else shaping.reshape(logits, [-1, classes])
        kind = int64 if logits.dtype.size > 4 else int32
        drawn = random_functions.multinomial(rows, count, seed=seed, output_dtype=kind)
        drawn = shaping.reshape(shaping.transpose(drawn),
                                joining.concat([[count], batch_shape], 0))
        return identity_and_cast.cast(drawn, dtype)
    return _sampled(draw, sample_shape)


def _sampled(draw, sample_shape):
    with name_scope(None, 'call_sampler', [sample_shape]):
        sample_shape = convert_to_tensor(sample_shape, int32, 'sample_shape')
        scalar = identity_and_cast.cast(logic.equal(shape_ops.rank(sample_shape), 0), int32)
        padded = shaping.pad(shape_ops.shape(sample_shape), paddings=[[scalar, 0]],
                             constant_values=1)
        sample_shape = shaping.reshape(sample_shape, padded)
        samples = draw(reduction.reduce_prod(sample_shape))
        event_shape = shape_ops.shape(samples)[1:]
        return shaping.reshape(samples, joining.concat([sample_shape, event_shape], 0))


__all__ = ['bernoulli', 'categorical']
