"""sequence_loss: cross entropy over batches of sequences, weighted step by step."""
from __future__ import annotations

from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import identity_and_cast, shape_ops, shaping
from tinyflow.ops.math import arithmetic, composed_reductions, reduction
from tinyflow.ops.nn import cross_entropy


def sequence_loss(logits, targets, weights, average_across_timesteps=True,
                  average_across_batch=True, sum_over_timesteps=False, sum_over_batch=False,
                  softmax_loss_function=None, name=None):
    """The weighted cross entropy of each step, averaged over steps, rows or both.

    Shapes: logits [batch, time, classes], targets and weights [batch, time] -> [] if averaged over
    both, [batch] or [time] if over one, [batch, time] if over none. `sum_over_...` divides by the
    number of nonzero weights instead of their sum. ValueError for other ranks.
    """
    for what, tensor, rank in (('Logits', logits, 3), ('Targets', targets, 2),
                               ('Weights', weights, 2)):
        if len(tensor.shape) != rank:
            wanted = '[batch_size x sequence_length' + (' x logits]' if rank == 3 else ']')
            raise misuse(ValueError(report(f'sequence_loss: {what} must be a {wanted} tensor',
                                           inputs=[(what.lower(), tensor)])))
    for average, total, over in ((average_across_timesteps, sum_over_timesteps, 'timesteps'),
                                 (average_across_batch, sum_over_batch, 'batch')):
        if average and total:
            raise misuse(ValueError(f'average_across_{over} and sum_over_{over} cannot be set to '
                                    'True at same time.'))
    with name_scope(name, 'sequence_loss', [logits, targets, weights]):
        classes = shape_ops.shape(logits)[2]
        flat = shaping.reshape(logits, [-1, classes])
        labels = shaping.reshape(targets, [-1])
        loss_function = softmax_loss_function \
            or cross_entropy.sparse_softmax_cross_entropy_with_logits
        losses = loss_function(labels=labels, logits=flat)
        losses *= shaping.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return _divided(losses, weights, None, count=False)
        if sum_over_timesteps and sum_over_batch:
            return _divided(losses, weights, None, count=True)
        losses = shaping.reshape(losses, shape_ops.shape(logits)[0:2])
        if average_across_timesteps or average_across_batch:
            return _divided(losses, weights, [0] if average_across_batch else [1], count=False)
        if sum_over_timesteps or sum_over_batch:
            return _divided(losses, weights, [0] if sum_over_batch else [1], count=True)
        return losses


def _divided(losses, weights, axis, count):
    """The sum along `axis`, by the sum of the weights there or the `count` of those not 0."""
    total = reduction.reduce_sum(losses, axis=axis)
    if count:
        number = identity_and_cast.cast(composed_reductions.count_nonzero(weights, axis=axis),
                                        total.dtype)
    else:
        number = reduction.reduce_sum(weights, axis=axis)
    return arithmetic.div_no_nan(total, number)


__all__ = ['sequence_loss']
