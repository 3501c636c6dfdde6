"""Finding and Report: the results of tf.doctor, which print as text."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import report


@dataclass(frozen=True)
class Finding:
    """One likely mistake: its id (docs/warnings.md), the problem, and how to fix it."""

    id: str
    problem: str
    hint: str
    operation: Operation | None = None
    figure: float | None = None         # what was measured

    def __str__(self) -> str:
        return report(f'[{self.id}] {self.problem}', op=self.operation, hint=self.hint)


@dataclass(frozen=True)
class Report:
    """All findings about one graph, and what was checked; prints as text."""

    findings: tuple[Finding, ...]
    checked: str

    @property
    def ok(self) -> bool:
        """True if there are no findings."""
        return not self.findings

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        return True                     # a report without findings is still a report

    def __str__(self) -> str:
        count = len(self.findings)
        summary = 'no problems found' if not count else \
            '1 finding' if count == 1 else f'{count} findings'
        return '\n\n'.join([f'{self.checked}: {summary}', *map(str, self.findings)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape  # start-up time
        return f'<pre>{escape(str(self))}</pre>'
