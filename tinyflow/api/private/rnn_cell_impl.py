"""tensorflow.python.ops.rnn_cell_impl: a helper of the cells that cells of others call."""
from __future__ import annotations

from tinyflow.graph.support.nest import map_structure
from tinyflow.layers.rnn.cell import zero_tensor

__all__ = ['_zero_state_tensors']


def _zero_state_tensors(state_size, batch_size, dtype):
    """A state of zeros: a tensor [batch_size, size] for each of the nested sizes."""
    return map_structure(lambda size: zero_tensor(batch_size, size, dtype), state_size)
