"""The compiler: its stages, its options, and `optimise`, which runs stages 4 and 5.

    1 prune      selects the operations that the fetches need, given the feeds
    2 schedule   orders them, and finds the reads of Variables that need a copy
    3 lower      converts the ordered operations to a Program
    4 infer      shape inference and constant folding for given feed shapes
    5 passes     optimisations, each Program -> Program
    6 memory     plans the memory of every value
    7 codegen    generates a straight-line Python function

Stages 1 to 3 run once for each pair of fetches and feeds (graph_to_program.py), 4 and 5 once for
each set of feed shapes (`optimise`), 6 and 7 when the result becomes an Executable
(session/executable.py). `session/program_cache.py` caches the results.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyflow.compiler.functions.unrolling import unroll
from tinyflow.compiler.graph_to_program import graph_to_program
from tinyflow.compiler.infer import infer
from tinyflow.compiler.ir import Program
from tinyflow.compiler.memory.copy_stale_reads import copy_stale_views
from tinyflow.compiler.passes import PASSES
from tinyflow.compiler.warnings.broadcast_warning import warn_of_silent_broadcasting
from tinyflow.graph.shapes import Shape

STAGES = ('prune', 'schedule', 'lower', 'infer', 'passes', 'memory', 'codegen')


@dataclass(frozen=True)
class Options:
    """Which optimisations are enabled; tests switch them individually."""

    fold: bool = True
    passes: tuple[str, ...] = tuple(PASSES)
    nan_check: bool = False         # check every value, to find the origin of a NaN
    unroll: int | None = 32         # loops of known length are unrolled after this many
                                    # runs; 0: at once, None: never


def optimise(program: Program, feed_shapes: Sequence[Shape], options: Options,
             unroll_loops: bool | None = None) -> Program:
    """Specialises `program` to feed shapes (None for sizes that may vary) and optimises it.

    `unroll_loops` says whether loops of known length are unrolled; by default they are if the
    options allow it.
    """
    program = infer(program, feed_shapes, options.fold)
    if unroll_loops is None:
        unroll_loops = options.unroll is not None
    if unroll_loops and options.fold and not options.nan_check:
        unrolled = unroll(program, options.fold)
        if unrolled is not program:
            program = infer(unrolled, feed_shapes, options.fold)
    warn_of_silent_broadcasting(program)
    for name in options.passes:
        program = PASSES[name](program)
    return copy_stale_views(program)    # a pass may have moved the use of a view past a write


__all__ = ['STAGES', 'Options', 'optimise', 'graph_to_program']
