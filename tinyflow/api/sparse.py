"""tf.sparse: sparse tensors."""
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.lazy import importing as _importing
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.sparse.arithmetic import (
    sparse_add as add,
    sparse_maximum as maximum,
    sparse_minimum as minimum,
    sparse_softmax as softmax,
)
from tinyflow.ops.sparse.conversions import (
    from_dense,
    sparse_eye as eye,
    sparse_mask as mask,
    sparse_tensor_to_dense as to_dense,
    sparse_to_indicator as to_indicator,
)
from tinyflow.ops.sparse.crossing import sparse_cross as cross, sparse_cross_hashed as cross_hashed
from tinyflow.ops.sparse.joining import (
    sparse_concat as concat,
    sparse_slice as slice,
    sparse_split as split,
)
from tinyflow.ops.sparse.matmul import (
    sparse_tensor_dense_matmul as matmul,
    sparse_tensor_dense_matmul as sparse_dense_matmul,
)
from tinyflow.ops.sparse.merging import sparse_merge as merge, sparse_reorder as reorder
from tinyflow.ops.sparse.placeholder import sparse_placeholder as placeholder
from tinyflow.ops.sparse.reductions import (
    sparse_reduce_max as reduce_max,
    sparse_reduce_max_sparse as reduce_max_sparse,
    sparse_reduce_sum as reduce_sum,
    sparse_reduce_sum_sparse as reduce_sum_sparse,
)
from tinyflow.ops.sparse.reshaping import (
    sparse_expand_dims as expand_dims,
    sparse_reset_shape as reset_shape,
    sparse_transpose as transpose,
)
from tinyflow.ops.sparse.rows import (
    sparse_fill_empty_rows as fill_empty_rows,
    sparse_reshape as reshape,
    sparse_retain as retain,
)
from tinyflow.ops.sparse.segments import (
    sparse_segment_mean as segment_mean,
    sparse_segment_sqrt_n as segment_sqrt_n,
    sparse_segment_sum as segment_sum,
)

__all__ = ['SparseConditionalAccumulator',  # noqa: F822 - imported on first use
           'SparseTensor', 'add', 'concat', 'cross', 'cross_hashed', 'expand_dims', 'eye',
           'fill_empty_rows', 'from_dense', 'mask', 'matmul', 'maximum', 'merge', 'minimum',
           'placeholder', 'reduce_max', 'reduce_max_sparse', 'reduce_sum', 'reduce_sum_sparse',
           'reorder', 'reset_shape', 'reshape', 'retain', 'segment_mean', 'segment_sqrt_n',
           'segment_sum', 'slice', 'softmax', 'sparse_dense_matmul', 'split', 'to_dense',
           'to_indicator', 'transpose']

_LATER = {'SparseConditionalAccumulator': 'tinyflow.ops.queues.sparse_accumulators'}
__getattr__ = _importing(globals(), _LATER, _explain_missing(__name__, __all__))


def __dir__():
    return [*__all__, *_LATER]
