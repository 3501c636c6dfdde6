"""Tensor helpers of beam search: tile, gather, mask finished beams, length and coverage penalty."""
from __future__ import annotations

from tinyflow.api.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import float32, int32
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.steps import is_tensor_array
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    where_onehot as masking,
)
from tinyflow.ops.math import arithmetic, logic, reduction, unary
from tinyflow.ops.nn import gather_tree


def tile_batch(t, multiplier, name=None):
    """Each row `multiplier` times, one after the other: one for each beam.

    Shapes: t [batch, *a] (or a nest of tensors) -> [batch * multiplier, *a].
    """
    with name_scope(name, 'tile_batch', [*nest.flatten(t), multiplier]):
        return nest.map_structure(lambda x: _tiled(x, multiplier), t)


def _tiled(t, multiplier):
    t = convert_to_tensor(t, name='t')
    shape = shape_ops.shape(t)
    known = t.raw_shape
    if not known:
        raise misuse(ValueError('t must have statically known rank, and rows'))
    tiling = [1] * (len(known) + 1)
    tiling[1] = multiplier
    tiled = joining.tile(shaping.expand_dims(t, 1), tiling)
    tiled = shaping.reshape(tiled, joining.concat(([shape[0] * multiplier], shape[1:]), 0))
    rows = known[0] * multiplier if known[0] is not None else None
    tiled.set_shape((rows,) + known[1:])
    return tiled


def gather_rows(indices, source, batch_size, range_size, gather_shape, name=None):
    """The entries of `source` at `indices`, counted within each row of the batch.

    Shapes: source [batch, range, *a], indices [batch, n] -> [batch, n, *a], where `gather_shape` is
    the shape to which source is reshaped before.
    """
    with name_scope(name, 'tensor_gather_helper'):
        starts = shaping.expand_dims(constants.range(batch_size) * range_size, 1)
        flat = shaping.reshape(indices + starts, [-1])
        found = gathering.gather(shaping.reshape(source, gather_shape), flat)
        kept = 1 + len(gather_shape)
        found = shaping.reshape(found, shape_ops.shape(source)[:kept], name='output')
        found.set_shape(TensorShape([constant_value(batch_size)]).concatenate(
            source.shape[1:kept]))
        return found


def reorder_state(indices, source, batch_size, width):
    """gather_rows of one part of the state, if it has a beam axis."""
    if is_tensor_array(source):
        return source
    check_rank_known(source)
    shape = [batch_size * width, -1]
    if source.shape.ndims < len(shape):
        return source
    return gather_rows(indices, source, batch_size, width, shape)


def check_rank_known(t):
    """ValueError if the rank of `t` is not known at graph construction."""
    if t.raw_shape is None:
        raise misuse(ValueError(f'Expected tensor ({t}) to have known rank, but ndims == None.'))


def mask_finished(log_probs, end_token, finished):
    """A finished beam continues with `end_token` only, with probability 1.

    Shapes: log_probs [batch, width, classes], finished [batch, width] -> [batch, width, classes].
    """
    classes = shape_ops.shape(log_probs)[2]
    row = masking.one_hot(end_token, classes, dtype=log_probs.dtype,
                          on_value=convert_to_tensor(0., log_probs.dtype),
                          off_value=log_probs.dtype.min)
    rows = joining.tile(shaping.reshape(row, [1, 1, -1]),
                        joining.concat([shape_ops.shape(finished), [1]], 0))
    mask = joining.tile(shaping.expand_dims(finished, 2), [1, 1, classes])
    return masking.where(mask, rows, log_probs)


def penalised(log_probs, lengths, length_weight, coverage_weight, finished, attention):
    """log_probs / length penalty + coverage penalty.

    Shapes: log_probs [batch, width, classes] -> the same. Source: Wu et al., "Google's neural
    machine translation system" (2016), equation 14.
    """
    penalty = identity_and_cast.cast(_length_penalty(lengths, length_weight), log_probs.dtype)
    scores = log_probs / penalty
    weight = convert_to_tensor(coverage_weight, name='coverage_penalty_weight')
    if weight.shape.ndims != 0:
        raise misuse(ValueError('coverage_penalty_weight should be a scalar, but saw shape: '
                                f'{weight.shape}'))
    if constant_value(weight) == 0.0:
        return scores
    if attention is None:
        raise misuse(ValueError('accumulated_attention_probs can be None only if coverage penalty '
                                'is disabled.'))
    attention = masking.where(logic.equal(attention, 0.0), constants.ones_like(attention),
                              attention)
    covered = reduction.reduce_sum(unary.log(arithmetic.minimum(attention, 1.0)), 2)
    covered *= identity_and_cast.cast(finished, float32)
    return scores + shaping.expand_dims(covered * weight, 2)


def _length_penalty(lengths, factor):
    """((5 + length) / 6) ** factor, or 1."""
    factor = convert_to_tensor(factor, name='penalty_factor')
    factor.set_shape(())
    known = constant_value(factor)
    if known is not None and known == 0:
        return 1.0
    return arithmetic.div((5. + identity_and_cast.cast(lengths, float32)) ** factor,
                          (5. + 1.) ** factor)


def attention_of(cell_state, coverage_weight):
    """The weights of the last step, averaged over mechanisms and layers; None if not needed."""
    if coverage_weight == 0.0:
        return None
    states = [cell_state] if isinstance(cell_state, AttentionWrapperState) else \
        [s for s in cell_state if isinstance(s, AttentionWrapperState)] \
        if isinstance(cell_state, tuple) else []
    if not states:
        raise misuse(ValueError('coverage_penalty_weight must be 0.0 if no cell is attentional.'))
    found = [_mean(s.alignments) if isinstance(s.alignments, tuple) else s.alignments
             for s in states]
    return found[0] if len(found) == 1 else _mean(found)


def _mean(parts):
    joined = joining.concat([shaping.expand_dims(part, -1) for part in parts], -1)
    return reduction.reduce_mean(joined, -1)


def sorted_by_beam(t, parent_ids, lengths):
    """The values of each step, in the order of the final beams.

    Shapes: t [time, batch, width, *a] (or [time, batch * width, *a]), parent_ids
    [time, batch, width], lengths [batch, width] -> as t.
    """
    time, batch, width = [parent_ids.shape[i].value or shape_ops.shape(parent_ids)[i]
                          for i in range(3)]
    beams = shaping.expand_dims(shaping.expand_dims(constants.range(width), 0), 0)
    beams = joining.tile(beams, [time, batch, 1])
    longest = identity_and_cast.cast(reduction.reduce_max(lengths, axis=1), int32)
    ordered = gather_tree.gather_tree(beams, parent_ids, longest, width + 1)
    inside = shaping.transpose(masking.sequence_mask(lengths, maxlen=time), perm=[2, 0, 1])
    ordered = masking.where(inside, x=ordered, y=beams)
    times = joining.tile(shaping.reshape(constants.range(time), [-1, 1, 1]), [1, batch, width])
    rows = joining.tile(shaping.reshape(constants.range(batch), [-1, 1, 1]), [1, time, width])
    rows = shaping.transpose(rows, perm=[1, 0, 2])
    places = joining.stack([times, rows, ordered], -1)
    shape = shape_ops.shape(t)
    split = shaping.reshape(t, [time, batch, width, -1])
    return shaping.reshape(gathering.gather_nd(split, places), shape)


__all__ = ['tile_batch']
