"""Times of many runs: per node, per user line, as a table or a Chrome trace."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction
from tinyflow.compiler.memory.plan import MemoryPlan
from tinyflow.graph import shapes
from tinyflow.graph.support.errors import misuse
from tinyflow.session.executable import Executable
from tinyflow.session.profiled_run import Timing, profile


@dataclass(repr=False)
class Profile:
    """The Timings of several runs of one program; `str()` is the table by user line."""

    executable: Executable
    timings: list[list[Timing]]

    @property
    def runs(self) -> int:
        return len(self.timings)

    def by_node(self) -> list[tuple[str, str, float]]:
        """(node name, op type, median seconds in a run), slowest first."""
        rows = [(i.name, i.type, seconds) for i, seconds in self._medians().items()]
        return sorted(rows, key=lambda row: -row[2])

    def _medians(self) -> dict[Instruction, float]:
        """The median of each instruction's seconds over all runs."""
        seconds: dict[Instruction, list[float]] = defaultdict(list)
        for run in self.timings:
            for timing in run:
                seconds[timing.instruction].append(timing.seconds)
        return {instruction: float(np.median(found)) for instruction, found in seconds.items()}

    def by_line(self) -> list[tuple[str, int, float]]:
        """(the user's line, number of nodes from it, median seconds in a run), slowest first."""
        total: dict[str, float] = defaultdict(float)
        nodes: dict[str, set[str]] = defaultdict(set)
        for instruction, seconds in self._medians().items():
            line = str(instruction.operation.site or '(no line known)')
            total[line] += seconds
            nodes[line].add(instruction.name)
        rows = [(line, len(nodes[line]), total[line]) for line in total]
        return sorted(rows, key=lambda row: -row[2])

    def table(self, most: int = 20) -> str:
        """The slowest user lines with their time and share."""
        rows = self.by_line()
        whole = sum(row[2] for row in rows) or 1e-12
        lines = [f'{"us a run":>10}{"share":>7}{"nodes":>7}  line']
        for line, count, seconds in rows[:most]:
            lines.append(f'{seconds * 1e6:>10.1f}{seconds / whole:>7.0%}{count:>7}  {line[:90]}')
        if len(rows) > most:
            rest = sum(row[2] for row in rows[most:])
            lines.append(f'{rest * 1e6:>10.1f}{rest / whole:>7.0%}'
                         f'{sum(row[1] for row in rows[most:]):>7}  '
                         f'({len(rows) - most} more lines)')
        return '\n'.join(lines)

    def memory_curve(self) -> list[tuple[str, int]]:
        """(node name, bytes of results alive after it) along one run."""
        plan, alive, curve = self.executable.plan, {}, []
        last_use = _last_uses(plan)
        for step, instruction in enumerate(plan.program.instructions):
            for value in instruction.outputs:
                if plan.locations[value].kind in ('buffer', 'part', 'local'):
                    alive[value] = (shapes.size(value.raw_shape) or 0) * value.dtype.np.itemsize
            curve.append((instruction.name, sum(alive.values())))
            for value in [v for v in alive if last_use.get(v, step) <= step]:
                del alive[value]
        return curve

    def chrome_trace(self, path: str | None = None) -> str:
        """The last run as JSON for chrome://tracing or Perfetto; written to `path` if given."""
        events = [{'name': t.instruction.name, 'cat': t.instruction.type, 'ph': 'X', 'pid': 0,
                   'tid': 0, 'ts': t.start * 1e6, 'dur': t.seconds * 1e6,
                   'args': {'op': t.instruction.type,
                            'line': str(t.instruction.operation.site or '')}}
                  for t in self.timings[-1]]
        import json  # start-up time
        text = json.dumps({'traceEvents': events, 'displayTimeUnit': 'ns'})
        if path is not None:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        return text

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        seconds = sum(row[2] for row in self.by_line())
        return (f'<tf.Profile: {self.runs} runs, {len(self.by_node())} nodes, '
                f'{seconds * 1e6:.1f} us a run>')


def _last_uses(plan: MemoryPlan) -> dict:
    last: dict = {}
    for step, instruction in enumerate(plan.program.instructions):
        for value in instruction.inputs:
            last[value] = step
    for fetched in plan.program.fetches:
        if fetched is not None:
            last[fetched] = len(plan.program.instructions)
    return last


def profile_executable(executable: Executable, arrays: Sequence[Any], runs: int) -> Profile:
    """Runs a program `runs` times with a clock after every instruction. ValueError for none."""
    if runs < 1:
        raise misuse(ValueError(f'A profile needs at least one run, not {runs}.'))
    timings = profile(executable, arrays, runs)[1]
    return Profile(executable.shown, timings)
