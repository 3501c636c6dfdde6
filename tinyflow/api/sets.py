"""tf.sets: set operations on the rows of tensors."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.sparse.set_ops import (
    difference,
    intersection,
    set_difference,
    set_intersection,
    set_size,
    set_union,
    size,
    union,
)

__all__ = ['difference', 'intersection', 'set_difference', 'set_intersection', 'set_size',
           'set_union', 'size', 'union']

__getattr__ = _explain_missing(__name__, __all__)
