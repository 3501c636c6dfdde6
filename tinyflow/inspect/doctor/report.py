"""What the doctor found, for people."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import report


@dataclass(frozen=True)
class Finding:
    """One likely mistake: its id in the list of beginners' pains, what it is, and the mend."""

    id: str
    problem: str
    mend: str
    operation: Operation | None = None

    def __str__(self) -> str:
        return report(f'[{self.id}] {self.problem}', op=self.operation, mend=self.mend)


@dataclass(frozen=True)
class Report:
    """All findings about one graph, and what was looked at; prints as text."""

    findings: tuple[Finding, ...]
    looked_at: str

    @property
    def ok(self) -> bool:
        """True if nothing was found."""
        return not self.findings

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        return True                     # a report without findings is still a report

    def __str__(self) -> str:
        count = len(self.findings)
        told = 'nothing to remark' if not count else \
            '1 remark' if count == 1 else f'{count} remarks'
        return '\n\n'.join([f'{self.looked_at}: {told}', *map(str, self.findings)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape  # large, and only notebooks need it
        return f'<pre>{escape(str(self))}</pre>'
