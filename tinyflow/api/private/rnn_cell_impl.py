"""tensorflow.python.ops.rnn_cell_impl: what cells of others take from it."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.nest import map_structure
from tinyflow.layers.rnn.cell import LayerRNNCell, zero_tensor
from tinyflow.ops.array.joining import concat

__all__ = ['LayerRNNCell', '_BIAS_VARIABLE_NAME', '_WEIGHTS_VARIABLE_NAME', '_concat', '_hasattr',
           '_zero_state_tensors', 'assert_like_rnncell']

_BIAS_VARIABLE_NAME, _WEIGHTS_VARIABLE_NAME = 'bias', 'kernel'


def _hasattr(obj, attr_name):
    return hasattr(obj, attr_name)


def assert_like_rnncell(cell_name, cell):
    """TypeError unless the cell has sizes and can be called."""
    missing = [name for name in ('output_size', 'state_size') if not hasattr(cell, name)]
    if not callable(cell) or missing or not hasattr(cell, 'zero_state'):
        raise misuse(TypeError(f'The argument {cell_name!r} ({cell}) is not an RNNCell.'))


def _concat(prefix, suffix, static=False):
    """The sizes of `prefix` and `suffix`, one after the other: a tensor, or a list if `static`.

    Each is a size, a list of sizes, or a vector.
    """
    if static:
        sizes = [TensorShape(part if isinstance(part, (list, tuple, TensorShape)) else [part])
                 for part in (prefix, suffix)]
        return sizes[0].concatenate(sizes[1]).as_list()
    parts = [part if isinstance(part, Tensor) and part.shape.ndims == 1 else
             convert_to_tensor(part if isinstance(part, (list, tuple)) else
                               part.as_list() if isinstance(part, TensorShape) else [part])
             for part in (prefix, suffix)]
    return concat(parts, 0)


def _zero_state_tensors(state_size, batch_size, dtype):
    """A state of zeros: a tensor [batch_size, size] for each of the nested sizes."""
    return map_structure(lambda size: zero_tensor(batch_size, size, dtype), state_size)
