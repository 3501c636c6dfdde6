"""tensorflow.python.ops.rnn: helpers that loops of programs' own use."""
from __future__ import annotations

from tinyflow.api.private.rnn_cell_impl import _concat
from tinyflow.graph.constant_value import constant_value_as_tensorflow
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.nest import flatten
from tinyflow.ops.array.shape_ops import shape as shape_of
from tinyflow.ops.array.shaping import transpose

__all__ = ['_best_effort_input_batch_size', '_concat', '_infer_state_dtype',
           '_maybe_tensor_shape_from_tensor', '_should_cache', '_transpose_batch_time']


def _transpose_batch_time(x):
    """Shapes: x [a, b, ...] -> [b, a, ...]; a vector or scalar as it is."""
    x = convert_to_tensor(x)
    rank = x.shape.ndims
    if rank is not None and rank < 2:
        raise misuse(ValueError(f'Expected input tensor {x.name} to have rank at least 2, but saw '
                                f'shape: {x.shape}'))
    return transpose(x, [1, 0, *range(2, rank)])


def _best_effort_input_batch_size(flat_input):
    """The size of the batch of inputs [time, batch, ...]: an int where it is known."""
    for tensor in flat_input:
        shape = tensor.shape
        if shape.ndims is not None and shape.ndims >= 2 and shape.as_list()[1] is not None:
            return shape.as_list()[1]
    return shape_of(flat_input[0])[1]


def _maybe_tensor_shape_from_tensor(shape):
    """A shape that may be a tensor as a TensorShape, as far as it is known."""
    if not hasattr(shape, 'op'):
        return shape
    known = constant_value_as_tensorflow(shape)
    return TensorShape(None if known is None else list(known))


def _should_cache():
    """False: Variables are not copied to the device of a loop."""
    return False


def _infer_state_dtype(explicit_dtype, state):
    """The dtype of the states, which all have the same."""
    if explicit_dtype is not None:
        return explicit_dtype
    found = {tensor.dtype for tensor in flatten(state)}
    if len(found) != 1:
        raise misuse(ValueError('State has tensors of different inferred_dtypes. Unable to infer a '
                                'single representative dtype.'))
    return found.pop()
