"""Special rewrites with a measured gain: each makes one kind of model faster.

Nothing here is needed to understand how a program is compiled. After those in NOT_EXACT results may
differ in the last bit: sums are computed in another order (`used_columns`, `pool_gradients`,
`part_sums`, `rnn_bias`, `batch_matmul_sums`, `lift_sums`, `pretranspose`), products are rounded at
another point (`factor_reuse`, `fold_learning_rate`), or a zero has another sign (`sums`,
`join_parts`).
"""
from tinyflow.compiler.rewrites.batch_matmul_sums import batch_matmul_sums
from tinyflow.compiler.rewrites.factor_reuse import reuse_factors
from tinyflow.compiler.rewrites.fold_learning_rate import fold_learning_rate
from tinyflow.compiler.rewrites.join_parts import join_parts
from tinyflow.compiler.rewrites.lift_from_loops import lift_stacks, lift_sums
from tinyflow.compiler.rewrites.part_sums import sum_parts_first
from tinyflow.compiler.rewrites.pool_gradients import mask_pool_gradients
from tinyflow.compiler.rewrites.pretranspose import pretranspose
from tinyflow.compiler.rewrites.rnn_bias import fold_rnn_biases
from tinyflow.compiler.rewrites.small_updates import join_small_updates
from tinyflow.compiler.rewrites.sums import flatten_sums
from tinyflow.compiler.rewrites.unstack_slices import unstack_slices
from tinyflow.compiler.rewrites.used_columns import keep_used_columns

REWRITES = {
    'lift_stacks': lift_stacks,                 # gradients of loops of unknown length
    'lift_sums': lift_sums,                     # the weights' gradient of such loops
    'factor_reuse': reuse_factors,              # recurrent cells, gates of an LSTM
    'used_columns': keep_used_columns,          # recurrent cells: products used in part
    'pool_gradients': mask_pool_gradients,      # convolutional networks
    'sums': flatten_sums,                       # gradients summed over many steps
    'part_sums': sum_parts_first,               # unrolled cells of Keras
    'join_parts': join_parts,                   # gradients of slices: losses of sampled classes
    'rnn_bias': fold_rnn_biases,                # unrolled recurrent cells
    'batch_matmul_sums': batch_matmul_sums,     # the weights' gradient of unrolled cells
    'pretranspose': pretranspose,               # the same
    'unstack_slices': unstack_slices,           # sequences that are unstacked and joined again
    'small_updates': join_small_updates,        # many small Variables, as biases
    'fold_learning_rate': fold_learning_rate,   # gradient descent on large matrices
}
NOT_EXACT = frozenset(REWRITES) - {'lift_stacks', 'small_updates', 'unstack_slices'}
