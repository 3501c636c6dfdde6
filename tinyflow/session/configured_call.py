"""The calls of a Session whose config has a time limit or a number of threads for each run."""
from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from tinyflow.session.calls import Call
from tinyflow.session.config import ConfigProto, RunMetadata, RunOptions

__all__ = ['call_type']


def call_type(config: ConfigProto | None) -> Callable[..., Call]:
    """The Call of a Session with this config; a function of Call's arguments."""
    if config is None:
        return Call
    milliseconds = max(0, config.operation_timeout_in_ms)
    threads = max(0, config.intra_op_parallelism_threads)
    return partial(ConfiguredCall, milliseconds, threads) if milliseconds or threads else Call


class ConfiguredCall(Call):
    """A Call whose runs have `milliseconds`, unless their own options have a timeout.

    Their products and large elementwise operations use `threads` threads. 0 is no limit for both.
    """

    __slots__ = ('milliseconds', 'threads')

    def __init__(self, milliseconds: int, threads: int, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.milliseconds, self.threads = milliseconds, threads

    def run(self, values: Collection[Any] = (), options: RunOptions | None = None,
            run_metadata: RunMetadata | None = None) -> Any:
        if self.milliseconds and (options is None or options.timeout_in_ms <= 0):
            limited = RunOptions()
            if options is not None:
                limited.CopyFrom(options)
            limited.timeout_in_ms = self.milliseconds
            options = limited
        if not self.threads:
            return super().run(values, options, run_metadata)
        from tinyflow.graph.support.processors import limited_to  # start-up time
        with limited_to(self.threads):
            return super().run(values, options, run_metadata)
