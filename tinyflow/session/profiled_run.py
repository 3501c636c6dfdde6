"""Profiled runs: the same program, with a clock read after every instruction."""
from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyflow.compiler.codegen.program import ProgramSource
from tinyflow.compiler.ir import Instruction
from tinyflow.session.config import DeviceStepStats, NodeExecStats, RunMetadata, StepStats
from tinyflow.session.executable import Executable
from tinyflow.session.interrupts import deliver, finished_first, pending
from tinyflow.session.runtime import Arena

DEVICE = '/job:localhost/replica:0/task:0/device:CPU:0'


@dataclass(frozen=True)
class Timing:
    """One instruction's start (seconds since the run began) and length."""

    instruction: Instruction
    start: float
    seconds: float


def profile(executable: Executable, arrays: Sequence[np.ndarray],
            runs: int = 1) -> tuple[list, list[list[Timing]]]:
    """(the fetched values of the last run, the Timings of each), from `runs` real runs.

    They work in an arena that earlier runs have used, as other runs do: the first use of memory
    takes longer than many an instruction.
    """
    if executable.take is not None:
        return _profile_parts(executable, arrays, runs)
    source = timed_source(executable)
    with executable.arena() as arena:
        frame = executable.bind(source, arena.block(executable.plan.arena_bytes))
        timings: list[list[Timing]] = []
        for _ in range(runs):
            ticks: list[float] = []
            frame.__globals__['tick'] = lambda ticks=ticks: ticks.append(time.perf_counter())
            begin = time.perf_counter()
            try:
                results = _run(executable, source, arena, frame, arrays)
            finally:
                if pending:
                    deliver()
            starts = [begin, *ticks]
            timings.append([Timing(instruction, start - begin, end - start) for
                            instruction, start, end in zip(source.timed, starts, ticks)])
            if pending:
                break
    return results, timings


def _profile_parts(executable: Any, arrays: Sequence[np.ndarray],
                   runs: int) -> tuple[list, list[list[Timing]]]:
    """The same of an ElementExecutable."""
    timings = []
    for _ in range(runs):
        elements, (first,) = profile(executable.take, arrays)
        given = [*arrays, *elements]
        results, (second,) = profile(executable.for_elements(elements), given)
        begin = first[-1].start + first[-1].seconds
        timings.append(first + [Timing(t.instruction, begin + t.start, t.seconds) for t in second])
        if pending:
            break
    return results, timings


@finished_first
def _run(executable: Executable, source: ProgramSource, arena: Arena,
         function: Callable[..., list], arrays: Sequence[np.ndarray]) -> list:
    try:
        return arena.context.run(function, *arrays)
    except Exception as error:                          # noqa: BLE001 - reported with the node
        raise executable.explain(error, source) from None


def timed_source(executable: Executable) -> ProgramSource:
    """The program's source with a clock read after each instruction, generated once."""
    if executable.timed_source is None:
        kind = type(executable.source)          # one that checks the deadline, or not
        executable.timed_source = kind(executable.plan, clock=True)
    return executable.timed_source


def fill_metadata(executable: Executable, arrays: Sequence[np.ndarray],
                  run_metadata: RunMetadata) -> list:
    """Profiles a run and records the times in a RunMetadata, as TF's FULL_TRACE does."""
    begin = int(time.time() * 1e6)
    results, (timings,) = profile(executable, arrays)
    stats = [NodeExecStats(
        node_name=t.instruction.name, all_start_micros=begin + int(t.start * 1e6),
        op_start_rel_micros=0.0, op_end_rel_micros=t.seconds * 1e6,
        all_end_rel_micros=t.seconds * 1e6,
        timeline_label=f'{t.instruction.name} = {t.instruction.type}'
                       f'({", ".join(v.name for v in t.instruction.inputs)})',
        output_bytes=_output_bytes(t.instruction))
        for t in timings]
    run_metadata.step_stats = StepStats([DeviceStepStats(DEVICE, stats)])
    return results


def _output_bytes(instruction: Instruction) -> int:
    """The size of an instruction's outputs, as far as their shapes are known before the run."""
    return sum(value.nbytes for value in instruction.outputs
               if value.known_shape and value.dtype.np is not None)
