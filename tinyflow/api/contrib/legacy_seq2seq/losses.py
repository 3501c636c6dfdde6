"""Losses over lists of steps, and one model for several lengths (buckets)."""
from __future__ import annotations

from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import identity_and_cast, shape_ops, shaping
from tinyflow.ops.math import arithmetic, reduction
from tinyflow.ops.nn import cross_entropy
from tinyflow.ops.variables.variable_scope import get_variable_scope, variable_scope


def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True,
                             softmax_loss_function=None, name=None):
    """The weighted cross entropy of each row, summed (or averaged) over the steps.

    Shapes: logits a list of [batch, classes], targets and weights lists of [batch] -> [batch].
    ValueError if the lists differ in length.
    """
    if not len(targets) == len(logits) == len(weights):
        raise misuse(ValueError('Lengths of logits, weights, and targets must be the same '
                                f'{len(logits)}, {len(weights)}, {len(targets)}.'))
    with name_scope(name, 'sequence_loss_by_example', [*logits, *targets, *weights]):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                loss = cross_entropy.sparse_softmax_cross_entropy_with_logits(
                    labels=shaping.reshape(target, [-1]), logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = arithmetic.add_n(losses)
        if average_across_timesteps:
            total_weight = arithmetic.add_n(weights)
            total_weight += 1e-12               # avoids division by 0
            total /= total_weight
    return total


def sequence_loss(logits, targets, weights, average_across_timesteps=True,
                  average_across_batch=True, softmax_loss_function=None, name=None):
    """The weighted cross entropy over all steps and rows, one number.

    Shapes: logits a list of [batch, classes], targets and weights lists of [batch] -> [].
    """
    with name_scope(name, 'sequence_loss', [*logits, *targets, *weights]):
        cost = reduction.reduce_sum(sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function))
        if average_across_batch:
            return cost / identity_and_cast.cast(shape_ops.shape(targets[0])[0], cost.dtype)
        return cost


def model_with_buckets(encoder_inputs, decoder_inputs, targets, weights, buckets, seq2seq,
                       softmax_loss_function=None, per_example_loss=False, name=None):
    """One model for each of several lengths, all with the same Variables: (outputs, losses).

    `buckets` is a list of (input steps, output steps), the largest last; `seq2seq` is a function of
    (encoder inputs, decoder inputs) that returns (outputs, state).

    Shapes: inputs lists of [batch, ...], targets and weights lists of [batch] -> a list of outputs
    and a list of losses ([] or, `per_example_loss`, [batch]), one for each bucket.
    """
    longest = buckets[-1]
    for what, steps, needed in (('encoder_inputs', encoder_inputs, longest[0]),
                                ('targets', targets, longest[1]), ('weights', weights, longest[1])):
        if len(steps) < needed:
            raise misuse(ValueError(f'Length of {what} ({len(steps)}) must be at least that of '
                                    f'last bucket ({needed}).'))
    loss_function = sequence_loss_by_example if per_example_loss else sequence_loss
    losses, outputs = [], []
    with name_scope(name, 'model_with_buckets',
                    [*encoder_inputs, *decoder_inputs, *targets, *weights]):
        for i, (sources, steps) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if i else None):
                found, _ = seq2seq(encoder_inputs[:sources], decoder_inputs[:steps])
                outputs.append(found)
                losses.append(loss_function(found, targets[:steps], weights[:steps],
                                            softmax_loss_function=softmax_loss_function))
    return outputs, losses


__all__ = ['model_with_buckets', 'sequence_loss', 'sequence_loss_by_example']
