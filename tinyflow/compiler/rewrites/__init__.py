"""Special rewrites with a measured gain: each makes one kind of model faster.

Nothing here is needed to understand how a program is compiled. After those in NOT_EXACT results may
differ in the last bit: sums are computed in another order (`used_columns`, `pool_gradients`,
`rnn_bias`, `batch_matmul_sums`, `pretranspose`), products are rounded at another point
(`factor_reuse`, `fold_learning_rate`), or a zero has another sign (`sums`).
"""
from tinyflow.compiler.rewrites.batch_matmul_sums import stack_products
from tinyflow.compiler.rewrites.factor_reuse import share_products
from tinyflow.compiler.rewrites.fold_learning_rate import scale_steps
from tinyflow.compiler.rewrites.pool_gradients import mask_before_pools
from tinyflow.compiler.rewrites.pretranspose import turn_repeated
from tinyflow.compiler.rewrites.rnn_bias import fold_biases
from tinyflow.compiler.rewrites.sums import flatten_sums
from tinyflow.compiler.rewrites.unstack_slices import read_unstacked
from tinyflow.compiler.rewrites.used_columns import narrow_products

REWRITES = {
    'factor_reuse': share_products,             # recurrent cells, gates of an LSTM
    'used_columns': narrow_products,            # recurrent cells: products used in part
    'pool_gradients': mask_before_pools,        # convolutional networks
    'sums': flatten_sums,                       # gradients summed over many steps
    'rnn_bias': fold_biases,                    # unrolled recurrent cells
    'batch_matmul_sums': stack_products,        # the weights' gradient of unrolled cells
    'pretranspose': turn_repeated,              # the same
    'unstack_slices': read_unstacked,           # sequences that are unstacked and joined again
    'fold_learning_rate': scale_steps,          # gradient descent on large matrices
}
NOT_EXACT = frozenset(REWRITES) - {'unstack_slices'}
