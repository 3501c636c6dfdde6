"""The calls of a Session, which may give each run a time limit."""
from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from tinyflow.session.calls import Call
from tinyflow.session.config import ConfigProto, RunMetadata, RunOptions

__all__ = ['call_type']


def call_type(config: ConfigProto | None) -> Callable[..., Call]:
    """The Call of a Session with this config; a function of Call's arguments."""
    milliseconds = 0 if config is None else config.operation_timeout_in_ms
    return partial(TimedCall, milliseconds) if milliseconds > 0 else Call


class TimedCall(Call):
    """A Call whose runs have `milliseconds`, unless their own options have a timeout."""

    __slots__ = ('milliseconds',)

    def __init__(self, milliseconds: int, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.milliseconds = milliseconds

    def run(self, values: Collection[Any] = (), options: RunOptions | None = None,
            run_metadata: RunMetadata | None = None) -> Any:
        if options is None or options.timeout_in_ms <= 0:
            limited = RunOptions()
            if options is not None:
                limited.CopyFrom(options)
            limited.timeout_in_ms = self.milliseconds
            options = limited
        return super().run(values, options, run_metadata)
