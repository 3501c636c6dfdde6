"""Stage 5: rewrites of a Program. Each is a function Program -> Program that reports a Note.

All of them keep results bit for bit, except `transposes`, `columns`, `pools`, `biases`, `stacks`
and `turned`, after which sums may be added up in another order, `shared` and `steps`, which round
in another place, and `sums`, after which a zero may have another sign.
"""
from tinyflow.compiler.functions.prune_outputs import narrow_functions
from tinyflow.compiler.passes.broadcasts import drop_broadcasts
from tinyflow.compiler.passes.dead import drop_unused
from tinyflow.compiler.passes.identities import drop_identities
from tinyflow.compiler.passes.merge import merge_equal
from tinyflow.compiler.passes.transposes import fold_transposes
from tinyflow.compiler.rewrites.batch_matmul_sums import stack_products
from tinyflow.compiler.rewrites.factor_reuse import share_products
from tinyflow.compiler.rewrites.fold_learning_rate import scale_steps
from tinyflow.compiler.rewrites.pool_gradients import mask_before_pools
from tinyflow.compiler.rewrites.pretranspose import turn_repeated
from tinyflow.compiler.rewrites.rnn_bias import fold_biases
from tinyflow.compiler.rewrites.sums import flatten_sums
from tinyflow.compiler.rewrites.unstack_slices import read_unstacked
from tinyflow.compiler.rewrites.used_columns import narrow_products

PASSES = {
    'functions': narrow_functions,
    'identities': drop_identities,
    'merge': merge_equal,
    'broadcasts': drop_broadcasts,
    'shared': share_products,
    'transposes': fold_transposes,
    'columns': narrow_products,
    'pools': mask_before_pools,
    'sums': flatten_sums,
    'biases': fold_biases,
    'stacks': stack_products,
    'turned': turn_repeated,
    'unstacked': read_unstacked,
    'steps': scale_steps,
    'unused': drop_unused,
}
EXACT = frozenset(PASSES) - {
    'shared', 'transposes', 'columns', 'pools', 'biases', 'stacks', 'turned', 'steps', 'sums'}
