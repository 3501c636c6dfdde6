"""The stages of compilation, in their order.

    1 prune      which operations the fetches need, cut at the fed tensors
    2 schedule   the order in which they run, and which reads of Variables need a copy
    3 lower      ordered operations become a Program
    4 infer      shapes, and constants that follow from them, for given feed shapes
    5 passes     rewrites, Program -> Program
    6 memory     where every value lives
    7 codegen    a straight-line Python function

Stages 1 to 3 run once for each pair of fetches and feeds (graph_to_program.py), 4 and 5 once for
each set of feed shapes (`optimise`), 6 and 7 when the result becomes an Executable
(session/executable.py). `session/program_cache.py` keeps what they made.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyflow.compiler.functions.unrolling import unroll
from tinyflow.compiler.graph_to_program import plan_program
from tinyflow.compiler.infer import infer
from tinyflow.compiler.ir import Program
from tinyflow.compiler.memory.copy_stale_reads import copy_stale_views
from tinyflow.compiler.passes import PASSES
from tinyflow.compiler.warnings.broadcast_warning import warn_of_silent_broadcasting
from tinyflow.graph.shapes import Shape

STAGES = ('prune', 'schedule', 'lower', 'infer', 'passes', 'memory', 'codegen')


@dataclass(frozen=True)
class Options:
    """Which rewrites to do; tests switch them one by one."""

    fold: bool = True
    passes: tuple[str, ...] = tuple(PASSES)
    nan_check: bool = False         # run value by value, to tell where a NaN comes from
    unroll: int | None = 32         # runs after which loops of known length are written out


def optimise(program: Program, feed_shapes: Sequence[Shape], options: Options,
             write_out: bool | None = None) -> Program:
    """`program` specialised to feed shapes (None where a size is left open) and rewritten.

    `write_out` says whether loops of known length become straight-line code, by default if the
    options allow it at all.
    """
    program = infer(program, feed_shapes, options.fold)
    if write_out is None:
        write_out = options.unroll is not None
    if write_out and options.fold and not options.nan_check:
        unrolled = unroll(program, options.fold)
        if unrolled is not program:
            program = infer(unrolled, feed_shapes, options.fold)
    warn_of_silent_broadcasting(program)
    for name in options.passes:
        program = PASSES[name](program)
    return copy_stale_views(program)


__all__ = ['STAGES', 'Options', 'optimise', 'plan_program']
