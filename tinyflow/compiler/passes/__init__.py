"""Stage 5, optimisation passes: each is a function Program -> Program that adds a Note.

These are general passes, as in any compiler. The rewrites of `compiler/rewrites/`,
each with a measured gain for one kind of model, run before the last one.
"""
from tinyflow.compiler.functions.prune_outputs import narrow_functions
from tinyflow.compiler.passes.broadcasts import drop_broadcasts
from tinyflow.compiler.passes.dead import drop_unused
from tinyflow.compiler.passes.identities import drop_identities
from tinyflow.compiler.passes.merge import merge_equal
from tinyflow.compiler.passes.transposes import fold_transposes
from tinyflow.compiler.rewrites import NOT_EXACT, REWRITES

PASSES = {
    'functions': narrow_functions,
    'identities': drop_identities,
    'merge': merge_equal,
    'broadcasts': drop_broadcasts,
    'transposes': fold_transposes,
    **REWRITES,
    'dead': drop_unused,
}
# Passes that do not change results, bit for bit.
EXACT = frozenset(PASSES) - {'transposes'} - NOT_EXACT
