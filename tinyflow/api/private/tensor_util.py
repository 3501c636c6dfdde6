"""tensorflow.python.framework.tensor_util: what of it has no public name."""
from __future__ import annotations

from tinyflow.formats.wire.tensors import make_ndarray as MakeNdarray
from tinyflow.graph.constant_value import constant_value_as_tensorflow, static_value
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse

__all__ = ['MakeNdarray', 'constant_value_as_shape', 'is_tensor']


def constant_value_as_shape(tensor):
    """The TensorShape that a vector of sizes stands for, as far as it is known.

    Entries that are unknown, or -1, are unknown dimensions.
    """
    shape = tensor.shape
    if shape.ndims == 0:
        if constant_value_as_tensorflow(tensor) != -1:
            raise misuse(ValueError('Received a scalar with unknown value as shape; require a '
                                    'statically known scalar with value \'-1\' to describe an '
                                    'unknown shape.'))
        return TensorShape(None)
    shape.assert_has_rank(1)
    known = static_value(tensor)
    if known is None:
        return TensorShape([None] * shape.as_list()[0] if shape.is_fully_defined() else None)
    return TensorShape([None if size in (None, -1) else size for size in known])


def is_tensor(x):
    """True of tensors, Variables and tensors of several parts."""
    return isinstance(x, Tensor) or hasattr(x, '_as_graph_element') or hasattr(x, '_nest_parts')
