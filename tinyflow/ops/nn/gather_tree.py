"""gather_tree: backtracks the sequences of a beam search from their last steps."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import int32
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op


class GatherTree(Op):
    """Follows the parents of each beam from its last step to the first."""

    signature = 'step_ids: T, parent_ids: T, max_sequence_lengths: int32, end_token: T -> beams: T'
    types = {'T': frozenset({int32})}
    gradient = NOT_DIFFERENTIABLE

    def shape(step_ids, parent_ids, lengths, end_token):
        for name, shape, rank in (('step_ids', step_ids, 3), ('parent_ids', parent_ids, 3),
                                  ('max_sequence_lengths', lengths, 1),
                                  ('end_token', end_token, 0)):
            if len(shape) != rank:
                raise ValueError(f'Shape must be rank {rank} but is rank {len(shape)}: {name}')
        shapes.merge(step_ids[1:2], lengths)
        return shapes.merge(step_ids, parent_ids)

    def kernel(step_ids, parent_ids, lengths, end_token):
        steps, batch, width = step_ids.shape
        rows, beams = np.arange(batch)[:, None], np.arange(width)
        lengths = np.minimum(lengths, steps)[:, None]
        result = np.full(step_ids.shape, end_token, step_ids.dtype)
        # Beyond the end of a sequence (we go backwards), each beam is its own parent.
        parents = np.broadcast_to(beams, (batch, width)).astype(step_ids.dtype)
        for step in range(steps - 1, -1, -1):
            inside = step < lengths
            wrong = inside & ((parents < 0) | (parents >= width))
            if wrong.any():
                row, beam = np.argwhere(wrong)[0].tolist()
                raise ValueError(f'Saw invalid parent id {parents[row, beam]} at (batch, time, '
                                 f'beam) == ({row}, {step}, {beam}): there are {width} beams')
            result[step] = np.where(inside, step_ids[step, rows, parents], end_token)
            parents = np.where(inside, parent_ids[step, rows, parents], parents)
        ended = np.logical_or.accumulate(result == end_token, axis=0)
        result[ended] = end_token
        return result


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """The ids of each beam in order of time, followed by `end_token`.

    Shapes: step_ids and parent_ids [time, batch, beams], max_sequence_lengths [batch], end_token []
    -> [time, batch, beams].
    """
    return GatherTree.apply(step_ids, parent_ids, max_sequence_lengths, end_token, name=name)


__all__ = ['gather_tree']
