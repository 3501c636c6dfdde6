"""tf.manip: functions that rearrange tensors."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array.indexing import gather_nd, scatter_nd
from tinyflow.ops.array.shaping import (
    batch_to_space_nd,
    reshape,
    reverse,
    roll,
    space_to_batch_nd,
    tile,
)

__all__ = ['batch_to_space_nd', 'gather_nd', 'reshape', 'reverse', 'roll', 'scatter_nd',
           'space_to_batch_nd', 'tile']

__getattr__ = _explain_missing(__name__, __all__)
